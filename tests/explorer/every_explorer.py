"""What must hold for every Explorer in a browser, in JupyterLab and on pages without a kernel."""

from pathlib import Path

from access import IMPACTS, violations

SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"

# What sticks out of a window of this width, unless it is in a box within this one that scrolls by
# itself, or is clipped for screen readers.
STICKS_OUT = """(box, width) => [...box.querySelectorAll('*')].filter(node => {
  const { right, width: wide, height } = node.getBoundingClientRect();
  if (right <= width + 1 || !wide || !height) return false;
  for (let around = node.parentElement; around !== box; around = around.parentElement) {
    const { overflowX, clipPath } = getComputedStyle(around);
    if (['auto', 'scroll'].includes(overflowX) || clipPath === 'inset(50%)') return false;
  }
  return true;
}).map(node => node.outerHTML.slice(0, 200))"""

# The contrast of the view's text with its background, by WCAG 2.
LOWEST_CONTRAST = """view => {
  const scale = text => text.startsWith('color(srgb') ? 255 : 1; // as a color-mix is told
  const rgb = text => text.match(/[\\d.]+/g).map((x, i) => i < 3 ? x * scale(text) : Number(x));
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

# Click every cell of every table. If a sum opens, its result must equal the
# read-out. Resolves to [the number of sums that opened, those that do not add up].
SUMS = """view => {
  const number = text => Number(text.replaceAll('−', '-'));
  const [box, readout] = ['.ax-sum', '.ax-readout'].map(name => view.querySelector(name));
  let opened = 0;
  const wrong = [];
  for (const cell of view.querySelectorAll('.ax-cell:not(.ax-none)')) {
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

# Move every slider of some Explorers through all its stops. Resolves, for each Explorer, to what
# moved or grew meanwhile.
MOVES = """boxes => boxes.map(box => {
  const nodes = [...box.querySelectorAll(
    '.ax-panel, .ax-cell, .ax-canvas, .ax-sheet, .ax-readout')];
  const places = () => {
    const from = box.getBoundingClientRect();
    return nodes.map(node => {
      const { left, top, width, height } = node.getBoundingClientRect();
      return [left - from.left, top - from.top, width, height];
    });
  };
  const before = places();
  const moved = new Set();
  const look = () => {
    places().forEach((place, i) => {
      if (place.some((x, k) => Math.abs(x - before[i][k]) > 0.01)) moved.add(nodes[i].outerHTML.slice(0, 120));
    });
  };
  for (const handle of box.querySelectorAll('.noUi-handle')) {
    const press = key => handle.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    for (press('Home'), look(); handle.ariaValueNow !== handle.ariaValueMax; look()) press('ArrowRight');
  }
  return [...moved];
})"""


def assert_stands_out(box, name):
    """Its text stands out from its background."""
    contrast = box.evaluate(LOWEST_CONTRAST)
    assert contrast >= 4.5, f"{name}: a text has contrast {contrast:.1f}; 4.5 is the least"


def use_scheme(page, scheme):
    """Light or dark. The theme learns of it a moment later, and then fades into it.

    In a fold that is closed nothing fades until it opens, so only what is visible counts.
    """
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(FADED, arg=scheme)


FADED = """scheme => document.documentElement.dataset.theme === scheme
  && !document.getAnimations().some(({effect}) => effect.target.checkVisibility())"""


def assert_good(box, name):
    """What must hold for every card and question: all can read it, and nothing sticks out."""
    box.scroll_into_view_if_needed()
    assert violations(box, IMPACTS) == [], name
    assert_stands_out(box, name)
    assert box.evaluate(STICKS_OUT, box.page.viewport_size["width"]) == [], name
    box.screenshot(path=SHOTS / f"{name}.png")


def sums_that_open(view, name):
    """How many cells open a sum when they are clicked; each sum equals the read-out."""
    view.page.mouse.move(2, 2)  # off the cells, which the read-out would describe
    opened, wrong = view.evaluate(SUMS)
    assert not wrong, f"{name}: the read-out and the result of its sum differ: {wrong[0]}"
    return opened
