"""Every pixel true: at each size, at 100 random positions of a slider, all that the browser shows.

The slider is dragged to random places; the numbers and colours are then compared with what the same
function computes in this process.
"""

import hashlib
import random

import numpy as np
import pytest
from lab import Notebook, write_notebook
from pixels import colours_of, text_of

from helpers.pictures.roles import ROLES

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

# The numbers and colours of the tables, and of each picture a digest.
SEEN = """async view => ({
  frame: Number(view.dataset.frame),
  readout: view.closest('.attention-explorer').querySelector('.widget-readout')?.textContent,
  cells: [...view.querySelectorAll('.ax-cell')].map(c =>
    [c.textContent, c.style.backgroundColor, c.classList.contains('ax-masked')]),
  ends: [...view.querySelectorAll('.ax-scale')].map(scale => // of the colours: a closer one may be on
    Number(scale.querySelectorAll('span')[1].textContent)),
  pictures: await Promise.all([...view.querySelectorAll('.ax-canvas')].map(async c => {
    const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
    const digest = await crypto.subtle.digest('SHA-256', data);
    return [...new Uint8Array(digest)].map(b => b.toString(16).padStart(2, '0')).join('');
  })),
})"""


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
    for (role, matrix), end in zip(matrices.items(), seen["ends"], strict=True):
        colours = colours_of(matrix, ROLES[role].low, ROLES[role].high, end)
        if picture:
            for head in colours.reshape(-1, *colours.shape[-3:]):
                pixels = np.dstack([head, np.full(head.shape[:2], 255, np.uint8)])
                assert next(digests) == hashlib.sha256(pixels.tobytes()).hexdigest()
            continue
        for x, (red, green, blue) in zip(matrix.flat, colours.reshape(-1, 3)):
            colour = "" if np.isnan(x) else f"rgb({red}, {green}, {blue})"
            assert next(cells) == [text_of(x, 2), colour, bool(np.isnan(x))]
    assert list(cells) == list(digests) == []
