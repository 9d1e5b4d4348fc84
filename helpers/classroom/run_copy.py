"""Runs a handed-in copy in a process of its own, and reads what its checks have found.

The process has a home folder of its own, which is deleted afterwards. Of your environment it gets
only what Python needs. On Linux it has limits on memory and disk and, where the system allows it,
no network. This is not a prison: the code runs with your rights, and can read what you can read.
"""

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import psutil

from .handed_in import Copy
from .series import ROOT

NEEDED = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PATHEXT")
NO_NETWORK = ("unshare", "--map-root-user", "--net")
# A limit on the data of the process, because torch maps much address space that it never uses.
LIMITS = ("prlimit", f"--data={4 * 2**30}", f"--fsize={2**30}", "--core=0")


@dataclass
class Report:
    """The results of a copy: exercises done, each check's last message, notes for the teacher."""

    copy: Copy
    done: list[str] = field(default_factory=list)
    says: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def state(self, exercise: str) -> str:
        """ "unread" if the file could not be read, "done", "tried", "broken" or "open"."""
        told = {
            "unread": self.copy.trouble,
            "done": exercise in self.done,
            "tried": exercise in self.says,
            "broken": exercise in self.copy.broken,
        }
        return next((state for state, so in told.items() if so), "open")

    def told(self, exercise: str) -> str:
        """The last message of its check, or what prevents its cell from running, or ""."""
        return self.says.get(exercise) or self.copy.broken.get(exercise, "")


@functools.cache
def can(wall: tuple[str, ...]) -> bool:
    """Whether this system lets a user start a process with this wrapper command."""
    tried = shutil.which(wall[0]) and subprocess.run([*wall, "true"], capture_output=True)
    return bool(tried) and tried.returncode == 0


def run_copy(copy: Copy, cell_limit: float, limit: float) -> Report:
    """Run a copy from top to bottom; whatever it does, this returns soon after `limit` seconds.

    cell_limit, limit   seconds for one cell, and for the whole copy
    """
    report = Report(copy)
    if copy.trouble or copy.untouched():
        report.notes.append(copy.trouble or "nothing was changed in it")
        return report
    with tempfile.TemporaryDirectory(prefix="copy-", ignore_cleanup_errors=True) as home:
        ended = run_cells(copy, Path(home), cell_limit, limit)
        found = Path(home, "found").read_text(encoding="utf-8").splitlines()
    for line in found:  # a line for each cell
        note, report.done, report.says = json.loads(line)
        report.notes += [note] if note else []
    if len(found) < len(copy.cells):
        report.notes.append(f"{ended} in cell {len(found) + 1}; those after it were not run")
    return report


def run_cells(copy: Copy, home: Path, cell_limit: float, limit: float) -> str:
    """Let run_cells.py run the cells and write home/found; return how it ended."""
    (home / "work").mkdir()
    (home / "found").touch()
    walls = sum((wall for wall in (NO_NETWORK, LIMITS) if can(wall)), ())
    asked = {"cells": copy.cells, "number": copy.number, "cell_limit": cell_limit}
    try:
        subprocess.run(
            [*walls, sys.executable, "-m", "helpers.classroom.run_cells", home / "found"],
            input=json.dumps(asked).encode(),
            stdout=subprocess.DEVNULL,  # its output is ignored, however long it is
            stderr=subprocess.DEVNULL,
            cwd=home / "work",
            env=environment(home),
            timeout=limit,
        )
        return "it ended by itself"
    except subprocess.TimeoutExpired:
        return f"it was stopped after {limit:.0f} s"
    finally:
        end_all(home)


def environment(home: Path) -> dict[str, str]:
    """The environment variables: what Python needs, our own helpers, and an empty home folder."""
    kept = {name: os.environ[name] for name in NEEDED if name in os.environ}
    homes = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(home))
    # so that fonts are not listed again
    plots = {"MPLBACKEND": "agg", "MPLCONFIGDIR": matplotlib.get_cachedir()}
    return kept | homes | plots | {"PYTHONPATH": str(ROOT)}


def end_all(home: Path) -> None:
    """End every process that the copy has started, even in another group: all have its home."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get("HOME") == str(home):
                process.kill()
