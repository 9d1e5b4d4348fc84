"""A question on the page: its choices as buttons, or a field. It is judged there, with no kernel."""

from pathlib import Path

import anywidget
import traitlets

from .. import _

HERE = Path(__file__).parent


class Question(anywidget.AnyWidget):
    """The widget of a Prediction; heard(result) is called for each answer given on the page."""

    _esm = HERE / "question.js"
    _css = HERE / "question.css"
    asks = traitlets.Dict().tag(sync=True)  # what stands on the page before there is an answer
    told = traitlets.Unicode().tag(sync=True)  # what an answer is judged by
    answer = traitlets.Unicode().tag(sync=True)  # the last one that was given on the page

    def __init__(self, prediction, heard):
        self.prediction = prediction
        super().__init__(**traits(prediction))
        self.observe(lambda change: heard(prediction.check(change.new)), "answer")

    def __repr__(self):
        """The question in words, the same on every run: where there is no browser."""
        p = self.prediction
        shown = [line for title, rows in p.shown for line in (title, *("  ".join(r) for r in rows))]
        choices = [f"· {word}" for word in p.words] or [_("Answer with {form}.", form=p.form)]
        return "\n".join([p.title, p.question, *shown, *choices])

    def _repr_mimebundle_(self, **kwargs):
        data, about = super()._repr_mimebundle_(**kwargs)
        return data | {"text/plain": repr(self)}, about


def traits(prediction):
    """What the browser is told of a question, in the language of this process."""
    asks = {
        "name": prediction.name,
        "title": prediction.title,
        "question": prediction.question,
        "choices": prediction.words,
        "form": prediction.form,
        "shown": prediction.shown,
        "words": {
            "check": _("check"),
            "right": _("Correct."),
            "wrong": _("Not yet."),
            "waive": _("show the answer"),
            "folded": _("What follows is folded until you answer, or have the answer shown."),
            "here": _("Folded until the question above is answered."),
        },
    }
    return {"asks": asks, "told": prediction.told()}
