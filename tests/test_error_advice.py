"""What an error tells to do, for mistakes that are made by nearly everyone at some time."""

import ipywidgets as widgets
import numpy as np
import pytest
import torch

from helpers.explorer import Explorer
from helpers.models.attention import MultiHeadAttention
from helpers.pictures import plots

WORDS = ["Hello", "shiny", "sun"]
EYE = np.eye(3)
FUTURE = np.triu(np.ones((3, 3), bool), 1)
CAUSAL = np.where(FUTURE, -np.inf, 1.0)
BATCH = "If the first size is the batch, take [0]."


@pytest.fixture(autouse=True)
def no_widgets_left():
    yield
    widgets.Widget.close_all()


def refused(call, *args, **kwargs):
    with pytest.raises((TypeError, ValueError)) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def shows(result, **kwargs):
    """The message of an Explorer, and of the static picture, which must advise the same."""
    live = refused(Explorer, lambda: result, WORDS, **kwargs)
    still = refused(plots.matrices, result, WORDS, **kwargs)
    assert live.removeprefix("Explorer: <lambda>(): ") == still.removeprefix("matrices: ")
    return still


@pytest.mark.parametrize("hidden", [-np.inf, np.nan])
def test_cells_of_a_causal_mask_are_hatched_with_masked(hidden):
    scores = np.where(FUTURE, hidden, 1.0)
    message = shows({"scores": scores})
    assert f"{hidden} at row 'Hello', column 'shiny' of 'scores'" in message
    assert (
        "If a mask hides this cell, pass masked=…, True where hidden: it is then hatched."
        in message
    )
    plots.matrices({"scores": scores}, WORDS, masked=FUTURE)  # the advice works


def test_a_mask_that_leaves_a_hidden_cell_open():
    message = shows({"scores": CAUSAL}, masked=FUTURE.T)
    assert "If a mask hides this cell, mend masked, which is False there." in message
    assert "pass masked=" not in message


@pytest.mark.parametrize("result", [{"scores": EYE + np.inf}, {"context": CAUSAL}])
def test_what_no_mask_hides_is_not_blamed_on_one(result):
    message = shows(result)
    assert "hides" not in message and "A picture needs finite numbers: look for" in message


@pytest.mark.parametrize("tokens", [WORDS[:2], [*WORDS, "!"]])
def test_the_tokens_are_too_few_or_too_many(tokens):
    advice = 'Pass tokens=[…] with 3 words, mend the matrix, or pass rows={"weights": […]}.'
    for message in (refused(Explorer, lambda: EYE, tokens), refused(plots.matrices, EYE, tokens)):
        assert message.endswith(advice)


def test_labels_of_its_own_are_not_blamed_on_the_tokens():
    message = shows(EYE, rows={"weights": ["a"]})
    assert message.endswith('Mend the matrix, or pass rows={"weights": […]}.')
    assert "tokens" not in message


def test_a_batch_left_in():
    batch = EYE[None, None]
    message = shows({"weights": batch})
    assert "'weights' has shape (1, 1, 3, 3)" in message and message.endswith(BATCH)
    assert shows(EYE, masked=FUTURE[None]).endswith(BATCH)
    message = refused(plots.plane, np.ones((1, 3, 2)), WORDS)
    assert "shape (1, 3, 2)" in message and message.endswith(BATCH)
    assert BATCH not in shows(EYE, masked=FUTURE[:2]) + refused(plots.plane, EYE, WORDS)


def test_a_batch_left_in_what_sums_name():
    x, sums = np.ones((3, 3)), {"scores": "X @ X.T"}
    for operand in (x[None], x[None, None]):
        message = refused(
            Explorer, lambda: {"scores": x @ x.T}, WORDS, operands={"X": operand}, sums=sums
        )
        assert str(operand.shape) in message and message.endswith(BATCH)
    message = refused(Explorer, lambda: {"scores": x}, WORDS, operands={"X": x}, sums=sums)
    assert BATCH not in message


def test_a_layer_that_still_drops():
    torch.manual_seed(0)
    layer = MultiHeadAttention(3, 4, 6, dropout=0.5, num_heads=2)
    x = torch.rand(3, 3)

    def attend():
        return layer(x, return_weights=True)[1]

    message = refused(Explorer, attend, WORDS)
    assert "gave other numbers when called again" in message
    assert "call .eval() on a layer with dropout" in message
    layer.eval()
    Explorer(attend, WORDS)  # the advice works
