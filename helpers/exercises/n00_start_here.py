"""The exercise of page 00: one score, the first function that a learner writes."""

import torch

from .. import _
from ..judge.exercise import Case, wave
from .notebook import Notebook

notebook = Notebook(__name__)


@notebook.ask(
    _("dot(a, b): the dot product of two words, each a row of numbers (d,)."),
    returns="score",
    cases=[
        Case(_("chases and mouse"), torch.tensor([0.8, 0.2]), torch.tensor([1.0, 1.0])),
        Case(_("four numbers a word"), wave(4), wave(4, seed=4)),
        Case(_("one number a word"), wave(1, seed=3), wave(1, seed=4)),
    ],
    trains=False,  # nothing is trained yet, so plain numbers are fine
    reread="Which word looks at which?",
    mistakes={
        "not_added_up": "return a @ b → return a * b",
        "returned_at_once": "return a @ b → return a[0] * b[0]",
        "last_round_only": "return a @ b → return a[-1] * b[-1]",
        "components_written_in": "return a @ b → return a[0] * b[0] + a[1] * b[1]",
    },
)
def dot(a, b):
    return a @ b
