"""A cell that is run again closes the Explorer that it showed before, and no other."""

import ipywidgets as widgets
import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances

from helpers.explorer import Explorer, reruns


@pytest.fixture(autouse=True)
def run(monkeypatch):
    """run(cell): from now on, the code runs in a new execution of that cell."""
    at = {"cell": None, "execution": 0}

    def enter(cell):
        at.update(cell=cell, execution=at["execution"] + 1)

    widgets.Widget.close_all()  # those of other tests
    monkeypatch.setattr(reruns, "here", lambda: reruns.Here(**at))
    monkeypatch.setattr(reruns, "_made", {})
    yield enter
    widgets.Widget.close_all()


def explorer(given=(0, 9), compute=None):
    return Explorer(compute or (lambda by: np.eye(3)), ["a", "b", "c"], by=given)


def is_open(e):
    return e.comm is not None and e.view.comm is not None


@pytest.mark.parametrize("given", [(0, 9), ["a", "b"], widgets.IntSlider])
def test_running_a_cell_again_closes_what_it_showed_and_leaves_no_widget(run, given):
    given = given() if isinstance(given, type) else given  # a widget of another cell stays
    made, counts = [], []
    for _ in range(4):
        run("one")
        made.append(explorer(given))
        made[-1]._repr_mimebundle_()
        counts.append(len(_instances))
    assert counts == counts[:1] * 4
    assert [is_open(e) for e in made] == [False, False, False, True]
    assert made[0].view.frames == b""


def test_a_widget_of_another_cell_computes_once_however_often_its_explorer_was_made(run):
    calls, typed = [], widgets.Text("x")

    def compute(by):
        calls.append(by)
        return np.eye(3)

    for _ in range(4):
        run("one")
        e = explorer(typed, compute)
        e._repr_mimebundle_()
    calls.clear()
    typed.value = "y"
    assert calls == ["y"]
    e.close()
    typed.value = "z"
    assert calls == ["y"] and typed.comm is not None


def test_two_made_by_one_run_both_live(run):
    run("one")
    first, second = explorer(), explorer()
    assert is_open(first) and is_open(second)
    run("one")
    explorer()
    assert not is_open(first) and not is_open(second)


def test_one_that_another_cell_shows_too_stays(run):
    run("one")
    old = explorer()
    run("two")
    old._repr_mimebundle_()
    run("one")
    explorer()
    assert is_open(old)


def test_outside_a_notebook_nothing_is_closed(run):
    run(None)
    old = explorer()
    explorer()
    assert is_open(old)


def test_a_run_that_failed_closes_nothing_and_the_next_one_does(run):
    run("one")
    old = explorer()
    run("one")
    with pytest.raises(TypeError):
        Explorer(lambda by: np.eye(3), ["a", "b", "c"], wrong=(0, 9))
    assert is_open(old)
    run("one")
    explorer()
    assert not is_open(old)
