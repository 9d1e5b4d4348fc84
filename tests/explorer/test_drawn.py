"""What is drawn on a page without a kernel is what Python computed, and what the still shows."""

import re

import numpy as np
import pytest
from access import at_start
from drawn import DRAWN, STRETCHED
from ipywidgets import VBox
from matplotlib.patches import Circle, Rectangle
from matplotlib.text import Annotation, Text
from site_pages import Page, page_of_widget

from helpers.pictures.ideas import SIDE
from helpers.pictures.shapes import NUMBERS

pytestmark = pytest.mark.browser


# [head, row, column] of each shape of some kinds that is there and not dimmed
ALONE = """(view, kinds) => [...view.querySelectorAll('.ax-drawn [data-shape]')]
  .filter(node => node.checkVisibility({ visibilityProperty: true }) && !node.classList.contains('ax-dim'))
  .filter(node => kinds.includes(node.dataset.shape) && (node.getAttribute('stroke-width') ?? '1') !== '0')
  .map(({ shape }) => [shape.head, shape.row, shape.column])"""
DOTS = ["path", "line", "disc"]


def alone(box, kinds=DOTS):
    return box.locator(".ax-view").evaluate(ALONE, kinds)


@pytest.mark.parametrize("name", ["arcs", "lines of heads", "own"])
def test_a_word_has_its_shapes_alone_and_keys_walk_in_the_table(page, name):
    box = at_start(page.box(name))
    every, readout = alone(box), box.locator(".ax-readout")
    word = box.locator(".ax-drawn text", has_text=re.compile("^sat$")).first
    word.hover()
    mine = [cell for cell in every if cell[1] == 2]
    assert alone(box) == mine != every
    assert readout.text_content().startswith("weights, query sat: ")
    word.click()
    page.page.mouse.move(2, 2)
    assert alone(box) == mine  # it is locked
    word.click()
    page.page.mouse.move(2, 2)
    assert alone(box) == every
    box.get_by_role("grid", name="weights").first.locator(".ax-cell").first.focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.page.keyboard.press(key)
    assert alone(box) == [[0, 1, 1]]


def test_a_key_has_its_lines_alone_in_the_drawing_of_each_head(page):
    box = at_start(page.box("lines of heads"))
    every, readout = alone(box), box.locator(".ax-readout")
    box.locator(".ax-drawn text[text-anchor=start]").nth(1).hover()
    assert alone(box) == [cell for cell in every if cell[2] == 1]
    assert readout.text_content().startswith("weights, key cat: head 1 ")
    drawings = box.locator(".ax-drawn figure")
    heads = "all => [...new Set(all.map(node => node.shape.head))]"
    for h, drawing in enumerate(drawings.all()):
        assert drawing.locator("[data-shape=line]").evaluate_all(heads) == [h]


def test_what_stands_in_a_sum_is_lit_where_it_is_drawn(page):
    box = at_start(page.box("arrows"))
    box.get_by_role("button", name="weights: show as lines").click()
    box.get_by_role("grid", name="context").locator(".ax-cell").nth(3).dispatch_event("pointermove")
    lit = box.locator("[data-shape].ax-left").evaluate_all("all => all.map(n => n.shape.row)")
    assert lit == [1, 1, 1]
    assert alone(box, ["line"])[:3] == [[0, 1, column] for column in range(3)]
    box.get_by_role("button", name="weights: show as table").click()


def test_angles_are_told_and_follow(page):
    box = at_start(page.box("planes"))
    for key in ("Home", "ArrowRight", "End"):
        box.locator(".noUi-handle").press(key)
        told = box.locator(".ax-drawn text", has_text="°").all_text_contents()
        assert told == ["45°", "11°"]  # the same at every position
    assert box.locator(".ax-drawn .ax-head-name").all_text_contents()[-2:] == ["fast", "slow"]


# [kind, numbers, word] of each shape, as it is drawn
AS_DRAWN = """view => [...view.querySelectorAll('.ax-drawn [data-shape]:not(.ax-none, .ax-off)')].map(node => {
  const at = name => Number(node.getAttribute(name));
  const path = (node.getAttribute('d') ?? '').match(/-?[\\d.]+(e-?\\d+)?/g)?.map(Number);
  const names = { circle: ['cx', 'cy'], text: ['x', 'y'], rect: ['x', 'y'] }[node.tagName];
  const [kind, { tip }] = [node.dataset.shape, node.shape];
  return [kind, path?.slice(0, kind === 'path' ? 8 : 4) ?? names.map(at), node.textContent, at('stroke-width')];
}).filter(([kind, , word, width]) => kind === 'text' ? word : /rectangle|disc/.test(kind) || width > 0.04)"""


def as_drawn(artist):
    """The same of an artist of a still picture."""
    if isinstance(artist, Annotation):
        return ["line", [*artist.xyann, *artist.xy], "", 1]
    if isinstance(artist, Text):
        return ["text", list(artist.get_position()), artist.get_text(), len(artist.get_text())]
    if isinstance(artist, Circle):
        return ["disc", list(artist.center), "", 1]
    if isinstance(artist, Rectangle):
        return ["rectangle", list(artist.get_xy()), "", 1]
    points = artist.get_path().vertices.ravel().tolist()
    return [artist.get_gid(), points, "", artist.get_linewidth()]


@pytest.fixture(scope="module")
def drawn(browser, tmp_path_factory):
    """{name: (an Explorer, where it is on a page)}"""
    explorers = {name: make() for name, make in DRAWN.items()}
    made = page_of_widget(tmp_path_factory.mktemp("drawn"), VBox(list(explorers.values())))
    page = Page(browser, made)
    boxes = page.page.locator(".attention-explorer")
    page.page.locator(".ax-view[data-ready=true]").nth(len(explorers) - 1).wait_for()
    yield {name: (e, boxes.nth(k)) for k, (name, e) in enumerate(explorers.items())}
    page.close()


def test_the_page_and_the_still_show_the_same(drawn):
    """Apart from where the picture begins, and how wide it is."""
    for name, (explorer, box) in drawn.items():
        shown = box.locator(".ax-view").evaluate(AS_DRAWN)
        still = []
        for ax in explorer._still().figure.axes:
            artists = [artist for artist in ax.get_children() if artist.get_gid() in NUMBERS]
            still += map(as_drawn, sorted(artists, key=lambda artist: artist.zorder))
        still = [shape[:3] for shape in still if shape[3] > 0.03]
        assert [(s[0], s[2]) for s in shown] == [(s[0], s[2]) for s in still], name
        for side in (0, 1):
            ours, theirs = ([x for s in all_ for x in s[1][side::2]] for all_ in (shown, still))
            factor, shift = np.polyfit(theirs, ours, 1)
            assert ours == pytest.approx(factor * np.array(theirs) + shift, abs=0.1), name
            assert factor == pytest.approx(1, abs=1e-3) or (side == 0 and name in STRETCHED)


def test_sliders_follow_what_is_dragged_and_others_stay(drawn):
    box = drawn["in plane"][1]
    box.locator("select").select_option(index=1)
    grip, mouse = box.locator(".ax-grip"), box.page.mouse
    grip.scroll_into_view_if_needed()
    at = grip.bounding_box()
    mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    mouse.down()
    step = SIDE / 4.96  # the plane is 2.48 wide, and a step of the sliders 0.5
    mouse.move(at["x"] + step, at["y"] - step, steps=3)
    mouse.up()
    assert box.locator(".ax-view").get_attribute("data-frame") == str((3 * 5 + 3) * 2 + 1)
    moved = grip.bounding_box()
    assert moved["x"] - at["x"] == pytest.approx(step, abs=1)


def test_a_curve_and_the_end_of_a_branch_are_read_out(page):
    chart, tree = at_start(page.box("chart")), at_start(page.box("tree"))
    chart.locator(".ax-drawn circle").hover()
    assert chart.locator(".ax-readout").text_content() == "loss(run) = 1"
    tree.locator(".noUi-handle").last.press("End")
    tree.locator(".ax-drawn text:visible", has_text="really").first.hover()
    said = "probabilities(she really, dropped) = 0.4 (40 %)"
    assert tree.locator(".ax-readout").text_content() == said
    assert [0, 0, 0] not in alone(tree, ["text"])  # the other end


@pytest.mark.parametrize(
    ("name", "panel", "views"),
    [
        ("arcs", "weights", {"table": None, "lines": ".ax-sheet", "arcs": ".ax-sheet"}),
        ("chart", "loss", {"table": None, "chart": ".ax-sheet"}),
        ("tree", "probabilities", {"bars": None, "tree": ".ax-sheet"}),
    ],
)
def test_buttons_with_names_choose_the_view_and_the_choice_stays(page, name, panel, views):
    group = page.page.get_by_role("group", name=f"{panel}: views")
    place = at_start(page.box(name)).locator(".ax-panel", has=group)
    group = place.get_by_role("group", name=f"{panel}: views")
    assert group.get_by_role("button").all_inner_texts() == list(views)
    for view, drawn in views.items():
        button = group.get_by_role("button", name=f"{panel}: show as {view}")
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        assert place.locator(".ax-stage > *").count() == (drawn is not None)
        assert drawn is None or place.locator(drawn).first.is_visible()
