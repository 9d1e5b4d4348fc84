"""Runs a handed-in copy in a kernel of its own, and asks it what its checks have found.

The kernel has a home of its own, which is thrown away afterwards; nothing of your environment but
what Python needs; on Linux limits of memory and disk, and where it allows that, no network. It is no
prison: the code runs with your rights, and can read what you can read.
"""

import ast
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import psutil
from jupyter_client import KernelManager

from .handed_in import Copy
from .series import ROOT

NEEDED = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PATHEXT")
NO_NETWORK = ("unshare", "--map-root-user", "--net")
# The data of the process: torch maps much that it never fills, which a limit on addresses would count.
LIMITS = ("prlimit", f"--data={4 * 2**30}", f"--fsize={2**30}", "--core=0")
START = 120  # seconds that a kernel may take to start, on a busy machine
PATIENCE = 10  # seconds that a cell may take to stop, once it is interrupted

# One string: the names of what is done, and what each check said last.
ASK = """(lambda progress: __import__("json").dumps([progress.done, progress.says]))(
    __import__("helpers.checks").checks.progress({number}))""".replace("\n", "")


@dataclass
class Report:
    """What a copy shows: exercises done, what each check said last, and notes for the teacher."""

    copy: Copy
    done: list[str] = field(default_factory=list)
    says: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def state(self, exercise: str) -> str:
        """ "unread" where the file could not be read, "done", "tried", "broken" or "open"."""
        told = {
            "unread": self.copy.trouble,
            "done": exercise in self.done,
            "tried": exercise in self.says,
            "broken": exercise in self.copy.broken,
        }
        return next((state for state, so in told.items() if so), "open")

    def told(self, exercise: str) -> str:
        """What its check said last, or else what keeps its cell from running; "" for neither."""
        return self.says.get(exercise) or self.copy.broken.get(exercise, "")


class Stopped(Exception):
    """The kernel is gone, or does not listen any more."""


class SandboxedKernel(KernelManager):
    def format_kernel_cmd(self, extra_arguments=None):
        walls = [wall for wall in (NO_NETWORK, LIMITS) if can(wall)]
        kernel = [sys.executable, "-m", "ipykernel_launcher", "-f", self.connection_file]
        return [*sum(walls, ()), *kernel]


@functools.cache
def can(wall: tuple[str, ...]) -> bool:
    """Whether this system lets a user start a process behind this command."""
    tried = shutil.which(wall[0]) and subprocess.run([*wall, "true"], capture_output=True)
    return bool(tried) and tried.returncode == 0


def run_copy(copy: Copy, cell_limit: float, limit: float) -> Report:
    """Run a copy from top to bottom; whatever it does, this returns, soon after `limit` seconds.

    cell_limit, limit   seconds for one cell, and for the whole copy
    """
    report = Report(copy)
    if copy.trouble or copy.untouched():
        report.notes.append(copy.trouble or "nothing was changed in it")
        return report
    with tempfile.TemporaryDirectory(prefix="copy-", ignore_cleanup_errors=True) as home:
        try:
            with kernel(Path(home)) as ask:
                _run_cells(report, ask, cell_limit, time.monotonic() + limit)
        except Stopped as stopped:
            report.notes.append(f"{stopped}; the cells after it were not run")
    return report


def _run_cells(report: Report, ask, cell_limit: float, end: float) -> None:
    name = "its kernel"
    try:
        ask("__import__('helpers.checks')", START, silent=True)  # seconds that are no cell's own
        for number, source in enumerate(report.copy.cells, 1):
            name = f"cell {number} ({source.split(chr(10))[0][:60]})"
            seconds = min(cell_limit, max(0, end - time.monotonic()))
            reply = ask(source, seconds)
            if reply is None:
                report.notes.append(f"{name} was stopped after {seconds:.0f} s")
            elif reply["status"] == "error":
                first = str(reply.get("evalue", "")).split("\n")[0][:120]
                report.notes.append(f"{name} fails: {reply.get('ename')}: {first}")
            _update(report, ask)
            if time.monotonic() > end:
                raise Stopped("the time of the copy was up")
    except Stopped as stopped:
        raise Stopped(f"{name}: {stopped}") from None


def _update(report: Report, ask) -> None:
    question = ASK.format(number=report.copy.number)
    reply = ask("pass", PATIENCE, silent=True, user_expressions={"found": question})
    found = reply and reply["user_expressions"]["found"]
    if not found or found["status"] == "error":
        raise Stopped(f"its checks do not answer ({found['evalue'] if found else 'in time'})")
    report.done, report.says = json.loads(ast.literal_eval(found["data"]["text/plain"]))


@contextlib.contextmanager
def kernel(home: Path):
    """ask(code, seconds) runs code in a new kernel and returns its reply; all ends with the block.

    None is the reply if the code had to be interrupted; it raises Stopped if that did not help, or if
    the kernel has died. What the code prints is not listened to, however much it is.
    """
    ipc = {"transport": "ipc", "ip": str(home / "kernel")} if can(NO_NETWORK) else {}
    manager = SandboxedKernel(connection_file=str(home / "kernel.json"), **ipc)
    quiet = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    (home / "work").mkdir()
    with contextlib.ExitStack() as at_the_end:  # the last one first
        at_the_end.callback(end_all, home)
        manager.start_kernel(cwd=str(home / "work"), env=environment(home), **quiet)
        at_the_end.callback(manager.shutdown_kernel, now=True)
        client = manager.blocking_client()
        client.start_channels(iopub=False, stdin=False, hb=False)
        at_the_end.callback(client.stop_channels)  # else what waits holds up the end of Python

        def ask(code, seconds, **how):
            how |= {"allow_stdin": False, "stop_on_error": False}
            try:
                return client.execute(code, reply=True, timeout=seconds, **how)["content"]
            except TimeoutError:
                if not manager.is_alive():
                    raise Stopped("its kernel died") from None
            manager.interrupt_kernel()
            try:
                client.execute("pass", reply=True, timeout=PATIENCE, silent=True)
            except TimeoutError:
                raise Stopped(f"it did not stop after {seconds:.0f} s") from None

        yield ask


def environment(home: Path) -> dict[str, str]:
    """The variables of the kernel: what Python needs, our own helpers, and a home that is empty."""
    kept = {name: os.environ[name] for name in NEEDED if name in os.environ}
    homes = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(home))
    fonts = {"MPLCONFIGDIR": matplotlib.get_cachedir()}  # its list takes seconds to make
    return kept | homes | fonts | {"PYTHONPATH": str(ROOT)}


def end_all(home: Path) -> None:
    """End every process that the copy has started, also one that left its group: all know its home."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get("HOME") == str(home):
                process.kill()
