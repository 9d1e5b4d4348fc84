"""What first attempts at notebooks 1 to 3 are told: what came back, what is named, other words."""

import pytest
import torch
from answers import first_attempts
from test_first_attempts import answer

from helpers import checks
from helpers.exercises import EXERCISES


def said_of(exercise, code):
    return getattr(checks, exercise)(answer(exercise, code, 1000))


def test_a_function_of_the_notebook_that_reads_its_layers_is_named():
    result = said_of("leak_test", "return bool(moves(mask=False).triu(1).any())")
    assert "the layer is never called" in result.message and "is poked" not in result.message
    assert "It reads moves from the notebook" in result.message
    assert "dot from the notebook" not in said_of("scores", "return 2 * dot(X.T, query)").message


def test_a_layer_of_the_notebook_is_called_in_place_of_the_one_given():
    message = said_of("leak_test", "return bool((causal(SUNNY) - causal(SUNNY + 0)).any())").message
    assert "nothing: it never calls the layer that it gets." in message
    assert "It reads causal, SUNNY from the notebook" in message


def test_true_and_false_are_said_as_such():
    message = checks.causal_mask(lambda n: torch.ones(n, n).tril().bool().flip(0)).message
    assert "mask[0, 0] is True; expected False" in message and ".0000" not in message
    message = checks.causal_mask(lambda n: torch.ones(n, n).tril()).message
    assert "mask[0, 0] is 1; expected False" in message
    assert "scores[0] is True; expected 0.7842" in said_of("scores", "return X @ query > 0").message


def test_a_picture_of_a_mask_has_no_decimals():
    result = checks.causal_mask(lambda n: torch.zeros(n, n).bool())
    assert ".0" not in result.picture.text
    result = checks.causal_mask(lambda n: torch.full((n, n), 0.5))
    assert "0.50" in result.picture.text  # numbers that are no True and False are shown as they are
    result = checks.scores(lambda query, X: [0, 0] if len(X) == 3 else X @ query)
    assert "0.00" in result.picture.text


def test_a_case_of_a_layer_is_a_phrase_that_fits_behind_for():
    message = said_of(
        "self_attention_module", SELF.replace("bias=qkv_bias)", "bias=False)")
    ).message
    assert "Not for: qkv_bias=True." in message
    for name in ("self_attention_module", "causal_attention"):
        assert not any(case.says.startswith("with ") for case in EXERCISES[name].cases)


SELF = next(code for name, _, code in first_attempts.read() if name == "self_attention_module")


def test_a_mistake_that_is_named_needs_no_general_advice():
    message = said_of("project", "return W_query @ x, W_key @ x, W_value @ x").message
    assert "In A @ B, " in message  # a wrong product that has no name of its own
    assert "with a batch in front, the last but one of B" in message
    named = "return torch.softmax(queries @ keys / keys.shape[-1] ** 0.5, dim=-1)"
    assert "In A @ B, " not in said_of("scaled_weights", named).message


def test_two_things_that_came_back_have_no_picture():
    result = said_of("masked_weights", "return scores.softmax(-1), scores")
    assert "2 things came back, and one was asked for: the weights." in result.message
    assert result.picture is None and "shape" not in result.message


@pytest.mark.parametrize("word", ["step", "Step", "last row", "the last one"])
def test_a_prediction_in_other_words_is_right(word):
    assert checks.predict("row that keeps its sum", word).passed


@pytest.mark.parametrize("word", ["increases", "Grows", "it grows"])
def test_a_prediction_of_growth_in_other_words_is_right(word):
    assert checks.predict("tripled scores", word).passed


def test_a_prediction_that_is_no_word_of_the_question_is_told_the_form():
    message = checks.predict("row that keeps its sum", "bottom").message
    assert "the word of that row, such as \"with\"; this is 'bottom'" in message
    assert "Which row has lost nothing?" in checks.predict("row that keeps its sum", "with").message
    assert "a list with texts in it" in checks.predict("tripled scores", ["grows"]).message
