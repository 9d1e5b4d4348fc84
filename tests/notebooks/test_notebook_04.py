"""Notebook 4: what its text says of the models that it trains."""

import pytest
import torch
from notebook_cells import cell_with
from notebook_cells import run as run_cells
from torch import nn
from torch.nn import functional as F

from helpers.models.attention import CausalAttention


@pytest.fixture(scope="module")
def book():
    scope = {"torch": torch, "nn": nn, "F": F, "CausalAttention": CausalAttention, "steps": range}
    cells = ["def reviews", "class ReviewModel", "def train"]
    return run_cells([cell_with("04", text) for text in cells], **scope)


def share_right(model, words, good):
    return (model.eval()(words).argmax(dim=1) == good).float().mean()


def test_dropout_keeps_the_validation_loss_low_and_judges_more_reviews_correctly(book):
    words, good = book["training_set"]
    plain, (fitted, losses) = book["train"](0.0, words, good)
    dropping, (_, kept_low) = book["train"](0.5, words, good)
    assert fitted[-1] < 0.05 and losses[-1] > 2 * losses.min()
    assert kept_low[-1] < 1.2 * kept_low.min() < losses[-1]
    new = book["validation_set"]
    assert share_right(plain, *new) < share_right(dropping, *new) < 0.922


def test_without_dropout_shuffled_answers_are_learned_by_heart(book):
    words, good = book["training_set"]
    shuffled = good[torch.randperm(80)]
    assert share_right(book["train"](0.0, words, shuffled)[0], words, shuffled) > 0.7
