"""Single messages that once misled: of errors, pictures, shapes and names."""

import re

import numpy as np
import pytest
import torch
from answers import first_attempts
from answers import n02_trainable_qkv as n02
from test_first_attempts import answer
from torch import nn

from helpers import checks
from helpers.exercises import EXERCISES, pitfalls
from helpers.judge.advice import advice


def test_an_error_that_is_shown_belongs_to_the_mistake_that_is_named():
    """A bias forgotten, and a mask not cut: the error comes from the mask."""

    class Layer(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
            super().__init__()
            self.W_query, self.W_key, self.W_value = n02.three(d_in, d_out, True)
            self.register_buffer("mask", torch.ones(context_length, context_length).triu(1).bool())

        def forward(self, x):
            scores = self.W_query(x) @ self.W_key(x).mT / self.W_key(x).shape[-1] ** 0.5
            return scores.masked_fill(self.mask, -torch.inf).softmax(dim=-1) @ self.W_value(x)

    result = checks.causal_attention(Layer)
    assert result.pitfall == "mask_not_cut" and ", it stops in line " in result.message


def test_a_symptom_does_not_deny_the_error_above_it():
    for pitfall in pitfalls.CATALOGUE:
        for name in ("torch_heads", "multi_head", "causal_attention", "masked_weights"):
            if pitfall in pitfalls.of(name):
                message = getattr(checks, name)(pitfall.code(name)).message
                assert not ("it stops" in message and "No error" in message), pitfall.id


SIZES = {"d_out": 2, "nn": nn, "torch": torch}


def test_an_argument_of_init_that_the_notebook_has_too():
    source = """
class Layer(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).mT / d_out**0.5
        return scores.softmax(dim=-1) @ self.W_value(x)
"""
    space = dict(SIZES)
    exec(source, space)
    message = checks.self_attention_module(space["Layer"]).message
    assert "self.d_out" in message and "has another name" not in message


def test_the_shapes_of_the_projections_are_said_beside_an_error():
    class Layer(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            self.num_heads = num_heads
            self.W_query, self.W_key, self.W_value = n02.three(d_in, d_out // num_heads, qkv_bias)

        def forward(self, x):
            return self.W_query(x).view(*x.shape[:2], self.num_heads, -1)[:, :, 5]

    message = checks.multi_head(Layer).message
    assert "W_query is (4, 7), not (12, 7)" in message
    assert "d_out, which is the size of all heads in total" in message


def test_the_picture_is_of_the_input_that_is_spoken_of():
    def dropout(weights, p):
        return weights * (torch.rand_like(weights) >= p) / p**2

    result = checks.dropout(dropout)
    assert "For p = 0.2, what is kept is multiplied by 25.0" in result.message
    assert "·" not in result.picture.text  # p = 0 would be all nan and infinite


@pytest.mark.skipif(np.dtype(np.longdouble).name == "float64", reason="there is no other float")
def test_a_picture_of_another_input_says_so():
    def softmax(scores):
        weights = scores.exp() / scores.exp().sum(dim=-1, keepdim=True)
        return weights.numpy().astype(np.longdouble) if scores.dim() == 1 else weights + 1

    result = checks.softmax(softmax)
    assert "The numbers are of type " in result.message
    assert "\nThe picture is for a square matrix." in result.message


def test_a_leak_test_that_always_says_the_same_is_told_what_it_pokes():
    def test(layer, x):
        layer(torch.cat([x[:, :1], x[:, 1:] + 1], dim=1))
        return False

    message = checks.leak_test(test).message
    assert "It gives the same answer for every layer. What it pokes: tokens." in message


def test_a_number_that_is_too_small_asks_what_is_missing():
    assert checks.gpt2_parameters(3 * 768 * 768 + 1).message.endswith("which part is missing?")


def test_ids_are_told_as_whole_numbers():
    def one_too_large(model, ids, n_new, choose):
        return EXERCISES["generate"].right(model, ids, n_new, choose) + 1

    message = checks.generate(one_too_large).message
    assert re.search(r"ids written\[0, 0\] is \d; expected \d \(12 of 12 differ\)", message)


def test_one_number_that_its_inputs_give_is_told_beside_the_right_one():
    message = checks.loss_without_padding(lambda scores, asked, pad: scores.mean()).message
    assert re.search(r"The loss is -?\d\.\d{4}; expected \d\.\d{4}\.$", message)
    assert "which part is missing" not in message


@pytest.mark.parametrize("error", ["ValueError: no", "NameError: name 'y' is not defined", ""])
def test_an_error_that_speaks_for_itself(error):
    assert advice(error, EXERCISES["softmax"]) == []


def test_nobody_is_sent_to_a_stub():
    texts = [text for p in pitfalls.CATALOGUE for text in (p.symptom, p.hint)]
    assert not any("stub" in text for text in texts)


@pytest.mark.parametrize("begun", [True, False])
def test_a_class_whose_forward_is_still_to_be_written(begun):
    class Layer(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()

        def forward(self, x): ...

    class Begun(Layer):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__(d_in, d_out)
            self.W_query = nn.Linear(d_in, d_out)

    result = checks.self_attention_module(Begun if begun else Layer)
    assert result.attempted == begun
    assert ("There is something left to write: forward." in result.message) == begun


def test_a_variance_that_was_drawn_is_as_good_as_the_expected_one():
    for near in (60, 62.1, 64):
        assert checks.predict("variance at 64", near).passed
    for far in (8, 40, 100):
        assert not checks.predict("variance at 64", far).passed


def test_dropout_that_takes_no_single_row_is_not_right():
    def drop(weights, p):
        keep = torch.rand(weights.shape[0], weights.shape[1]) >= p
        return weights * keep / (1 - p)

    result = checks.dropout(drop)
    assert not result.passed and "a single row" in result.message


MULTI_HEAD = next(code for name, _, code in first_attempts.read() if name == "multi_head")


def multi_head(*changes):
    """What is said of the right class after these changes, `old -> new`."""
    return checks.multi_head(
        answer("multi_head", first_attempts.changed(MULTI_HEAD, changes), 1000)
    )


HEAD_DIM, SPLIT = "key.shape[-1] ** 0.5", "self.split(self.W_value(x))"


@pytest.mark.parametrize(
    "changes",
    [
        [f"{HEAD_DIM} -> key.shape[-1] ** 0.25"],
        [f"{SPLIT} -> {SPLIT}.flip(1)"],
        ["weights @ value -> scores @ value"],
    ],
)
def test_dropout_is_not_blamed_for_what_is_wrong_without_it(changes):
    result = multi_head(*changes)
    assert " differ)." in result.message and result.pitfall is None
    assert "training with dropout" not in result.message


def test_dropout_is_spoken_of_where_all_else_is_right():
    result = multi_head("nn.Dropout(dropout) -> nn.Dropout(dropout / 3)")
    assert "For training with dropout=0.2, the share that is dropped is " in result.message


@pytest.mark.parametrize("merge", ["reshape", "view"])
def test_view_on_the_way_in_and_on_the_way_out_is_one_mistake(merge):
    split = "x.view(b, t, self.num_heads, self.head_dim)"
    result = multi_head(
        f"{split}.permute(0, 2, 1, 3) -> x.view(b, self.num_heads, t, self.head_dim)",
        f".transpose(1, 2).flatten(2) -> .{merge}(len(x), n, -1)",
    )
    assert result.pitfall == "no_transpose"


@pytest.mark.parametrize(
    "split, said",
    [
        (
            lambda x, h: x.chunk(h, dim=-1),
            "It returns a tuple of 3 tensors, and one tensor is wanted.",
        ),
        (lambda x, h: list(x.chunk(h, dim=-1)), "It returns a list of 3 tensors"),
        (lambda x, h: torch.stack(x.chunk(h, dim=-1)), "same, with the axes in another order."),
    ],
)
def test_two_pictures_of_the_same_numbers_are_left_out(split, said):
    result = checks.split_heads(split)
    assert said in result.message and result.picture is None


def test_the_axes_are_not_blamed_for_other_numbers():
    result = checks.split_heads(lambda x, h: 2 * torch.stack(x.chunk(h, dim=-1)))
    assert "axes" not in result.message and result.picture is not None


@pytest.mark.parametrize("answer", [(4, 2, 6, 2), [2, 4, 2, 6]])
def test_a_prediction_whose_numbers_stand_in_another_order(answer):
    message = checks.predict("shape after the split", answer).message
    assert "The numbers are right, their order is not. (batch, heads, tokens" in message


def test_a_prediction_with_too_few_numbers():
    assert "this is 3 numbers." in checks.predict("shape after the split", (2, 6, 8)).message
    assert "this is 8 (of type int)." in checks.predict("shape after the split", 8).message


def test_a_number_typed_with_commas():
    said = "gpt2 parameters: not yet. Write it without commas: Python reads 2,362,368 as 3 numbers."
    assert checks.gpt2_parameters(2, 362, 368).message == said
    assert checks.gpt2_parameters((2, 362, 368)).message == said


def test_two_answers_at_once():
    message = checks.scores(len, len).message
    assert "Pass the function itself" in message and "of type tuple" in message


@pytest.mark.parametrize("refusal", ["raise f'{d_out}'", "return ValueError(d_out)"])
def test_an_error_that_is_no_value_error_is_quoted(refusal):
    message = multi_head(
        'raise ValueError(f"{d_out=} must divide into {num_heads=}") -> ' + refusal
    )
    said = "exceptions must derive from" if "raise" in refusal else "__init__() should return None"
    assert f"it raises TypeError: {said}" in message.message
    assert message.message.endswith("; a ValueError is asked for.")


def test_a_layer_that_refuses_the_sizes_that_fit():
    message = multi_head("d_out % num_heads: -> d_out % num_heads == 0:").message
    assert "refuses d_out=12, num_heads=3, which do divide, and makes one of 7 " in message


def test_a_layer_of_another_shape_is_told_of_the_shape_alone():
    changes = ["b, t, d = x.shape -> t, b, d = x.shape", "n = x.shape[1] -> n = x.shape[0]"]
    message = multi_head(*changes).message
    assert "context has shape (5, 2, 12); expected (2, 5, 12)." in message
    assert "no mixture" not in message


def test_an_out_proj_of_another_name_is_asked_for_by_its_name():
    message = multi_head("out_proj -> W_out").message
    assert "the layer has no out_proj; the check sets weights by these names" in message


def test_one_of_two_results_is_none():
    message = checks.torch_heads(lambda layer, x: (None, x)).message
    assert "result 1, the context, is None." in message and "return?" not in message


# ---------------------------------------------------------------- what is read off a layer's output

FAST = next(code for name, _, code in first_attempts.read() if name == "causal_dropout")


def fast(*changes):
    """The Result for the right fast layer after these changes, `old -> new`."""
    code = first_attempts.changed(FAST, changes)
    return checks.causal_dropout(answer("causal_dropout", code, 1001))


@pytest.mark.parametrize(
    "changes",
    [
        ["attention(query, key, value -> attention(query, key, query * value"],
        ["attention(query, key, value -> attention(query, key, value - query"],
        ["return F -> return query * F"],
    ],
)
def test_no_weights_are_shown_where_none_can_be_read_off(changes):
    result = fast(*changes)
    assert result.pitfall is None and "no mixture of the values" in result.message
    assert "attention weights that your layer must have used" not in result.message
    assert "weights" not in result.picture.text and "your context" in result.picture.text


def test_weights_that_mix_the_values_are_shown():
    result = fast("attention(query, -> attention(2 * query,")
    assert "attention weights that your layer must have used" in result.message
    assert "your weights" in result.picture.text


def test_dropout_elsewhere_is_told_by_its_place_whatever_the_factor():
    kept = "(torch.rand_like(value) >= p)"
    values = fast(f"value, dropout_p=p -> value * {kept}")
    context = fast(f"dropout_p=p, is_causal=True) -> is_causal=True) * {kept}")
    assert (values.pitfall, context.pitfall) == ("drops_values", "drops_context")


def test_the_layer_of_the_notebook_is_no_fast_kernel():
    """There super().forward writes attention out; it is the layer of notebook 3."""
    by_hand = EXERCISES["causal_attention"].right

    class Fast(by_hand):
        def forward(self, x):
            return super().forward(x)

    assert checks.causal_dropout(Fast).pitfall == "no_fast_kernel"


def test_a_method_that_sets_the_mode_is_no_mistake_by_itself():
    class Drop(nn.Module):
        def __init__(self, p):
            super().__init__()
            self.p = p
            self.train()

        def forward(self, weights):
            return nn.functional.dropout(weights, self.p, self.training)

    assert checks.dropout_module(Drop).passed


def test_a_mask_as_a_parameter_is_one_whatever_its_two_numbers():
    for made in ("triu(diagonal=1)", "tril()", "triu(diagonal=1) * -1e9"):

        class Layer(EXERCISES["causal_attention"].right):
            def __init__(self, *sizes, made=made, **named):
                super().__init__(*sizes, **named)
                del self.mask
                self.mask = nn.Parameter(eval(f"torch.ones(sizes[2], sizes[2]).{made}"))

            def forward(self, x):
                q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                hidden = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
                scores = (q @ k.mT / k.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf)
                return scores.softmax(dim=-1) @ v

        assert checks.causal_attention(Layer).pitfall == "mask_as_parameter"


def test_what_forward_gets_is_named_as_the_exercise_has_it():
    class Drop(nn.Module):
        def __init__(self, p):
            super().__init__()

        def forward(self, weights, p):
            return nn.functional.dropout(weights, p)

    assert "forward is called with (self, weights)." in checks.dropout_module(Drop).message
    space = {"nn": nn, "torch": torch, "layer": nn.Linear(50, 50)}
    code = "class Drop(nn.Dropout):\n    def forward(self, weights):\n        return layer(weights)"
    exec(code, space)
    said = "It reads layer from the notebook. forward gets (weights), and what __init__ has kept"
    assert said in checks.dropout_module(space["Drop"]).message


def test_a_number_of_the_notebook_is_not_taken_for_what_init_has_kept():
    space = {"nn": nn, "F": nn.functional, "p": 0.3}
    code = (
        "class Drop(nn.Module):\n    def __init__(self, p):\n        super().__init__()\n"
        "        self.p = p\n    def forward(self, weights):\n"
        "        return F.dropout(weights, p, self.training)"
    )
    exec(code, space)
    message = checks.dropout_module(space["Drop"]).message
    assert "It reads p from the notebook" in message and "cannot see" not in message


def test_the_type_of_another_input_is_not_named_beside_numbers_that_are_off():
    def context(weights, X):
        return sum(w * x for w, x in zip(weights[:-1] * 2, X))

    message = checks.context(context).message
    assert "not yet" in message and "of type int" not in message


def test_a_prediction_takes_a_vector_for_what_it_is():
    from helpers.data.sentences import SUNNY

    assert "a tensor of shape (3,)" in checks.predict("highest score", SUNNY[1]).message
    assert "lost most" in checks.predict("row that keeps its sum", "first").message
    assert checks.predict("row that keeps its sum", "the last row, step").passed
    assert "a list of one number" in checks.predict("variance at 64", [1]).message
