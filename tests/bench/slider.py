"""From slider to pixels, in JupyterLab: the Explorer compared with a bare slider and `interact`.

All show the same matrices, from the same function, at the same 40 settings, each in a notebook of
its own, and they take turns. A bare slider, with no picture, shows the cost of JupyterLab and
ipywidgets alone. A press on the handle starts the clock, at a random moment within the display's
frame, because a fixed wait could fall into step with it. The clock stops when the frame with the
new picture is painted.
"""

import tempfile
from pathlib import Path
from statistics import median

from tests.browser.lab import Notebook, chromium, jupyter_lab, write_notebook
from tests.tools.find_browser import find_browser

SIZES = {  # heads, tokens; the bars relative to a bare slider
    "3×3": (1, 3, 1.5),
    "16×16": (1, 16, 3.0),
    "8 heads 64×64": (8, 64, 3.0),
}
OVER_INTERACT = 1 / 10
TURNS = 15

SOURCE = """
import ipywidgets, matplotlib.pyplot as plt, torch
from helpers.explorer import Explorer
Q, K = torch.randn(2, {heads}, {tokens}, 16, generator=torch.manual_seed(0)).squeeze(1)
tokens = [f"w{{i}}" for i in range({tokens})]
slider = ipywidgets.FloatSlider(1.0, min=0.5, max=4.4, step=0.1)

def attend(temperature=1.0):
    return torch.softmax(Q @ K.mT / 4 / temperature, dim=-1)

def draw(temperature):
    fig, axes = plt.subplots(1, {heads}, squeeze=False)
    for ax, weights in zip(axes.flat, attend(temperature).reshape({heads}, {tokens}, {tokens})):
        ax.imshow(weights, vmin=0, vmax=1)
    plt.show()
"""
FORMS = {  # how it is shown, and what exists when it has been drawn
    "Explorer": (
        "Explorer(attend, tokens, temperature=(0.5, 4.4, 0.1))",
        ".ax-view[data-ready=true]",
    ),
    "a bare slider": ("slider", ".widget-readout"),
    "interact": (
        "ipywidgets.interact(draw, temperature=slider); None",
        ".jp-OutputArea .jp-OutputArea img",
    ),
}
# Press an arrow key on the slider; resolves to the milliseconds until the new picture is painted.
PRESS = """async cell => {
  const handle = cell.querySelector('.noUi-handle');
  const at = name => Number(handle.getAttribute('aria-value' + name));
  if (at('now') >= at('max')) cell.benchKey = 'ArrowLeft';
  if (at('now') <= at('min') || !cell.benchKey) cell.benchKey = 'ArrowRight';
  const look = () => cell.querySelector('.ax-view')?.dataset.frame
    ?? cell.querySelector('img')?.src ?? cell.querySelector('.widget-readout').textContent;
  const before = look();
  await new Promise(done => setTimeout(done, 17 + 34 * Math.random()));
  const start = performance.now();
  handle.dispatchEvent(new KeyboardEvent('keydown', { key: cell.benchKey, bubbles: true }));
  while (look() === before) {
    if (performance.now() - start > 10000) throw Error('no new picture within 10 seconds');
    await new Promise(done => setTimeout(done));
  }
  return new Promise(done => requestAnimationFrame(() =>
    setTimeout(() => done(performance.now() - start))));
}"""


def ratios():
    """(what, ratio, bar) for each size and rival."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as config:
        with jupyter_lab(folder, config) as url, chromium(find_browser()) as browser:
            for size, (heads, tokens, bar) in SIZES.items():
                took = measured(folder, url, browser, heads, tokens)
                ours, bare, theirs = (median(took[name]) for name in FORMS)
                yield f"slider, {size}: Explorer / a bare slider", ours / bare, bar
                yield f"slider, {size}: Explorer / interact", ours / theirs, OVER_INTERACT


def measured(folder, url, browser, heads, tokens):
    """The milliseconds of each press, by form."""
    open_ones, took = {}, {name: [] for name in FORMS}
    for name, (shown, picture) in FORMS.items():
        file = f"{name.split()[-1]}_{heads}_{tokens}.ipynb"
        write_notebook(Path(folder) / file, SOURCE.format(heads=heads, tokens=tokens) + shown)
        open_ones[name] = Notebook(browser, url, file)
        open_ones[name].restart_and_run_all()
        open_ones[name].page.locator(picture).first.wait_for()
    for turn in range(TURNS + 1):
        for name, notebook in open_ones.items():
            ms = notebook.cell(0).evaluate(PRESS)
            if turn:  # the first run loads what the others use
                took[name].append(ms)
    for notebook in open_ones.values():
        notebook.page.close()
    return took
