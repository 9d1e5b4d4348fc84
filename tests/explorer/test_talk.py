"""The box to talk in, with a function of ours in place of a model."""

from helpers.explorer.talk import Talk


def test_a_talk_goes_on_after_an_interruption_and_an_error():
    told = []

    def reply(messages):
        told.append([m["content"] for m in messages])
        yield "first "
        if messages[-1]["content"] == "long":
            raise KeyboardInterrupt
        if messages[-1]["content"] == "wrong":
            raise ValueError("broken <b>")
        yield "second"

    def asked(question):
        box.field.value = question  # as Enter does it

    box = Talk(reply, recorded=[("old?", "old!")])
    assert "old!" in box.shown.value and "old!" in repr(box) and box.field.tooltip
    asked("one")
    assert "first second" in box.shown.value and "old!" not in box.shown.value
    asked("long")
    assert box.messages[-1]["content"] == "first "
    asked("wrong")
    assert "(ValueError: broken &lt;b&gt;)" in box.shown.value
    asked("two")
    assert told[-1][-1] == "two" and "wrong" not in told[-1] and box.field.value == ""
    assert box.messages[-1] == {"role": "assistant", "content": "first second"}
