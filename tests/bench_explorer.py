"""What an Explorer costs: to create, to send and to keep.

Created: in JupyterLab, from the call of Explorer(…) until the browser has painted it, less what
the calls to compute take by themselves; the part in Python alone stands beside it. Sent: what the
widgets' messages carry as bytes, and as text. Kept: what each of four more Explorers adds after
both sides have collected their garbage: the heap of the page's JavaScript (which holds no binary
buffers, canvases or DOM), the whole renderer process (which holds them all), and the kernel.
"""

import tempfile

import psutil
from bench_forms import RUN, OneCell
from bench_table import single, timed
from find_browser import find_browser
from lab import chromium, jupyter_lab

POSITIONS = (1, 10, 100, 1000, 5000)  # of a 3-token attention
TIMES = 3  # each is created so often
EXTRA = {1000: 150}  # positions: ms at most, on top of the calls themselves
LARGE, LARGE_BAR = (64, 100), 1000  # (tokens, positions); ms at most, in all
SIZES = {"3×3": (1, 3), "16×16": (1, 16), "64×64": (1, 64), "8 heads 64×64": (8, 64)} | {
    "256×256": (1, 256)
}
SWEPT, MORE = 40, 4  # positions of each; Explorers that are added to weigh one
FLOAT = 4  # bytes a number may weigh at most when it is sent

SOURCE = """
import gc, json, time
import ipywidgets, matplotlib.pyplot, psutil, torch
from IPython.display import display
from ipywidgets.widgets.widget import _remove_buffers
from helpers.explorer import Explorer
ipywidgets.Widget.close_all(); gc.collect()
X = torch.randn({heads}, {tokens}, 4, generator=torch.manual_seed(0)).squeeze(0)
tokens = [f"w{{i}}" for i in range({tokens})]
steps = range(1, {positions} + 1)

def attend(step):
    return torch.softmax(X @ X.mT / step, dim=-1)

def explorer():
    e = Explorer(attend, tokens, step=(1, {positions}) if {positions} > 1 else [1])
    assert e.swept
    return e
"""
CREATE = """
def bare():
    start = time.perf_counter()
    for step in steps: attend(step)
    return time.perf_counter() - start

calls = min(bare() for _ in range(3))
start, epoch = time.perf_counter(), time.time()
e = explorer()
built = time.perf_counter() - start
print(json.dumps(dict(calls=1000 * calls, built=1000 * built, epoch=1000 * epoch)))
e"""
WEIGH = """
family = [e := explorer(), *e.children]
family += [w.layout for w in family]
parts = [_remove_buffers(w.get_state()) for w in family]
text = sum(len(json.dumps(state, default=str)) for state, *_ in parts)
print(json.dumps(dict(binary=sum(len(b) for *_, buffers in parts for b in buffers), text=text)))"""
KEEP = """
def kernel():
    gc.collect()
    return psutil.Process().memory_info().rss

display(kept := explorer())
before = kernel()
display(*(more := [explorer() for _ in range({more})]))
print(json.dumps((kernel() - before) / max(1, len(more))))"""
# Run the cell; resolve to the time of day, in ms, when a new Explorer has been painted.
PAINTED = """async ([cell, source]) => {
  const painted = new Promise(done => {
    const before = cell.querySelector('.ax-view');
    const observer = new MutationObserver(() => {
      const view = cell.querySelector('.ax-view[data-ready=true]');
      if (!view || view === before) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.timeOrigin + performance.now())));
    });
    observer.observe(cell, { subtree: true, childList: true, attributeFilter: ['data-ready'] });
  });
  await (RUN)(source);
  return painted;
}""".replace("RUN", RUN)


def rows():
    """The table, row by row, as it is measured."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as config:
        with jupyter_lab(folder, config) as url, chromium(find_browser()) as browser:
            book = OneCell("explorers", browser, url, folder)
            yield from creation(book)
            yield from weight(book)
            yield from memory(book, browser)


def creation(book):
    create(book, 3, 10)  # the first one loads what all others use
    for positions in POSITIONS:
        size = f"{positions:,} position" + "s" * (positions > 1)
        calls, built, shown = zip(*(create(book, 3, positions) for _ in range(TIMES)))
        yield timed("3-token attention: the calls alone", size, calls)
        yield timed(
            "… swept and packed, over the calls", size, [b - c for b, c in zip(built, calls)]
        )
        over = [s - c for s, c in zip(shown, calls)]
        yield timed("… swept, packed and shown, over the calls", size, over, EXTRA.get(positions))
    tokens, positions = LARGE
    shown = [create(book, tokens, positions)[2] for _ in range(TIMES)]
    size = f"{positions:,} positions"
    yield timed(f"{tokens}×{tokens} attention: swept and shown", size, shown, LARGE_BAR)


def create(book, tokens, positions):
    """(ms of the calls, of Explorer(…) in Python, and until it was painted)."""
    source = SOURCE.format(heads=1, tokens=tokens, positions=positions) + CREATE
    painted = book.page.evaluate(PAINTED, [book.cell.element_handle(), source])
    said = book.said()
    return said["calls"], said["built"], painted - said["epoch"]


def weight(book):
    for size, (heads, tokens) in SIZES.items():
        book.run(SOURCE.format(heads=heads, tokens=tokens, positions=SWEPT) + WEIGH)
        sent = book.said()
        each = sent["binary"] / SWEPT
        yield single(f"sent as bytes, {SWEPT} positions", size, sent["binary"] / 1000, "kB")
        most = FLOAT * heads * tokens**2
        yield single("… for each position", size, each / 1000, "kB", most / 1000)
        yield single(
            "… beside it, as text (script, style, labels)", size, sent["text"] / 1000, "kB"
        )


def memory(book, browser):
    for size, (heads, tokens) in SIZES.items():
        source = SOURCE.format(heads=heads, tokens=tokens, positions=SWEPT)
        alone, crowd = (browser_memory(book, browser, source, more) for more in (0, MORE))
        each = [(b - a) / MORE for a, b in zip(alone, crowd)] + [book.said()]
        for what, added in zip(("JavaScript heap", "renderer process", "kernel"), each):
            yield single(f"an Explorer's memory: {what}", size, added / 1e6, "MB")


def browser_memory(book, browser, source, more):
    """(JavaScript heap, renderer process) in bytes, with so many Explorers beside the first."""
    book.run(source + KEEP.format(more=more))
    drawn = book.cell.locator(".ax-view[data-ready=true]")
    drawn.nth(more).wait_for(state="attached", timeout=30_000)
    book.page.wait_for_timeout(500)
    devtools = book.page.context.new_cdp_session(book.page)
    devtools.send("Performance.enable")
    for _ in range(2):
        devtools.send("HeapProfiler.collectGarbage")
    metrics = {m["name"]: m["value"] for m in devtools.send("Performance.getMetrics")["metrics"]}
    devtools.detach()
    return metrics["JSHeapUsedSize"], renderer(browser).memory_info().rss


def renderer(browser):
    """The process of the page: the largest of the browser's renderers."""
    devtools = browser.new_browser_cdp_session()
    found = devtools.send("SystemInfo.getProcessInfo")["processInfo"]
    devtools.detach()
    renderers = [psutil.Process(p["id"]) for p in found if p["type"] == "renderer"]
    return max(renderers, key=lambda process: process.memory_info().rss)
