"""Slider to pixels: the Explorer beside three ways to live pictures with matplotlib, in JupyterLab.

All show the same matrices, from the same function, at the same 40 positions of a slider, with the
same labels and, up to 16×16, the same numbers, each in a notebook of its own; they take turns. A
bare imshow beside them shows what words and numbers cost matplotlib, and a bare slider what
JupyterLab and ipywidgets take by themselves on this machine. A press on the slider's
handle starts the clock, at a random moment within the display's frame, for a fixed wait could fall
in step with it. The clock stops twice, by Chromium's own account (bench_trace.py): when the main
thread has *painted* the frame with the new picture (script, style, layout, paint, commit), and
when that frame is *shown* (rastered and presented; without a GPU, the processor does that too).
Before the clock counts, the first presses are looked at: the picture has changed when the clock
stops, and changes no more.
"""

import tempfile
from pathlib import Path
from statistics import median

from bench_forms import BARE, FORMS, NUMBERED, SLIDER, Form
from bench_table import single, timed
from bench_trace import presses, tracing
from find_browser import find_browser
from lab import chromium, jupyter_lab

SIZES = {  # heads, tokens, bars on the Explorer's median and 95th percentile, in ms
    "3×3": (0, 3, 8, 16.7),
    "16×16": (0, 16, 16.7, 33.4),
    "64×64": (0, 64, None, None),
    "8 heads 64×64": (8, 64, None, 33.4),
    "256×256": (0, 256, None, None),
}
TURNS = 7  # of each form at each size
PRESSES = {"Explorer": 6, SLIDER: 3}  # in a turn: more of those that are quick
ALONE = 10  # presses of the Explorer with the kernel at rest, busy and dead
RATIO = 1 / 10  # the Explorer's median over interact's
UNCHANGED = 1.5, 1  # with the kernel busy or dead: at most so many times the median, plus ms


def take_turns(forms, trace):
    """What each press took, of each form: {name: [Press, …]}."""
    order = []
    with tracing(forms[0].browser, trace):
        for _ in range(TURNS):
            for form in forms:
                for _ in range(PRESSES.get(form.name, 1)):
                    form.press()
                    order.append(form.name)
    times = {name: [] for name in order}
    for name, press in zip(order, presses(trace), strict=True):
        times[name] += [press] if press else []
    return times


def alone(form, trace):
    """What each press took, of the Explorer alone: with the kernel at rest, busy and dead."""
    times = {"at rest": press_often(form, trace, ALONE // 2)}
    form.keep_kernel_busy()
    times["busy"] = press_often(form, trace, ALONE)
    form.let_kernel_rest()
    times["at rest"] += press_often(form, trace, ALONE // 2)
    form.shut_kernel_down()
    times["dead"] = press_often(form, trace, ALONE)
    form.start_kernel()
    return times


def press_often(form, trace, times):
    with tracing(form.browser, trace):
        for _ in range(times):
            form.press()
    return [press for press in presses(trace) if press]


def rows():
    """The table, row by row, as it is measured."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as config:
        trace = Path(config) / "trace.json"
        with jupyter_lab(folder, config) as url, chromium(find_browser()) as browser:
            forms = [Form(name, browser, url, folder) for name in FORMS]
            for size, (heads, tokens, *bars) in SIZES.items():
                here = [f for f in forms if f.name != BARE or tokens <= NUMBERED]
                for form in here:
                    form.show(heads, tokens)
                yield from compared(size, take_turns(here, trace), *bars)
                yield from unchanged(size, alone(forms[0], trace))


def compared(size, times, at_most, p95_at_most):
    for name, all_presses in times.items():
        bars = (at_most, p95_at_most) if name == "Explorer" else ()
        yield timed(f"slider painted: {name}", size, [p.painted for p in all_presses], *bars)
    for name, all_presses in times.items():
        yield timed(f"slider shown: {name}", size, [p.shown for p in all_presses])
    yield timed("main-thread work: Explorer", size, [p.work for p in times["Explorer"]])
    for clock in ("painted", "shown"):
        ours, theirs = (
            median(getattr(p, clock) for p in times[name]) for name in ("Explorer", "interact")
        )
        yield single(f"slider {clock}: Explorer / interact", size, ours / theirs, "×", RATIO)


def unchanged(size, times):
    rest = median(p.painted for p in times["at rest"])
    factor, plus = UNCHANGED
    for state in ("busy", "dead"):
        ms = [p.painted for p in times[state]]
        yield timed(f"slider painted: Explorer, kernel {state}", size, ms, factor * rest + plus)
