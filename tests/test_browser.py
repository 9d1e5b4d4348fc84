"""Every notebook in real JupyterLab, in a real browser: run from the menu, every slider moved.

Notebooks are found, not listed: a new one is covered as soon as it is there. Screenshots are left
in build/screenshots, to be looked at.
"""

import re
import shutil
from pathlib import Path

import house_rules
import pytest
from access import violations
from lab import Notebook

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SHOTS = ROOT / "build" / "screenshots"

pytestmark = pytest.mark.browser

# The text of the view against what is behind it, as WCAG 2 counts contrast.
LOWEST_CONTRAST = """view => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b]
    .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = node => { for (; node; node = node.parentElement) {
      const c = rgb(getComputedStyle(node).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
    return [255, 255, 255]; };
  const texts = [...view.querySelectorAll('*')].filter(n =>
    [...n.childNodes].some(c => c.nodeType === 3 && c.textContent.trim()));
  return Math.min(...texts.map(n => {
    const [a, b] = [luminance(rgb(getComputedStyle(n).color)), luminance(behind(n))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }));
}"""


# Click every cell of every table; where a sum opens, its result must be what the read-out says.
# Resolves to [how many sums opened, those that do not add up].
SUMS = """view => {
  const number = text => Number(text.replace('−', '-'));
  const [box, readout] = ['.ax-sum', '.ax-readout'].map(name => view.querySelector(name));
  let opened = 0;
  const wrong = [];
  for (const cell of view.querySelectorAll('.ax-cell')) {
    cell.click();
    if (!box.hidden) {
      opened += 1;
      const rows = [...box.querySelectorAll('tr')];
      const line = box.querySelector('.ax-mine') ?? rows.at(-1);
      const [sum, says] = [line.lastElementChild.textContent, readout.textContent];
      const value = number(says.match(/= (−?[0-9.e−]+)(?: \\(\\d+ %\\))?$/)[1]);
      if (!(Math.abs(number(sum) - value) <= 2e-3 * Math.max(1, Math.abs(value)))) wrong.push([says, sum]);
    }
    cell.click();
  }
  return [opened, wrong];
}"""


@pytest.fixture(scope="session")
def at_lab(lab, browser):
    """A function that opens one notebook after another, as a learner does, on the same page.

    They are copies: the test leaves the originals as they are.
    """
    for path in NOTEBOOKS:
        shutil.copy(path, lab.folder)
    pages = []

    def open_one(name):
        if pages:
            pages[0].go_on_to(name)
        else:
            pages.append(Notebook(browser, lab.url, name))
        return pages[0]

    yield open_one
    for notebook in pages:
        notebook.page.close()


def assert_all_controls_move(explorers):
    """Move every control of each Explorer, and see the picture change.

    One may be silent where another stands (a draw of dropout, out of training): move that, and try
    again.
    """
    for i, explorer in enumerate(explorers):
        controls = dict(explorer.controls())
        for name, move in controls.items():
            others = [other for other in controls.values() if other is not move]
            changed = explorer.changes(move) or any(
                explorer.changes(other) and explorer.changes(move) for other in others
            )
            assert changed, f"Explorer {i}: {name} changes nothing"
        yield explorer


def assert_can_be_read(explorer, name):
    """Its text stands out from what is behind it, and what axe knows of access is kept."""
    contrast = explorer.view.evaluate(LOWEST_CONTRAST)
    assert contrast >= 4.5, f"{name}: a text has contrast {contrast:.1f}; 4.5 is the least"
    assert violations(explorer.box) == [], f"{name}: not everyone can use it"


def test_there_are_notebooks():
    assert NOTEBOOKS, "there is no notebook in notebooks/"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(at_lab, path):
    notebook = at_lab(path.name)
    notebook.use_theme("JupyterLab Light")  # the one before left it dark, and narrow
    notebook.page.set_viewport_size({"width": 1400, "height": 1000})
    notebook.restart_and_run_all()
    failed = [o for cell in notebook.outputs() for o in cell if o["output_type"] == "error"]
    assert not failed, f"a cell fails in JupyterLab: {failed[0]['evalue']}"

    SHOTS.mkdir(parents=True, exist_ok=True)
    swept = sums = 0
    for i, explorer in enumerate(assert_all_controls_move(notebook.explorers())):
        swept += explorer.swept
        notebook.page.screenshot(path=SHOTS / f"{path.stem}_{i}_light.png")
        added_up, wrong = explorer.view.evaluate(SUMS)
        sums += added_up
        assert not wrong, f"Explorer {i}: the read-out and the result of its sum differ: {wrong[0]}"
        assert_can_be_read(explorer, f"Explorer {i}")
    if house_rules.names_sums(house_rules.read(path)):
        assert sums > 0, "sums= is named, and no click on a cell of any Explorer opened a sum"

    notebook.use_theme("JupyterLab Dark")
    notebook.page.set_viewport_size({"width": 700, "height": 1000})
    for i, explorer in enumerate(notebook.explorers()):
        notebook.page.screenshot(path=SHOTS / f"{path.stem}_{i}_dark.png")
        assert_can_be_read(explorer, f"Explorer {i}, in the dark")
        assert explorer.fits_in(700), f"Explorer {i} sticks out of a window 700 pixels wide"
    assert notebook.errors == [], "the browser's console tells of errors"
    outside = [
        url for url in notebook.requests if not re.match(r"https?://127|ws|data:|blob:", url)
    ]
    assert outside == [], "it asks for something from outside this computer"

    notebook.shut_kernel_down()
    still_moving = [e for e in assert_all_controls_move(e for e in notebook.explorers() if e.swept)]
    assert len(still_moving) == swept, "an Explorer is gone with its kernel"
