"""Weights as lines between two columns of words, on a page without a kernel.

test_everyone.py checks at every setting that the lines are as wide as Python's numbers say.
"""

import pytest
from access import at_start

pytestmark = pytest.mark.browser

# In the first drawing: [head, from, to, colour, dashes, whether it stands out] for each line with a
# weight; `from` and `to` are the words whose middle is nearest to its ends.
LINES = """view => {
  const sheet = view.querySelector('.ax-drawn .ax-sheet');
  const nearest = (y, words) => {
    const away = words.map(w => Math.abs((w.top + w.bottom) / 2 - y));
    return away.indexOf(Math.min(...away)); };
  const [left, right] = [...sheet.querySelectorAll('.ax-ends')].map(side =>
    [...side.querySelectorAll('.ax-end')].map(word => word.getBoundingClientRect()));
  const { top } = sheet.querySelector('svg').getBoundingClientRect();
  const y = (line, end) => top + line[end].baseVal.value;
  return [...sheet.querySelectorAll('g')].flatMap((g, head) => [...g.querySelectorAll('line')]
    .filter(line => Number(line.getAttribute('stroke-width')))
    .map(line => [head, nearest(y(line, 'y1'), left), nearest(y(line, 'y2'), right),
      getComputedStyle(line).stroke, getComputedStyle(line).strokeDasharray,
      Number(getComputedStyle(line).opacity) === 1])); }"""


def lines_of(box):
    return box.locator(".ax-view").evaluate(LINES)


def alone(box):
    """(head, query, key) of the lines that stand out."""
    return {tuple(line[:3]) for line in lines_of(box) if line[-1]}


def word(box, side, k):
    return box.locator(f'.ax-drawn .ax-end[data-side="{side}"][data-k="{k}"]')


def test_each_line_joins_its_words_and_heads_differ_by_colour_and_dashes(page):
    box = at_start(page.box("lines of heads"))
    drawn = lines_of(box)
    seen = {
        (head, query, key) for head in range(4) for query in range(6) for key in range(query + 1)
    }
    assert {tuple(line[:3]) for line in drawn} == seen  # masked weights have none
    for part in (3, 4):
        looks = {line[0]: line[part] for line in drawn}
        assert len(set(looks.values())) == 4
        assert all(line[part] == looks[line[0]] for line in drawn)


def test_a_word_under_the_mouse_has_its_lines_alone(page):
    box = at_start(page.box("lines of heads"))
    readout = box.locator(".ax-readout")
    every = alone(box)
    word(box, "rows", 2).hover()
    assert alone(box) == {line for line in every if line[1] == 2}
    assert readout.text_content().startswith("weights, query sat: head 1 ")
    assert readout.text_content().count("head") == 4
    word(box, "columns", 1).hover()
    assert alone(box) == {line for line in every if line[2] == 1}
    assert readout.text_content().startswith("weights, key cat: head 1 ")
    word(box, "columns", 1).click()  # stays when the mouse leaves
    page.page.mouse.move(2, 2)
    assert alone(box) == {line for line in every if line[2] == 1}
    word(box, "columns", 1).click()
    page.page.mouse.move(2, 2)
    assert alone(box) == every


def test_table_and_lines_take_turns_and_heads_can_be_hidden(page):
    box = at_start(page.box("lines of heads"))
    box.locator(".noUi-handle").press("Home")
    every = alone(box)
    box.get_by_role("checkbox", name="head 2").uncheck()
    assert box.locator(".ax-sheet g").nth(1).is_hidden()
    word(box, "rows", 2).hover()
    assert "head 2" not in box.locator(".ax-readout").text_content()
    box.get_by_role("checkbox", name="head 2").check()
    box.get_by_role("button", name="weights: show as table").click()
    assert box.locator(".ax-sheet").is_hidden()
    table = box.get_by_role("grid", name="weights, head 1")
    assert table.bounding_box()["width"] > 100
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):  # hidden, and drawn again
        box.locator(".noUi-handle").press(key)
    box.get_by_role("button", name="weights: show as lines").click()
    assert alone(box) == every
