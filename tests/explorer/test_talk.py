"""The box to talk in, with a function of ours in place of a model."""

import threading

from helpers.explorer.talk import Talk


def test_a_talk_goes_on_after_a_stop_an_error_and_a_new_beginning():
    told, waits = [], threading.Event()

    def reply(messages):
        told.append([m["content"] for m in messages])
        yield "first "
        if messages[-1]["content"] == "long":
            waits.wait()
        if messages[-1]["content"] == "wrong":
            raise ValueError("broken <b>")
        yield "second"

    def asked(question):
        box.field.value = question  # as Enter does it
        box.thread.join()

    box = Talk(reply, recorded=[("old?", "old!")])
    assert "old!" in box.shown.value and "old!" in repr(box)
    asked("one")
    assert "first second" in box.shown.value and "old!" not in box.shown.value

    box.field.value = "long"
    box.stop.click()
    waits.set()
    box.thread.join()
    assert box.messages[-1]["content"] in ("first ", "first second")  # the token that it was at

    asked("wrong")
    assert "(ValueError: broken &lt;b&gt;)" in box.shown.value
    asked("two")
    assert told[-1][-1] == "two" and "wrong" not in told[-1] and box.field.value == ""

    waits.clear()
    box.field.value = "long"
    threading.Timer(0, waits.set).start()
    asked("three")  # while the model is busy
    assert box.messages[-2:] == [
        {"role": "user", "content": "three"},
        {"role": "assistant", "content": "first second"},
    ]
    box.again.click()
    asked("four")
    assert told[-1] == ["four"]
