"""Notebook 15: its classes behave like those of helpers."""

from types import SimpleNamespace

import pytest
import torch
from notebook_cells import run, tagged
from torch import nn

from helpers import exercises
from helpers.models import large
from helpers.models.positions import rotary
from helpers.models.transformer import causal_mask


@pytest.fixture(scope="module")
def taught():
    names = run(tagged("15", "large-class"), torch=torch, nn=nn, rotary=rotary)
    return SimpleNamespace(**names)


def same_weights(taught, kept):
    assert taught.state_dict().keys() == kept.state_dict().keys()
    taught.load_state_dict(kept.state_dict())
    return taught, kept


def test_the_classes_taught_are_the_classes_in_helpers(taught):
    torch.manual_seed(0)
    x, mask = torch.randn(2, 7, 12), causal_mask(7)
    for key_heads in (1, 2, 4):
        made = [space.GroupedAttention(12, 4, key_heads) for space in (taught, large)]
        mine, its = same_weights(*made)
        for one, other in zip(
            mine(x, None, mask, return_weights=True), its(x, None, mask, return_weights=True)
        ):
            torch.testing.assert_close(one, other)
        torch.testing.assert_close(mine(x, None, mask), its(x, None, mask))
    mine, its = same_weights(*(space.LatentAttention(12, 3, 5, 4, 2) for space in (taught, large)))
    for one, other in zip(mine(x), its(x)):
        torch.testing.assert_close(one, other)


def test_what_fills_in_for_an_answer_is_what_helpers_has():
    for name in ("tiled_attention", "grouped_attention", "window_mask", "linear_step"):
        assert getattr(exercises, name) is getattr(large, name)
