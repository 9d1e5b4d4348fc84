"""A slip is refused before anything is computed, and the message names what came."""

import math

import pytest
import torch

from helpers.models import trained
from helpers.models.attention import CausalAttention, MultiHeadAttention
from helpers.models.attention import scaled_dot_product_attention as attention
from helpers.models.bert import BERT
from helpers.models.gpt import GPT, generate, next_probabilities, top_k, top_p
from helpers.models.llama import read_gguf
from helpers.models.positions import rotary, sinusoidal
from helpers.models.transformer import (
    Attention,
    DecoderLayer,
    Transformer,
    beam,
    causal_mask,
    padding_mask,
)

X, MEMORY, IDS = torch.randn(2, 3, 8), torch.randn(2, 5, 8), torch.zeros(2, 3).long()
LONGER, SHOWN, SCORES = torch.zeros(2, 5).long(), torch.zeros(2, 5).bool(), torch.zeros(4)
LAYER, MODEL = DecoderLayer(8, 2, 16), Transformer(9, 7, 8, 2, 1, 16)
WRITES, READS = GPT(11, 9, 8, 2, 2), BERT(11, 9, 8, 2, 2)
LONG, WIDE = torch.zeros(1, 10).long(), torch.ones(6, 6).bool()

VALUES = [  # call, and what the message of its ValueError must name
    (lambda: MultiHeadAttention(3, 10, 6, 0.0, 3), ["10", "3"]),
    (lambda: CausalAttention(3, 4, 8, 0.0)(torch.ones(9, 3)), ["9", "8"]),
    (lambda: attention(X, X, X, WIDE), ["(6, 6)"]),
    (lambda: attention(X, X, X, dropout=50), ["50"]),
    (lambda: Attention(10, 4), ["d_model=10", "4"]),
    (lambda: LAYER(X[0], MEMORY), ["(3, 8)", "x[None]"]),
    (lambda: LAYER(X, MEMORY[0]), ["memory", "(5, 8)"]),
    (lambda: LAYER(X, MEMORY, None, causal_mask(3)), ["(1, 1, 3, 3)", "(2, 2, 3, 5)"]),
    (lambda: LAYER(X, MEMORY, None, SHOWN), ["(2, 5)"]),
    (lambda: MODEL(LONGER[0], IDS), ["(5,)", "ids[None]"]),
    (lambda: MODEL(IDS, IDS + 7), ["7", "(0 to 6)"]),
    (lambda: beam(MODEL, LONGER, 0, 1, 2, 5), ["(2, 5)"]),
    (lambda: sinusoidal(3, 5), ["d=5", "4 or 6"]),
    (lambda: rotary(X[0, :, :5], torch.arange(3)), ["d=5"]),
    (lambda: rotary(X[0, :2], torch.arange(3)), ["(3,)", "arange(2"]),
    (lambda: rotary(X[0], torch.arange(3), "half"), ["'half'"]),
    (lambda: WRITES(LONG[0]), ["(10,)", "(batch, tokens)"]),
    (lambda: WRITES(LONG[:, :0]), ["(1, 0)"]),
    (lambda: WRITES(LONG), ["10 tokens", "context_length=9"]),
    (lambda: WRITES(torch.tensor([[1, 11]])), ["from 1 to 11", "(0 to 10)"]),
    (lambda: READS(LONG[0]), ["(10,)"]),
    (lambda: READS(LONG), ["context_length=9"]),
    (lambda: READS(torch.tensor([[10, 11]])), ["from 10 to 11"]),
    (lambda: READS(LONGER[:1], None, SHOWN[:1, :3]), ["(1, 1, 1, 3)"]),
    (lambda: top_k(SCORES, 0), ["k=0"]),
    (lambda: top_p(SCORES, 90), ["p=90"]),
    (lambda: next_probabilities(SCORES, 1, None, math.nan), ["p=nan"]),
    (lambda: next_probabilities(SCORES, -1), ["temperature=-1"]),
    (lambda: generate(WRITES, LONGER, 1, top_k=-3), ["k=-3"]),
    (lambda: trained.ids([("Hello", "sun")], ["<pad>", "Hello"]), ["'sun'", "2 words"]),
    (lambda: read_gguf(b"no such file"), ["GGUF"]),
]
TYPES = [  # the same with TypeError
    (lambda: attention(X, X, X, torch.zeros(2, 3, 3)), ["float32"]),
    (lambda: LAYER(X, MEMORY, padding_mask(IDS)), ["int64"]),
    (lambda: READS(IDS, None, IDS), ["int64"]),
]


@pytest.mark.parametrize("kind, cases", [(ValueError, VALUES), (TypeError, TYPES)])
def test_a_slip_is_refused_with_what_came(kind, cases):
    for i, (call, parts) in enumerate(cases):
        with pytest.raises(kind) as caught:
            call()
        assert all(part in str(caught.value) for part in parts), (i, caught.value)
