"""The image for mybinder.org: the same pins, no CUDA, the right Python; checked without Docker."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
BINDER = ROOT / "binder"


def lines(path):
    """What pip reads in a requirements file: its lines without comments."""
    stripped = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in stripped if line]


def pins(path):
    wanted = [Requirement(line) for line in lines(path) if not line.startswith("-")]
    return {requirement.name: str(requirement.specifier) for requirement in wanted}


def test_pins_are_those_of_requirements_txt_and_torch_is_the_build_without_cuda():
    theirs = pins(ROOT / "requirements.txt")
    assert pins(BINDER / "requirements.txt") == theirs | {"torch": f"{theirs['torch']}+cpu"}
    options = [line for line in lines(BINDER / "requirements.txt") if line.startswith("-")]
    assert options == ["--extra-index-url https://download.pytorch.org/whl/cpu"]


@pytest.fixture(scope="module")
def dockerfile():
    """The output of repo2docker for this folder, with the Dockerfile that it would build."""
    result = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_repo2docker_picks_a_python_that_we_allow(dockerfile):
    (picked,) = re.findall(r"Building conda environment for python=(\S+)", dockerfile)
    assert picked == (BINDER / "runtime.txt").read_text().strip().removeprefix("python-")
    allowed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert SpecifierSet(allowed).contains(picked)
    assert f'python-version: "{picked}"' in (ROOT / ".github/workflows/test.yml").read_text()


def test_repo2docker_installs_the_pins_before_the_repository_is_copied(dockerfile):
    """With this order, a commit to a notebook does not install torch again."""
    install = dockerfile.index('pip install --no-cache-dir -r "binder/requirements.txt"')
    assert install < dockerfile.index("COPY --chown=0:0 src/ ")
    assert install < dockerfile.index("./binder/postBuild")
