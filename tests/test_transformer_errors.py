"""What the Transformer says of what does not fit: what came, what was expected, what to do."""

import re

import pytest
import torch

from helpers.models.transformer import (
    Attention,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    Transformer,
    beam,
    causal_mask,
    greedy,
    padding_mask,
)

X, MEMORY = torch.randn(2, 3, 8), torch.randn(2, 5, 8)
IDS = torch.zeros(2, 3, dtype=torch.long)
LONGER = torch.zeros(2, 5, dtype=torch.long)
SHOWN = torch.zeros(2, 5, dtype=torch.bool)


def attention():
    return Attention(8, 2)


def decoder():
    return DecoderLayer(8, 2, 16)


def model(**others):
    return Transformer(9, 7, 8, 2, 1, 16, **others)


THE_THREE = ("source padding", "target padding", "causal")

CASES = {
    "heads do not divide": (
        lambda: Attention(10, 4),
        ValueError,
        ["d_model=10", "num_heads=4", "such as 8"],
    ),
    "a size of 0": (lambda: EncoderLayer(8, 2, 0), ValueError, ["FeedForward", "d_ff=0"]),
    "a share above 1": (lambda: DecoderLayer(8, 2, 16, 1.5), ValueError, ["dropout=1.5"]),
    "an activation of no name": (
        lambda: FeedForward(8, 16, activation="swish"),
        ValueError,
        ["'swish'", "relu, gelu, gelu_tanh"],
    ),
    "ids to a layer": (lambda: attention()(IDS), TypeError, ["int64", "nn.Embedding"]),
    "one sentence": (lambda: attention()(X[0]), ValueError, ["(3, 8)", "x[None]"]),
    "another size": (lambda: attention()(X[..., :6]), ValueError, ["(2, 3, 6)", "tokens, 8"]),
    "causal, of more keys than queries": (
        lambda: attention()(X, MEMORY, is_causal=True),
        ValueError,
        ["3 queries and 5 keys", "the first query see the first key alone", "pass a mask"],
    ),
    "another batch": (
        lambda: decoder()(X, MEMORY[:1]),
        ValueError,
        ["x has 2", "memory 1", "expand"],
    ),
    "memory of another size": (
        lambda: decoder()(X, MEMORY[..., :4]),
        ValueError,
        ["memory has shape (2, 5, 4)"],
    ),
    "the causal mask in cross-attention": (
        lambda: decoder()(X, MEMORY, None, causal_mask(3)),
        ValueError,
        ["(1, 1, 3, 3)", "(2, 2, 3, 5)", *THE_THREE],
    ),
    "the source's padding in self-attention": (
        lambda: decoder()(X, MEMORY, padding_mask(SHOWN)),
        ValueError,
        ["(2, 1, 1, 5)", "(2, 2, 3, 3)", *THE_THREE],
    ),
    "padding as it is": (
        lambda: attention()(X, MEMORY, SHOWN),
        ValueError,
        ["(2, 5)", "with 1 where one mask serves all", *THE_THREE],
    ),
    "a mask of 0 and 1": (
        lambda: attention()(X, MEMORY, padding_mask(SHOWN).float()),
        TypeError,
        ["float32", "True = hidden"],
    ),
    "padding that is a mask already": (
        lambda: padding_mask(padding_mask(SHOWN)),
        ValueError,
        ["(2, 1, 1, 5)", "ids == pad"],
    ),
    "ids as padding": (lambda: padding_mask(IDS), TypeError, ["int64", "booleans"]),
    "paddings in each other's place": (
        lambda: model()(LONGER, IDS, torch.zeros(2, 3).bool(), SHOWN),
        ValueError,
        ["source_padding has shape (2, 3)", "(2, 5)", *THE_THREE],
    ),
    "target padding for its keys": (
        lambda: model()(LONGER, IDS, SHOWN, SHOWN),
        ValueError,
        ["target_padding has shape (2, 5)", "(2, 3)", *THE_THREE],
    ),
    "source padding to decode": (
        lambda: model().decode(IDS, MEMORY, torch.zeros(2, 3).bool()),
        ValueError,
        ["source_padding has shape (2, 3)", "(2, 5)"],
    ),
    "words, not ids": (lambda: model()(["me"], IDS), TypeError, ["list", "int64"]),
    "embeddings, not ids": (lambda: model()(MEMORY, IDS), TypeError, ["float32"]),
    "one sentence of ids": (lambda: model()(LONGER[0], IDS), ValueError, ["(5,)", "ids[None]"]),
    "the other language": (
        lambda: model()(IDS, IDS + 8),
        ValueError,
        ["from 8 to 8", "vocabulary of 7", "other language"],
    ),
    "an id as large as the vocabulary": (
        lambda: model()(LONGER, IDS + 7),
        ValueError,
        ["from 7 to 7", "vocabulary of 7 (0 to 6)"],
    ),
    "an id below 0": (lambda: model()(LONGER - 1, IDS), ValueError, ["from -1 to -1", "(0 to 8)"]),
    "a sentence of no tokens": (lambda: attention()(X[:, :0]), ValueError, ["shape (2, 0, 8)"]),
    "two vocabularies, one matrix": (
        lambda: model(shared=True),
        ValueError,
        ["source_vocabulary=9", "target_vocabulary=7"],
    ),
    "an odd size": (
        lambda: Transformer(9, 7, 9, 3, 1, 16)(LONGER, IDS),
        ValueError,
        ["9"],
    ),
    "no layers": (lambda: Transformer(9, 7, 8, 2, 0, 16), ValueError, ["num_layers=0"]),
    "a start that is no word": (
        lambda: greedy(model(), LONGER, 7, 1, 5),
        ValueError,
        ["start=7", "0 to 6"],
    ),
    "an end that is no word": (lambda: greedy(model(), LONGER, 0, -1, 5), ValueError, ["end=-1"]),
    "no words to write": (lambda: greedy(model(), LONGER, 0, 1, 0), ValueError, ["max_length=0"]),
    "no beam": (lambda: beam(model(), LONGER[:1], 0, 1, 0, 5), ValueError, ["width=0"]),
    "a batch for the beam": (
        lambda: beam(model(), LONGER, 0, 1, 2, 5),
        ValueError,
        ["(2, 5)", "one sentence", "source[:1]"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_error_says_what_came_and_what_to_do(case):
    call, kind, parts = CASES[case]
    with pytest.raises(kind) as raised:
        call()
    for part in parts:
        assert part in str(raised.value), str(raised.value)
    assert not re.search(r"broadcast|mat1|dimension \d", str(raised.value))


def test_a_mask_of_1_where_it_serves_all_is_taken():
    for shape in [(1, 1, 1, 5), (2, 1, 1, 5), (1, 2, 3, 5), (2, 2, 3, 5), (1, 1, 3, 1)]:
        assert attention()(X, MEMORY, torch.zeros(shape).bool()).shape == (2, 3, 8)


@pytest.mark.parametrize("tokens", [torch.zeros(2, 5, 4), 5.0, "five"])
def test_a_causal_mask_wants_to_know_how_many(tokens):
    with pytest.raises(TypeError, match="tokens is of type .*; pass how many there are"):
        causal_mask(tokens)
