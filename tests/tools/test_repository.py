"""The repository itself: the pages that describe it, the pins and the Makefile."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version

import pytest
import torch
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from helpers import checks
from helpers.classroom.series import ROOT
from helpers.judge.check import in_lines
from helpers.models import published
from tests.tools import house_rules as rules

README, PINS = ROOT / "README.md", "requirements.txt"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# ---------------------------------------------------------------- what describes it


def test_readme_shows_what_a_check_says():
    said = in_lines(checks.softmax(lambda scores: torch.softmax(scores, dim=0)).message)
    (shown,) = re.findall(r"```\n(softmax: .*?)\n```", README.read_text(), re.DOTALL)
    lines = iter(said.split("\n"))
    assert all(line in lines for line in shown.split("\n"))  # in this order, with gaps


def test_links_and_pictures_are_there_and_no_machine_is_named():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        told = [*rules.dead_links(text, page), *rules.nameless_images(text)]
        assert told == [] and not rules.MACHINE.search(text), page.name


OTHER_SYSTEMS = ".github/workflows/other-systems.yml"


def test_a_page_and_a_workflow_name_the_torch_of_requirements_and_the_makefile_reads_it():
    pins = set(re.findall(r"torch==[\d.]+", (ROOT / "requirements.txt").read_text()))
    for name in ("docs/install.md", OTHER_SYSTEMS):
        assert set(re.findall(r"torch==[\d.]+", (ROOT / name).read_text("utf-8"))) == pins
    assert pins.pop().removeprefix("torch==") not in (ROOT / "Makefile").read_text()


def test_packages_of_published_models_are_named_alike_wherever_they_are_installed():
    template = "helpers/classroom/templates/class_readme.md"
    for package in (published.MINILM, published.SMOLLM):
        for name in ("docs/install.md", "Makefile", "binder/postBuild", template, OTHER_SYSTEMS):
            named = re.findall(rf"{package.name}==[\d.]+", (ROOT / name).read_text("utf-8"))
            assert named and set(named) == {f"{package.name}=={package.version}"}, name


def lines(path):
    """What pip reads in a requirements file: its lines without comments."""
    stripped = (line.split("#")[0].strip() for line in (ROOT / path).read_text().splitlines())
    return [line for line in stripped if line]


def test_every_requirement_is_pinned_and_met():
    for requirement in map(Requirement, lines(PINS) + lines("tests/requirements.txt")):
        assert requirement.specifier, f"{requirement} has no version"
        assert requirement.specifier.contains(version(requirement.name)), requirement


def test_binder_has_the_same_pins_torch_without_cuda_and_a_python_that_we_allow():
    """A line such as `-r ../requirements.txt` would install torch again at every commit."""
    there = [re.sub(r"^torch==[\d.]+$", r"\g<0>+cpu", line) for line in lines(PINS)]
    index = "--extra-index-url https://download.pytorch.org/whl/cpu"
    assert lines("binder/requirements.txt") == [index, *there]
    (picked,) = re.findall(r"^python-(3\.\d+)$", (ROOT / "binder/runtime.txt").read_text().strip())
    allowed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert SpecifierSet(allowed).contains(picked)
    assert f'python-version: "{picked}"' in (ROOT / ".github/workflows/test.yml").read_text()


# ---------------------------------------------------------------- Makefile


@pytest.fixture
def make(tmp_path):
    """Runs make in a copy with only the files that the Makefile reads."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    ours = ("MAKE", "MFLAGS", "PYTHON", "TORCH_INDEX", "GIT_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "UV": ""}

    def run(*arguments, **changed):
        command, told = ["make", *arguments], environment | changed
        return subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, text=True)

    return run


def a_python(path, number):
    """A program that reports Python `number`, and does nothing else."""
    path.write_text(f"#!/bin/sh\necho {number}\n")
    path.chmod(0o755)
    return path


def test_make_alone_says_what_there_is_and_no_page_names_anything_else(make):
    listed = set(re.findall(r"^make ([a-z-]+) ", make().stdout, re.MULTILINE))
    assert listed >= {"lab", "test", "refresh", "bench"}
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert set(re.findall(r"\bmake ([a-z-]+)[`\n ]", text)) <= listed


def test_every_module_that_is_run_is_there(make):
    texts = [page.read_text(encoding="utf-8") for page in [*PAGES, ROOT / "Makefile"]]
    for name in re.findall(r"-m ((?:helpers|tests)\.[\w.]+\w)", "".join(texts)):
        path = ROOT.joinpath(*name.split("."))
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), name


def test_make_lab_takes_the_first_python_that_fits_and_refuses_others(make, tmp_path):
    for number in ("2.7", "3.10", "3.15", "no number"):
        python = a_python(tmp_path / "some-python", number)
        result = make("lab", f"PYTHON={python}")
        assert result.returncode != 0, number
        assert "Python 3.11 or newer (up to 3.14) is needed" in result.stderr.splitlines()[0]
        assert str(python) in result.stderr and not (tmp_path / ".venv").exists()
    (tmp_path / "bin").mkdir()
    for name, number in {"python3": "3.9", "python3.13": "3.13", "python3.12": "3.12"}.items():
        a_python(tmp_path / "bin" / name, number)
    for name in ("python3.14", "python3.11"):  # launchers of pyenv's that report them as missing
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 127\n")
        (tmp_path / "bin" / name).chmod(0o755)
    result = make("-n", "lab", PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert re.search(r"\|\| +python3.13 +-m venv", result.stdout)
    told = make("-n", "lab", f"PYTHON={tmp_path / 'bin' / 'python3.13'}", UV="/some/uv").stdout
    assert "/some/uv venv" in told and told.count("/some/uv pip install") == 2


def test_make_stops_when_a_download_breaks_off_and_takes_it_up_again(make, tmp_path):
    """torch must not come from the default index then: that brings several GB."""
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    torch = next(x for x in (ROOT / "requirements.txt").read_text().split() if "torch==" in x)
    python.write_text(f"""#!/bin/sh
case "$*" in
    *"index versions"*) echo "Available versions: {torch.removeprefix("torch==")}+cpu" ;;
    *"--index-url"*) test -e "{tmp_path}/online" ;;
esac
""")
    python.chmod(0o755)
    first = make(".venv/ready", f"PYTHON={sys.executable}")
    assert first.returncode and "Type the same command again" in first.stderr
    assert "JupyterLab" not in first.stdout and not (tmp_path / ".venv" / "ready").exists()
    (tmp_path / "online").touch()
    again = make(".venv/ready", f"PYTHON={sys.executable}")
    assert again.returncode == 0 and (tmp_path / ".venv" / "ready").exists()
    steps = re.findall(r"^ *\d+ s  \w", again.stdout, re.MULTILINE)
    assert len(steps) == 5


def test_make_installs_again_when_the_folder_moved_or_a_pin_changed(make, tmp_path):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    stamp = tmp_path / ".venv" / "ready"
    for written, fits in {None: False, str(tmp_path.resolve()): True, "/elsewhere": False}.items():
        if written:
            stamp.write_text(written)
        assert (make("-q", ".venv/ready").returncode == 0) == fits, written
    stamp.write_text(str(tmp_path.resolve()))
    later = stamp.stat().st_mtime + 10
    os.utime(tmp_path / "requirements.txt", (later, later))
    assert make("-q", ".venv/ready").returncode != 0
