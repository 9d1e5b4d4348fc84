"""A plugin for pytest that saves nbval's runs: `pytest -p tests.tools.keep_runs --nbval notebooks`.

If all cells of a notebook passed, build/runs/ gets a copy with its new outputs and the state of its
widgets, so that its web page can be built and tested without running the notebook again.
"""

import copy
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "build" / "runs"
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
ASK = f"""
from IPython.display import display
from ipywidgets import Widget
display({{"{STATE}": Widget.get_manager_state()}}, raw=True)
"""

_passed = {}  # for the current notebook: nbval file → the outputs of each cell that passed


def kept(path: Path) -> nbformat.NotebookNode | None:
    """The saved run of this notebook, if neither it nor the helpers have changed since."""
    run = RUNS / path.name
    helpers = (file for file in (ROOT / "helpers").rglob("*") if file.suffix != ".pyc")
    made_from = [path, *(file for file in helpers if file.is_file())]
    if not run.exists() or run.stat().st_mtime < max(file.stat().st_mtime for file in made_from):
        return None
    return nbformat.read(run, as_version=4)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call" and report.passed and hasattr(item, "test_outputs"):
        _passed.setdefault(item.parent, []).append(item.test_outputs)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item, nextitem):
    """At a notebook's last cell, save it before its kernel stops."""
    file = item.parent
    if not hasattr(item, "test_outputs") or (nextitem and nextitem.parent is file):
        return
    cells, outputs = code_cells(file.nb), _passed.pop(file, [])
    if len(outputs) == len(cells):
        keep(Path(file.path), file.nb, outputs, widget_state(file.kernel))


def keep(path, notebook, outputs, state):
    run = copy.deepcopy(notebook)
    for cell, fresh in zip(code_cells(run), outputs):
        # By now a progress bar is gone: its view has no text beside it, and no model.
        cell.outputs = [out for out in fresh if set(out.get("data", {})) != {VIEW}]
    run.metadata["widgets"] = {STATE: state}
    RUNS.mkdir(parents=True, exist_ok=True)
    nbformat.write(run, RUNS / path.name)


def widget_state(kernel):
    """The state of all widgets in a kernel."""
    return shown_by(kernel, ASK, STATE, seconds=60)


def shown_by(kernel, code, mime, seconds):
    """What this code displays in this content type when a kernel runs it."""
    asked = kernel.execute_cell_input(code)
    while True:
        message = kernel.get_message("iopub", timeout=seconds)
        content = message["content"]
        if message["parent_header"].get("msg_id") != asked:
            continue
        if message["msg_type"] == "display_data" and mime in content["data"]:
            return content["data"][mime]
        if message["msg_type"] == "error":
            raise RuntimeError(f"{content['ename']}: {content['evalue']}")


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]
