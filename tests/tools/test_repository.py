"""The repository itself: its top level, the README, refresh, the pins and the Makefile."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import house_rules as rules
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TOP_LEVEL = {
    *("README.md", "requirements.txt", "pyproject.toml", "Makefile", ".gitignore"),
    *("notebooks", "helpers", "tests", "binder", ".ci", ".github"),
}


def test_nothing_else_is_at_the_top():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {line.split("/")[0] for line in listed.splitlines()} == TOP_LEVEL


# ---------------------------------------------------------------- the README


def test_readme_tells_how_many_exercises_there_are():
    texts = [rules.markdown(rules.read(path)) for path in NOTEBOOKS[1:6] + NOTEBOOKS[7:]]
    counts = [
        len(re.findall(r"^### Exercise: .* [●○]{3} · \d+ min$", t, re.MULTILINE)) for t in texts
    ]
    least = {3: "three", 4: "four", 5: "five"}[min(counts)]
    said = f"{least} or more in each of notebooks 1 to 5 and 7 to 14, from ●○○ to ●●●"
    assert said in README.read_text(encoding="utf-8")
    assert all(stars in "".join(texts) for stars in ("●○○", "●●●"))


def test_readme_links_and_pictures():
    text = README.read_text(encoding="utf-8")
    assert list(rules.dead_links(text, README)) + list(rules.nameless_images(text)) == []
    assert not rules.MACHINE.search(text)


def test_readme_names_the_torch_of_requirements():
    pins = set(re.findall(r"torch==[\d.]+", (ROOT / "requirements.txt").read_text()))
    assert set(re.findall(r"torch==[\d.]+", README.read_text(encoding="utf-8"))) == pins


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
