"""A question on the page, with buttons or a field for a number; answers are judged there, with no kernel."""

from pathlib import Path

import anywidget
import numpy as np
import traitlets

from .. import _
from .browser import joined

OWN = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
SCRIPT = joined(["elements", "keys", "saving"]) + OWN  # which uses what is above it


class Question(anywidget.AnyWidget):
    """The widget of a Prediction; heard(result) is called for each answer given on the page.

    With an answer that was given before, it is shown with that, and asks no more.
    """

    _ipython_display_ = None  # that of ipywidgets 7 would not show the question in words
    _esm = SCRIPT
    _css = Path(__file__).parent / "question.css"
    asks = traitlets.Dict().tag(sync=True)  # what the page shows before there is an answer
    told = traitlets.Dict().tag(sync=True)  # what the page needs to judge an answer
    answer = traitlets.Unicode().tag(sync=True)  # the latest answer given on the page

    def __init__(self, prediction, heard, answer=""):
        self.prediction = prediction
        super().__init__(**traits(prediction), answer=answer)
        self.observe(lambda change: heard(prediction.check(change.new)), "answer")

    def __repr__(self):
        """The question in words, the same on every run, for places without a browser."""
        p = self.prediction
        tables = (tabled(*shown) for shown in p.shown)
        shown = [line for title, rows in tables for line in (title, *map("  ".join, rows))]
        choices = [f"· {choice}" for choice in p.choices] or [_("Answer with {form}.", form=p.form)]
        return "\n".join([p.title, p.question, *shown, *choices])

    def _repr_mimebundle_(self, **kwargs):
        data, about = super()._repr_mimebundle_(**kwargs)
        return data | {"text/plain": repr(self)}, about


def traits(prediction):
    """What the browser gets of a question, in the language of this process."""
    asks = {
        "name": prediction.name,
        "title": prediction.title,
        "question": prediction.question,
        "choices": prediction.choices,
        "form": prediction.form,
        "shown": [tabled(*shown) for shown in prediction.shown],
        "words": {
            "check": _("check"),
            "right": _("Correct."),
            "wrong": _("Not yet."),
            "waive": _("show the answer"),
            "folded": _("What follows is folded until you answer, or choose to see the answer."),
            "here": _("Folded until the question above is answered."),
        },
    }
    return {"asks": asks, "told": prediction.told()}


def tabled(title, array, right=None):
    """(title, rows of texts) of an array; each number that is not right is followed by ≠."""
    x = np.atleast_1d(np.asarray(array))
    off = np.zeros(x.shape, bool)
    if right is not None and right.shape == x.shape:
        off = ~np.isclose(x, right, rtol=1e-4, atol=1e-5, equal_nan=True)
    rounded = x if x.dtype == bool else x.astype(float).round(2) + 0  # no −0.00
    whole = (x == rounded.round()).all()
    number = "{}" if x.dtype == bool else "{:g}" if whole else "{:.2f}"
    texts = [number.format(n) for n in rounded.flat]
    cells = [f"{text} ≠" if differs else text for text, differs in zip(texts, off.ravel())]
    return title, [cells[i : i + x.shape[-1]] for i in range(0, len(cells), x.shape[-1])]
