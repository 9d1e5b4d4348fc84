"""What the tests of the Explorer that need no browser share."""

from types import SimpleNamespace

# Before any widget: once a test imports it, those made earlier could no longer be closed.
import ipykernel.ipkernel  # noqa: F401
import ipywidgets as widgets
import numpy as np
import pytest
import torch

from helpers.data.sentences import SUNNY

WORDS = ["a", "b", "c"]


@pytest.fixture(autouse=True)
def no_widgets_left():
    yield
    widgets.Widget.close_all()


def attend(temperature=1.0):
    return torch.softmax(SUNNY @ SUNNY.T / temperature, dim=1)


def frames(e):
    """The frames as the browser receives them: (settings, numbers in a frame)."""
    panels = e.view.spec["panels"]
    cells = sum(max(1, p["heads"]) * p["tall"] * p["wide"] for p in panels)
    size = cells + len(e.view.spec["numbers"])
    return np.frombuffer(e.view.frames, np.float32).reshape(-1, size)


def followed(e):
    """(widget, its trait) for every control that the view follows in the browser."""
    return list(zip(e.view.controls, e.view.spec["traits"]))


def panels(e):
    """The panels of an Explorer by name, with their first labels."""
    return {
        p["name"]: SimpleNamespace(**p | {"rows": p["rows"][0], "columns": p["columns"][0]})
        for p in e.view.spec["panels"]
    }
