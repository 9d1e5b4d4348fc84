"""Pointing and playing move nothing above the read-out, which never shrinks: on desk and phone."""

import pytest
from access import at_start
from test_everyone import NAMES

pytestmark = pytest.mark.browser

# Point at every cell and word; then move every slider through its stops, and point at some again.
# Resolves to how far the end of the panels moved, or the Explorer shrank.
POINTS = """box => {
  const view = box.querySelector('.ax-view');
  const kinds = '.ax-cell:not(.ax-none), .ax-query, .ax-drawn text';
  const cells = [...view.querySelectorAll(kinds)];
  const point = (cell, name) => cell.dispatchEvent(new PointerEvent(name, { bubbles: true }));
  const high = node => node.getBoundingClientRect().height;
  const above = high(view.querySelector('.ax-panels'));
  let [before, most] = [0, 0];
  const look = cell => {
    point(cell, 'pointermove');
    most = Math.max(most, before - high(box), Math.abs(high(view.querySelector('.ax-panels')) - above));
    before = high(box);
    point(cell.closest('.ax-grid, .ax-shapes') ?? cell, 'pointerleave');
  };
  cells.forEach(look);
  for (const handle of box.querySelectorAll('.noUi-handle')) {
    const press = key => handle.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    for (press('Home'); handle.ariaValueNow !== handle.ariaValueMax; press('ArrowRight')) {
      cells.filter((_, k) => k % 7 === 0).forEach(look);
    }
  }
  return [cells.length, most];
}"""


@pytest.mark.parametrize("width", [1400, 390])
def test_pointing_and_playing_move_nothing(page, width):
    page.page.set_viewport_size({"width": width, "height": 1000})
    pointed = 0
    for name in NAMES:
        cells, moved = at_start(page.box(name)).evaluate(POINTS)
        assert moved == 0, f"{name} moves by {moved} px at a width of {width}"
        pointed += cells
    assert pointed > 500
