"""`make student`: copies without solutions and outputs; nothing else is changed or overwritten."""

import os
import subprocess
import sys

import pytest

from helpers import PROGRESS
from helpers.classroom.series import NOTEBOOKS, ROOT, notebooks, read
from helpers.classroom.student import readme, write_class
from helpers.classroom.translated import LANGUAGES
from tests.tools import house_rules


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("a class") / "of mine"
    before = {path: path.read_bytes() for path in notebooks()}
    write_class(folder)
    assert {path: path.read_bytes() for path in notebooks()} == before
    return folder


def test_solutions_and_outputs_are_gone_and_the_rest_is_there(class_folder):
    for path in notebooks():
        original, copy = read(path), read(class_folder / "notebooks" / path.name)
        kept = [cell for cell in original.cells if "solution" not in cell.metadata.get("tags", [])]
        assert [cell.id for cell in copy.cells] == [cell.id for cell in kept], path.name
        assert not any(c.get("outputs") or c.get("execution_count") for c in copy.cells), path.name
        assert not any("# Solution" in cell.source for cell in copy.cells), path.name


def test_the_folder_of_a_class_has_all_that_its_notebooks_need(class_folder):
    folder = class_folder
    top = {path.name for path in folder.iterdir()}
    files = {"README.md", "requirements.txt", "pyproject.toml", "LICENSE", "LICENSE-TEXT"}
    assert top == files | {"helpers", "notebooks"}
    assert not [*folder.rglob(PROGRESS)]  # what is done stays in the kernel
    listed = ["git", "ls-files", "helpers"]
    ours = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    there = {p.relative_to(folder).as_posix() for p in folder.glob("helpers/**/*") if p.is_file()}
    assert there >= set(ours.split()) and not any("__pycache__" in name for name in there)
    from_there = "import helpers, pathlib; print(pathlib.Path(helpers.__file__).parents[1])"
    command = [sys.executable, "-P", "-c", from_there]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    assert done.stdout.strip() == str(folder), done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_readme_of_a_class_is_true(class_folder, language):
    text = readme("notebooks", language)
    assert list(house_rules.dead_links(text, class_folder / "README.md")) == []
    assert all(f"](notebooks/{path.name}) | " in text for path in notebooks())
    assert "make " not in text and not set("{}") & set(text)  # it has no Makefile
    pins = [line for line in (class_folder / "requirements.txt").open() if "torch==" in line]
    assert f"--no-deps {pins[0].strip()} --index-url" in text


def test_a_folder_with_files_is_refused_and_stays_as_it_is(class_folder):
    mine = class_folder / "notebooks" / "01_hello_shiny_sun.ipynb"
    mine.write_text("mine")
    for folder in (class_folder, ROOT, NOTEBOOKS):
        with pytest.raises(ValueError, match="is not empty"):
            write_class(folder)
    assert mine.read_text() == "mine"
