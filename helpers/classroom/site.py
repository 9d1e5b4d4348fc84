"""Builds a web page for every notebook, whose sliders need no kernel: `make site`, or

    python -m helpers.classroom.site [--language es] FOLDER [notebooks/01_hello_shiny_sun.ipynb …]

FOLDER gets the English pages, FOLDER/es and so on those in other languages.

Sphinx builds the pages, with MyST-NB and the theme of Jupyter Book. FOLDER needs no network: it can
be copied, and opened from a disk.

The notebooks are executed again in each language, so that their pictures, Explorers and checks speak
it, too. Nothing of a language is written until all of them are done, so a cell that fails leaves its
folder unchanged.
"""

import argparse
import io
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters import strip_ansi

from .. import _
from . import alone, links, scripts, series
from .front import first_page, paper
from .pages import SITE_TITLE, page, share_scripts
from .translated import LANGUAGES, in_latin

NEEDED = "Sphinx makes the pages. This brings it: python -m pip install -r tests/requirements.txt"
OURS = ("site.css", "site.js")
SETTINGS = {
    "project": SITE_TITLE,
    "html_title": SITE_TITLE,
    "extensions": ["myst_nb", "helpers.classroom.formulas"],
    "myst_enable_extensions": ["amsmath", "attrs_block", "dollarmath"],
    "myst_heading_anchors": 3,
    "myst_heading_slug_func": "helpers.classroom.series.anchor",
    "html_math_renderer": "mathml",
    "smartquotes": False,
    "nb_execution_mode": "off",
    "nb_ipywidgets_js": {
        "widgets/require.js": {"defer": "defer"},  # the text is seen before these are read
        "widgets/embed-amd.js": {"defer": "defer", "data-jupyter-widgets-cdn": "_static/widgets/"},
    },
    "html_theme": "sphinx_book_theme",
    "templates_path": [str(series.TEMPLATES)],
    "html_theme_options": {
        "article_header_start": ["toggle-primary-sidebar.html", "languages.html"],
        "back_to_top_button": False,
        "navbar_persistent": [],
        "use_download_button": False,
        "use_fullscreen_button": False,
        "footer_content_items": ["source.html"],
    },
    "html_css_files": ["site.css"],
    "html_js_files": [("site.js", {"priority": 100})],  # before the loader of widgets
    "html_favicon": str(series.TEMPLATES / "favicon.svg"),
    "html_copy_source": False,
    "html_use_index": False,
    "html_show_search_summary": False,  # from the disk, no page may be fetched to quote it
    # expected in a site of few notebooks; a test checks links
    "suppress_warnings": ["myst.xref_missing"],
}


def make_site(
    folder: Path, books: dict[Path, nbformat.NotebookNode], repository="", language="en", others=()
) -> None:
    """Write a page for each notebook, index.html and everything that they need into `folder`.

    books        the notebooks by path, executed, with the state of their widgets
    repository   owner/name on GitHub, for the line about where the code runs
    language     of the pages; our own texts are in the language with which this process was started
    others       the other languages in which there are pages, beside this folder

    Raises ValueError for a formula that cannot become MathML, RuntimeError if the scripts cannot be
    downloaded; then nothing is written.
    """
    with tempfile.TemporaryDirectory() as kept:
        source, static, built = (Path(kept) / name for name in ("source", "static", "built"))
        series.write(static / "widgets", scripts.scripts())
        pages = {}
        for path, book in books.items():
            made = pages[path.stem] = page(book, path.stem, repository, language)
            for one in alone.explorers(book, path.stem):
                shown = alone.page(one, made, path.stem, repository, language)
                pages[f"x/{one.name}"] = shown
        pages["index"] = first_page(books, repository, language)
        pages["paper"] = paper(books, repository, language)
        shared = {name: text for x in pages.values() for name, text in share_scripts(x).items()}
        series.write(static, {name: text.encode() for name, text in shared.items()})
        files = {f"{name}.ipynb": nbformat.writes(x).encode() for name, x in pages.items()}
        series.write(source, files)
        named = {other: LANGUAGES[other] for other in others}
        deferred = [(name, {"defer": "defer"}) for name in shared]
        settings = {
            "language": language,
            "html_static_path": [str(static), *(str(series.TEMPLATES / name) for name in OURS)],
            "html_js_files": SETTINGS["html_js_files"] + deferred,
            "html_context": {"default_mode": "auto", "repository": repository, "languages": named},
        }
        run_sphinx(source, built, settings)
        if language == "sr":
            write_in_latin(built)
        write_in_our_words(built)
        shutil.copytree(built, folder, dirs_exist_ok=True)


def make_in(language: str, languages, folder: Path, paths: list[Path]) -> None:
    """Execute notebooks, two at a time, and write their pages: in a process that speaks `language`.

    languages   all those in which there will be pages
    """
    with ProcessPoolExecutor(2) as pool:
        books = dict(zip(paths, pool.map(partial(execute, language=language), paths)))
    where = folder if language == "en" else folder / language
    others = [other for other in languages if other != language]
    make_site(where, books, links.repository(), language, others)
    print(f"{LANGUAGES[language]}: {where / 'index.html'}", flush=True)


def write_in_latin(folder: Path) -> None:
    """Our Serbian is in Latin letters; the words of the theme and of Sphinx come in Cyrillic."""
    for path in [*folder.rglob("*.html"), *folder.glob("_static/translations.js")]:
        path.write_text(in_latin(path.read_text(encoding="utf-8")), encoding="utf-8")


def write_in_our_words(folder: Path) -> None:
    """The theme, MyST-NB and Sphinx say these in English, in all other languages or in some."""
    ours = {
        "Color mode": _("Colour mode"),
        "Dark": _("Dark"),
        "Light": _("Light"),
        "Link to this heading": _("Link to this heading"),
        "Main": _("Pages of this site"),
        "Page": _("Sections of this page"),
        "Search": _("Search"),
        "Search...": _("Search"),
        "Skip to main content": _("Skip to the content"),
        "System Settings": _("As the system"),
        "Toggle primary sidebar": _("Show or hide the list of pages"),
        "Toggle secondary sidebar": _("Show or hide the sections of this page"),
        "next page": _("next page"),
        "previous page": _("previous page"),
    }
    names = "|".join(map(re.escape, ours))
    before = '(?:title|aria-label|placeholder)="|"#main-content">|</i>'
    label = re.compile(f'({before})({names})(?=["<])')
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        text = text.replace(' aria-label="Toggle hidden content"', "")  # for the title of the fold
        path.write_text(label.sub(lambda x: x[1] + ours[x[2]], text), encoding="utf-8")


def run_sphinx(source: Path, built: Path, settings: dict) -> None:
    """Let Sphinx build pages from `source`, and print its warnings."""
    from sphinx.application import Sphinx  # `make refresh`, which imports this file, has no Sphinx

    warnings, kept = io.StringIO(), source.parent / "kept"
    where = (source, None, built, kept, "html")
    Sphinx(*where, SETTINGS | settings, freshenv=True, status=None, warning=warnings).build()
    print(strip_ansi(warnings.getvalue()), end="")


def execute(path: Path, widgets: bool = True, language="en") -> nbformat.NotebookNode:
    """The notebook, executed from top to bottom; RuntimeError with a failing cell's message.

    widgets    whether the state of its widgets is stored in it
    language   of what our helpers print and draw
    """
    notebook = series.read(path)
    client = NotebookClient(
        notebook,
        kernel_name="python3",  # that of the Python running this
        timeout=300,
        store_widget_state=widgets,
        coalesce_streams=True,  # what a cell prints becomes one output, however long it takes
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": path.parent}},
    )
    print(f"{path.name} ({language}) …", flush=True)
    try:
        client.execute(env=os.environ | {"ATTENTION_LANGUAGE": language})
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise RuntimeError(strip_ansi(f"{path.name}: {error}")) from None
    return notebook


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the pages go")
    parser.add_argument("--language", choices=LANGUAGES, help="in this one alone")
    parser.add_argument("notebooks", type=Path, nargs="*", help="all of them, if you name none")
    given = parser.parse_args()
    paths = [path.resolve() for path in given.notebooks or series.notebooks()]
    if not find_spec("myst_nb"):
        sys.exit(NEEDED)
    languages = [given.language] if given.language else LANGUAGES
    try:
        for language in languages:
            os.environ["ATTENTION_LANGUAGE"] = language  # of the process that is started next
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
                process.submit(make_in, language, [*languages], given.folder, paths).result()
    except (RuntimeError, ValueError, OSError) as error:
        sys.exit(f"No site was made.\n{error}")


if __name__ == "__main__":
    main()
