"""Attention of large models: forward and backward, it equals PyTorch's, Hugging Face's and Keras's.

The layers of notebook 15 are compared in tests/notebooks/test_notebook_15.py.
"""

import pytest
import torch
from oracles import NEAR, assert_alike
from torch.nn import functional as F
from transformers import MistralConfig
from transformers.masking_utils import create_sliding_window_causal_mask

from helpers.models import large
from helpers.models.keras_on_torch import keras

exact = pytest.mark.parametrize("dtype", NEAR, ids=str)


def drawn(*shapes, dtype=torch.float32, spread=1.0):
    torch.manual_seed(0)
    return [(spread * torch.randn(shape, dtype=dtype)).requires_grad_() for shape in shapes]


@exact
@pytest.mark.parametrize("tile", [1, 3, 4, 12, 50])
@pytest.mark.parametrize("spread", [1, 12])  # at 12, scores exceed 100: exp alone would overflow
def test_tiles_give_what_one_softmax_gives(dtype, tile, spread):
    given = drawn((2, 5, 4), (2, 12, 4), (2, 12, 3), dtype=dtype, spread=spread)
    assert_alike(large.tiled_attention(*given, tile), F.scaled_dot_product_attention(*given), given)


@exact
@pytest.mark.parametrize("key_heads", [1, 2, 6])
def test_grouped_heads_are_those_of_pytorch(dtype, key_heads):
    given = drawn((2, 6, 3, 4), (2, key_heads, 5, 4), (2, key_heads, 5, 7), dtype=dtype)
    theirs = F.scaled_dot_product_attention(*given, enable_gqa=True)
    assert_alike(large.grouped_attention(*given), theirs, given)


@pytest.mark.parametrize("tokens, window", [(1, 1), (6, 1), (6, 3), (6, 6), (6, 9)])
def test_the_window_is_mistrals_and_that_of_keras(tokens, window):
    visible = ~large.window_mask(tokens, window)
    config = MistralConfig(sliding_window=window, num_hidden_layers=1)
    config._attn_implementation = "eager"
    x = torch.randn(2, tokens, 8)
    theirs = create_sliding_window_causal_mask(config, x, None, None)
    assert torch.equal(visible, theirs[0, 0] == 0)
    for use_causal_mask, wanted in ((True, visible), (False, visible | visible.T)):
        layer = keras.layers.MultiHeadAttention(2, 4, sliding_window=window)
        masked = layer(x, x, attention_mask=wanted[None].repeat(2, 1, 1)).detach()
        own = layer(x, x, use_causal_mask=use_causal_mask).detach()
        torch.testing.assert_close(own, masked, atol=1e-5, rtol=1e-5)


@exact
@pytest.mark.parametrize("k", [1, 3, 9])
def test_chosen_attention_is_attention_to_the_best_of_the_index(dtype, k):
    shapes = [(9, 5), (9, 5), (9, 4), (9, 3), (9, 3)]
    query, key, value, *index = given = drawn(*shapes, dtype=dtype)
    visible = torch.zeros(9, 9, dtype=torch.bool)
    for i in range(9):
        best = sorted(range(i + 1), key=lambda j: -(index[0][i] @ index[1][j]).item())[:k]
        visible[i, best] = True
    wanted = F.scaled_dot_product_attention(query[None], key[None], value[None], visible[None])[0]
    assert_alike(large.chosen_attention(*given, k), wanted, given[:3])


@exact
def test_linear_steps_are_attention_with_those_weights(dtype):
    query, key, value = drawn((6, 4), (6, 4), (6, 3), dtype=dtype)
    query, key = F.elu(query) + 1, F.elu(key) + 1
    state, total = torch.zeros(4, 3, dtype=dtype), torch.zeros(4, dtype=dtype)
    for i in range(6):
        context, state, total = large.linear_step(query[i], key[i], value[i], state, total)
        scores = [query[i] @ key[j] for j in range(i + 1)]
        wanted = sum(s * value[j] for j, s in enumerate(scores)) / sum(scores)
        torch.testing.assert_close(context, wanted)
