"""A box to talk to a model in: the learner's own function answers, token by token."""

import html
import time

import ipywidgets as widgets

from .. import _

TURN = '<p style="white-space: pre-wrap; max-width: 42rem"><b>{who}</b> {text}</p>'


class Talk(widgets.VBox):
    """A talk with a model, in the kernel: a field, and an answer that grows.

    reply     reply(messages) yields the answer in pieces; messages are all turns so far, as
              [{"role": "user" or "assistant", "content": text}, …]
    recorded  [(question, answer), …], shown at first; all that there is on a page without a kernel

    What interrupts the kernel (■) ends an answer. An error of `reply` is shown beside what came of
    the answer, and the model is not told of that question again. Run the cell again to begin a new
    talk.
    """

    def __init__(self, reply, recorded=()):
        self.reply, self.messages, self.recorded = reply, [], recorded
        self.shown = widgets.HTML(
            "".join(_turn("user", q) + _turn("assistant", a) for q, a in recorded)
        )
        asks = _("Ask something, then press Enter")
        self.field = widgets.Text(placeholder=asks)
        self.field.tooltip = asks  # otherwise ipywidgets 8 writes "null"
        self.field.continuous_update = False
        self.field.observe(lambda change: self.ask(change.new), "value")
        super().__init__([self.shown, self.field])
        self.add_class("talk")

    def ask(self, question):
        """Answer a question, token by token; the kernel is busy until then."""
        if not question.strip():
            return
        self.field.value = ""
        self.messages.append({"role": "user", "content": question})
        start, count, text = time.perf_counter(), 0, ""
        try:
            for piece in self.reply(list(self.messages)):
                count, text = count + 1, text + piece
                self._show(text)
        except KeyboardInterrupt:
            pass  # what has come by then is the answer
        except Exception as error:  # the learner's own function may raise anything
            self._show(text, f"({type(error).__name__}: {error})")
            self.messages.pop()
            return
        told = {"count": count, "rate": count / (time.perf_counter() - start)}
        self._show(text, _("({count} tokens, {rate:.1f} per second)", **told))
        self.messages.append({"role": "assistant", "content": text})

    def _show(self, text, note=""):
        before = "".join(_turn(m["role"], m["content"]) for m in self.messages)
        self.shown.value = before + _turn("assistant", text, note)

    def __repr__(self):
        """What was recorded, for where no widget is shown."""
        you, model = _("you:"), _("model:")
        told = [f"{you} {asked}\n{model} {answered}" for asked, answered in self.recorded]
        return "\n".join([_("A box to talk to the model in."), *told])

    def _repr_mimebundle_(self, **kwargs):
        data = super()._repr_mimebundle_(**kwargs)
        return data | {"text/plain": repr(self)}


def _turn(role, text, note=""):
    who = {"user": _("you:"), "assistant": _("model:")}[role]
    said = html.escape(text) + (f" <small>{html.escape(note)}</small>" if note else "")
    return TURN.format(who=who, text=said)
