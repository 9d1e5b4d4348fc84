"""The copies for Colab, run every week with the versions of packages that Colab has.

torch and Python stay those of this environment, because other versions of torch take several GB.
"""

import os
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from helpers.classroom import colab, series
from helpers.classroom.series import ROOT

pytestmark = pytest.mark.weekly

# From the list that Colab publishes (runtime 2026.01, and numpy of the following one).
VERSIONS = [
    *("ipython==7.34.0", "ipykernel==6.17.1", "jupyter_client==7.4.9", "traitlets==5.7.1"),
    *("ipywidgets==7.7.1", "anywidget==0.9.21", "nbclient==0.10.4", "nbformat==5.10.4"),
    *("numpy==2.1.3", "matplotlib==3.10.0", "pillow==11.3.0", "keras==3.10.0", "psutil==5.9.5"),
]
RUN = """
import sys, nbformat, nbclient
path = sys.argv[1]
notebook = nbformat.read(path, 4)
asks = "import helpers, ipywidgets; print(ipywidgets.__version__, helpers.LANGUAGE)"
notebook.cells.append(nbformat.v4.new_code_cell(asks))
nbclient.NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
nbformat.write(notebook, path)
print(notebook.cells[-1].outputs[0].text)
"""
WIDGETS = ("Explorer of ", "Inside ")
VIEW = "application/vnd.jupyter.widget-view+json"
TRIED = ["00_start", "01_hello", "03_causal", "05_multi", "07_kinds", "11_gpt", "14_your"]


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of an environment like Colab's, in which there is no `helpers`."""
    folder = tmp_path_factory.mktemp("like") / "colab"
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    places = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    own = subprocess.run([python, "-c", places], capture_output=True, text=True, check=True)
    # Packages that follow Colab's own: torch, and what the list above leaves open.
    Path(own.stdout.strip(), "then.pth").write_text(sysconfig.get_paths()["purelib"])
    subprocess.run([python, "-m", "pip", "install", "--quiet", *VERSIONS], check=True)
    return python


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """A folder of copies that install the present `helpers`, as pip would find it on GitHub."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("copies")
    for name in ("helpers", "notebooks/translations"):
        kept = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=kept)
    for name in ("pyproject.toml", "requirements.txt", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, source)
    for name, content in colab.copies("ada/attention", str(source)).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("name", [*TRIED, "es/01_hello"])
def test_a_copy_installs_helpers_runs_and_shows_what_moves(python, copies, name):
    (path,) = copies.glob(f"{name}*.ipynb")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ran = subprocess.run(
        [python, "-c", RUN, path], cwd=path.parent, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    ours = [shown.get("text/plain", "") for shown in outputs(series.NOTEBOOKS / path.name)]
    came = [shown for shown in outputs(path) if {VIEW, "image/png", "text/plain"} <= shown.keys()]
    assert len(came) == sum(text.startswith(WIDGETS) for text in ours) > 0
    assert ran.stdout.split() == ["7.7.1", "es" if name.startswith("es/") else "en"]


def outputs(path):
    """What the cells of a notebook show."""
    cells = [cell for cell in series.read(path).cells if cell.cell_type == "code"]
    return [out.get("data", {}) for cell in cells for out in cell.outputs]
