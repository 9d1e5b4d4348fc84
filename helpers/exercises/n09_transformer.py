"""The exercises and predictions of notebook 9: padding, cross-attention, and the two layers."""

import torch

from ..judge.exercise import wave
from ..judge.functions import Case
from ..models.transformer import causal_mask
from ..models.transformer import padding_mask as spread
from .edits import swap
from .layer_parts import Parts, padded
from .n02_trainable_qkv import SOFTMAX
from .notebook import Notebook

notebook = Notebook(__name__)


@notebook.function(
    "padding_mask(ids, pad): True where a key is padding, (batch, 1, 1, tokens).",
    returns="mask",
    wanted="bool",
    cases=[
        Case("2 sentences of 5 tokens", torch.tensor([[3, 1, 4, 1, 5], [9, 2, 0, 0, 0]]), 0),
        Case("as many sentences as tokens", torch.tensor([[1, 2, 0], [2, 0, 0], [1, 1, 2]]), 0),
        Case("nothing to fill up", torch.tensor([[5, 3], [2, 4], [1, 1]]), 0),
        Case("another number for padding", torch.tensor([[0, 6, 2, 7], [0, 7, 7, 7]]), 7),
        Case("padding in front", torch.tensor([[0, 0, 4], [0, 5, 6]]), 0),
        Case("one word", torch.tensor([[4]]), 0),
    ],
    mistakes={
        "hides_queries": swap("[:, None, None, :]", "[:, None, :, None]"),
        "padding_not_spread": [
            swap("[:, None, None, :]", ""),
            swap("[:, None, None, :]", "[:, None, :]"),
            swap("[:, None, None, :]", "[:, :, None, None]"),
            swap("[:, None, None, :]", "[None, None, :, :]"),
        ],
        "visible_for_hidden": swap("==", "!="),
        "queries_spread": swap(
            "[:, None, None, :]", "[:, None, None, :].expand(-1, 1, ids.shape[1], -1)"
        ),
        "not_booleans": [
            swap("(ids == pad)", "(ids == pad).float()"),
            swap("(ids == pad)", 'torch.where(ids == pad, float("-inf"), 0.0)'),
        ],
        "pad_is_0": [swap("== pad", "== 0"), ("return (ids < 1)[:, None, None, :]")],
    },
)
def padding_mask(ids, pad):
    return (ids == pad)[:, None, None, :]


PROJECTED = "x @ W_query, memory @ W_key, memory @ W_value"
ASKED_BY_THE_SOURCE = "memory @ W_query, x @ W_key, x @ W_value"


def projections(seed=0, d=4, d_k=3):
    return [wave(d, d_k, seed=seed + i) for i in (1, 2, 3)]


def cross_case(says, batch, target, source, lengths, seed=0, level=0.0, double=False):
    x, memory = wave(batch, target, 4, seed=seed), wave(batch, source, 4, seed=seed + 0.5)
    given = [level + x, level + memory, *projections(seed)]
    x, memory, *three = [part.double() for part in given] if double else given
    return Case(says, x, memory, padded(*lengths, tokens=source), *three)


@notebook.function(
    "cross_attention(x, memory, padding, W_query, W_key, W_value): (context, weights).",
    returns=("context", "weights"),
    trains=True,
    cases=[
        cross_case("3 words look at 5, 2 sentences", 2, 3, 5, (5, 2)),
        cross_case("as many target words as source words", 2, 4, 4, (3, 4), seed=1),
        cross_case("as many sentences as words", 3, 3, 3, (1, 2, 3), seed=2),
        cross_case("one target word", 1, 1, 4, (3,), seed=3),
        cross_case("one source word", 2, 3, 1, (1, 1), seed=4),
        cross_case("large numbers", 2, 2, 3, (3, 2), seed=5, level=6.0),
        cross_case("float64", 2, 3, 5, (4, 5), seed=6, double=True),
    ],
    mistakes={
        "asked_by_the_source": [
            swap(PROJECTED, ASKED_BY_THE_SOURCE),
            (swap(PROJECTED, ASKED_BY_THE_SOURCE), swap("padding[:, None]", "padding[:, :, None]")),
        ],
        "keys_of_the_target": [
            swap("memory @ W_key", "x @ W_key"),
            swap(PROJECTED, "x @ W_query, x @ W_key, x @ W_value"),
        ],
        "values_of_the_target": swap("memory @ W_value", "x @ W_value"),
        "queries_of_the_source": swap("x @ W_query", "memory @ W_query"),
        "padding_forgotten": "scores = scores",
        "hides_queries": swap("padding[:, None]", "padding[:, :, None]"),
        "padding_not_spread": [
            swap("padding[:, None]", "padding"),
            swap("padding[:, None]", "padding[:, None, None]"),
        ],
        "visible_for_hidden": swap("padding[:, None]", "~padding[:, None]"),
        "causal_in_cross": [
            'scores = scores.masked_fill(torch.ones(scores.shape[1:]).triu(1).bool(), float("-inf"))',
            "later = torch.ones(scores.shape[1:]).triu(diagonal=1).bool()\n"
            'scores = scores.masked_fill(padding[:, None] | later, float("-inf"))',
        ],
        "zeroed_not_hidden": "scores = scores.masked_fill(padding[:, None], 0.0)",
        "over_queries_in_batch": swap(SOFTMAX, "scores.softmax(dim=-2)"),
        "over_batch": swap(SOFTMAX, "scores.softmax(dim=0)"),
        "batch_turned": [swap("keys.mT", "keys.T"), swap("keys.mT", "keys.transpose(0, 1)")],
        "padding_zeroed_late": (
            swap(SOFTMAX, "scores.softmax(dim=-1).masked_fill(padding[:, None], 0.0)"),
            "scores = scores",
        ),
        "padding_times_infinity": 'scores = scores + padding[:, None] * float("-inf")',
        "no_scale": swap(" / keys.shape[-1] ** 0.5", ""),
        "by_d_model": swap("keys.shape", "x.shape"),
        "results_swapped": "return weights, weights @ values",
    },
)
def cross_attention(x, memory, padding, W_query, W_key, W_value):
    queries, keys, values = x @ W_query, memory @ W_key, memory @ W_value
    scores = queries @ keys.mT / keys.shape[-1] ** 0.5
    scores = scores.masked_fill(padding[:, None], float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ values, weights


@notebook.function(
    "encoder_layer(parts, x, mask): self-attention and feed-forward, post-norm.",
    returns="x",
    trains=True,
    cases=lambda: [
        Case("2 sentences", Parts(), wave(2, 5, 4), spread(padded(5, 3, tokens=5))),
        Case(
            "as many sentences as words",
            Parts(6, 3),
            wave(3, 3, 6, seed=1),
            spread(padded(1, 2, 3, tokens=3)),
        ),
        Case("one word", Parts(), wave(2, 1, 4, seed=2), spread(padded(1, 1, tokens=1))),
        Case("a causal mask", Parts(), wave(1, 4, 4, seed=3), causal_mask(4)),
        Case("large numbers", Parts(), 9 * wave(2, 3, 4, seed=4), spread(padded(3, 2, tokens=3))),
    ],
    mistakes={
        "pre_norm": (
            "x = x + parts.attention(parts.norm1(x), mask=mask)",
            "return x + parts.feed_forward(parts.norm2(x))",
        ),
        "no_short_cut": [
            swap("norm1(x + ", "norm1("),
            swap("norm2(x + ", "norm2("),
            (swap("norm1(x + ", "norm1("), swap("norm2(x + ", "norm2(")),
        ],
        "norm_on_the_part": [
            "x = x + parts.norm1(parts.attention(x, mask=mask))",
            (
                "x = x + parts.norm1(parts.attention(x, mask=mask))",
                "return x + parts.norm2(parts.feed_forward(x))",
            ),
        ],
        "short_cut_from_before": [
            (
                swap("x = parts.norm1", "seen = parts.norm1"),
                swap("feed_forward(x)", "feed_forward(seen)"),
            ),
            swap("x = parts.norm1", "seen = parts.norm1"),
        ],
        "one_norm_twice": [swap("norm2", "norm1"), swap("norm1", "norm2")],
        "mask_not_passed": swap(", mask=mask", ""),
        "mask_as_memory": swap("mask=mask", "mask"),
        "feed_forward_first": (
            swap("attention(x, mask=mask)", "feed_forward(x)"),
            "return parts.norm2(x + parts.attention(x, mask=mask))",
        ),
        "no_feed_forward": "return x",
        "no_norm": [
            "x = x + parts.attention(x, mask=mask)",
            "return x + parts.feed_forward(x)",
            (
                "x = x + parts.attention(x, mask=mask)",
                "return x + parts.feed_forward(x)",
            ),
        ],
        "norms_swapped": (swap("norm1", "norm2"), "return parts.norm1(x + parts.feed_forward(x))"),
        "in_place": (
            "x += parts.attention(x, mask=mask)\nx.copy_(parts.norm1(x))",
            "return parts.norm2(x + parts.feed_forward(x))",
        ),
    },
)
def encoder_layer(parts, x, mask):
    x = parts.norm1(x + parts.attention(x, mask=mask))
    return parts.norm2(x + parts.feed_forward(x))


CROSS = "x = x + parts.cross_attention(parts.norm2(x), memory, mask=memory_mask)"
OWN = "x = x + parts.attention(parts.norm1(x), mask=mask)"
SWAPPED = f"{CROSS.replace('norm2', 'norm1')}\n{OWN.replace('norm1', 'norm2')}"


def decoder_case(says, target, source, tokens, size=(4, 2), seed=0, in_front=False):
    """target, source: how long each sentence is; tokens: how long both batches are."""
    shapes = [(len(target), t, size[0]) for t in tokens]
    x, memory = wave(*shapes[0], seed=seed), wave(*shapes[1], seed=seed + 0.5)
    target_padding, source_padding = (
        padded(*target, tokens=tokens[0]),
        padded(*source, tokens=tokens[1]),
    )
    target_padding = target_padding.flip(1) if in_front else target_padding
    return Case(says, Parts(*size, cross=True), x, memory, target_padding, source_padding)


@notebook.function(
    "decoder_layer(parts, x, memory, target_padding, source_padding): pre-norm, with its masks.",
    returns="x",
    trains=True,
    cases=lambda: [
        decoder_case("4 target words, 6 source words", (4, 2), (3, 6), (4, 6)),
        decoder_case("as many target words as source words", (5, 4), (3, 5), (5, 5), seed=1),
        decoder_case("as many sentences as words", (3, 1, 2), (2, 3, 1), (3, 3), (6, 3), 2),
        decoder_case("one target word", (1, 1), (4, 2), (1, 4)),
        decoder_case(
            "padding in front of the target", (4, 3), (3, 2), (4, 3), seed=3, in_front=True
        ),
    ],
    mistakes={
        "post_norm": (
            swap(OWN, "x = parts.norm1(x + parts.attention(x, mask=mask))"),
            swap(CROSS, "x = parts.norm2(x + parts.cross_attention(x, memory, mask=memory_mask))"),
            "return parts.norm3(x + parts.feed_forward(x))",
        ),
        "causal_forgotten": "mask = target_padding[:, None, None, :]",
        "target_padding_shown": "mask = later[None, None]",
        "causal_in_cross": [
            swap("memory, mask=memory_mask", "memory, mask=mask"),
            "memory_mask = source_padding[:, None, None, :] | later",
        ],
        "source_padding_shown": swap("memory, mask=memory_mask", "memory"),
        "paddings_swapped": [
            "memory_mask = target_padding[:, None, None, :]",
            (
                "mask = later | source_padding[:, None, None, :]",
                "memory_mask = target_padding[:, None, None, :]",
            ),
        ],
        "and_for_or": swap("later | target", "later & target"),
        "tokens_of_batch": "tokens = len(x)",
        "hides_queries": [
            "memory_mask = source_padding[:, None, None, :] | target_padding[:, None, :, None]",
            "memory_mask = source_padding[:, None, :, None]",
            "mask = later | target_padding[:, None, :, None]",
        ],
        "visible_for_hidden": [
            "memory_mask = ~source_padding[:, None, None, :]",
            swap("triu(diagonal=1)", "tril()"),
        ],
        "diagonal_0": swap("diagonal=1", "diagonal=0"),
        "cross_before_self": swap(f"{OWN}\n    {CROSS}", SWAPPED),
        "memory_not_passed": [
            swap("memory, mask=memory_mask", "mask=mask"),
            swap("memory, mask=memory_mask", "mask=memory_mask"),
        ],
        "memory_normed": swap("memory, mask", "parts.norm2(memory), mask"),
        "asked_by_the_source": swap("parts.norm2(x), memory", "memory, parts.norm2(x)"),
        "no_short_cut": [
            swap(OWN, OWN.replace("x + ", "")),
            swap(CROSS, CROSS.replace("x + ", "")),
            swap("return x + ", "return "),
        ],
        "one_norm_twice": [swap("norm2", "norm1"), swap("norm3", "norm2")],
        "norms_swapped": [
            (swap("norm1", "norm0"), swap("norm2", "norm1"), swap("norm0", "norm2")),
            (swap("norm3", "norm0"), swap("norm2", "norm3"), swap("norm0", "norm2")),
            (swap("norm3", "norm0"), swap("norm1", "norm3"), swap("norm0", "norm1")),
        ],
        "one_attention_twice": swap("cross_attention", "attention"),
    },
)
def decoder_layer(parts, x, memory, target_padding, source_padding):
    tokens = x.shape[1]
    later = torch.ones(tokens, tokens).triu(diagonal=1).bool()
    mask = later | target_padding[:, None, None, :]
    memory_mask = source_padding[:, None, None, :]
    x = x + parts.attention(parts.norm1(x), mask=mask)
    x = x + parts.cross_attention(parts.norm2(x), memory, mask=memory_mask)
    return x + parts.feed_forward(parts.norm3(x))


notebook.predict(
    "row of lee",
    "Two words, four blanks, all scores equal: the weights of lee, once the blanks are hidden?",
    form="six numbers, such as (1, 2, 3, 4, 5, 6)",
    answer=(0.5, 0.5, 0, 0, 0, 0),
    within=0.01,
    why="Two words are left to look at, and their scores are equal.",
    hint="Among whom is the 1 of the row shared out?",
    wrong=[
        ((0.17,) * 6, "So it is with no mask. What happens to the shares of the blanks?"),
        ((0.17, 0.17, 0, 0, 0, 0), "What must a row sum to? Who gets what the blanks had?"),
        ((0, 1, 0, 0, 0, 0), "lee may look at itself, and at whom else?"),
    ],
)
