"""A box to talk to a model in: the learner's own function answers, token by token."""

import html
import threading
import time

import ipywidgets as widgets

from .. import _

TURN = '<p style="white-space: pre-wrap; max-width: 42rem"><b>{who}</b> {text}</p>'


class Talk(widgets.VBox):
    """A talk with a model, in the kernel: a field, an answer that grows, and a button that stops it.

    reply     reply(messages) yields the answer in pieces; messages are all turns so far, as
              [{"role": "user" or "assistant", "content": text}, …]
    recorded  [(question, answer), …], shown at first; all that there is on a page without a kernel

    It answers in a thread of its own, so that the button is heard. An error of `reply` is shown
    beside what came of the answer, and the model is not told of that question again.
    """

    def __init__(self, reply, recorded=()):
        self.reply, self.messages, self.stopped = reply, [], True
        self.thread = threading.Thread()
        self.recorded = recorded
        self.shown = widgets.HTML(
            "".join(_turn("user", q) + _turn("assistant", a) for q, a in recorded)
        )
        asks = _("Ask something, then press Enter")
        self.field = widgets.Text(placeholder=asks)
        self.field.tooltip = asks  # otherwise ipywidgets 8 writes "null"
        self.stop = widgets.Button(description=_("stop"))
        self.again = widgets.Button(description=_("a new talk"))
        self.field.continuous_update = False
        self.field.observe(lambda change: self.ask(change.new), "value")
        self.stop.on_click(lambda button: self.halt())
        self.again.on_click(lambda button: self.begin())
        box = widgets.HBox([self.field, self.stop, self.again], layout={"flex_flow": "row wrap"})
        box.add_class("talk-asks")  # web pages hide it: there is no kernel that could answer
        super().__init__([self.shown, box])

    def ask(self, question):
        """Answer a question; an answer that is still being written stops for it."""
        if not question.strip():
            return
        self.field.value = ""
        self._finish()
        self.messages.append({"role": "user", "content": question})
        self.stopped = False
        self.thread = threading.Thread(target=self._answer, daemon=True)
        self.thread.start()

    def halt(self):
        """Stop after the present token."""
        self.stopped = True

    def begin(self):
        """Forget the talk."""
        self._finish()
        self.messages, self.shown.value = [], ""

    def _finish(self):
        self.halt()
        if self.thread.is_alive():
            self.thread.join()

    def _answer(self):
        start, count, text = time.perf_counter(), 0, ""
        try:
            for piece in self.reply(list(self.messages)):
                count, text = count + 1, text + piece
                self._show(text)
                if self.stopped:
                    break
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
