"""What the view of a model costs: bytes, the first picture, and from a press on a head to its pixels.

In JupyterLab, in one run: GPT-2 small as its config makes it (12 layers × 12 heads, 32 tokens, random
weights), watched once; then its maps as Inside, and as the head view of BertViz, in turns. The clock runs
from the call, with the weights at hand, until the browser has painted the first map; of Inside, until
all small pictures are there, too. BertViz is installed for this alone, into a folder that is thrown
away, and its scripts come from npm; where they cannot be had, its rows are left out, and why is said.
Then 24 layers × 16 heads × 128 tokens.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from bench_forms import RUN, OneCell
from bench_table import single, timed
from bench_trace import presses, tracing
from find_browser import find_browser
from lab import chromium, jupyter_lab
from npm_packages import SCRIPTS, OutOfReach, Script, read, tarball

TIMES, PRESSES = 5, 20  # first pictures of each; presses
SMALL, LARGE = "12×12, 32 tokens", "24×16, 128 tokens"
SENT = {SMALL: 1.0, LARGE: 15.0}  # MB of weights, at most
FRAME = 16.7  # ms: what a press takes of the main thread, at most
BERTVIZ = "bertviz==1.4.1"
THEIRS = {  # what BertViz loads from a public host: what it is given here
    "require.min.js": SCRIPTS["require.js"],
    "d3.min.js": Script(
        *("d3", "5.7.0", "dist/d3.min.js"),
        "sha512-8KEIfx+dFm8PlbJN9PI0suazrZ41QcaAufsKE9PRcqYPWLngHIyWJZX96n6IQKePGgeSu0l7rtlueSSNq8Zc3g==",
    ),
    "jquery.min.js": Script(
        *("jquery", "2.2.4", "dist/jquery.min.js"),
        "sha512-lBHj60ezci2u1v2FqnZIraShGgEXq35qCzMv4lITyHGppTnA13rwR0MgwyNJh9TnDs3aXUvd1xjAotfraMHX/Q==",
    ),
}
WEIGHTS = {
    SMALL: """
from transformers import GPT2Config, GPT2Model
model = GPT2Model(GPT2Config()).eval()
with watch(model) as seen, torch.no_grad():
    model(torch.arange(32)[None])
weights = seen.weights""",
    LARGE: """
maps = torch.softmax(3 * torch.randn(24, 16, 128, 128), -1)
weights = {f"layer.{i}": w[None] for i, w in enumerate(maps)}""",
}
SETUP = """
import gc, ipywidgets, json, sys, time, torch
from helpers.inside import Inside, watch
WEIGHTS
words = [f"w{i}" for i in range(next(iter(weights.values())).shape[-1])]"""
INSIDE = """
ipywidgets.Widget.close_all(); gc.collect()
epoch, start = time.time(), time.perf_counter()
view = Inside(weights, tokens=words)
built = time.perf_counter() - start
text = sum(len(w) for w in (view.view._esm, view.view._css, json.dumps(view.view.spec)))
print(json.dumps(dict(epoch=1000 * epoch, built=1000 * built, binary=len(view.view.frames), text=text)))
view"""
HEAD_VIEW = """
sys.path.append({folder!r})
from bertviz import head_view
shown = [w for w in weights.values()]
html = head_view(shown, words, html_action="return").data
epoch = time.time()
print(json.dumps(dict(epoch=1000 * epoch, text=len(html))))
head_view(shown, words)"""
# Run the cell; resolve to the time of day, in ms, when what `there` asks for has been painted.
PAINTED = """async ([cell, source, there]) => {
  const looks = new Function('cell', `return ${there}`);
  cell.querySelectorAll('.jp-OutputArea-output').forEach(node => node.remove());
  const painted = new Promise(done => {
    const observer = new MutationObserver(() => {
      if (!looks(cell)) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.timeOrigin + performance.now())));
    });
    observer.observe(cell, { subtree: true, childList: true, attributes: true });
  });
  await (RUN)(source);
  return painted;
}""".replace("RUN", RUN)
FIRST_MAP = "cell.querySelector('.ax-model .ax-view[data-ready=true]')"
ALL_MAPS = "cell.querySelector('.ax-all-heads[data-drawn]')"
THEIR_MAP = "cell.querySelectorAll('#vis svg line').length"
# Press on a head; resolve when the view has been given its map.
PRESS = """async cell => {
  const thumbs = [...cell.querySelectorAll('.ax-thumb')];
  const thumb = thumbs[cell.benchAt = ((cell.benchAt ?? 0) + 7) % thumbs.length];
  const says = cell.querySelector('.ax-says');
  const changed = new Promise(done =>
    new MutationObserver((_, observer) => { observer.disconnect(); done(); })
      .observe(says, { childList: true }));
  await new Promise(done => setTimeout(done, 17 + 34 * Math.random()));
  performance.mark('bench press');
  thumb.click();
  performance.mark('bench handled');
  await changed;
  performance.mark('bench changed');
  await new Promise(done => setTimeout(done, 34));
}"""


def rows():
    """The table, row by row, as it is measured."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as config:
        theirs = bertviz_in(Path(config) / "bertviz")
        with jupyter_lab(folder, config) as url, chromium(find_browser()) as browser:
            book = OneCell("inside", browser, url, folder)
            for size, source in WEIGHTS.items():
                book.run(SETUP.replace("WEIGHTS", source))
                yield from first_pictures(book, size, theirs if size == SMALL else None)
                yield from pressed(book, size, Path(config) / "trace.json")


def first_pictures(book, size, theirs):
    first, built, all_maps, head_view = [], [], [], []
    painted(book, INSIDE, FIRST_MAP)  # the first one loads what all others use
    if theirs:
        book.page.route("**/cdnjs.cloudflare.com/**", lambda route: give(route, theirs))
        painted(book, HEAD_VIEW.format(folder=theirs["folder"]), THEIR_MAP)
    for _ in range(TIMES):
        ms, said = painted(book, INSIDE, FIRST_MAP)
        first.append(ms)
        built.append(said["built"])
        all_maps.append(painted(book, INSIDE, ALL_MAPS)[0])
        if theirs:
            ms, their_bytes = painted(book, HEAD_VIEW.format(folder=theirs["folder"]), THEIR_MAP)
            head_view.append(ms)
    yield single("Inside: weights that are sent", size, said["binary"] / 1e6, "MB", SENT[size])
    yield single("… beside them (script, style, labels)", size, said["text"] / 1000, "kB")
    yield timed("Inside: in Python", size, built)
    yield timed("Inside: until the first map is painted", size, first)
    yield timed("… and all small pictures", size, all_maps)
    if theirs:
        yield single("BertViz, head view: sent as text", size, their_bytes["text"] / 1e6, "MB")
        yield timed("BertViz, head view: until it is painted", size, head_view)
    painted(book, INSIDE, ALL_MAPS)


def painted(book, source, there):
    """(ms from the call until it was painted, what the cell printed)."""
    shown = book.page.evaluate(PAINTED, [book.cell.element_handle(), source, there])
    said = book.said()
    return shown - said["epoch"], said


def pressed(book, size, trace):
    with tracing(book.notebook.page.context.browser, trace):
        for _ in range(PRESSES):
            book.page.evaluate(PRESS, book.cell.element_handle())
    seen = [press for press in presses(trace) if press]
    yield timed("a press on a head: main-thread work", size, [p.work for p in seen], FRAME)
    yield timed("a press on a head: painted", size, [p.painted for p in seen])
    yield timed("a press on a head: shown", size, [p.shown for p in seen])


# ---------------------------------------------------------------- BertViz


def bertviz_in(folder):
    """{"folder": where it was installed, script: its bytes}; None, and a line on why, where it cannot be."""
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), BERTVIZ]
    done = subprocess.run([sys.executable, *install], capture_output=True, text=True)
    if done.returncode:
        print(f"No BertViz beside it: {done.stderr.strip().splitlines()[-1]}")
        return None
    try:
        return {"folder": str(folder)} | {name: script_of(it) for name, it in THEIRS.items()}
    except (OutOfReach, ValueError) as reason:
        print(f"No BertViz beside it: {reason}")
        return None


def script_of(script):
    with tarfile.open(fileobj=io.BytesIO(tarball(script))) as archive:
        return read(archive, script.file)


def give(route, theirs):
    body = theirs.get(route.request.url.rsplit("/", 1)[-1])
    if body is None:
        route.abort()
    else:
        route.fulfill(body=body, content_type="text/javascript")
