"""The repository itself: its top level, every notebook, the README, the pins and the Makefile."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import house_rules as rules
import nbformat
import pytest
import refresh
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
START = NOTEBOOKS[0]
TOP_LEVEL = {
    *("README.md", "requirements.txt", "pyproject.toml", "Makefile", ".gitignore"),
    *("notebooks", "helpers", "tests", "binder", ".ci", ".github"),
}


def test_nothing_else_is_at_the_top():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {line.split("/")[0] for line in listed.splitlines()} == TOP_LEVEL


# ---------------------------------------------------------------- notebooks


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_keeps_the_rule(path, rule):
    assert list(rule(rules.read(path), path)) == []


@pytest.mark.parametrize("page", [README, START], ids=lambda path: path.name)
def test_map_lists_every_notebook(page):
    text = rules.markdown(rules.read(page)) if page == START else page.read_text(encoding="utf-8")
    missing = [path.name for path in NOTEBOOKS if path != page and f"{path.name})" not in text]
    assert missing == [], f"{page.name} has no link to them"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("page", [README, START], ids=lambda path: path.name)
def test_map_and_notebook_say_the_same_minutes(page, path):
    text = rules.markdown(rules.read(page)) if page == START else page.read_text(encoding="utf-8")
    listed = re.search(rf"{path.name}\).*\| (\d+) \|$", text, re.MULTILINE)
    told = re.search(r"(\d+) minutes", rules.markdown(rules.read(path)))[1]
    assert page == START == path or listed[1] == told  # it does not list itself


def test_readme_tells_how_many_exercises_there_are():
    texts = [rules.markdown(rules.read(path)) for path in NOTEBOOKS[1:6]]
    counts = [
        len(re.findall(r"^### Exercise: .* [●○]{3} · \d+ min$", t, re.MULTILINE)) for t in texts
    ]
    least = {3: "three", 4: "four", 5: "five"}[min(counts)]
    said = f"{least} or more in each of notebooks 1 to 5, from ●○○ to ●●●"
    assert said in README.read_text(encoding="utf-8")
    assert all(stars in "".join(texts) for stars in ("●○○", "●●●"))


def test_readme_links_and_pictures():
    text = README.read_text(encoding="utf-8")
    assert list(rules.dead_links(text, README)) + list(rules.nameless_images(text)) == []
    assert not rules.MACHINE.search(text)


def test_readme_names_the_torch_of_requirements():
    pins = set(re.findall(r"torch==[\d.]+", (ROOT / "requirements.txt").read_text()))
    assert set(re.findall(r"torch==[\d.]+", README.read_text(encoding="utf-8"))) == pins


def a_good_notebook():
    picture = {"image/png": "iVBORw0KGgo=", "text/plain": "a table of 3 weights"}
    cells = [
        new_markdown_cell("# Title\n\nSee [the end](#The-end) and [a page](https://example.org)."),
        new_code_cell("x = 1\nx + 1", execution_count=1),
        new_code_cell("draw(x)", execution_count=2),
        new_markdown_cell("## The end\n\nSee [itself](this.ipynb) and `[no](link)`."),
        new_code_cell("print(x)", execution_count=3),
    ]
    cells[1].outputs = [new_output("execute_result", {"text/plain": "2"}, execution_count=1)]
    cells[2].outputs = [new_output("execute_result", picture, execution_count=2)]
    cells[4].outputs = [new_output("stream", name="stdout", text="1\n")]
    return refresh.tidy(new_notebook(cells=cells))


def setting(cell, **changes):
    """A way to break a notebook: set these attributes of one cell."""
    return lambda notebook: notebook.cells[cell].update(changes)


def printing(name, text):
    return setting(4, outputs=[new_output("stream", name=name, text=text)])


WIDGET_VIEW = {refresh.WIDGET: {"model_id": "1"}, "text/plain": "a widget"}
TRACEBACK = new_output("error", ename="ValueError", evalue="no", traceback=[])
NAMELESS = new_output("display_data", {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"})
IGNORED = "# NBVAL_IGNORE_OUTPUT\nx"
BREAKS = [
    (rules.every_cell_has_run_in_order, setting(2, execution_count=None)),
    (rules.every_cell_has_run_in_order, setting(2, execution_count=7)),
    (rules.nothing_failed_or_warned, setting(4, outputs=[TRACEBACK])),
    (rules.nothing_failed_or_warned, printing("stderr", "UserWarning: careful")),
    (rules.left_as_make_refresh_does, lambda notebook: notebook.metadata.clear()),
    (rules.left_as_make_refresh_does, lambda notebook: notebook.metadata.update(widgets={})),
    (rules.left_as_make_refresh_does, setting(1, metadata={"execution": {"iopub.status": "1"}})),
    (
        rules.left_as_make_refresh_does,
        setting(4, outputs=[new_output("display_data", WIDGET_VIEW)]),
    ),
    (rules.live_pictures_are_explorers, setting(4, source="from ipywidgets import interact")),
    (rules.live_pictures_are_explorers, setting(4, source="out = widgets.Output()")),
    (rules.live_pictures_are_explorers, setting(4, source="%matplotlib inline\nOutput()")),
    (rules.at_most_one_output_ignored, lambda nb: [c.update(source=IGNORED) for c in nb.cells]),
    (rules.at_most_one_output_ignored, setting(4, metadata={"tags": ["nbval-skip"]})),
    (rules.no_path_of_one_machine, printing("stdout", "saved in /home/ada/x.png")),
    (rules.no_path_of_one_machine, setting(4, source=r"open('C:\data')")),
    (rules.no_semicolon_at_the_end, setting(4, source="draw(x);\n")),
    (rules.pictures_are_told_in_words, setting(4, outputs=[NAMELESS])),
    (rules.pictures_are_told_in_words, setting(3, source="![](picture.png)")),
    (rules.pictures_are_told_in_words, setting(3, source='<img src="picture.png">')),
    (rules.at_most_two_code_cells_in_a_row, lambda notebook: notebook.cells.pop(3)),
    (rules.starts_with_its_only_title, setting(0, source="## Title")),
    (rules.starts_with_its_only_title, setting(3, source="# Another")),
    (rules.links_lead_somewhere, setting(3, source="[next](02_missing.ipynb)")),
    (rules.links_lead_somewhere, setting(3, source="[up](#Nowhere)")),
    (rules.links_lead_somewhere, setting(3, source='<a href="missing.md">there</a>')),
]


def test_every_rule_is_seen_to_fail():
    assert {rule for rule, _ in BREAKS} == set(rules.RULES)


@pytest.mark.parametrize("rule, breaking", BREAKS)
def test_rule_tells_a_broken_notebook_from_a_good_one(rule, breaking, tmp_path):
    path = tmp_path / "this.ipynb"
    notebook = a_good_notebook()
    nbformat.write(notebook, path)
    assert list(rule(rules.read(path), path)) == []
    breaking(notebook)
    nbformat.write(notebook, path)
    assert list(rule(rules.read(path), path)) != []


# ---------------------------------------------------------------- pins


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_every_requirement_is_pinned_and_met(name):
    lines = (line.split("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    requirements = [Requirement(line) for line in lines if line]
    assert requirements
    for requirement in requirements:
        assert requirement.specifier, f"{requirement} has no version"
        assert requirement.specifier.contains(version(requirement.name)), requirement


# ---------------------------------------------------------------- Makefile


@pytest.fixture
def make(tmp_path):
    """Runs make in a copy that holds just what the Makefile reads."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    ours = ("MAKE", "MFLAGS", "PYTHON", "TORCH_INDEX", "GIT_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def run(*arguments, **changed):
        return subprocess.run(
            ["make", *arguments],
            cwd=tmp_path,
            env=environment | changed,
            capture_output=True,
            text=True,
        )

    return run


def a_python(path, number):
    """An executable that says it is Python `number`, and is nothing else."""
    path.write_text(f"#!/bin/sh\necho {number}\n")
    path.chmod(0o755)
    return path


def test_make_alone_says_what_there_is_and_the_readme_names_nothing_else(make):
    result = make()
    assert result.stdout == make("help").stdout
    listed = set(re.findall(r"^make ([a-z-]+) ", result.stdout, re.MULTILINE))
    assert listed >= {"lab", "test", "refresh", "bench", "binder-link"}
    assert set(re.findall(r"\bmake ([a-z-]+)[`\n ]", README.read_text(encoding="utf-8"))) <= listed


@pytest.mark.parametrize("number", ["2.7", "3.9", "3.10", "3.15", "no number"])
def test_make_lab_refuses_a_python_that_is_too_old_or_too_new(make, tmp_path, number):
    python = a_python(tmp_path / "some-python", number)
    result = make("lab", f"PYTHON={python}")
    assert result.returncode != 0
    assert "Python 3.11 or newer (up to 3.14) is needed" in result.stderr.splitlines()[0]
    assert str(python) in result.stderr
    assert not (tmp_path / ".venv").exists()


def test_make_lab_takes_the_first_python_that_fits(make, tmp_path):
    (tmp_path / "bin").mkdir()
    for name, number in {"python3": "3.9", "python3.13": "3.13", "python3.12": "3.12"}.items():
        a_python(tmp_path / "bin" / name, number)
    for name in ("python3.14", "python3.11"):  # as pyenv's, which say that they are not there
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 127\n")
        (tmp_path / "bin" / name).chmod(0o755)
    result = make("-n", "lab", PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert "|| python3.13 -m venv" in result.stdout


def test_make_lab_opens_a_learners_copies_and_the_originals_when_told(make):
    mine, originals = make("-n", "lab").stdout, make("-n", "lab", "NOTEBOOKS=notebooks").stdout
    copying, start = "tests/working_copy.py", "default_url=/lab/tree/{}/00_start_here.ipynb"
    assert copying in mine and start.format("my_notebooks") in mine
    assert copying not in originals and start.format("notebooks") in originals


def test_make_takes_the_version_of_torch_from_requirements():
    pin = next(line for line in (ROOT / "requirements.txt").open() if line.startswith("torch=="))
    assert pin.removeprefix("torch==").strip() not in (ROOT / "Makefile").read_text()


def test_make_installs_again_when_the_folder_moved_or_a_pin_changed(make, tmp_path):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    stamp = tmp_path / ".venv" / "ready"

    def up_to_date():
        return make("-q", ".venv/ready").returncode == 0

    assert not up_to_date()
    stamp.write_text(str(tmp_path.resolve()))
    assert up_to_date()
    stamp.write_text("/elsewhere")
    assert not up_to_date()
    stamp.write_text(str(tmp_path.resolve()))
    later = stamp.stat().st_mtime + 10
    os.utime(tmp_path / "requirements.txt", (later, later))
    assert not up_to_date()


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/ada/attention-notebooks",
        "https://github.com/ada/attention-notebooks.git",
        "https://github.com/ada/attention-notebooks/",
        "https://ada:secret@github.com/ada/attention-notebooks.git",
        "git@github.com:ada/attention-notebooks.git",
        "ssh://git@github.com/ada/attention-notebooks.git",
        "ssh://git@github.com:22/ada/attention-notebooks",
    ],
)
def test_binder_link_of_a_repository_on_github(make, tmp_path, remote):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=tmp_path, check=True)
    result = make("binder-link")
    assert result.stdout == (
        "https://mybinder.org/v2/gh/ada/attention-notebooks/HEAD"
        "?urlpath=lab/tree/notebooks/00_start_here.ipynb\n"
    )
    assert (ROOT / "notebooks" / "00_start_here.ipynb").exists()


@pytest.mark.parametrize(
    "remote, message",
    [
        (None, "push to GitHub first"),
        ("https://gitlab.com/ada/attention-notebooks.git", "not a repository on GitHub"),
        ("https://example.org/github.com/ada/x", "not a repository on GitHub"),
        ("https://github.com/ada", "not a repository on GitHub"),
        ("../elsewhere", "not a repository on GitHub"),
    ],
)
def test_binder_link_says_why_there_is_none(make, tmp_path, remote, message):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    if remote:
        subprocess.run(["git", "remote", "add", "origin", remote], cwd=tmp_path, check=True)
    result = make("binder-link")
    assert result.returncode != 0
    assert result.stdout == ""
    assert message in result.stderr
