"""Every pixel true: at each size, at 100 random positions of a slider, all that the browser shows.

The slider is dragged to random places; the numbers and colours are then compared with what the same
function computes in this process.
"""

import hashlib
import io
import random
from base64 import b64decode

import numpy as np
import pytest
from lab import Notebook, write_notebook
from PIL import Image
from pixels import colours_of, text_of

from helpers.roles import ROLES

pytestmark = pytest.mark.browser

POSITIONS = 100
SET_UP = (
    "import numpy as np, torch\nfrom helpers.explorer import Explorer\ntorch.set_num_threads(1)"
)
SIZES = {  # heads (0 for a single matrix), tokens, highest temperature
    "3": (0, 3, 10.0),
    "16": (0, 16, 10.0),
    "64": (0, 64, 10.0),
    "8x64": (8, 64, 8.0),
    "256": (0, 256, 6.0),
}
SOURCE = """# {name}
X{name} = torch.randn({shape}, 4, generator=torch.manual_seed({tokens}))
tokens{name} = [f"w{{i}}" for i in range({tokens})]
mask{name} = np.triu(np.ones(({tokens}, {tokens}), dtype=bool), 1)

def attend{name}(temperature=1.0):
    scores = X{name} @ X{name}.mT / temperature
    hidden = scores.masked_fill(torch.tensor(mask{name}), float("-inf"))
    return {{"scores": scores, "weights": torch.softmax(hidden, dim=-1)}}
"""
EXPLORE = """
Explorer(attend{name}, tokens{name}, masked=mask{name}, temperature=(0.1, {highest}, 0.1))"""

REST = "150"  # milliseconds, before a large table follows what was drawn in ink
# Make some timeouts longer or shorter: {given: instead}.
TIMEOUTS = """instead => {
  window.realTimeout ??= window.setTimeout;
  window.setTimeout = (f, ms, ...more) => window.realTimeout(f, instead[ms] ?? ms, ...more);
}"""

# The numbers and colours of the tables, and of each picture a digest.
SEEN = """async view => {
 while (view.dataset.moving === 'true') await new Promise(done => setTimeout(done, 20));
 return {
  frame: Number(view.dataset.frame),
  readout: view.closest('.attention-explorer').querySelector('.widget-readout')?.textContent,
  cells: [...view.querySelectorAll('.ax-cell')].map(c =>
    [c.textContent, c.style.backgroundColor, c.classList.contains('ax-masked')]),
  pictures: await Promise.all([...view.querySelectorAll('.ax-canvas')].map(async c => {
    const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
    const digest = await crypto.subtle.digest('SHA-256', data);
    return [...new Uint8Array(digest)].map(b => b.toString(16).padStart(2, '0')).join('');
  })),
 };
}"""


@pytest.fixture(scope="module")
def sizes(browser, lab):
    """A notebook with an Explorer of each size, run."""
    explorers = [source(name) + EXPLORE.format(name=name, highest=SIZES[name][2]) for name in SIZES]
    write_notebook(lab.folder / "sizes.ipynb", SET_UP, *explorers)
    opened = Notebook(browser, lab.url, "sizes.ipynb")
    opened.use_theme("JupyterLab Light")  # whichever the lab was left in
    opened.restart_and_run_all()
    yield opened
    opened.page.close()


def source(name):
    heads, tokens, _ = SIZES[name]
    return SOURCE.format(name=name, tokens=tokens, shape=f"{heads}, {tokens}" if heads else tokens)


@pytest.mark.parametrize("name", SIZES)
def test_every_pixel_is_what_python_computed(sizes, name):
    _, tokens, highest = SIZES[name]
    scope = {}
    exec(f"{SET_UP}\n{source(name)}", scope)
    explorer = sizes.explorer(sizes.cell_starting(f"# {name}\n"))
    assert explorer.swept
    sizes.page.evaluate(TIMEOUTS, {REST: 0})  # do not wait for large tables to rest
    explorer.box.locator(".noUi-handle").hover()
    track = explorer.box.locator(".noUi-target").bounding_box()
    mouse = sizes.page.mouse
    mouse.down()
    chance = random.Random(tokens)
    visited = set()
    for _ in range(POSITIONS):
        mouse.move(track["x"] + chance.uniform(0, track["width"]), track["y"])
        seen = explorer.view.evaluate(SEEN)
        temperature = round(0.1 * (seen["frame"] + 1), 1)
        assert float(seen["readout"]) == temperature
        visited.add(temperature)
        expected = scope[f"attend{name}"](temperature)
        hidden = scope[f"mask{name}"]
        matrices = {
            role: np.where(hidden, np.nan, matrix.numpy()) for role, matrix in expected.items()
        }
        assert_shows(seen, matrices, picture=tokens > 16)
    mouse.up()
    assert len(visited) > POSITIONS / 3
    assert sizes.errors == []


def assert_shows(seen, matrices, picture):
    """The view shows these matrices, {role: array}, as tables or as pictures."""
    cells, digests = iter(seen["cells"]), iter(seen["pictures"])
    for role, matrix in matrices.items():
        if picture:
            matrix = matrix.astype(np.float16).astype(np.float32)
        scale = ROLES[role]
        colours = colours_of(matrix, scale.low, scale.high, scale.limit)
        if picture:
            for head in colours.reshape(-1, *colours.shape[-3:]):
                pixels = np.dstack([head, np.full(head.shape[:2], 255, np.uint8)])
                assert next(digests) == hashlib.sha256(pixels.tobytes()).hexdigest()
            continue
        for x, (red, green, blue) in zip(matrix.flat, colours.reshape(-1, 3)):
            colour = "" if np.isnan(x) else f"rgb({red}, {green}, {blue})"
            assert next(cells) == [text_of(x, 2), colour, bool(np.isnan(x))]
    assert list(cells) == list(digests) == []


# Give tables a direction and a size of letters; resolve when the page has been laid out.
STYLED = """(view, [dir, size]) => {
  for (const table of view.querySelectorAll('table')) table.dir = dir;
  for (const cell of view.querySelectorAll('.ax-cell')) cell.style.fontSize = size;
  return new Promise(done => requestAnimationFrame(() => setTimeout(done)));
}"""


@pytest.fixture
def large_table(sizes):
    """The Explorer of 16 tokens and its weights; a table at rest has three seconds to be looked at."""
    explorer = sizes.explorer(sizes.cell_starting("# 16\n"))
    devtools = sizes.page.context.new_cdp_session(sizes.page)
    sizes.page.evaluate(TIMEOUTS, {})
    yield explorer, explorer.view.locator(".ax-inked").last, devtools
    devtools.send("Emulation.clearDeviceMetricsOverride")
    devtools.detach()
    explorer.view.evaluate(STYLED, ["", ""])
    at_rest(explorer)


@pytest.mark.parametrize("ratio, share", [(1, 0.6), (0.8, 0.9), (2, 0.9)])
def test_the_ink_of_a_moving_table_is_what_the_table_then_shows(large_table, sizes, ratio, share):
    """Letter by letter nearly the same: nearer than the numbers and colours of another position."""
    explorer, table, devtools = large_table
    screen = {"width": 1400, "height": 1000, "deviceScaleFactor": ratio, "mobile": False}
    devtools.send("Emulation.setDeviceMetricsOverride", screen)
    explorer.move_first_slider("Home")
    at_rest(explorer)
    elsewhere = greys(table, devtools)
    sizes.page.evaluate(TIMEOUTS, {REST: 3000})  # so that there is time for a photograph
    explorer.move_first_slider("End")
    assert explorer.view.get_attribute("data-moving") == "true"
    moving = greys(table, devtools)
    assert sizes.page.evaluate("devicePixelRatio") == pytest.approx(ratio)
    at_rest(explorer)
    rested = greys(table, devtools)
    assert moving.shape == rested.shape
    assert np.abs(moving - rested).mean() < share * np.abs(elsewhere - rested).mean()


def test_a_table_from_right_to_left_moves_without_ink(large_table, sizes):
    """Its first column is the last on the canvas: it follows at once instead."""
    explorer, table, _ = large_table
    explorer.view.evaluate(STYLED, ["rtl", "20px"])  # another size, so that it is measured again
    explorer.move_first_slider("Home")
    at_rest(explorer)
    before = explorer.look()
    sizes.page.evaluate(TIMEOUTS, {REST: 3000})
    explorer.move_first_slider("End")
    assert explorer.view.get_attribute("data-moving") == "false"
    assert explorer.look() != before
    assert table.locator(".ax-ink").evaluate("ink => getComputedStyle(ink).opacity") == "0"


def test_ink_is_gone_when_its_table_changes_size(large_table, sizes):
    """A canvas of another size is black."""
    explorer, table, _ = large_table
    sizes.page.evaluate(TIMEOUTS, {REST: 20_000})
    explorer.move_first_slider("Home")
    explorer.move_first_slider("End")
    ink = table.locator(".ax-ink")
    assert ink.evaluate("ink => getComputedStyle(ink).opacity") == "1"
    explorer.view.evaluate(STYLED, ["", "20px"])
    assert ink.evaluate("ink => getComputedStyle(ink).opacity") == "0"
    sizes.page.evaluate(TIMEOUTS, {})
    explorer.move_first_slider("Home")


# As Firefox says it: where a cell ends, and where the next begins, may differ by a hair, half a pixel
# from where pixels meet. Then the columns of the canvas that nothing was drawn in.
HAIR = """() => {
  const real = Element.prototype.getBoundingClientRect;
  Element.prototype.getBoundingClientRect = function () {
    const { left, right, top, bottom } = real.call(this);
    if (!this.matches('.ax-cell')) return real.call(this);
    const [x, y] = [this.dataset.column, this.dataset.row].map(k => k > 0 ? 0.5 : 0);
    return { left: Math.floor(left) + x, right: Math.floor(right) + 0.4999,
             top: Math.floor(top) + y, bottom: Math.floor(bottom) + 0.4999 };
  };
  window.withoutHair = () => { Element.prototype.getBoundingClientRect = real; };
}"""
BLACK = """ink => {
  const { data, width, height } = ink.getContext('2d').getImageData(0, 0, ink.width, ink.height);
  const at = (x, y) => data[4 * (y * width + x)] + data[4 * (y * width + x) + 1];
  const [xs, ys] = [[...Array(width).keys()], [...Array(height).keys()]];
  return [...xs.filter(x => ys.every(y => !at(x, y))), ...ys.filter(y => xs.every(x => !at(x, y)))];
}"""


def test_the_ink_has_no_gaps_between_cells(large_table, sizes):
    explorer, table, _ = large_table
    sizes.page.evaluate(HAIR)
    explorer.view.evaluate(STYLED, ["", "20px"])  # another size, so that it is measured again
    sizes.page.evaluate("() => window.withoutHair()")
    explorer.move_first_slider("Home")
    explorer.move_first_slider("End")
    ink = table.locator(".ax-ink")
    assert ink.evaluate("ink => ink.width") > 300
    assert ink.evaluate(BLACK) == []


def test_where_a_canvas_cannot_be_read_tables_move_without_ink(large_table, sizes):
    """Some browsers give white for what is clear, and each letter would be a block."""
    explorer, table, _ = large_table
    at_rest(explorer)
    key = "globalThis[Symbol.for('attention-explorer')].canvasIsTrue"
    sizes.page.evaluate(
        f"""() => {{ const real = CanvasRenderingContext2D.prototype.getImageData;
          CanvasRenderingContext2D.prototype.getImageData = function (...given) {{
            const image = real.apply(this, given); image.data.fill(255); return image; }};
          window.readAgain = () => {{ CanvasRenderingContext2D.prototype.getImageData = real; {key} = null; }};
          {key} = null; }}"""
    )
    explorer.move_first_slider("Home")
    moving = explorer.view.get_attribute("data-moving")
    sizes.page.evaluate("() => window.readAgain()")
    assert moving == "false"


def at_rest(explorer):
    explorer.box.locator('.ax-view[data-moving="false"]').wait_for()


def greys(locator, devtools):
    """A photograph of an element, as an array of greys; Playwright's own would set the ratio back."""
    box = locator.bounding_box()
    clip = {name: round(x) for name, x in box.items()} | {"scale": 1}
    taken = devtools.send("Page.captureScreenshot", {"clip": clip})["data"]
    with Image.open(io.BytesIO(b64decode(taken))) as image:
        return np.asarray(image.convert("L")).astype(float)
