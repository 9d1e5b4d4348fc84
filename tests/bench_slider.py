"""Slider to pixels: the Explorer beside ipywidgets.interact with matplotlib, in one JupyterLab.

Both show the same matrices, from the same function. A key press on the slider starts the clock; it
stops after the frame that the browser paints with the new picture. The two take turns.
"""

import json
import tempfile
from pathlib import Path
from statistics import median, quantiles

import nbformat
from find_browser import find_browser
from lab import Notebook, chromium, jupyter_lab

SIZES = {3: 40, 16: 25}  # tokens: key presses on each
BAR = 1 / 6  # the Explorer's median over interact's

SOURCE = """
import torch, ipywidgets, matplotlib.pyplot as plt
from helpers.explorer import Explorer
X = torch.randn({tokens}, 4, generator=torch.manual_seed(0))
tokens = [f"w{{i}}" for i in range({tokens})]

def attend(temperature=1.0):
    return torch.softmax(X @ X.T / temperature, dim=1)
"""
OURS = "Explorer(attend, tokens, temperature=(0.1, 9.9, 0.1))"
THEIRS = """
def draw(temperature=1.0):
    plt.figure(figsize=(3.5, 3.5))
    plt.imshow(attend(temperature), vmin=0, vmax=1)
    plt.show()

ipywidgets.interact(draw, temperature=(0.1, 9.9, 0.1))
"""

# Press → on the slider of `cell`; resolve to the milliseconds until the new picture is painted.
PRESS = """async cell => {
  const handle = cell.querySelector('.noUi-handle');
  const picture = cell.querySelector('.ax-view') ?? cell.querySelector('.jp-OutputArea .jp-OutputArea');
  const before = picture.querySelector('img')?.src;
  const changed = new Promise(resolve => {
    new MutationObserver((records, observer) => {
      const image = picture.querySelector('img');
      if (!picture.matches('.ax-view') && (!image || image.src === before)) return;
      observer.disconnect();
      resolve(image?.decode());
    }).observe(picture, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  const start = performance.now();
  handle.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  await changed;
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
}"""


def measure(browser, url, folder, tokens, presses):
    """Milliseconds of each press: {"explorer": […], "interact": […]}."""
    name = f"bench_{tokens}.ipynb"
    cells = [SOURCE.format(tokens=tokens), OURS, THEIRS]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c.strip()) for c in cells])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, folder / name)
    page = Notebook(browser, url, name, height=2200)
    page.restart_and_run_all()
    outputs = {
        form: page.page.locator(f'.jp-Cell[data-windowed-list-index="{i}"]')
        for i, form in ((1, "explorer"), (2, "interact"))
    }
    times = {form: [] for form in outputs}
    for press in range(presses + 3):
        for form, cell in outputs.items():
            took = cell.evaluate(PRESS)
            page.page.wait_for_timeout(60)
            if press >= 3:  # the first ones warm up
                times[form].append(took)
    page.page.close()
    return times


def main():
    """Print the table; return its rows."""
    rows = []
    print(f"{'tokens':>6}  {'form':<10}{'median ms':>11}{'95 % ms':>9}{'worst ms':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as config:
        with jupyter_lab(folder, config) as url, chromium(find_browser()) as browser:
            for tokens, presses in SIZES.items():
                times = measure(browser, url, Path(folder), tokens, presses)
                ratio = median(times["explorer"]) / median(times["interact"])
                for form, ms in times.items():
                    row = (tokens, form, median(ms), quantiles(ms, n=20)[-1], max(ms))
                    end = f"{ratio:>8.3f}  ≤ {BAR:.3f} {'✓' if ratio <= BAR else '✗'}"
                    print("{:>6}  {:<10}{:>11.1f}{:>9.1f}{:>10.1f}".format(*row), end="")
                    print(end if form == "explorer" else "", flush=True)
                    rows.append(dict(zip(("tokens", "form", "median", "p95", "worst"), row)))
    return rows


if __name__ == "__main__":
    print(json.dumps(main()))
