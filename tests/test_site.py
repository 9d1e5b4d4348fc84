"""The pages of `make site` in a real browser with no kernel: every slider shows what Python computed.

They are opened from the disk, and nothing outside may be asked for. Screenshots are left in
build/screenshots, to be looked at.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import npm_packages
import pytest
from anywidget import AnyWidget
from bs4 import BeautifulSoup
from make_site import BESIDE, PUBLIC, introduction, map_of, page_of, where_to_run
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from site_pages import NOTEBOOKS, PAGES, Page, views

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/ada/attention"
BINDER = (
    "https://mybinder.org/v2/gh/ada/attention/HEAD?urlpath=lab/tree/notebooks/00_start_here.ipynb"
)

pytestmark = pytest.mark.browser


def run_make_site(*arguments):
    command = [sys.executable, ROOT / "tests" / "make_site.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("name", PAGES)
def test_page_without_javascript_is_still_a_lesson(opened, soups, name):
    page = opened(name, java_script_enabled=False)
    assert page.page.locator(".note noscript").is_visible()
    boxes = page.page.locator(".live").all()
    assert len(boxes) == len(list(views(soups[name])))
    for box in boxes:
        assert_still_picture(box)
    for formula in page.page.locator("math:not(details:not([open]) *)").all():  # not in a fold
        assert formula.bounding_box()["width"] > 10
    assert page.outside == []


def test_page_without_its_scripts_says_what_one_would_see(tmp_path, site, browser):
    shutil.copy(site / "index.html", tmp_path)
    page = Page(browser, tmp_path / "index.html")
    assert_still_picture(page.page.locator(".live"))
    said = page.page.locator(".still figcaption").inner_text()
    assert "with the folder scripts beside the page" in said
    assert "you move temperature (0.02 to 2.00)" in said
    assert page.outside == []
    page.close()


def test_still_pictures_where_half_of_the_scripts_are_there(opened):
    page = opened("index", blocked="/scripts/anywidget")
    box = page.page.locator(".live")
    box.locator(".widget-slider").wait_for(state="attached")
    assert_still_picture(box)
    assert box.locator(".widget-slider").is_hidden()
    assert page.outside == []


def assert_still_picture(box):
    picture = box.locator(".still img")
    picture.scroll_into_view_if_needed()
    assert picture.is_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
    assert picture.get_attribute("alt").startswith(("Explorer of ", "Inside "))
    said = box.locator(".still figcaption")
    assert said.is_visible() and said.inner_text().startswith("A still picture, until")


WITHOUT_NPM = f"""import pathlib, sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import make_site, npm_packages
npm_packages.KEPT = pathlib.Path("none")
make_site.main()"""
EXPLORER = """from helpers.explorer import Explorer
Explorer(lambda t: {"weights": [[t, 1 - t], [0.5, 0.5]]}, ["a", "b"], t=(0.0, 1.0, 0.5))"""


def test_without_npm_the_scripts_come_from_the_public_host(tmp_path, browser):
    cells = [new_markdown_cell("# Title"), new_code_cell(EXPLORER)]
    nbformat.write(new_notebook(cells=cells), tmp_path / "x.ipynb")
    made = subprocess.run(
        [sys.executable, "-c", WITHOUT_NPM, "site", "x.ipynb"],
        **dict(cwd=tmp_path, capture_output=True, text=True),
        env=os.environ | {"PATH": str(tmp_path)},
    )
    assert made.returncode == 0, made.stderr
    assert "npm is not installed" in made.stdout and npm_packages.HOST in made.stdout
    assert {path.name for path in (tmp_path / "site").iterdir()} == {"index.html", "x.html"}
    page = Page(browser, tmp_path / "site" / "x.html")
    assert_still_picture(page.page.locator(".live"))
    assert "public host within reach" in page.page.locator(".still").inner_text()
    page.close()
    page = Page(browser, tmp_path / "site" / "x.html", host=public_host())
    page.live()
    assert len(page.outside) == 3 and page.errors == []
    page.close()


def public_host():
    """What the public host answers, by address."""
    files = npm_packages.scripts()
    named = {script.address: files[name] for name, script in npm_packages.SCRIPTS.items()}
    asked = f"{npm_packages.HOST}anywidget@{AnyWidget._model_module_version.default_value}/dist/index.js"
    return named | {asked: files["anywidget.js"]}


# ---------------------------------------------------------------- what stands in the pages


def test_every_notebook_has_its_page_and_the_map_leads_to_all(site, soups):
    assert {path.name for path in site.iterdir()} == {
        "scripts",
        *(f"{name}.html" for name in PAGES),
    }
    brought = {path.name for path in (site / "scripts").iterdir()}
    assert brought == {*npm_packages.SCRIPTS, "licences.txt"}
    text = soups["index"].get_text()
    for path in NOTEBOOKS:
        told = introduction(nbformat.read(path, 4))
        assert soups["index"].find("a", href=f"{path.stem}.html").get_text() == told["title"]
        assert told["question"].replace("*", "") in text  # *so* is slanted on the page


@pytest.mark.parametrize("name", PAGES)
def test_page_says_what_it_is_and_asks_for_no_script_it_does_not_need(soups, name):
    soup = soups[name]
    assert soup.html["lang"] == "en"
    assert "How attention works" in soup.title.string
    assert "width=device-width" in soup.find("meta", attrs={"name": "viewport"})["content"]
    assert len(soup.find_all("h1")) == 1
    note = soup.select_one("p.note")
    assert "Sliders move on these pages, code does not run" in note.get_text()
    notebook = NOTEBOOKS[0].name if name == "index" else f"{name}.ipynb"
    start = BINDER.rpartition("/")[0]
    assert [a["href"] for a in note.find_all("a")] == [f"{start}/{notebook}", REPOSITORY]
    scripts = [script["src"] for script in soup.find_all("script", src=True)]
    assert scripts == [BESIDE["loader"], BESIDE["widgets"]]
    assert soup.find_all("link", rel="stylesheet") == []
    assert all(image["alt"].strip() for image in soup.find_all("img"))
    assert "No description has been provided" not in soup.decode()


def test_formulas_are_drawn_by_the_browser_itself(soups):
    assert any(soup.find("math") for soup in soups.values())
    for soup in soups.values():
        for text in soup.main.find_all(string=re.compile(r"\$")):
            assert text.find_parent(["code", "pre", "script"]), text


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(soups, name):
    for link in soups[name].find_all("a", href=True):
        if link["href"].startswith("http"):
            continue
        page, _, anchor = link["href"].partition("#")
        target = soups[page.removesuffix(".html") if page else name]
        assert page == "" or page.endswith(".html")
        assert not anchor or target.find(id=anchor), link


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_folded_in_a_notebook_is_folded_on_its_page(soups, path):
    cells = nbformat.read(path, 4).cells
    solutions = [c.source for c in cells if c.metadata.get("jupyter", {}).get("source_hidden")]
    assert sum("solution" in c.metadata.get("tags", []) for c in cells) <= len(solutions)
    folded = soups[path.stem].select("details.solution")
    assert [box.select_one(".highlight").get_text().strip() for box in folded] == solutions
    assert not any(box.has_attr("open") for box in folded)


def test_folded_code_leaves_its_output_in_sight():
    title = new_markdown_cell("# Title\n\n**The question:** is it?")
    hidden = new_code_cell("print(1 + 1)", metadata={"jupyter": {"source_hidden": True}})
    hidden.outputs = [nbformat.v4.new_output("stream", text="two\n")]
    book = new_notebook(cells=[title, hidden])
    page = page_of(Path("x.ipynb"), book, {"run": {}, "scripts": PUBLIC})
    (box,) = BeautifulSoup(page, "html.parser").select("details")
    assert box.summary.get_text() == "Code" and "two" not in box.get_text()
    assert "two" in page


def test_a_cell_that_fails_leaves_the_site_as_it_was(tmp_path):
    for name, source in {"fine": "1 + 1", "fails": "raise ValueError('no such luck')"}.items():
        cells = [new_markdown_cell("# Title"), new_code_cell(source)]
        nbformat.write(new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "fine.html").write_text("of before")
    made = run_make_site(folder, tmp_path / "fine.ipynb", tmp_path / "fails.ipynb")
    assert made.returncode == 1
    assert "fails.ipynb" in made.stderr and "ValueError: no such luck" in made.stderr
    assert [path.read_text() for path in folder.iterdir()] == ["of before"]
    assert {path.name for path in tmp_path.iterdir()} == {"fine.ipynb", "fails.ipynb", "site"}


def test_a_page_without_slider_or_repository_still_says_how_to_run_it():
    lone = new_notebook(cells=[new_markdown_cell("# Alone\n\n**The question:** is it?")])
    shared = {"run": {}, "scripts": PUBLIC}
    path = Path("x.ipynb")
    for page in (map_of({path: lone}, shared), page_of(path, lone, shared)):
        soup = BeautifulSoup(page, "html.parser")
        assert "get the notebooks and type make lab" in soup.select_one("p.note").get_text()
        assert soup.find_all("script", src=True) == []


def test_only_a_link_to_binder_is_taken():
    assert where_to_run(BINDER)["repository"] == REPOSITORY
    with pytest.raises(ValueError, match="not a link as `make binder-link` prints it"):
        where_to_run("https://example.org")
