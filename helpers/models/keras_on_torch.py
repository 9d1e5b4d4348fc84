"""Keras with PyTorch as its backend:

    from helpers.models.keras_on_torch import keras

Raises ModuleNotFoundError, which says what to do, if Keras is missing, and ImportError if Keras was
imported earlier with another backend.
"""

import os
import tempfile

from .. import _


def _imported():
    """Import Keras on PyTorch. It writes settings when imported, here into a temporary folder."""
    os.environ["KERAS_BACKEND"] = "torch"
    with tempfile.TemporaryDirectory() as folder:
        home = os.environ.setdefault("KERAS_HOME", folder)
        try:
            import keras
        except ModuleNotFoundError as error:
            if error.name != "keras":
                raise
            text = _(
                "Keras is not installed here; "
                "run `%pip install keras` in a cell, then this one again."
            )
            raise ModuleNotFoundError(text) from None
        finally:
            if home == folder:
                del os.environ["KERAS_HOME"]
    if keras.backend.backend() != "torch":
        text = _("Keras was imported earlier, and uses {backend}; restart the kernel.")
        raise ImportError(text.format(backend=keras.backend.backend()))
    return keras


keras = _imported()
