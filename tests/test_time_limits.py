"""A learner's code that never ends is ended, whatever it catches, and leaves no alarm behind."""

import contextlib
import functools
import signal
import sys
import threading
import time

import pytest
from answers.n01_hello_shiny_sun import softmax_by_hand

from helpers import checks
from helpers.judge import running
from helpers.judge.running import TookTooLong


@pytest.fixture
def impatient(monkeypatch):
    """A time limit short enough for tests."""
    monkeypatch.setattr(running, "LIMIT", 0.2)


def test_a_loop_without_end(impatient):
    def softmax(scores):
        while True:
            scores = scores + 1

    lines = checks.softmax(softmax).message.split("\n")
    assert lines[0] == "softmax: not yet."
    assert lines[1].startswith("With scores (4,), it was still running after 0.2 seconds, in line ")
    assert len(lines) == 2


def test_the_clock_starts_with_the_first_call():
    calls = running.Calls(0.2)
    time.sleep(0.3)  # as the inputs are made: Keras may have to be imported for them
    assert calls(lambda: sum(range(100_000))) == (sum(range(100_000)), None)


def catches_everything():
    while True:
        with contextlib.suppress(BaseException):
            while True:
                sum(range(10))


def sleeps():
    time.sleep(1000)


def prints():
    while True:
        print("on and on")


def in_a_generator():
    return [x for x in iter(int, 1)]


def catches_in_a_loop():
    while True:
        try:
            sum(range(10))
        except:  # noqa: E722
            pass


@pytest.mark.parametrize(
    "forever", [sleeps, prints, in_a_generator, catches_everything, catches_in_a_loop]
)
def test_other_ways_to_take_for_ever(impatient, forever):
    assert "it was still running after" in checks.softmax(lambda scores: forever()).message


def test_the_time_is_shared_by_all_calls(impatient):
    def softmax(scores):
        if scores.dim() > 1:
            time.sleep(1000)
        return scores.softmax(dim=-1)

    message = checks.softmax(softmax).message
    assert "With scores (3, 3), it was still running" in message


def test_no_alarm_is_left_behind(impatient):
    before = signal.getsignal(signal.SIGALRM)
    checks.softmax(lambda scores: sleeps())
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_an_alarm_of_someone_else_is_kept():
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        assert checks.softmax(softmax_by_hand).passed
        assert 900 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def in_a_thread(function):
    """What the function returns, called where there are no signals."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def loops():
    while True:
        sum(range(10))


def test_a_loop_without_end_outside_the_main_thread(impatient):
    result = in_a_thread(lambda: checks.softmax(lambda scores: loops()))
    assert "it was still running after 0.2 seconds, in line" in result.message
    assert in_a_thread(lambda: checks.softmax(softmax_by_hand)).passed
    time.sleep(2 * running.AGAIN)
    assert "watch" not in "".join(thread.name for thread in threading.enumerate())


def test_a_system_without_timers(impatient, monkeypatch):
    """As on Windows."""
    monkeypatch.delattr(signal, "setitimer")
    assert "it was still running" in checks.softmax(lambda scores: loops()).message
    assert checks.softmax(softmax_by_hand).passed


@pytest.mark.parametrize("limit", [running._Alarm, running._Watchdog])
def test_a_limit_that_is_reached_at_the_very_end_does_not_bite_later(limit, monkeypatch):
    monkeypatch.setattr(running, "_Alarm", limit)
    for length in range(0, 2000, 10):
        with contextlib.suppress(TookTooLong):
            running.within(0.0002, functools.partial(sum, range(length)))
    time.sleep(2 * running.AGAIN)  # where a ring that was left over would come
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_debugger_is_left_in_its_place(impatient):
    def trace(*_):
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        checks.softmax(lambda scores: catches_everything())
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
