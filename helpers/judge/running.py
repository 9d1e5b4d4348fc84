"""Runs a learner's code so that nothing it does can harm the notebook.

A call ends after a time limit, its printed output is cut, and random states are restored. Any
error becomes a Trouble, which names the line of the learner's code.
"""

import ast
import contextlib
import inspect
import io
import linecache
import random
import re
import signal
import sys
import sysconfig
import textwrap
import threading
import time
import traceback
import warnings
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from .. import _
from . import cells

LIMIT = 3.0  # seconds of processor time for all calls of one check together
WAITS = 5  # times as many seconds may pass, since code that sleeps takes no processor time
LONGEST_WAIT = 60.0  # seconds until code is stopped even inside an import or a library
AGAIN = 0.05  # seconds from one look at the clock to the next
MOST_PRINTED = 400  # characters
LONGEST = 200  # characters of an error message
NOT_THE_LEARNERS = (
    str(Path(__file__).parent.parent),
    *{sysconfig.get_paths()[k] for k in ("stdlib", "platstdlib", "purelib", "platlib")},
    "<frozen",
)


class TookTooLong(BaseException):
    """The time is over. A BaseException, so that `except Exception` does not catch it."""


class Unfinished(Exception):
    """The answer returned None or `...`, so it is not finished yet."""


class WrongKind(Exception):
    """The result is of a kind that cannot be compared; the message tells the learner why."""


@dataclass(frozen=True)
class Trouble:
    """Why there is no result. Two are equal if the same happened, even on different lines."""

    kind: str  # "unfinished", "slow", "error" or "wrong kind"
    text: str = ""  # the error message, or the message to the learner
    where: str = field(default="", compare=False)  # "line 3: return scores.softmax(dim=5)"
    inside: object = field(default=None, compare=False)  # its code, if not the answer's


class Clock:
    """The time of one check, which begins with its first call, and anew when something was imported.

    What is imported, or made by a first torch.compile, is there the next time, so a right answer
    would be refused once and accepted the second time.
    """

    def __init__(self, seconds):
        self.seconds, self.last = seconds, time.monotonic() + max(seconds, LONGEST_WAIT)
        self.begin()

    def begin(self):
        self.end, self.modules = time.process_time() + self.seconds, len(sys.modules)
        self.end_of_waiting = time.monotonic() + WAITS * self.seconds

    def is_over(self):
        if len(sys.modules) > self.modules:
            self.begin()
        return time.process_time() > self.end or time.monotonic() > self.end_of_waiting

    def is_all_over(self):
        """Whether nothing is waited for any longer."""
        return time.monotonic() > self.last


class Run:
    """Runs the calls of one check, which share a time limit; keeps the first printed output."""

    def __init__(self, seconds=LIMIT):
        self.seconds, self.clock, self.printed = seconds, None, ""

    def __call__(self, function, *arguments):
        """(result, None), or (None, Trouble) if the function fails in any way."""
        heard, result, trouble = io.StringIO(), None, None
        self.clock = self.clock or Clock(self.seconds)
        try:
            with undisturbed(), warnings.catch_warnings(), torch.enable_grad():
                warnings.simplefilter("ignore")
                with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
                    result = within(self.clock, lambda: function(*arguments))
        except KeyboardInterrupt:
            raise  # the learner pressed stop
        except BaseException as error:  # SystemExit too: nothing may end the kernel
            trouble = self._trouble(error)
        text = heard.getvalue()
        cut = text[:MOST_PRINTED].rstrip() + (" …" if len(text) > MOST_PRINTED else "")
        self.printed = self.printed or cut
        return result, trouble

    def _trouble(self, error):
        if isinstance(error, TookTooLong):
            seconds = LONGEST_WAIT if self.clock.is_all_over() else self.seconds
            return Trouble("slow", f"{seconds:g}", where(error))
        if isinstance(error, WrongKind):
            return Trouble("wrong kind", str(error))
        text = _first_line(str(error))
        of_dots = "ellipsis" in text.lower() and not isinstance(error, NameError)
        # PyTorch also raises NotImplementedError, so it counts only if the learner raises it.
        unwritten = type(error) is NotImplementedError and "raise " in where(error)
        if isinstance(error, Unfinished) or of_dots or unwritten:
            return Trouble("unfinished", "...", where(error))
        inside = passed_through(error)[-1][0].f_code if elsewhere(error) else None
        text = f"{type(error).__name__}: {text}".removesuffix(": ")
        return Trouble("error", text, where(error), inside)


def _first_line(text):
    """The first line that says why. Keras puts a line before it that says only where."""
    plain = re.sub(r"\x1b\[[\d;]*m|Exception encountered when calling .*\n", "", text)
    text = next((line.strip() for line in plain.splitlines() if line.strip()), "")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def where(error):
    """The innermost line of the learner's code that the error passed through; "" if none."""
    if not (passed := passed_through(error)):
        return ""
    frame, number = passed[-1]
    file = frame.f_code.co_filename
    source = linecache.getline(file, number, frame.f_globals).strip()
    line = _("line {number}", number=number) + (f": {source}" if source else "")
    if not (name := elsewhere(error)):
        return line
    cell = f" ({cells.name_of(file)})" if cells.name_of(file) else ""
    return f"{name}{cell}, {line}"


def passed_through(error):
    """[(frame, line number)] of the learner's code that the error passed through."""
    walked = traceback.walk_tb(error.__traceback__)
    return [(frame, number) for frame, number in walked if is_learners(frame)]


def elsewhere(error):
    """The name of the learner's other function in which the error was raised; "" if in the answer."""
    owners = [(f.f_code.co_filename, f.f_code.co_qualname.split(".")[0])
              for f, _number in passed_through(error)]  # fmt: skip
    return owners[-1][1] if owners and owners[-1] != owners[0] else ""


def is_stub(function):
    """Whether a function contains only a docstring, `...`, pass or raise."""
    try:
        (written,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        lines = [line for line in written.body if not isinstance(line, (ast.Pass, ast.Raise))]
    except (OSError, TypeError, SyntaxError, ValueError, AttributeError):
        return False  # without its source we cannot tell, so it counts as written
    return all(
        isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) for line in lines
    )


@contextlib.contextmanager
def undisturbed():
    """Seed all random numbers, and restore every state afterwards.

    One thread is used, because for such small matrices more threads only cost time.
    """
    states = random.getstate(), np.random.get_state(), torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        random.seed(0)
        np.random.seed(0)
        torch.default_generator.manual_seed(0)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            random.setstate(states[0])
            np.random.set_state(states[1])
            torch.set_num_threads(states[2])


def within(clock, function):
    """The result of function(); raises TookTooLong when the Clock says that the time is over."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not hasattr(signal, "setitimer"):
        return _within_thread(clock, function)

    handler, tracing, rung, ended = signal.getsignal(signal.SIGALRM), sys.gettrace(), [], []

    def ring(_signal, frame):
        """Raises in the learner's code, or sees to it that its next line raises.

        Code of others is not stopped: what it was about to change would stay half done, and after
        half an import of torch._dynamo, no optimiser works. If an `except:` has swallowed an earlier
        error, it is the learner's next line that raises, too.

        When the call is over, it must not raise: the `finally` below would not be finished, and
        the timer would go on for ever.
        """
        if ended or frame.f_code in (within.__code__, ring.__code__) or not clock.is_over():
            return
        above = [*_above(frame)]
        if not clock.is_all_over() and any("importlib" in f.f_code.co_filename for f in above):
            return
        if rung or not is_learners(frame):
            sys.settrace(traced)  # Python ends tracing when stop raises, hence AGAIN
            for caller in filter(is_learners, above):
                caller.f_trace = stop
        if is_learners(frame) or clock.is_all_over():
            rung.append(True)
            raise TookTooLong

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
    try:
        return function()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        ended.append(True)
        signal.signal(signal.SIGALRM, handler)
        sys.settrace(tracing)


def _above(frame):
    """This frame, and those that called it, up to the one of `within`."""
    while frame and frame.f_code is not within.__code__:
        yield frame
        frame = frame.f_back


def is_learners(frame):
    return not frame.f_code.co_filename.startswith(NOT_THE_LEARNERS)


def traced(frame, _event, _argument):
    """How to trace a function that is called: one of the learner's, by `stop`."""
    return stop if is_learners(frame) else None


def stop(_frame, event, _argument):
    """Raises at the next line of a learner's function that is traced.

    If ring has raised inside a `try`, this line is its `except:`, and no longer inside the `try`.
    """
    if event == "line":
        raise TookTooLong
    return stop


def _within_thread(clock, function):
    """The same without a timer, which Windows and other threads than the main one lack.

    A call that is not over in time goes on in a daemon thread, which nothing waits for.
    """
    future = Future()

    def run():
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    while not wait([future], AGAIN).done:
        if clock.is_over():
            raise TookTooLong
    return future.result()
