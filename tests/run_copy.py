"""Runs a handed-in copy in a kernel of its own, and asks it what its checks have found.

The kernel has a home of its own, which is thrown away afterwards; nothing of your environment but
what Python needs; limits of time, memory and disk (sandboxed_kernel.py); and where Linux allows it,
no network. It is no prison: the code runs with your rights, and can read what you can read.
"""

import ast
import contextlib
import functools
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from copies import Copy
from jupyter_client import KernelManager
from series_map import ROOT

KERNEL = Path(__file__).with_name("sandboxed_kernel.py")
NEEDED = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PATHEXT")
NO_NETWORK = ("unshare", "--map-root-user", "--net")
START = 120  # seconds that a kernel may take to start, on a busy machine
PATIENCE = 10  # seconds that a cell may take to stop, once it is interrupted
MOST_FAILURES = 3  # told of a copy: the first ones tell most

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
        """ "done", "tried" or "open"; "unread" where the file could not be read."""
        if self.copy.trouble:
            return "unread"
        return "done" if exercise in self.done else "tried" if exercise in self.says else "open"


class Stopped(Exception):
    """The kernel is gone, or does not listen any more."""


class SandboxedKernel(KernelManager):
    """Started by sandboxed_kernel.py, without a network where that is possible."""

    def format_kernel_cmd(self, extra_arguments=None):
        isolated = NO_NETWORK if can_isolate() else ()
        return [*isolated, sys.executable, str(KERNEL), "-f", self.connection_file]


@functools.cache
def can_isolate() -> bool:
    """Whether this system lets a user start a process that has no network."""
    if not shutil.which(NO_NETWORK[0]):
        return False
    return subprocess.run([*NO_NETWORK, "true"], capture_output=True).returncode == 0


def run_copy(copy: Copy, cell_limit: float, limit: float) -> Report:
    """Run a copy from top to bottom; whatever it does, this returns, soon after `limit` seconds.

    cell_limit, limit   seconds for one cell, and for the whole copy
    """
    report = Report(copy)
    if copy.trouble:
        report.notes.append(copy.trouble)
        return report
    if copy.untouched():
        report.notes.append("nothing was changed in it")
        return report
    with tempfile.TemporaryDirectory(prefix="copy-", ignore_cleanup_errors=True) as home:
        try:
            with kernel(Path(home)) as ask:
                _run_cells(report, ask, cell_limit, time.monotonic() + limit)
        except Stopped as stopped:
            report.notes.append(str(stopped))
    return report


def _run_cells(report: Report, ask, cell_limit: float, end: float) -> None:
    failures = 0
    try:
        ask("__import__('helpers.checks')", START, silent=True)  # seconds that are no cell's own
    except TimeoutError:
        raise Stopped(f"its kernel did not start in {START} s: run it again by itself") from None
    for number, source in enumerate(report.copy.cells, 1):
        left = end - time.monotonic()
        if left <= 0:
            raise Stopped(f"its time was up before cell {number}: those from there on were not run")
        name = f"cell {number} ({source.split(chr(10))[0][:60]})"
        try:
            reply = ask(source, min(cell_limit, left))
        except TimeoutError as error:
            report.notes.append(f"{name} was stopped after {min(cell_limit, left):.0f} s")
            if not error.args[0]:
                raise Stopped("it did not heed that: the cells after it were not run") from None
        except Stopped as stopped:
            raise Stopped(f"{name}: {stopped}; the cells after it were not run") from None
        else:
            if reply["status"] == "error" and (failures := failures + 1) <= MOST_FAILURES:
                first = str(reply.get("evalue", "")).split("\n")[0][:120]
                report.notes.append(f"{name} fails: {reply.get('ename')}: {first}")
        _update(report, ask)
    if failures > MOST_FAILURES:
        report.notes.append(f"{failures - MOST_FAILURES} more cells fail")


def _update(report: Report, ask) -> None:
    question = ASK.format(number=report.copy.number)
    with contextlib.suppress(TimeoutError):
        reply = ask("pass", PATIENCE, silent=True, user_expressions={"found": question})
        found = reply["user_expressions"]["found"]
        if found["status"] == "error":
            raise Stopped(f"its checks do not answer ({found['evalue']})")
        report.done, report.says = json.loads(ast.literal_eval(found["data"]["text/plain"]))


@contextlib.contextmanager
def kernel(home: Path):
    """A function that runs code in a new kernel and returns its reply; all ends with the block.

    It raises TimeoutError(whether the kernel goes on) if the code had to be interrupted, and Stopped
    if the kernel has died. What the code prints is not listened to, however much it is.
    """
    ipc = {"transport": "ipc", "ip": str(home / "kernel")} if can_isolate() else {}
    manager = SandboxedKernel(connection_file=str(home / "kernel.json"), **ipc)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    (home / "work").mkdir()
    with contextlib.ExitStack() as at_the_end:  # the last one first
        at_the_end.callback(end_all, home)
        manager.start_kernel(cwd=str(home / "work"), env=environment(home), **quiet)
        at_the_end.callback(manager.shutdown_kernel, now=True)
        client = manager.blocking_client()
        client.start_channels(iopub=False, stdin=False, hb=False)
        at_the_end.callback(client.stop_channels)  # else what waits holds up the end of Python

        def ask(code, seconds, **how):
            message = client.execute(code, allow_stdin=False, stop_on_error=False, **how)
            reply = _reply(manager, client, message, seconds)
            if reply is None:
                manager.interrupt_kernel()
                raise TimeoutError(_reply(manager, client, message, PATIENCE) is not None)
            return reply

        yield ask


def _reply(manager, client, message: str, seconds: float):
    """The reply to a message, or None if there is none within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            reply = client.get_shell_msg(timeout=min(1, seconds))
        except queue.Empty:
            if not manager.is_alive():
                raise Stopped("its kernel died") from None
        else:
            if reply["parent_header"].get("msg_id") == message:
                return reply["content"]
    return None


def environment(home: Path) -> dict[str, str]:
    """The variables of the kernel: what Python needs, our own helpers, and a home that is empty."""
    kept = {name: os.environ[name] for name in NEEDED if name in os.environ}
    homes = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(home))
    return kept | homes | {"PYTHONPATH": str(ROOT), "MPLCONFIGDIR": str(fonts(home))}


def fonts(home: Path) -> Path:
    """A folder in `home` with Matplotlib's list of fonts, which takes it seconds to make."""
    folder = home / "matplotlib"
    folder.mkdir()
    import matplotlib

    for file in Path(matplotlib.get_cachedir()).glob("fontlist*.json"):
        shutil.copy(file, folder)
    return folder


def end_all(home: Path) -> None:
    """End every process that the copy has started, also one that left its group: all know its home."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get("HOME") == str(home):
                process.kill()
