"""A learner's code is run so that it harms nothing: ended in time, random states put back."""

import contextlib
import functools
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers import checks
from helpers.judge import check, running
from helpers.judge.running import Run, TookTooLong, is_stub


@pytest.fixture
def impatient(monkeypatch):
    """A time limit short enough for tests."""
    monkeypatch.setattr(check, "LIMIT", 0.2)


def sleeps():
    time.sleep(1000)


def prints():
    while True:
        print("on and on")


def catches_everything():
    while True:
        try:
            time.sleep(1000)
        except:  # noqa: E722
            pass


def lets_nothing_through():
    while True:
        with contextlib.suppress(BaseException):
            sum(range(10))


@pytest.mark.parametrize("forever", [sleeps, prints, catches_everything, lets_nothing_through])
def test_what_never_ends_is_ended(impatient, forever):
    before, tracing = signal.getsignal(signal.SIGALRM), sys.gettrace()
    message = checks.softmax(lambda scores: forever()).message
    assert f"it was still running after 0.2 seconds, in {forever.__name__}, line" in message
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before and sys.gettrace() is tracing


def test_the_time_is_shared_by_all_calls_and_starts_with_the_first(impatient):
    run = Run(0.2)
    time.sleep(0.3)  # as the inputs are made: Keras may have to be imported for them
    assert run(lambda: sum(range(1000))) == (sum(range(1000)), None)
    message = checks.scores(lambda query, X: X @ query if len(X) < 5 else sleeps()).message
    assert "Right for: shiny" in message and "it was still running" in message


def test_a_limit_that_is_reached_at_the_very_end_does_not_bite_later(monkeypatch):
    monkeypatch.setattr(running, "AGAIN", 0.0001)  # the timer rings while the call is ended
    for length in range(0, 2000, 10):
        with contextlib.suppress(TookTooLong):
            running.within(running.Clock(0.0002), functools.partial(sum, range(length)))
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def library(code):
    """The function `f` of a module that is not the learner's."""
    space = {}
    exec(compile(code, f"{running.NOT_THE_LEARNERS[-2]}/library.py", "exec"), space)
    return space["f"]


WORKS = """
import time
def f(state):
    state.append("begun")
    end = time.process_time() + 0.4
    while time.process_time() < end:
        pass
    state.append("done")
"""


def test_code_of_others_is_not_left_half_done():
    state, works = [], library(WORKS)

    def calls():
        while True:
            works(state)

    trouble = Run(0.1)(calls)[1]
    assert (
        trouble.kind == "slow" and trouble.where.startswith("line ") and state == ["begun", "done"]
    )


def test_code_of_others_that_never_ends_is_ended_in_the_end(monkeypatch):
    monkeypatch.setattr(running, "LONGEST_WAIT", 0.7)
    endless = library("def f():\n    while True: pass")
    trouble = Run(0.1)(lambda: endless())[1]
    assert (trouble.kind, trouble.text) == ("slow", "0.7")


def test_an_import_does_not_count_and_is_not_left_half_done():
    code = """
import importlib, torch
from helpers.judge.running import Run
assert Run(0.3)(lambda: importlib.import_module("torch._dynamo"))[1] is None
torch.optim.AdamW([torch.nn.Parameter(torch.zeros(2))])"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_what_counts_is_the_time_in_which_the_process_works():
    assert Run(1.0)(lambda: time.sleep(1.5)) == (None, None)  # as on a machine that is busy
    assert Run(0.2)(lambda: time.sleep(1000))[1].kind == "slow"


WITHOUT_TIMER = """
import signal, sys
del signal.setitimer
from helpers import checks
from helpers.judge import check
check.LIMIT = 0.2
sys.path.insert(0, sys.argv[1])
import test_running
print(checks.softmax(lambda scores: test_running.sleeps()).message)
"""


def test_where_there_is_no_timer_as_on_windows_the_process_ends_all_the_same():
    command = [sys.executable, "-c", WITHOUT_TIMER, str(Path(__file__).parent)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "it was still running after 0.2 seconds" in ended.stdout
    assert (ended.returncode, ended.stderr) == (0, "")


def test_random_states_printing_and_threads_are_as_before(capsys):
    def spoils():
        print("x" * 1000)
        torch.manual_seed(3), np.random.seed(3), random.seed(3)
        torch.set_num_threads(1)

    states = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate()
    threads = torch.get_num_threads()
    run = Run()
    run(spoils)
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.random.get_state()[1].tolist() == states[1] and random.getstate() == states[2]
    assert torch.get_num_threads() == threads
    assert capsys.readouterr().out == "" and run.printed == "x" * 400 + " …"


def test_whatever_is_raised_becomes_a_trouble_with_the_learners_line():
    def wrong():
        raise SystemExit("bye")

    trouble = Run()(wrong)[1]
    assert (trouble.kind, trouble.text) == ("error", "SystemExit: bye")
    assert 'raise SystemExit("bye")' in trouble.where

    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Run()(stopped)


def test_unfinished_is_what_the_learner_says_so_of_and_no_error_of_another():
    def to_do():
        raise NotImplementedError("later")

    def floats_as_conditions():
        return torch.ones(2) & torch.ones(2)

    def no_forward():
        return torch.nn.Module()(1)

    kinds = [Run()(code)[1].kind for code in (to_do, floats_as_conditions, no_forward)]
    assert kinds == ["unfinished", "error", "error"]


def test_a_stub_is_told_from_an_answer_without_return():
    def only_dots(x):
        """What to do."""
        ...

    def passes(x):
        pass

    def raises(x):
        raise NotImplementedError

    def no_return(x):
        x + 1

    assert all(map(is_stub, (only_dots, passes, raises)))
    assert not is_stub(no_return) and not is_stub(len)
