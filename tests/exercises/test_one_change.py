"""Where one change makes a wrong answer right, the place is told; where none does, nothing is."""

import inspect

import pytest
import torch

from helpers.exercises import EXERCISES
from helpers.judge import one_change
from helpers.judge.check import check
from helpers.models.attention import CausalAttention


def no_return(tokens):
    torch.ones(tokens, tokens).triu(1).bool()  # here


def another_order(parts, x, mask):
    x = parts.norm2(x + parts.feed_forward(x))
    x = parts.norm1(x + parts.attention(x, mask=mask))  # here
    return x


def stops_with_an_error(ids, pair, new):
    merged, i = [], 0
    while i < len(ids):
        if (ids[i], ids[i + 1]) == tuple(pair):
            merged.append(new)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def a_step_too_many(scores, labels):
    return torch.nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten()).exp()  # here


def brackets_left_out(tokens, window):
    back = torch.arange(tokens)[:, None] - torch.arange(tokens)
    return (back < 0) | back >= window  # here


class OneProjectionTwice(torch.nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x) + 1.0, self.W_value(x)
        return (q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=-1) @ v * 3  # here


class RightIfItsForwardGoes(CausalAttention):
    def forward(self, x):
        return self.W_value(x) * self.dropout.p


@pytest.mark.parametrize(
    "name, answer",
    {
        "causal_mask": no_return,
        "encoder_layer": another_order,
        "merge_once": stops_with_an_error,
        "masked_word_loss": a_step_too_many,
        "window_mask": brackets_left_out,
        "self_attention_module": OneProjectionTwice,
        "causal_dropout": RightIfItsForwardGoes,
    }.items(),
)
def test_the_line_of_the_one_change_is_told_if_there_is_one(name, answer, monkeypatch):
    monkeypatch.setattr(one_change, "SECONDS", 3)  # a busy computer must find it, too
    result = check(EXERCISES[name], answer)
    told = [one.about["line"] for one in result.facts if one.kind == "one change"]
    lines, start = inspect.getsourcelines(answer)
    assert told == [start + i for i, line in enumerate(lines) if line.endswith("# here\n")]
    assert not result.passed and all(f" {line} " in result.message for line in told)


def of_other_heads(weights, pronoun, right, other):
    return weights.flip(1)[..., pronoun, right] > weights.flip(1)[..., pronoun, other]


def test_a_changed_answer_that_python_warns_of_warns_no_learner(recwarn):
    assert [*one_change.changes(of_other_heads)]  # 1[…] is among them, of which Python warns
    assert not recwarn.list
