"""Notebook 14: its functions and its exercises do what the notebook says of them."""

import pytest
import torch

from helpers import exercises
from helpers.exercises.small_models import Reader, Writer, encoder, filled
from helpers.inside import watch
from helpers.models.attention import scaled_dot_product_attention


@pytest.mark.parametrize(
    "model, name", [(encoder(8, 2), "layers.1.self_attn"), (filled(Reader(8, 2, memory=7)), "look")]
)
def test_the_watch_to_be_written_sees_what_ours_sees(model, name):
    x = torch.randn(2, 5, 8)
    output, weights = exercises.my_watch(model, name, x)
    with watch(model) as seen:
        torch.testing.assert_close(model(x), output)
    torch.testing.assert_close(seen.weights[name], weights)


def test_a_head_that_is_off_is_one_whose_weights_are_none():
    model, x = filled(Writer(6, 3, 1)), torch.randn(2, 5, 6)
    block = model.blocks[0]
    attention, seen = block.attention, block.norm1(x)
    split = [part(seen) for part in (attention.W_query, attention.W_key, attention.W_value)]
    query, key, value = (t.unflatten(-1, (3, 2)).transpose(1, 2) for t in split)
    hidden = torch.ones(5, 5).triu(1).bool()
    _, weights = scaled_dot_product_attention(query, key, value, hidden)
    weights = weights * torch.tensor([1.0, 0.0, 1.0])[:, None, None]
    after = x + attention.out_proj((weights @ value).transpose(1, 2).flatten(2))
    wanted = model.out(after + block.feed_forward(block.norm2(after)))
    got = exercises.without_head(model, "blocks.0.attention", 1, x)
    assert torch.allclose(got, wanted, atol=1e-5)


def test_an_even_head_scores_its_share_and_a_perfect_one_scores_1():
    even = torch.full((1, 1, 12, 12), 1 / 12)
    perfect = torch.zeros(1, 1, 12, 12)
    for t in range(4, 12):
        perfect[0, 0, t, t - 3] = 1
    scores = exercises.induction_scores(torch.cat([even, perfect]), 4)
    assert torch.allclose(scores, torch.tensor([[1 / 12], [1.0]]))
