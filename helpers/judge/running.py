"""Runs a learner's code so that nothing it does can harm the notebook.

A call ends after a time limit, what it prints is kept short, random states are put back, and
whatever goes wrong becomes a Trouble, which knows the learner's own line.
"""

import contextlib
import contextvars
import ctypes
import dis
import inspect
import io
import linecache
import random
import re
import signal
import site
import sys
import sysconfig
import threading
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import nn

from .lines import Line

_paths = sysconfig.get_paths()
LIBRARIES = tuple(  # folders of code that is not the learner's
    {str(Path(_paths[k])) for k in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {*site.getsitepackages(), site.getusersitepackages(), str(Path(__file__).parent.parent)}
)
LIMIT = 3  # seconds that all calls of one check may take together
AGAIN = 0.05  # a function that catches the first alarm gets another one after so many seconds
MOST_PRINTED = 400  # characters
LONGEST = 160  # characters of an error's own message
EMPTY = "RESUME NOP LOAD_CONST POP_TOP RETURN_CONST RETURN_VALUE".split()  # steps of a stub
_in_another = contextvars.ContextVar("within another undisturbed", default=False)


class TookTooLong(BaseException):
    """The time is over. Not an Exception, so that a learner's `except Exception` lets it pass."""


@dataclass(frozen=True)
class Trouble:
    """Why there is no result. Two are equal if the same thing happened, on whatever line."""

    kind: str  # "not attempted", "slow", "error" or "result"
    text: object = ""  # an error's own message; a Line; for "slow", how many seconds it was given
    # Such as "line 3: return scores.softmax(dim=5)".
    where: Line | None = field(default=None, compare=False)


class Calls:
    """The calls of one check: they share a time limit, and what is printed first is kept."""

    def __init__(self, seconds=None):
        self.seconds = LIMIT if seconds is None else seconds
        self.end = (
            None  # the clock starts with the first call: to make the inputs is not their time
        )
        self.printed = ""

    def __call__(self, function, *arguments, seed=0, **named):
        """(result, None), or (None, Trouble) whatever the function did."""
        heard = _Heard()
        result, trouble = None, None
        try:
            with undisturbed(seed), warnings.catch_warnings(), torch.enable_grad():
                warnings.simplefilter("ignore")
                with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
                    self.end = self.end or time.monotonic() + self.seconds
                    left = max(0.01, self.end - time.monotonic())
                    result = within(left, lambda: function(*arguments, **named))
        except KeyboardInterrupt:
            raise  # the learner pressed stop
        except TookTooLong as error:
            trouble = Trouble("slow", f"{self.seconds:g}", where(error))
        except BaseException as error:  # SystemExit too: nothing may end the kernel
            trouble = _trouble(error)
        self.printed = self.printed or str(heard)
        return result, trouble


def _trouble(error):
    text = _first_line(str(error))
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    from_torch = "not implemented for '" in text  # 'Bool', say: no stub
    unfinished = (isinstance(error, NotImplementedError) and not from_torch) or (
        "ellipsis" in text.lower() and isinstance(error, (TypeError, AttributeError, ValueError))
    )
    kind = "not attempted" if unfinished else "error"
    return Trouble(kind, f"{type(error).__name__}: {text}".removesuffix(": "), where(error))


def _first_line(text):
    """The first line that says why: Keras only says where in its first, and colours the next."""
    lines = [line for line in re.sub(r"\x1b\[[\d;]*m", "", text).splitlines() if line.strip()]
    says_where = len(lines) > 1 and lines[0].startswith("Exception encountered when calling ")
    return "".join(lines[says_where : says_where + 1]).strip()


def where(error):
    """The learner's own line that an error came from, as a Line; None if there is none."""
    found = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith(LIBRARIES) or name.startswith("<frozen"):
            continue
        source = linecache.getline(name, number, frame.f_globals).strip()
        key = "line_of_code" if source else "line"
        found = Line(key, number=number, **({"source": source} if source else {}))
    return found


def is_stub(function):
    """Whether there is nothing in a function yet but its arguments, a docstring, ... or pass."""
    code = getattr(function, "__code__", None)
    if code is None or any(step.opname not in EMPTY for step in dis.get_instructions(code)):
        return False
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    arguments = code.co_argcount + code.co_kwonlyargcount + stars
    return code.co_nlocals == arguments and set(code.co_consts) <= {None, ..., function.__doc__}


def is_begun(candidate):
    """Whether a class's own __init__ makes anything yet, besides calling super's."""
    made = vars(candidate).get("__init__") if isinstance(candidate, type) else None
    code = getattr(made, "__code__", None)
    steps = dis.get_instructions(code) if code else ()
    return any(step.opname == "LOAD_GLOBAL" and step.argval != "super" for step in steps)


def asks_a_method(cls):
    """Whether a class reads self.train or self.eval, which set the mode, where it could ask for it."""
    return any(
        step.argval in ("train", "eval") and step.opname in ("LOAD_ATTR", "LOAD_METHOD")
        for name, function in vars(cls).items()
        if inspect.isfunction(function) and name not in ("train", "eval")
        for step in dis.get_instructions(function)
    )


def argument_names(function):
    """The names of a function's positional arguments; () for what is written in C."""
    code = getattr(function, "__code__", None)
    return code.co_varnames[: code.co_argcount] if code else ()


def borrowed(candidate, known=()):
    """name → value of the numbers, matrices and layers that a function, or a class, reads from the
    notebook; and of the notebook's functions that read some, but those whose code is `known`."""
    inside = vars(candidate).values() if isinstance(candidate, type) else [candidate]
    names = {}
    for function in filter(inspect.isfunction, inside):
        codes = [function.__code__]
        for code in codes:
            codes += filter(inspect.iscode, code.co_consts)  # of a comprehension, or a lambda
            for step in dis.get_instructions(code):
                if step.opname == "LOAD_GLOBAL":
                    names[step.argval] = function.__globals__.get(step.argval)
        known = (*known, function.__code__)
    return {name: value for name, value in names.items() if _has_numbers(value, known)}


def _has_numbers(value, known=()):
    if inspect.isfunction(value):
        if value.__code__ in known or value.__code__.co_filename.startswith(LIBRARIES):
            return False
        inside = borrowed(value, known).values()
        return any(not isinstance(one, (int, float)) for one in inside)  # a constant is no matter
    if isinstance(value, nn.Module):  # with weights: an nn.Softmax is a function like any other
        return any(True for _ in value.parameters())
    return isinstance(value, (torch.Tensor, np.ndarray, int, float))


class _Heard(io.StringIO):
    """Takes what is printed, and keeps the beginning of it."""

    def write(self, text):
        super().write(text[: MOST_PRINTED + 1 - len(self.getvalue())])
        return len(text)

    def __str__(self):
        kept = self.getvalue()
        return kept[:MOST_PRINTED].rstrip() + (" …" if len(kept) > MOST_PRINTED else "")


@contextlib.contextmanager
def undisturbed(seed=0):
    """Seed all random numbers, and leave every state as it was. One core: the matrices are small."""
    # NumPy takes long to tell its state: within another of these, which puts it back, nobody asks.
    numpys = None if _in_another.get() else np.random.get_state()
    states = random.getstate(), torch.get_rng_state(), torch.get_num_threads()
    token = _in_another.set(True)
    random.seed(seed)
    np.random.seed(seed)
    torch.default_generator.manual_seed(seed)
    torch.set_num_threads(1)
    try:
        yield
    finally:
        _in_another.reset(token)
        random.setstate(states[0])
        torch.set_rng_state(states[1])
        torch.set_num_threads(states[2])
        if numpys:
            np.random.set_state(numpys)


def within(seconds, function):
    """What function() returns; TookTooLong is raised in it once the seconds are over."""
    in_main = threading.current_thread() is threading.main_thread()
    limit = (_Alarm if in_main and hasattr(signal, "setitimer") else _Watchdog)(seconds)
    try:
        limit.start()
        return function()
    finally:
        limit.stop()


def _frames_inside(frame):
    """The frames that `within` runs, the innermost first; None if it has been left."""
    found = []
    while frame and frame.f_code is not within.__code__:
        found.append(frame)
        frame = frame.f_back
    return found if frame else None


class _Alarm:
    """Linux and macOS: the system's timer, which ends a loop and a sleep alike."""

    def __init__(self, seconds):
        self.seconds, self.rings, self.before = seconds, 0, None

    def start(self):
        self.trace = sys.gettrace()
        self.handler = signal.signal(signal.SIGALRM, self.ring)
        self.before = (0, 0)
        self.before = signal.setitimer(signal.ITIMER_REAL, self.seconds, AGAIN)

    def ring(self, _, frame):
        self.rings += 1
        inside = _frames_inside(frame)
        if inside is None:  # the last ring came when the call was just over
            return self.stop()
        if self.rings > 1:  # it was caught: from now on every line raises, that after `except:` too
            sys.settrace(_raise_at)
            for frame in inside:
                frame.f_trace = _raise_at
        raise TookTooLong

    def stop(self):
        while self.before is not None:  # until no ring comes between
            try:
                if self.rings > 1:
                    sys.settrace(self.trace)
                signal.setitimer(signal.ITIMER_REAL, *self.before)
                signal.signal(signal.SIGALRM, self.handler)
                self.before = None
            except TookTooLong:
                continue


def _raise_at(frame, event, _):
    if event == "line" and frame.f_code.co_filename != __file__:  # not in our own way out
        raise TookTooLong
    return _raise_at


class _Watchdog:
    """Windows, or not the main thread: ends a loop, though not one that waits in C."""

    def __init__(self, seconds):
        self.seconds, self.over = seconds, threading.Event()
        self.lock, self.watched = threading.Lock(), threading.get_ident()

    def start(self):
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        wait = self.seconds
        while not self.over.wait(wait):
            with self.lock:
                inside = _frames_inside(sys._current_frames().get(self.watched))
                if inside is None or self.over.is_set():
                    return
                thread, ring = ctypes.c_ulong(self.watched), ctypes.py_object(TookTooLong)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ring)
            wait = AGAIN

    def stop(self):
        while not self.over.is_set():  # until no ring comes between
            try:
                with self.lock:
                    self.over.set()
                for _ in range(100):  # one that is still on its way comes here
                    pass
            except TookTooLong:
                continue
