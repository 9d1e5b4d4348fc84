"""Pointing at a number marks the cells that stand in its sum, and no others, on the left and on the right.

The oracle knows nothing of the grammar of sums: it evaluates the text of the sum for arbitrary
numbers, 0 where they are masked, changes one of them, and looks which results change.
"""

import re

import numpy as np
import pytest
from access import at_start
from films import until
from pixels import decoded, labels_at
from site_pages import PAGES, go_to, settings, views

pytestmark = pytest.mark.browser

# Point at every number of some panels. Resolves to [[the number, [what is lit, …]], …], in which a
# number is "panel head row column", and what is lit has its side before that. sizes: the present
# [rows, columns] of each panel with a sum, or else null.
POINTED = """(view, sizes) => {
  const panels = [...view.querySelectorAll('.ax-panel:not(.ax-overview)')];
  const sheets = panels.map(panel => [...panel.querySelectorAll('.ax-heads > .ax-head')]);
  const nameOf = (node) => {
    const panel = panels.indexOf(node.closest('.ax-panel'));
    const head = sheets[panel].indexOf(node.closest('.ax-head'));
    const { row, column } = node.dataset;
    return [panel, head, row, column].join(' ');
  };
  const lit = () => ['left', 'right'].flatMap(side =>
    [...view.querySelectorAll(`.ax-heads .ax-${side}`)].map(node => `${side} ${nameOf(node)}`));
  const point = (node, place = {}) =>
    node.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, ...place }));
  const found = [];
  sheets.forEach((heads, panel) => sizes[panel] && heads.forEach((sheet, head) => {
    for (const cell of sheet.querySelectorAll('.ax-cell')) {
      if (cell.closest('.ax-none') || getComputedStyle(cell).visibility === 'hidden') continue;
      point(cell);
      found.push([nameOf(cell), lit()]);
    }
    for (const canvas of sheet.querySelectorAll('canvas')) {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      for (let row = 0; row < sizes[panel][0]; row++) for (let column = 0; column < sizes[panel][1]; column++) {
        point(canvas, { clientX: left + (width * (column + 0.5)) / canvas.width,
          clientY: top + (height * (row + 0.5)) / canvas.height });
        found.push([[panel, head, row, column].join(' '), lit()]);
      }
    }
    sheet.querySelector('.ax-grid, .ax-picture').dispatchEvent(new PointerEvent('pointerleave'));
  }));
  return [found, lit().length];
}"""


def softmax(x):
    """A sum in place of the quotient, since a single number divided by itself is always 1."""
    return np.exp(x) + np.exp(x).sum(-1, keepdims=True)


def added(x):
    return x.sum(-1, keepdims=True)


KNOWN = {"sqrt": np.sqrt, "softmax": softmax, "sum": added}


def causes(text, operands, size, scalars):
    """{(row, column) of the result: {(side, row, column) of an operand, …}}.

    operands   [(array, whether a panel shows it)] on the left and on the right
    """
    found = {at: set() for at in np.ndindex(*size)}
    any_number = np.random.default_rng(0)
    filled = [any_number.uniform(1, 2, x.shape) * ~np.isnan(x) for x, _ in operands]

    def result_of(arrays):
        result = eval(text, KNOWN | dict(zip(("left", "right"), arrays)) | scalars)
        return result if result.shape == size else result.T  # "sum(A.T)" has a single row

    before = result_of(filled)
    for side, (array, is_shown) in enumerate(operands):
        for at in zip(*np.nonzero(~np.isnan(array) & is_shown)):
            changed = [x.copy() for x in filled]
            changed[side][at] += 1
            for there in zip(*np.nonzero(result_of(changed) != before)):
                found[there].add((("left", "right")[side], *at))
    return found


def sided(text, names):
    """The text with left and right in place of the names of operands, and these names."""
    words = rf"\b(?:{'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})\b"
    sides = iter(("left", "right"))
    return re.sub(words, lambda _: next(sides), text), re.findall(words, text)


def expected(spec, buffers, index):
    """{the name of each number with a sum: what must be lit}, at one setting."""
    shown = []
    for panel, array in decoded(spec, buffers["frames"], index)[0]:
        rows, columns = map(len, labels_at(panel, index))
        shown.append(array[:, :rows, :columns].astype(float))
    panels = {panel["name"]: i for i, panel in enumerate(spec["panels"])}
    hidden = {name: np.array(x, float) for name, x in spec["operands"].items()}
    scalars = dict.fromkeys([*spec["numbers"], *spec["controls"]], 1.0)
    found = {}
    for p, panel in enumerate(spec["panels"]):
        for head in range(len(shown[p]) if panel["sum"] else 0):
            text, used = sided(panel["sum"]["text"], [*panels, *hidden])
            operands = []
            for name in used:
                sheets = shown[panels[name]] if name in panels else hidden[name]
                sheets = sheets if sheets.ndim == 3 else sheets[None]
                operands.append((sheets[head if len(sheets) > 1 else 0], name in panels))
            for at, terms in causes(text, operands, shown[p][head].shape, scalars).items():
                lit = set()
                for side, row, column in terms if not np.isnan(shown[p][head][at]) else ():
                    q = panels[used[side == "right"]]
                    sheet = head if len(shown[q]) > 1 else 0
                    lit.add(f"{side} {q} {sheet} {row} {column}")
                found[f"{p} {head} {at[0]} {at[1]}"] = lit
    return found


def assert_causes_are_lit(box, spec, buffers, name, tried):
    """At these settings, {index: places}; the number of numbers that were pointed at."""
    view, count = box.locator(".ax-view"), 0
    for index, places in tried.items():
        if spec["swept"]:
            go_to(box, places, index)
        sizes = [list(map(len, labels_at(p, index))) if p["sum"] else None for p in spec["panels"]]
        pointed, left_over = view.evaluate(POINTED, sizes)
        assert not left_over, f"{name}: {left_over} cells stay lit"
        wanted = expected(spec, buffers, index)
        for cell, lit in pointed:
            assert sorted(lit) == sorted(wanted[cell]), f"{name}, {places}: {cell}"
        missed = wanted.keys() - {cell for cell, _ in pointed}
        assert not missed, f"{name}, {places}: {missed} cannot be pointed at"
        count += len(pointed)
    return count


def with_sums(models):
    return [any(panel["sum"] for panel in spec["panels"]) for spec, _ in models]


def test_what_is_lit_stands_in_the_sum(page):
    """In tables and pictures, through transposes, heads and masks, as labels grow: at the
    first and the last setting, and once a week at some between.
    """
    count = 0
    for name, (spec, buffers) in page.models.items():
        if any(panel["sum"] for panel in spec["panels"]):
            box, some = at_start(page.box(name)), settings(spec)
            ends = {index: some[index] for index in (min(some), max(some))}
            count += assert_causes_are_lit(box, spec, buffers, name, ends)
    assert count > 1000


@pytest.mark.weekly
def test_what_is_lit_stands_in_the_sum_in_notebooks(opened, soups):
    for name in PAGES:
        models = list(views(soups[name]))
        if not any(with_sums(models)):
            continue
        page = opened(name)
        for i, (box, (spec, buffers)) in enumerate(zip(page.live(), models, strict=True)):
            if any(panel["sum"] for panel in spec["panels"]):
                at = f"{name}, Explorer {i}"
                assert assert_causes_are_lit(box, spec, buffers, at, settings(spec))
        assert page.errors == []
        page.close()


# [side, the index of what is lit at its start, whether it ends at the number] for each thread
THREADS = """view => {
  const corner = view.getBoundingClientRect();
  const touches = (node, { x, y }) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const [across, down] = [x + corner.left, y + corner.top];
    return across > left - 2 && across < right + 2 && down > top - 2 && down < bottom + 2;
  };
  return [...view.querySelectorAll('.ax-threads path')].map(path => {
    const [start, end] = [0, path.getTotalLength()].map(length => path.getPointAtLength(length));
    const { side } = path.dataset;
    const lit = [...view.querySelectorAll(`.ax-${side}`)];
    return [side, lit.findIndex(node => touches(node, start)), touches(view.querySelector('.ax-at'), end)];
  });
}"""


def test_threads_lead_from_few_cells_to_the_number(page):
    box = at_start(page.box("causes"))
    view = box.locator(".ax-view")
    page.page.set_viewport_size({"width": 1400, "height": 4000})
    for handle in box.locator(".noUi-handle").all():
        handle.press("End")
    box.evaluate("box => box.scrollIntoView({ block: 'center', behavior: 'instant' })")
    cells = box.get_by_role("grid", name="context, head 1").locator(".ax-cell")
    threads = [[side, k, True] for side in ("left", "right") for k in range(4)]
    cells.last.click()
    assert view.evaluate(THREADS) == threads
    page.page.mouse.move(2, 2)
    assert view.evaluate(THREADS) == threads  # the sum is open
    page.page.set_viewport_size({"width": 700, "height": 4000})
    until(lambda: view.evaluate(THREADS) == threads, "threads do not follow what moves")
    cells.last.click()
    page.page.mouse.move(2, 2)
    assert view.evaluate(THREADS) == []
    large = at_start(page.box("large causes")).locator(".ax-view")
    large.locator("canvas").nth(1).hover()
    assert large.locator(".ax-left").count() == 17
    assert large.evaluate(THREADS) == []


FILM = "document.getAnimations().filter(a => /^ax-/.test(a.animationName))"
ENDS = f"Math.max(0, ...{FILM}.map(a => a.effect.getComputedTiming().endTime))"
OPENED = f"cell => {{ cell.click(); return {ENDS}; }}"
# Where each bar starts and ends, [positive or not, top, bottom] in its own strip of 56 pixels.
BARS = """view => [...view.querySelectorAll('.ax-strip i')].map(bar => {
  const [outer, inner] = [bar.parentNode, bar].map(node => node.getBoundingClientRect());
  return [bar.style.transformOrigin.includes('bottom'), inner.top - outer.top, inner.bottom - outer.top];
})"""


def test_a_click_adds_up_the_products_in_less_than_a_second(page):
    box = at_start(page.box("causes"))
    view, cell = box.locator(".ax-view"), box.get_by_role("grid", name="scores, head 2")
    box.locator(".noUi-handle").first.press("End")
    cell = cell.locator(".ax-cell").nth(4)
    assert 0 < cell.evaluate(OPENED) < 1000
    box.locator(".noUi-handle").first.press("ArrowLeft")  # it does not play again
    assert page.page.evaluate(ENDS) == 0
    *parts, whole = view.evaluate(BARS)
    texts = box.locator(".ax-step span").all_text_contents()[:-1]
    factors = [float(text.replace("−", "-").lstrip("· ")) for text in texts]
    products = np.prod(np.reshape(factors, (-1, 2)), axis=1) / 3**0.5
    is_up, top, bottom = whole
    scale = (bottom - top - 1) / abs(products.sum())
    zero = bottom - 1 if is_up else top
    ends = zero - scale * np.cumsum([0, *products])
    assert len(parts) == 3
    for (is_up, top, bottom), start, end in zip(parts, ends, ends[1:]):
        assert is_up == (end < start)
        assert [top, bottom] == pytest.approx([min(start, end), max(start, end) + 1], abs=0.5)
    cell.dispatch_event("click")
    page.page.emulate_media(reduced_motion="reduce")
    assert cell.evaluate(OPENED) == 0
    assert view.evaluate(BARS) == [*parts, whole]
