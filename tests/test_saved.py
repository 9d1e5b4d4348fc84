"""The picture that a panel's button saves: an SVG that stands alone, with Python's numbers in it."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from access import at_start
from every_explorer import SHOTS
from pixels import cells_at, decoded, labels_at, text_of
from site_pages import bars_of

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"


def saved(page, box, panel):
    """The root of the file, and its name."""
    with page.page.expect_download() as download:
        box.get_by_role("button", name=f"{panel}: save picture (SVG)", exact=True).click()
    path = download.value.path()
    return ElementTree.parse(path).getroot(), download.value.suggested_filename, path


def texts(root):
    return [node.text or "" for node in root.iter(f"{SVG}text")]


NAMES = ["sums", "masked", "hostile", "large", "pale", "moves", "moves large", "chances", "series"]


@pytest.mark.parametrize("name", [*NAMES, "lines", "lines of heads"])
def test_what_is_saved_is_what_python_computed(page, browser, name):
    spec, buffers = page.models[name]
    box = at_start(page.box(name))
    if box.locator(".noUi-handle").count():
        box.locator(".noUi-handle").first.press("Home")
        box.locator(".noUi-handle").first.press("ArrowRight")
    index = int(box.locator(".ax-view").get_attribute("data-frame"))
    for number, (panel, array) in enumerate(decoded(spec, buffers["frames"], index)[0]):
        root, file, path = saved(page, box, panel["name"])
        assert file == re.sub(r"[^\w-]+", "_", panel["name"]) + ".svg"
        assert_stands_alone(root)
        rows, columns = labels_at(panel, index)
        found = texts(root)
        assert found[0] == panel["name"]
        cells = array[cells_at(panel, index)]
        if panel["role"] == "chances":
            for word, *numbers in bars_of(panel, array, index, spec["decimals"]):
                assert word in found and set(numbers[: len(numbers) // 2]) <= set(found)
        elif panel["view"] == "lines":
            assert {*rows, *columns} <= set(found)
            drawn = [
                float(line.get("stroke-width"))
                for line in root.findall(f"{SVG}g//{SVG}g/{SVG}line")
            ]
            thick = (4 if panel["heads"] > 1 else 9) * np.nan_to_num(cells)
            assert sorted(drawn) == pytest.approx(sorted(thick[thick >= 5e-4]), abs=6e-4)
        elif not panel["picture"]:
            numbers = [text_of(x, spec["decimals"]) for x in cells if not np.isnan(x)]
            drawn = [text for text in found if re.fullmatch(r"−?[\d.]+", text)]
            assert drawn[: len(numbers)] == numbers
            assert [t[:15] for t in found if t.rstrip("…")] and len(found) > len(rows) + len(
                columns
            )
            hatched = [
                r
                for r in root.iter(f"{SVG}rect")
                if r.get("fill") == "url(#masked)" and r.get("rx")
            ]
            assert len(hatched) == np.isnan(cells).sum()
        else:
            assert len(list(root.iter(f"{SVG}image"))) == max(1, panel["heads"])
        shot = browser.new_page(viewport={"width": 900, "height": 700})
        shot.goto(path.rename(path.with_name(f"{path.name}.svg")).as_uri())
        shot.screenshot(path=SHOTS / f"saved_{name.replace(' ', '_')}_{number}.png")
        shot.close()


def assert_stands_alone(root):
    """No script, no style sheet, nothing from elsewhere, and nothing outside its edges."""
    for node in root.iter():
        assert node.tag.removeprefix(SVG) not in ("script", "style", "foreignObject", "a")
        href = node.get("href")
        assert href is None or href.startswith("data:image/png;base64,")
        assert not any(name.startswith("on") for name in node.attrib)
    assert root.find(f"{SVG}title").text


def test_it_says_where_the_sliders_stand(page):
    root, *_ = saved(page, at_start(page.box("said")), "weights")
    assert texts(root)[-1] == "share = 0, word = sun"
    root, *_ = saved(page, at_start(page.box("lines of heads")), "weights")
    assert texts(root)[-1] == "sharp = 0.5, mask = on"


def test_hidden_heads_and_faded_lines_are_not_saved(page):
    box = at_start(page.box("lines of heads"))
    box.get_by_role("button", name="head 2").click()
    box.locator('.ax-end[data-side="rows"][data-k="1"]').click()
    page.page.mouse.move(2, 2)
    root, *_ = saved(page, box, "weights")
    assert [t for t in texts(root) if t.startswith("head")] == ["head 1", "head 3", "head 4"]
    groups = root.findall(f"{SVG}g//{SVG}g")
    assert [len(g.findall(f"{SVG}line")) for g in groups] == [2, 2, 2]
    box.get_by_role("button", name="head 2").click()
    box.locator('.ax-end[data-side="rows"][data-k="1"]').click()
