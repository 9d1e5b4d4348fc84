"""The bar over what takes its time: there while it runs, and gone whatever ends it."""

import ipywidgets as widgets
import numpy as np
import pytest

from helpers import tools
from helpers.explorer import Explorer


@pytest.fixture
def notebook(monkeypatch):
    """As in a notebook: what was displayed, and how often the output was cleared."""

    class Seen:
        displayed, cleared, clock = [], 0, 0.0

        def clear(self):
            self.cleared += 1

    seen = Seen()
    seen.displayed = []
    shell = type("Shell", (), {"kernel": object()})()
    monkeypatch.setattr(tools, "get_ipython", lambda: shell)
    monkeypatch.setattr(tools, "display", lambda data, raw: seen.displayed.append(data))
    monkeypatch.setattr(tools, "clear_output", seen.clear)
    monkeypatch.setattr(tools.time, "monotonic", lambda: seen.clock)
    yield seen
    widgets.Widget.close_all()


def open_bars():
    return [w for w in widgets.widget._instances.values() if isinstance(w, widgets.IntProgress)]


def test_steps_shows_its_bar_at_once_and_leaves_nothing(notebook):
    assert list(tools.steps(7)) == list(range(7))
    assert len(notebook.displayed) == notebook.cleared == 1
    assert list(notebook.displayed[0]) == [tools.VIEW]  # no text that would be saved beside it
    assert open_bars() == []


def test_what_ends_within_the_second_shows_no_bar(notebook):
    assert list(tools.over("abc", 3, "trying", after=1.0)) == list("abc")
    assert notebook.displayed == [] and notebook.cleared == 0


def test_the_bar_says_how_far_it_is(notebook):
    for i, _ in enumerate(tools.over(range(10), 10, "trying", after=1.0)):
        notebook.clock += 0.3
        if i == 8:
            (bar,) = open_bars()
            assert (bar.value, bar.max, bar.description) == (8, 10, "trying")
    assert len(notebook.displayed) == notebook.cleared == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_sweep_that_is_interrupted_leaves_nothing_behind(notebook, error):
    calls = []

    def slow(by=1):
        notebook.clock += 0.1
        calls.append(by)
        if len(calls) == 30:
            assert len(notebook.displayed) == 1 and len(open_bars()) == 1
            raise error("stop")
        return np.full((3, 3), float(by))

    with pytest.raises(error) as caught:
        Explorer(slow, ["a", "b", "c"], by=(0, 99))
    assert caught.value.__traceback__  # kept, as IPython keeps it: the bar goes all the same
    assert notebook.cleared == 1
    assert open_bars() == []


def test_a_long_sweep_shows_a_bar_and_then_only_itself(notebook):
    def slow(by=1):
        notebook.clock += 0.1
        return np.full((3, 3), float(by))

    Explorer(slow, ["a", "b", "c"], by=(0, 99))
    assert len(notebook.displayed) == notebook.cleared == 1


@pytest.mark.parametrize("n, kind", [(2.0, TypeError), (True, TypeError), (-1, ValueError)])
def test_steps_says_what_it_expected(n, kind):
    with pytest.raises(kind, match="steps: .* pass"):
        tools.steps(n)
