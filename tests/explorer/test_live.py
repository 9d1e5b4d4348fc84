"""The Explorer without a browser: computed while one moves or types; what replaces a browser."""

import math
import sys
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np
import pytest
from swept import WORDS, attend, followed, frames, no_widgets_left  # noqa: F401

from helpers.data.sentences import SUNNY_TOKENS
from helpers.explorer import Explorer, widget

pytestmark = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # left behind by another test
)


# -- live ---------------------------------------------------------------------------------------


def half_and(x):
    if x > 1:
        raise ValueError("above 1")
    return [[x, 1 - x]]


def live(**kwargs):
    return Explorer(half_and, ["t"], roles={"weights": "vectors"}, **kwargs)


def test_frames_that_become_too_heavy_for_the_browser_are_not_sent(monkeypatch):
    monkeypatch.setattr(widget, "MAX_BYTES", 5 * 9 * 4)
    assert not Explorer(lambda x: np.eye(3) * x, WORDS, x=(0, 4))._live
    with pytest.raises(ValueError, match="6 settings of 9 numbers"):
        Explorer(lambda x: np.eye(3) * x, WORDS, x=(0, 5))
    e = Explorer(lambda text: np.eye(len(text)), lambda text: list(text), text="ab")
    e.controls[0].widget.value = "abcdefg"
    assert "1 settings of 49 numbers" in e.view.error


def test_an_error_while_live_is_shown_over_the_last_good_picture_until_the_next():
    e = live(x=widgets.FloatText(0.25))
    good = e.view.frames
    e.controls[0].widget.value = 3.0
    assert e.view.error == "Explorer: half_and(x=3.0) raised ValueError: above 1"
    assert e.view.frames == good
    e.controls[0].widget.value = math.nan
    assert "nan at row 't', column 'x1'" in e.view.error
    assert e.view.frames == good
    e.controls[0].widget.value = 0.75
    assert e.view.error == ""
    assert frames(e).tolist() == [[0.75, 0.25]]


def test_what_is_typed_sweeps_the_other_controls():
    calls = []

    def compute(text, by):
        calls.append((text, by))
        return np.full((len(text), 1), by)

    e = Explorer(compute, lambda text: list(text), columns={"weights": ["x"]}, text="ab", by=(1, 3))
    assert followed(e) == [(e.controls[1].widget, "value")] and e._live
    assert frames(e).tolist() == [[1, 1], [2, 2], [3, 3]]
    calls.clear()
    e.controls[1].widget.value = 1
    assert calls == []  # this needs no kernel
    e.controls[0].widget.value = "abc"
    assert calls == [("abc", by) for by in (1, 2, 3)]
    assert frames(e).tolist() == [[k] * 3 for k in (1, 2, 3)]
    assert e.view.spec["panels"][0]["rows"] == [["a", "b", "c"]]
    assert repr(e).splitlines()[-1].split() == ["c", "1.00"]


def test_a_picture_of_the_frame_at_hand_is_saved(tmp_path):
    e = Explorer(attend, SUNNY_TOKENS, temperature=(0.1, 3.0, 0.1))
    e.save(tmp_path / "weights.svg")
    assert "<svg" in (tmp_path / "weights.svg").read_text(encoding="utf-8")


# -- where there is no browser --------------------------------------------------------------------

SUNNY_TEXT = """\
Explorer of attend(temperature=1.0); 30 settings, all tested
weights (queries down, keys across)
       Hello  shiny   sun
Hello   0.27   0.38  0.35
shiny   0.23   0.41  0.36
  sun   0.23   0.39  0.38"""


def test_the_text_is_the_frame_in_words_and_rounded_numbers():
    e = Explorer(attend, SUNNY_TOKENS, temperature=(0.1, 3.0, 0.1))
    assert repr(e) == SUNNY_TEXT


@pytest.mark.parametrize("stable", [True, False])
def test_a_page_without_widgets_gets_a_picture_and_its_words(stable):
    e = Explorer(attend, SUNNY_TOKENS, stable=stable, temperature=(0.1, 3.0, 0.1))
    data, about = e._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == e.model_id
    assert data["text/plain"] == repr(e)
    alt = about["image/png"]["alt"]
    assert alt.startswith(repr(e)) and "0.41" in alt and data["image/png"]


def test_colab_hears_where_to_find_what_runs_the_script(monkeypatch):
    """anywidget says so for a single widget; Colab shows no other one of a public package."""
    address = "https://example.org/manager.js"
    output = SimpleNamespace(
        enable_custom_widget_manager=lambda: None, _widgets=SimpleNamespace(_installed_url=address)
    )
    e = Explorer(attend, SUNNY_TOKENS, temperature=(0.1, 0.3, 0.1))
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    _, about = e._repr_mimebundle_()
    told = about["application/vnd.jupyter.widget-view+json"]
    assert told == {"colab": {"custom_widget_manager": {"url": address}}}
    assert "alt" in about["image/png"]
