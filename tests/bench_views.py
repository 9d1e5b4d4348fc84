"""Slider to pixels: lines and bars beside a table with the same numbers, at the same 40 positions.

Each pair takes turns in one run, in JupyterLab, so that both meet the same machine. Clocks as in
bench_slider.py.
"""

import tempfile
from pathlib import Path
from statistics import median

from bench_forms import Form
from bench_table import single, timed
from bench_trace import presses, tracing
from find_browser import find_browser
from lab import chromium, jupyter_lab

MORE = 4  # ms: the median may be so much above that of the table
TURNS, PRESSES = 14, 5  # of each form; presses in a turn
SOURCE = """
import gc, ipywidgets, torch
from helpers.explorer import Explorer
ipywidgets.Widget.close_all(); gc.collect()
X = 4 * torch.randn({shape}, generator=torch.manual_seed(0))
words = [f"w{{i}}" for i in range({words})]

def numbers(temperature=1.0):
    return torch.softmax(X / temperature, dim=-1)

e = Explorer({compute}, words, temperature=(0.5, 4.4, 0.1){options})
assert e.swept
e"""
WEIGHTS = dict(compute="numbers")
LINES = WEIGHTS | dict(options=', view="lines"')
SIZES = {  # what: (form, its table), each what SOURCE takes
    ("lines", "8×8"): (dict(shape="8, 8", words=8) | LINES, WEIGHTS),
    ("lines", "16×16"): (dict(shape="16, 16", words=16) | LINES, WEIGHTS),
    ("lines", "8 heads 8×8"): (dict(shape="8, 8, 8", words=8) | LINES, WEIGHTS),
    ("bars", "16 words"): (
        dict(shape="1, 16", words=16, compute='lambda **at: {"chances": numbers(**at)}'),
        dict(compute='lambda **at: {"weights": numbers(**at)}'),
    ),
    ("bars", "2 series, 16 words"): (
        dict(
            shape="2, 16",
            words=16,
            compute='lambda **at: {"chances": numbers(**at)}',
            options=', rows={"chances": ["true", "model"]}',
        ),
        dict(
            compute='lambda **at: {"weights": numbers(**at)}',
            options=', rows={"weights": ["true", "model"]}',
        ),
    ),
    ("bars", "10 of 1,000 words"): (
        dict(shape="1, 1000", words=1000, compute='lambda **at: {"chances": numbers(**at)}'),
        dict(
            compute='lambda **at: {"weights": numbers(**at).topk(10).values}',
            options=', columns={"weights": words[:10]}',
        ),
    ),
}


def rows():
    """The table, row by row, as it is measured."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as config:
        trace = Path(config) / "trace.json"
        with jupyter_lab(folder, config) as url, chromium(find_browser()) as browser:
            table, other = (Form(name, browser, url, folder) for name in ("table", "other"))
            for (what, size), (ours, its_table) in SIZES.items():
                given = {"options": ""} | ours
                other.show_source(SOURCE.format(**given))
                table.show_source(SOURCE.format(**given | {"options": ""} | its_table))
                times = take_turns(table, other, trace)
                yield timed("slider painted: table", size, times["table"])
                yield timed(f"slider painted: {what}", size, times["other"])
                more = median(times["other"]) - median(times["table"])
                yield single(f"… {what} over the table", size, more, "ms", MORE)


def take_turns(table, other, trace):
    """Milliseconds until painted, of each press of both."""
    order = []
    with tracing(table.browser, trace):
        for _ in range(TURNS):
            for form in (table, other):
                for _ in range(PRESSES):
                    form.press()
                    order.append(form.name)
    times = {"table": [], "other": []}
    for name, press in zip(order, presses(trace), strict=True):
        times[name] += [press.painted] if press else []
    return times
