"""Opens a learner's copies of the notebooks in JupyterLab: `make lab`, or

    python -m helpers.classroom.lab [--language es] [--originals] [arguments of JupyterLab …]

Git ignores my_notebooks, so a pull never touches a learner's answers. An existing copy is never
overwritten, even if a pull brings a newer version of its original.
"""

import argparse
import os
from pathlib import Path

from nbformat.sign import NotebookNotary

from .. import PROGRESS, _
from . import series
from .series import NOTEBOOKS, ROOT
from .student import copies_for, without_outputs
from .translated import LANGUAGES, pages_in, said

FOLDER = "my_notebooks"
START = "00_start_here.ipynb"
SETTINGS = ROOT / "binder" / "jupyterlab"
# What is printed, in the language of the copies; `_` only lets Babel find it.
WHERE = _(
    "Your notebooks are in {folder}; git leaves them alone.\n"
    "For a fresh page, rename yours or delete it, and start again."
)


def as_learners_copy(notebook):
    """The same notebook without outputs, and as JupyterLab would open it."""
    # late: it takes a second, and there may be nothing new
    from ipykernel.ipkernel import IPythonKernel

    notebook.metadata["language_info"] = IPythonKernel.language_info
    return without_outputs(notebook)


def copy_new(folder: Path, originals: Path = NOTEBOOKS, language="en") -> list[Path]:
    """Copy what `folder` lacks; return the paths written."""
    files = {PROGRESS: b'{"done": []}'} | copies_for(as_learners_copy, originals, language)
    missing = {name: content for name, content in files.items() if not (folder / name).exists()}
    series.write(folder, missing)
    written = [folder / name for name in missing if name != PROGRESS]
    # trusted like a run of one's own: otherwise Explorers would not move the next day
    for copy in written:
        NotebookNotary().sign(series.read(copy))
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--originals", action="store_true", help="open them, not your copies")
    parser.add_argument("--language", default="en", choices=LANGUAGES)
    parser.add_argument("--copies", action="store_true", help="make them, and open nothing")
    given, flags = parser.parse_known_args()
    folder = NOTEBOOKS.name if given.originals else pages_in(FOLDER, given.language)
    if not given.originals:
        copy_new(ROOT / folder, language=given.language)
        print(said(WHERE, "helpers", given.language).format(folder=folder))
    if given.copies:
        return
    os.chdir(ROOT)
    from jupyterlab.labapp import main as start

    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    start([
        *as_root,
        f"--LabApp.default_url=/lab/tree/{folder}/{START}",
        f"--LabApp.app_settings_dir={SETTINGS}",
        "--LabApp.extension_manager=readonly",
        *flags,
    ])  # fmt: skip


if __name__ == "__main__":
    main()
