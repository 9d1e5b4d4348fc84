"""A cell that is run again closes the Explorer that it showed before, and no other."""

import ipywidgets as widgets
import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances

from helpers import lifetimes
from helpers.explorer import Explorer


@pytest.fixture(autouse=True)
def run(monkeypatch):
    """run(cell): from now on we are in a new execution of that cell."""
    at = {"cell": None, "execution": 0}

    def enter(cell):
        at.update(cell=cell, execution=at["execution"] + 1)

    monkeypatch.setattr(lifetimes, "here", lambda: (at["cell"], at["execution"]))
    monkeypatch.setattr(lifetimes, "_made", {})
    yield enter
    widgets.Widget.close_all()


def explorer(**options):
    return Explorer(lambda by=1: np.full((3, 3), by), ["a", "b", "c"], by=options.get("by", (0, 9)))


def is_open(e):
    return e.comm is not None and e.view.comm is not None


def test_running_a_cell_again_closes_what_it_showed(run):
    run("one")
    old = explorer()
    old._repr_mimebundle_()
    before = len(_instances)
    run("one")
    new = explorer()
    assert not is_open(old) and is_open(new)
    assert old.view.frames == b""
    # What is left of the old one: the layouts and styles that ipywidgets made for it.
    small = (widgets.Layout, widgets.Style, widgets.CoreWidget)
    assert all(isinstance(w, small) for w in list(_instances.values())[: before // 2])
    assert sum(isinstance(w, type(new.view)) for w in _instances.values()) == 1
    assert sum(isinstance(w, widgets.IntSlider) for w in _instances.values()) == 1


def test_another_cell_closes_nothing(run):
    run("one")
    old = explorer()
    run("two")
    explorer()
    assert is_open(old)


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


def test_a_widget_that_was_given_stays_open(run):
    run("one")
    slider = widgets.IntSlider(max=3)
    old = explorer(by=slider)
    run("one")
    explorer()
    assert not is_open(old) and slider.comm is not None


def test_outside_a_notebook_nothing_is_closed(run):
    run(None)
    old = explorer()
    explorer()
    assert is_open(old)
