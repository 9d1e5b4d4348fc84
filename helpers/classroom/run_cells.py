"""Runs cells as IPython does, and records after each what the checks have found so far.

run_copy.py starts it in a process of its own, and reads what it records from its output."""

import _thread
import json
import os
import signal
import sys
import threading

from IPython.core.interactiveshell import InteractiveShell

from .. import checks


def main() -> None:
    copy, shell = json.load(sys.stdin), InteractiveShell.instance()
    # slow to format, and read by nobody
    shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
    # A background command ignores Ctrl + C, and so do the processes that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # What the cells print is ignored, however long it is.
    with open(os.dup(1), "w", encoding="utf-8", buffering=1) as found:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        for number, source in enumerate(copy["cells"], 1):
            trouble = run(shell, source, copy["cell_limit"])
            note = f"cell {number} ({source.split(chr(10))[0][:60]}) {trouble}" if trouble else ""
            progress = checks.progress(copy["number"])
            print(json.dumps([note, progress.done, progress.says]), file=found)


def run(shell, source: str, seconds: float) -> str:
    """Run a cell; return its error, or "". A cell that takes too long is interrupted."""
    timer = threading.Timer(seconds, interrupt)
    timer.start()
    result = shell.run_cell(source, store_history=True)
    timer.cancel()
    error = result.error_before_exec or result.error_in_exec
    if isinstance(error, KeyboardInterrupt):
        return f"was stopped after {seconds:.0f} s"
    first = str(error).split("\n")[0][:120]
    return f"fails: {type(error).__name__}: {first}" if error else ""


def interrupt() -> None:
    """Do what Ctrl + C does; on Linux and macOS this also interrupts sleep."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    else:
        _thread.interrupt_main()


if __name__ == "__main__":
    main()
