"""Keras, counting on PyTorch, and our progress bar for its trainings.

    from helpers.models.keras_on_torch import Bar, keras
    model.fit(x, y, verbose=0, callbacks=[Bar()])

Raises ModuleNotFoundError, with what to do, if Keras is missing; ImportError if it was imported
before and counts on another library.
"""

import os
import tempfile

from .. import _
from ..tools import steps


def _imported():
    """Keras on PyTorch. The settings that it writes down when it is imported go with their folder."""
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
        text = _("Keras was imported before, and counts on {backend}; restart the kernel.")
        raise ImportError(text.format(backend=keras.backend.backend()))
    return keras


keras = _imported()


class Bar(keras.callbacks.Callback):
    """Moves our bar along by one for each batch, and takes it away at the end."""

    def on_train_begin(self, logs=None):
        self.left = iter(steps(self.params["epochs"] * self.params["steps"]))

    def on_train_batch_end(self, batch, logs=None):
        next(self.left, None)

    def on_train_end(self, logs=None):
        list(self.left)  # to its end
