"""A notebook as a lecture: what is on which slide, and what is on none."""

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell

from helpers.classroom import scripts, site
from helpers.classroom.series import notebooks, read
from helpers.classroom.slides import lecture
from tests.tools.slide_types import slide_types

SOLUTION = new_code_cell("# Solution\nmine = 1", metadata={"tags": ["solution"]})
CHECK, CODE, STUB = (new_code_cell(s) for s in ("checks.f(mine)", "1 + 1", "def mine():\n    ..."))


@pytest.mark.parametrize(
    "text, following, wanted",
    [
        ("# Title", [CODE], ["slide", ""]),
        ("The end of a thought.\n\n## Heading", [CODE, CODE], ["slide", "", ""]),
        ("### Exercise: f", [STUB, CHECK], ["subslide", "", "skip"]),
        ("Look at this:", [CODE], ["subslide", ""]),
        ("```\n# no heading\n```", [CODE], ["subslide", ""]),
        ("We have seen it.", [], ["fragment"]),
        ("We have seen it.", [SOLUTION], ["fragment", "skip"]),
        ("**Predict:** what comes?", [CODE], ["subslide", "fragment"]),
        ("**Predict:** what comes?", [CHECK], ["subslide", "skip"]),
        ("Check it:", [CHECK], ["skip", "skip"]),
        ("<details><summary>Hint</summary>\n\n# no heading\n</details>", [], ["notes"]),
    ],
)
def test_a_cell_is_on_the_slide_that_its_text_asks_for(text, following, wanted):
    assert slide_types([new_markdown_cell(text), *following]) == wanted


def test_a_lecture_has_every_picture_and_no_solution():
    path = notebooks()[1]
    soup = BeautifulSoup(lecture(read(path)), "html.parser")
    for notes in soup.select("aside.notes"):
        notes.extract()
    slides = soup.select(".slides > section > section")
    text = " ".join(slide.get_text() for slide in slides)
    assert len(slides) > 30 and all(slide.get_text(strip=True) for slide in slides)
    assert "# Solution" not in text and "checks.softmax(" not in text and "Hint" not in text
    outputs = [o for c in read(path).cells for o in c.get("outputs", [])]
    assert len(soup.select("section img")) == sum("image/png" in o.get("data", {}) for o in outputs)


@pytest.mark.browser
def test_a_lecture_needs_no_network_and_its_sliders_move(tmp_path, browser):
    from conftest import kept_or_run
    from site_pages import Page

    site.write(tmp_path / "scripts", scripts.scripts(scripts.WIDGETS | scripts.LECTURES))
    made = lecture(kept_or_run(notebooks()[0]))
    site.write(tmp_path, {"00.slides.html": made.encode()})
    page = Page(browser, tmp_path / "00.slides.html", viewport={"width": 1280, "height": 720})
    (box,) = page.live()
    page.page.evaluate(SHOW, box.element_handle())
    view = box.locator(".ax-view")
    before = view.get_attribute("data-frame")
    box.locator(".noUi-handle").press("ArrowRight")
    assert view.get_attribute("data-frame") != before
    assert view.locator(".ax-cell").first.evaluate(HEIGHT) > 30  # readable from the last row
    assert page.outside == page.errors == []
    page.close()


HEIGHT = "node => node.getBoundingClientRect().height"
SHOW = """box => {
  const { h, v } = Reveal.getIndices(box.closest("section"));
  Reveal.slide(h, v);
}"""
