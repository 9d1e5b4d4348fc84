"""Which controls can be played like a film, and how the buttons hang together with the slider."""

import ipywidgets as widgets
import numpy as np
import pytest
from helpers.explorer.views import Player

from helpers.explorer import Explorer


@pytest.fixture(autouse=True)
def no_widgets_left():
    yield
    widgets.Widget.close_all()


def players(**controls):
    """The players of an Explorer with these controls."""

    def compute(**values):
        return np.zeros((2, 2))

    e = Explorer(compute, ["a", "b"], **controls)
    rows = [child for child in e.children if isinstance(child, widgets.HBox)]
    return [row.children[1] for row in rows]


@pytest.mark.parametrize(
    "given, stops, at",
    [
        ((0, 4, 2), [0, 2, 4], 2),
        ((0.1, 0.4, 0.1), [0.1, 0.2, 0.3, 0.4], 0.2),
        (lambda: widgets.SelectionSlider(options=["x", "y", "z"], value="y"), [0, 1, 2], 1),
    ],
)
def test_a_slider_can_be_played(given, stops, at):
    (player,) = players(steps_taken=given() if callable(given) else given)
    assert isinstance(player, Player)
    assert player.stops == stops
    (slider,) = player.controls
    assert getattr(slider, player.trait_moved) == pytest.approx(at)
    assert player.name == "steps taken"


@pytest.mark.parametrize("given", [True, ["a", "b", "c"], (0, 1)], ids=str)
def test_switches_choices_and_two_positions_are_not_a_film(given):
    assert players(x=given) == []


def test_free_text_is_not_a_film_but_the_slider_beside_it_is():
    assert [p.name for p in players(word="sun", level=(0, 3))] == ["level"]


def test_a_player_moves_the_slider_beside_it():
    given = widgets.IntSlider(max=4)
    (player,) = players(x=given)
    assert player.controls == [given]
    assert player.trait_moved == "value"


def test_a_sliders_name_is_said_as_its_label_reads():
    (player,) = players(x=widgets.IntSlider(max=4, description="training steps"))
    assert player.name == "training steps"
