"""Arcs, arrows, charts and trees on a page without a kernel: what is drawn is what Python computed."""

import math
import re

import numpy as np
import pytest
from access import at_start
from pixels import decoded, labels_at

pytestmark = pytest.mark.browser


def arrays(page, name, box):
    """The matrices that Python computed for the present setting, by name."""
    spec, buffers = page.models[name]
    index = int(box.locator(".ax-view").get_attribute("data-frame"))
    return {panel["name"]: x for panel, x in decoded(spec, buffers["frames"], index)[0]}


def labels(page, name, box):
    """The labels of the columns of the first panel, at the present setting."""
    spec, _buffers = page.models[name]
    index = int(box.locator(".ax-view").get_attribute("data-frame"))
    return labels_at(spec["panels"][0], index)[1]


def numbers(text):
    return [float(x) for x in re.findall(r"-?[\d.]+(?:e-?\d+)?", text)]


def test_arcs_are_as_thick_as_the_weights_and_keys_that_follow_have_theirs_below(page):
    box = at_start(page.box("arcs"))
    for key in ("Home", "ArrowRight"):
        box.locator(".noUi-handle").press(key)
        thick = box.locator(".ax-arcs path").evaluate_all(
            "paths => paths.map(path => Number(path.getAttribute('stroke-width')))"
        )
        weights = np.nan_to_num(arrays(page, "arcs", box)["weights"].astype(float))
        assert thick == pytest.approx((5 * weights).ravel().tolist(), abs=6e-4)
    paths = box.locator(".ax-arcs path").evaluate_all("all => all.map(p => p.getAttribute('d'))")
    for k, path in enumerate(paths[:36]):
        _x, start, _left, top, *_end = numbers(path)
        assert (top > start) == (k % 6 > k // 6)


def test_a_word_of_a_sentence_has_its_arcs_alone_and_keys_walk_in_the_table(page):
    box = at_start(page.box("arcs"))
    shown = "all => all.map((p, k) => p.classList.contains('ax-dim') ? -1 : k).filter(k => k >= 0)"
    box.locator(".ax-arcs .ax-end").nth(2).hover()
    alone = box.locator(".ax-arcs path").evaluate_all(shown)
    assert alone == [36 * head + 12 + key for head in range(4) for key in range(6)]
    assert box.locator(".ax-readout").text_content().startswith("weights, query sat: head 1 ")
    box.get_by_role("grid", name="weights, head 3").locator(".ax-cell").first.focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.page.keyboard.press(key)
    assert box.locator(".ax-arcs path").evaluate_all(shown) == [2 * 36 + 6 + 1]


def ends(box, panel, head=0):
    """Where each arrow of a plane ends, in its own units."""
    low, high = panel["plane"]["low"], panel["plane"]["high"]
    plane = box.locator(".ax-plane").nth(head)
    side = float(plane.get_attribute("width"))
    found = []
    for path in plane.locator(".ax-arrow > path, .ax-terms-drawn path").all():
        _x, _y, x, y, *_tip = numbers(path.get_attribute("d"))
        found.append((low + x / side * (high - low), high - y / side * (high - low)))
    return found


def test_arrows_end_at_the_vectors_and_show_the_angle_between_two(page):
    box, (spec, _buffers) = at_start(page.box("planes")), page.models["planes"]
    for key in ("Home", "ArrowRight", "End"):
        box.locator(".noUi-handle").press(key)
        for head, wanted in enumerate(arrays(page, "planes", box)["clocks"]):
            assert ends(box, spec["panels"][0], head) == pytest.approx(wanted, abs=1e-3)
        angles = box.locator(".ax-angle text").all_text_contents()
        assert angles == ["45°", "11°"]  # the same at every position
    assert box.locator(".ax-head-name").all_text_contents()[-2:] == ["fast", "slow"]


def test_the_terms_of_a_sum_go_from_tip_to_tail_for_what_is_pointed_at(page):
    box, (spec, _buffers) = at_start(page.box("arrows")), page.models["arrows"]
    (panel,) = [p for p in spec["panels"] if p["name"] == "context"]
    assert box.locator(".ax-terms-drawn path").count() == 0
    box.locator(".ax-arrow text", has_text="shiny").hover()
    for key in ("End", "Home"):
        box.locator(".noUi-handle").press(key)
        box.locator(".ax-arrow text", has_text="shiny").hover()
        found = arrays(page, "arrows", box)
        plane = np.array(spec["operands"]["X"])
        steps = np.cumsum(found["weights"][0, 1][:, None] * plane, axis=0)
        drawn = ends(box, panel)
        assert drawn[:3] == pytest.approx(steps, abs=2e-3)  # the terms are drawn below the arrows
        assert drawn[3:] == pytest.approx(found["context"][0], abs=2e-3)
        assert drawn[2] == pytest.approx(drawn[3 + 1], abs=2e-3)
    assert box.locator(".ax-readout").text_content().startswith("context, row shiny: x1 ")


def test_the_dot_of_a_chart_stands_on_its_curve_where_the_slider_stands(page):
    box, (spec, _buffers) = at_start(page.box("chart")), page.models["chart"]
    chart = box.locator(".ax-chart")
    seen = set()
    for slider in range(2):
        for key in ("Home", "ArrowRight", "End"):
            box.locator(".noUi-handle").nth(slider).press(key)
            place = int(box.locator(".ax-view").get_attribute("data-frame")) // 3
            points = numbers(chart.locator(".ax-curve path").get_attribute("d"))
            xs, ys = points[::2], points[1::2]
            assert len(xs) == len(spec["values"][0])
            dot = [float(chart.locator("circle").get_attribute(name)) for name in ("cx", "cy")]
            assert dot == pytest.approx([xs[place], ys[place]], abs=1e-3)
            seen.add(round(dot[1], 2))
            (loss,) = numbers(chart.locator(".ax-amount").text_content())
            assert loss == pytest.approx(arrays(page, "chart", box)["loss"].item(), abs=0.005)
    assert len(seen) >= 4
    chart.locator("circle").hover()
    assert box.locator(".ax-readout").text_content() == f"loss(run) = {loss:g}"


BRANCHES = """tree => [...tree.querySelectorAll('.ax-branch')].filter(node => node.checkVisibility({
  visibilityProperty: true })).map(node => [node.dataset.path, {
    at: node.querySelector('text').getBoundingClientRect().x - tree.getBoundingClientRect().x,
    thick: Number(node.querySelector('path').getAttribute('stroke-width')),
    dropped: node.classList.contains('ax-dropped'), dim: node.classList.contains('ax-dim'),
    number: node.querySelector('.ax-amount').textContent }])"""


def test_a_tree_has_a_branch_for_each_path_as_thick_as_what_is_kept_or_dropped_along_it(page):
    box = at_start(page.box("tree"))
    tree = box.locator(".ax-tree")
    places = {}
    for keys in (("Home", "Home"), ("Home", "ArrowRight"), ("Home", "End"), ("End", "End")):
        for handle, key in zip(box.locator(".noUi-handle").all(), keys):
            handle.press(key)
        (kept, dropped), paths = (
            arrays(page, "tree", box)["probabilities"][0],
            labels(page, "tree", box),
        )
        drawn = dict(tree.evaluate(BRANCHES))
        begun = {path[:k] for path in paths for k, x in enumerate(path + " ") if x == " "}
        assert drawn.keys() == begun
        for path, node in drawn.items():
            along = [k for k, other in enumerate(paths) if f"{other} ".startswith(f"{path} ")]
            assert node["thick"] == pytest.approx(9 * (kept + dropped)[along].sum(), abs=1e-3)
            assert node["dropped"] == (kept[along].sum() == 0)
            assert node["number"] == (
                f"{(kept + dropped)[along].sum():.2f}" if path in paths else ""
            )
            assert places.setdefault(path, node["at"]) == node["at"]  # nothing moves
    assert len(places) == 4


def test_the_end_of_a_branch_is_read_out_and_keys_walk_in_the_bars(page):
    box = at_start(page.box("tree"))
    for handle in box.locator(".noUi-handle").all():
        handle.press("Home")
    box.locator(".noUi-handle").last.press("End")
    readout = box.locator(".ax-readout")
    box.locator(".ax-branch[data-path='she really'] text").hover()
    assert readout.text_content() == "probabilities(dropped, she really) = 0.4 (40 %)"
    box.get_by_role("grid", name="probabilities").locator(".ax-probability").first.focus()
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowLeft")
    assert readout.text_content() == "probabilities(kept, she likes this) = 0.45 (45 %)"
    dim = [path for path, node in box.locator(".ax-tree").evaluate(BRANCHES) if node["dim"]]
    assert dim == ["she really"]


def test_the_tree_of_a_still_picture_writes_each_word_once():
    from helpers.pictures import plots

    paths = ["she likes", "she really", "she likes this"]
    tree = plots.matrices(
        {"probabilities": [[0.5, 0.0, 0.25], [0.0, 0.25, 0.0]]},
        paths,
        rows={"probabilities": ["kept", "dropped"]},
        view={"probabilities": "tree"},
    )
    (ax,) = tree.figure.axes
    words = [text.get_text() for text in ax.texts]
    assert words == ["she", "likes  0.75", "really  0.25", "this  0.25"]
    thick = [line.get_linewidth() for line in ax.lines]
    assert thick[0] == pytest.approx(6.75) and thick[1] > thick[2]
    assert [line.get_linestyle() for line in ax.lines] == ["-", "-", "--", "-"]


@pytest.mark.parametrize(
    ("name", "panel", "views"),
    [
        ("arcs", "weights", {"table": None, "lines": ".ax-ends", "arcs": ".ax-arcs"}),
        ("chart", "loss", {"table": None, "chart": ".ax-chart"}),
        ("tree", "probabilities", {"bars": None, "tree": ".ax-tree"}),
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


def test_the_angle_in_the_still_picture_is_that_of_the_page():
    from helpers.pictures import plots

    pair = [[math.cos(x), math.sin(x)] for x in (0.5, 0.5 + math.pi / 4)]
    (ax,) = plots.matrices({"pair": pair}, ["query", "key"], view="arrows").figure.axes
    assert "45°" in [text.get_text().strip() for text in ax.texts]
