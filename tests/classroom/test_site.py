"""The pages of `make site`: their content, and what they are without their scripts.

../browser/test_pages.py tests their Explorers in a browser.
"""

import re
import shutil
from pathlib import Path

import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from conftest import REPOSITORY
from nbformat.v4 import new_markdown_cell
from pages_made import book, code, page_of, printed
from playwright.sync_api import expect
from site_pages import Page, models, page_of_widget

from helpers.classroom import links, site
from helpers.classroom.folds import ANSWERED, CHECK, PROGRESS, QUESTION
from helpers.classroom.formulas import mathml
from helpers.classroom.pages import page
from helpers.classroom.series import about, notebooks, read
from helpers.explorer import Explorer

in_browser = pytest.mark.browser


# ---------------------------------------------------------------- all pages


@in_browser
def test_every_notebook_has_its_page_and_the_first_page_leads_to_all(soups):
    assert set(soups) == {"index", "paper", *(path.stem for path in notebooks())}
    text = soups["index"].get_text()
    for path in notebooks():
        told = about(read(path))
        line = soups["index"].select_one(f'.chapters a[href="{path.stem}.html"]')
        assert line.get_text().strip() == told["heading"]
        assert told["question"].replace("*", "") in text  # *so* is italic on the page
        assert f"{told['minutes']} minutes" in line.find_parent("li").get_text()
        shown = soups[path.stem].get_text()
        assert all(goal.replace("*", "") in shown for goal in told["goals"])


@in_browser
def test_every_page_says_what_it_is_and_needs_nothing_but_what_is_beside_it(soups, site):
    for name, soup in soups.items():
        assert soup.html["lang"] == "en" and "How attention works" in soup.title.string, name
        assert "width=device-width" in soup.find("meta", attrs={"name": "viewport"})["content"]
        assert len(soup.article.find_all("h1")) == 1, name
        told = {
            x.get("property", x.get("name")): x["content"] for x in soup.select("meta[content]")
        }
        assert told["description"] == told["og:description"] and len(told["description"]) > 20, name
        assert told["og:image"].endswith(".png") and told["og:title"] in soup.h1.get_text(), name
        note = soup.select_one("p.note")
        assert "Sliders move on these pages, code does not run" in note.get_text()
        opened = name if name[:2].isdigit() else notebooks()[0].stem
        there = [f(REPOSITORY, opened) for f in (links.binder, links.colab)]
        there.append(links.github(REPOSITORY))
        assert [a["href"] for a in note.find_all("a")] == there, name
        for asked in [*soup.find_all("script", src=True), *soup.find_all("link", href=True)]:
            address = asked.get("src", asked.get("href")).partition("?")[0]
            assert address == "#" or (site / address).is_file(), (name, address)
        assert not soup.article.select('img:is([alt=""], :not([alt]))'), name
    bodies = [
        model["state"].get("_esm", "") for soup in soups.values() for model in models(soup).values()
    ]
    assert max(map(len, bodies)) < 100, "the script of a widget is in a file that widgets share"


@in_browser
def test_formulas_are_drawn_by_the_browser_and_links_lead_somewhere(soups, site):
    assert any(soup.find("math") for soup in soups.values())
    places = {name: {node["id"] for node in soup.find_all(id=True)} for name, soup in soups.items()}
    for name, soup in soups.items():
        for text in soup.article.find_all(string=re.compile(r"\$")):
            assert text.find_parent(["code", "pre", "script"]), (name, text)
        for link in soup.find_all("a", href=True):
            address, _, anchor = link["href"].partition("#")
            if address.startswith("http"):
                continue
            assert address == "" or (site / address).is_file(), (name, link)
            target = address.removesuffix(".html") or name
            assert not anchor or anchor in places[target], (name, link)


@in_browser
def test_what_gives_an_answer_away_is_folded(soups):
    """Solutions, checks, code that is folded in the notebook, and the code of each Explorer."""
    for path in notebooks():
        soup = soups[path.stem]
        hidden = [
            cell.source
            for cell in read(path).cells
            if cell.cell_type == "code"
            and (cell.metadata.get("jupyter") or CHECK.fullmatch(cell.source))
            and not any(x.match(cell.source) for x in (QUESTION, ANSWERED, PROGRESS))
        ]
        folded = {x.get_text().strip() for x in soup.select("details.hide div.cell_input")}
        assert set(map(str.strip, hidden)) <= folded, path.name
        assert not soup.select("details[open]"), path.name
        for live in soup.select("div.cell:has(.live)"):
            assert not live.select(":scope > div.cell_input"), path.name
        for fold in soup.select("details:not(details *, .cell *)"):
            below = fold.find_next_sibling()
            ends = below is None or below.name == "section" or below.select(".asked")
            hint = fold.summary.get_text().startswith(("Hint", "Show"))
            row = "details" in {x.name for x in (below, fold.find_previous_sibling()) if x}
            assert hint or ends or row, f"{path.name}: told beside a fold: {below.get_text()}"


@in_browser
@pytest.mark.parametrize("step", [30, pytest.param(1, id="all", marks=pytest.mark.weekly)])
def test_each_explorer_has_a_page_that_works_from_the_disk(site, browser, step):
    """And every address of the last release still answers."""
    there = {path.stem: path for path in (site / "x").glob("*.html")}
    kept = Path(__file__).with_name("addresses.txt").read_text().split()
    assert set(kept) <= set(there)
    for name, path in sorted(there.items())[::step]:
        alone = Page(browser, path)
        assert len(alone.live()) == 1 and alone.page.locator("article p").first.inner_text(), name
        assert alone.page.locator("input[type=text]:visible").count() == 0, "no kernel reads it"
        back = alone.page.locator("article section > p a").nth(-2).get_attribute("href")
        file, _, heading = back.partition("#")
        assert f'id="{heading}"' in (path.parent / file).read_text(), name
        assert alone.errors == alone.outside == [], name
        alone.close()


@in_browser
def test_a_page_from_the_disk_can_be_searched(opened):
    page = opened("index")
    page.page.locator(".bd-sidebar-primary .search-button__button").click()
    page.page.locator("#pst-search-dialog input").fill("softmax")
    page.page.keyboard.press("Enter")
    found = page.page.locator(".search a[href*='01_hello_shiny_sun.html']").first
    found.click()
    assert page.page.locator("h1").first.inner_text().startswith("1 · Hello shiny sun!")
    assert page.outside == page.errors == []


# ---------------------------------------------------------------- one page


@in_browser
def test_the_controls_of_a_tall_explorer_stay_in_sight(tmp_path, browser):
    words = [f"word{i}" for i in range(40)]
    tall = Explorer(lambda x: np.eye(40) * x, words, x=(1, 3))
    page = Page(browser, page_of_widget(tmp_path, tall))
    (box,) = page.live()
    slider = box.locator(".noUi-handle")
    slider.focus()  # in use: otherwise they cover nothing
    for width in (1400, 390):
        page.page.set_viewport_size({"width": width, "height": 600})
        page.page.evaluate("scrollTo(0, 0)")
        page.page.evaluate("y => scrollTo(0, y)", slider.bounding_box()["y"] + 400)
        # until the sidebar has moved out: otherwise the slider is off the window, or covered
        page.page.wait_for_function(IN_SIGHT, arg=slider.element_handle())
    page.close()


IN_SIGHT = """node => {
  const box = node.getBoundingClientRect();
  const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return node.contains(top) && box.top >= 0 && box.bottom <= innerHeight;
}"""


def test_a_page_leads_to_where_it_runs_in_its_language():
    """These are the addresses that Binder and Colab, and GitHub's pages, have."""
    soup = BeautifulSoup(page(book(), "01_x", "ada/attention", "es").cells[0].source, "html.parser")
    for wanted in (
        "https://mybinder.org/v2/gh/ada/attention/HEAD?urlpath=lab/tree/my_notebooks/es/01_x.ipynb",
        "https://colab.research.google.com/github/ada/attention/blob/colab/es/01_x.ipynb",
        "https://github.com/ada/attention/blob/HEAD/docs/README.es.md",
    ):
        assert f"]({wanted})" in soup.text
    assert "](" not in page(book(), "01_x", "", "es").cells[0].source


def test_folded_code_leaves_its_output_in_sight_and_formulas_are_mathml(tmp_path):
    prose = "## Step 1: *here*\n\n[There](#Step-1:-here) "
    prose += "Cheap at `$5`: $a_1$\n\n$$\\frac{1}{2}$$\n\n\\begin{matrix}1\\\\2\\end{matrix}"
    hidden = code("print(1 + 1)", printed("two\n"), jupyter={"source_hidden": True})
    soup = page_of(tmp_path, book(new_markdown_cell(prose), hidden), language="es", others=["en"])
    (fold,) = soup.select("details.hide")
    assert "print" in fold.get_text() and "two" not in fold.get_text()
    assert "two" in soup.select_one(".cell_output").get_text()
    assert len(soup.find_all("math")) == 3 and "<msub>" in str(soup) and "<mtr>" in str(soup)
    assert soup.html["lang"] == "es"
    assert soup.select_one(".languages a[lang=en]")["href"] == "./../x.html"
    assert not soup.select('[aria-label="Main"], [aria-label^="Toggle"], [title^="Toggle"]')
    assert soup.find(id=soup.find("a", string="There")["href"].removeprefix("#"))


@pytest.mark.parametrize("latex", [r"\unheardof{x}", r"a & b"])
def test_a_formula_that_makes_no_mathml_is_named(latex):
    with pytest.raises(ValueError, match=f"formula.*: {re.escape(latex)}$"):
        mathml(latex)


def test_a_cell_that_fails_leaves_the_site_as_it_was(tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "fine.html").write_text("of before")
    nbformat.write(book(code("raise ValueError('no')")), tmp_path / "fails.ipynb")
    monkeypatch.setenv("ATTENTION_LANGUAGE", "en")  # what main sets is gone after the test
    monkeypatch.setattr("sys.argv", ["site", str(tmp_path / "site"), str(tmp_path / "fails.ipynb")])
    with pytest.raises(SystemExit, match=r"(?s)No site was made.*fails.ipynb.*ValueError: no"):
        site.main()
    assert [path.read_text() for path in (tmp_path / "site").iterdir()] == ["of before"]


# ---------------------------------------------------------------- without scripts


@in_browser
def test_a_page_without_javascript_is_still_a_lesson(opened):
    page = opened("01_hello_shiny_sun", java_script_enabled=False)
    boxes = page.page.locator(".live").all()
    assert len(boxes) > 0
    for box in boxes:
        assert_still_picture(box)
    for formula in page.page.locator("math:not(details:not([open]) *)").all():  # not in a fold
        assert formula.bounding_box()["width"] > 10
    assert page.outside == []


@in_browser
def test_a_page_with_none_or_half_of_its_scripts_shows_still_pictures(tmp_path, site, opened):
    page = opened("00_start_here", blocked="/widgets/anywidget")
    box = page.page.locator(".live").nth(1)  # the first on the page has a menu, and no slider
    box.locator(".widget-slider").wait_for(state="attached")
    assert_still_picture(box)
    assert box.locator(".widget-slider").is_hidden()
    shutil.copy(site / "00_start_here.html", tmp_path)
    alone = Page(page.page.context.browser, tmp_path / "00_start_here.html")
    assert_still_picture(alone.page.locator(".live").first)
    said = alone.page.locator(".still figcaption").first.inner_text()
    assert "with the folder of scripts beside the page" in said
    assert alone.outside == []
    alone.close()


def assert_still_picture(box):
    picture = box.locator(".still img")
    picture.scroll_into_view_if_needed()
    expect(picture).to_be_visible()  # once its image is decoded
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
    assert picture.get_attribute("alt").startswith(("Explorer of ", "Inside "))
    said = box.locator(".still figcaption")
    assert said.is_visible() and said.inner_text().startswith("A still picture, until")
