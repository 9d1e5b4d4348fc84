"""Runs a handed-in copy in a process of its own, and reads what its checks have found.

The process has a home folder of its own, which is deleted afterwards. Of your environment it gets
only what Python needs. On Linux it has limits on memory and disk. Where the system allows it, it
also has no network, finds no other copy, and ends with all that it has started. This is not a
prison: the code runs with your rights, and can read what else you can read.
"""

import contextlib
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
# Empty folders lie over all copies and all homes; without capabilities, they cannot be taken away.
ALONE = """mount -t tmpfs -o ro none "$1"; mount -t tmpfs -o size=1g none "$2"; shift 2
mkdir -p "$PWD"; cd "$PWD"
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@" """
SHUT_IN = (
    *("unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"),
    *("sh", "-ec", ALONE, "sh"),
)
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


def walls(folder: Path, homes: Path) -> tuple:
    """The commands that start a copy's process, of those that this system allows: from the folder
    of copies and that of the homes of their processes."""
    return sum((wall for wall in ((*SHUT_IN, folder, homes), LIMITS) if can(wall, homes)), ())


def can(wall: tuple, home: Path) -> bool:
    """Whether this system lets a user start Python, with our helpers, by this command."""
    there, told = shutil.which(wall[0]), {"cwd": home, "env": environment(home)}
    command = [*wall, sys.executable, "-c", "import helpers"]
    return bool(there) and not subprocess.run(command, capture_output=True, **told).returncode


def run_copy(copy: Copy, homes: Path, walls: tuple, cell_limit: float, limit: float) -> Report:
    """Run a copy from top to bottom; whatever it does, this returns soon after `limit` seconds.

    cell_limit, limit   seconds for one cell, and for the whole copy
    """
    report = Report(copy)
    if copy.trouble or copy.untouched():
        report.notes.append(copy.trouble or "nothing was changed in it")
        return report
    with tempfile.TemporaryFile() as found:
        home = Path(tempfile.mkdtemp(dir=homes))
        asked = {"cells": copy.cells, "number": copy.number, "cell_limit": cell_limit}
        ended = run_cells(asked, found, home, walls, limit)
        found.seek(0)
        lines = found.read().decode().splitlines()
    for line in lines:  # a line for each cell
        note, report.done, report.says = json.loads(line)
        report.notes += [note] if note else []
    if len(lines) < len(copy.cells):
        report.notes.append(f"{ended} in cell {len(lines) + 1}; those after it were not run")
    return report


def run_cells(asked: dict, found, home: Path, walls: tuple, limit: float) -> str:
    """Let run_cells.py run the cells and write to the file `found`; return how it ended."""
    (home / "work").mkdir()
    try:
        subprocess.run(
            [*walls, sys.executable, "-m", "helpers.classroom.run_cells"],
            input=json.dumps(asked).encode(),
            stdout=found,
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
    plots = {"MPLBACKEND": "agg", "MPLCONFIGDIR": matplotlib.get_cachedir()}  # its list of fonts
    return kept | homes | plots | {"PYTHONPATH": str(ROOT)}


def end_all(home: Path) -> None:
    """End every process that the copy has started, even in another group: all have its home."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get("HOME") == str(home):
                process.kill()
