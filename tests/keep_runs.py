"""A plugin of pytest that keeps what nbval ran: `pytest -p tests.keep_runs --nbval notebooks`.

Of each notebook whose cells all passed, build/runs/ gets a copy with its fresh outputs and the state
of its widgets, so that its web page can be made and tried without running it once more. Of a cell
that failed, the first line says where it stands, and what differs.
"""

import copy
import hashlib
import itertools
import re
from pathlib import Path
from queue import Empty

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "build" / "runs"
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
ASK = f"""
from IPython.display import display
from ipywidgets import Widget
display({{"{STATE}": Widget.get_manager_state()}}, raw=True)
"""
SECONDS = 60  # the longest that a kernel may take to answer

_passed = {}  # of the notebook at hand: its nbval file → the outputs of each cell that passed


def kept(path: Path) -> nbformat.NotebookNode | None:
    """The run of this notebook that was kept, if neither it nor the helpers have changed since."""
    run = RUNS / path.name
    if not run.exists():
        return None
    notebook = nbformat.read(run, as_version=4)
    return notebook if notebook.metadata.pop("made_from", None) == made_from(path) else None


def made_from(path: Path) -> str:
    """A digest of all that a notebook's outputs depend on, but for what is installed."""
    helpers = (file for file in (ROOT / "helpers").rglob("*") if file.suffix != ".pyc")
    files = sorted(file for file in helpers if file.is_file())
    return hashlib.sha256(b"".join(file.read_bytes() for file in [*files, path])).hexdigest()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call" and hasattr(item, "test_outputs"):
        if report.passed:
            _passed.setdefault(item.parent, []).append(item.test_outputs)
        elif report.failed:
            report.longrepr = f"{where(item)}: {what_differs(item, call)}\n\n{report.longrepr}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item, nextitem):
    """At a notebook's last cell, before its kernel stops."""
    file = item.parent
    if not hasattr(item, "test_outputs") or (nextitem and nextitem.parent is file):
        return
    cells, outputs = code_cells(file.nb), _passed.pop(file, [])
    if len(outputs) == len(cells):
        keep(Path(file.path), file.nb, outputs, widget_state(file.kernel))


def keep(path, notebook, outputs, state):
    run = copy.deepcopy(notebook)
    for cell, fresh in zip(code_cells(run), outputs):
        # A progress bar is gone by now: its view has no words beside it, and no model any more.
        cell.outputs = [out for out in fresh if set(out.get("data", {})) != {VIEW}]
    run.metadata["widgets"] = {STATE: state}
    run.metadata["made_from"] = made_from(path)
    RUNS.mkdir(parents=True, exist_ok=True)
    nbformat.write(run, RUNS / path.name)


def widget_state(kernel):
    """The state of all widgets that a kernel holds."""
    asked = kernel.execute_cell_input(ASK)
    while True:
        try:
            message = kernel.get_message("iopub", timeout=SECONDS)
        except Empty:
            raise RuntimeError("The kernel does not tell the state of its widgets.") from None
        content = message["content"]
        if message["parent_header"].get("msg_id") != asked:
            continue
        if message["msg_type"] == "display_data":
            return content["data"][STATE]
        if message["msg_type"] == "error":
            raise RuntimeError(f"{content['ename']}: {content['evalue']}")


# ---------------------------------------------------------------- a cell that failed


def where(item):
    """05_multi_head.ipynb, under “Merging the heads”, cell 12 of the code"""
    heading = ""
    for cell in item.parent.nb.cells[: item.parent.nb.cells.index(item.cell)]:
        found = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
        heading = found[-1] if cell.cell_type == "markdown" and found else heading
    return f"{item.parent.path.name}, under “{heading}”, code cell [{item.cell.execution_count}]"


def what_differs(item, call):
    """The first line that is not as stored; or the error that stopped the cell."""
    fresh = item.test_outputs or []
    errors = [out for out in fresh if out["output_type"] == "error"]
    if errors:
        return f"{errors[0]['ename']}: {errors[0]['evalue']}"
    stored, now = [list(map(str.rstrip, lines_of(outs))) for outs in (item.cell.outputs, fresh)]
    for old, new in itertools.zip_longest(stored, now, fillvalue="nothing"):
        if old != new:
            return f"stored is {old!r}, and it gave {new!r}"
    return str(call.excinfo.value).partition("\n")[0]


def lines_of(outputs):
    for output in outputs:
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        yield from text.splitlines()
        yield from (f"({kind})" for kind in output.get("data", {}) if kind != VIEW)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]
