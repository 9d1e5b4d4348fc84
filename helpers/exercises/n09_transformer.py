"""The exercises and predictions of notebook 9: padding, cross-attention, and the two layers."""

import torch

from .. import _
from ..judge.exercise import Case, wave
from ..models import transformer
from .n02_trainable_qkv import SCALES
from .notebook import Notebook
from .small_models import Parts, padded

notebook = Notebook(__name__)


@notebook.ask(
    _("padding_mask(ids, pad): True where a key is padding, (batch, 1, 1, tokens)."),
    returns="mask",
    wanted="bool",
    cases=[
        Case(_("2 sentences of 5 tokens"), torch.tensor([[3, 1, 4, 1, 5], [9, 2, 0, 0, 0]]), 0),
        Case(_("as many sentences as tokens"), torch.tensor([[1, 2, 0], [2, 0, 0], [1, 1, 2]]), 0),
        Case(_("another number for padding"), torch.tensor([[0, 2, 6, 7], [0, 7, 7, 7]]), 7),
        Case(_("padding between words"), torch.tensor([[3, 0, 2, 6], [4, 1, 0, 5]]), 0),
    ],
    reread="Hide the padding",
    mistakes={
        "hides_queries": "[:, None, None, :] → [:, None, :, None]",
        "padding_not_spread": """[:, None, None, :] →
            or [:, None, None, :] → [:, None]
            or [:, None, None, :] → [None, None]
            or [:, None, None, :] → [:, :, None, None]""",
        "visible_for_hidden": "== → !=",
        "not_booleans": """(ids == pad) → (ids == pad).float()
            or (ids == pad) → torch.where(ids == pad, float("-inf"), 0.0)""",
        "pad_is_0": "== pad → == 0",
    },
)
def padding_mask(ids, pad):
    return (ids == pad)[:, None, None, :]


def cross_case(says, batch, target, source, lengths, d_k=3, seed=0, level=0.0):
    x, memory = wave(batch, target, 4, seed=seed), wave(batch, source, 4, seed=seed + 0.5)
    padding, three = (
        padded(*lengths, tokens=source),
        [wave(4, d_k, seed=seed + i) for i in (1, 2, 3)],
    )
    return Case(says, level + x, level + memory, padding, *three)


@notebook.ask(
    _("cross_attention(x, memory, padding, W_query, W_key, W_value): (context, weights)."),
    returns=("context", "weights"),
    cases=[
        cross_case(_("3 words look at 5, 2 sentences"), 2, 3, 5, (5, 2)),
        cross_case(_("as many target words as source words"), 2, 4, 4, (3, 4), d_k=2, seed=1),
        cross_case(_("large numbers"), 2, 2, 3, (3, 2), seed=5, level=6.0),
    ],
    reread="Hide the padding",
    mistakes={
        "other_asks": """x @ W_query, memory @ W_key, memory → memory @ W_query, x @ W_key, x
            or x @ W_query, memory @ W_key, memory → memory @ W_query, x @ W_key, x
            [:, None] → [:, :, None]
            or x @ W_query, memory @ W_key, memory → memory @ W_query, x @ W_key, x
            scores.masked_fill(padding[:, None], float("-inf")) → scores""",
        "keys_of_the_target": """memory @ W_key → x @ W_key
            or memory @ W_key, memory → x @ W_key, x""",
        "padding_forgotten": 'scores.masked_fill(padding[:, None], float("-inf")) → scores',
        "padding_not_spread": "padding[:, None] → padding",
        "hides_queries": "padding[:, None] → padding[:, :, None]",
        "visible_for_hidden": "padding[:, None] → ~padding[:, None]",
        "zeroed_not_hidden": 'scores.masked_fill(padding[:, None], float("-inf")) → scores * ~padding[:, None]',
        "over_queries": "dim=-1 → dim=-2",
        "batch_turned": "keys.mT → keys.T",
        "padding_zeroed_late": """scores.masked_fill(padding[:, None], float("-inf")) → scores
            softmax(dim=-1) → softmax(dim=-1) * ~padding[:, None]""",
        "padding_times_infinity": """scores.masked_fill(padding[:, None], float("-inf"))
                → scores - padding[:, None] * torch.inf""",
        **SCALES,
        "by_d_in": "keys.shape[-1] → x.shape[-1]",
        "values_of_x": "memory @ W_value → x @ W_value",
    },
)
def cross_attention(x, memory, padding, W_query, W_key, W_value):
    queries, keys, values = x @ W_query, memory @ W_key, memory @ W_value
    scores = queries @ keys.mT / keys.shape[-1] ** 0.5
    scores = scores.masked_fill(padding[:, None], float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ values, weights


def encoder_case(says, lengths, tokens, size=(4, 2), seed=0):
    x = wave(len(lengths), tokens, size[0], seed=seed)
    return Case(says, Parts(*size), x, transformer.padding_mask(padded(*lengths, tokens=tokens)))


@notebook.ask(
    _("encoder_layer(parts, x, mask): self-attention and feed-forward, post-norm."),
    returns="x",
    cases=lambda: [
        encoder_case(_("2 sentences"), (5, 3), 5),
        encoder_case(_("as many sentences as words"), (1, 2, 3), 3, size=(6, 3), seed=1),
        Case(_("a causal mask"), Parts(), wave(1, 4, 4, seed=3), transformer.causal_mask(4)),
    ],
    reread="Pre-norm and post-norm",
    mistakes={
        "pre_norm": """parts.norm1(x + parts.attention(x, mask=mask))
                → x + parts.attention(parts.norm1(x), mask=mask)
            parts.norm2(x + parts.feed_forward(x)) → x + parts.feed_forward(parts.norm2(x))""",
        "no_residual": """norm1(x + parts → norm1(parts
            or norm2(x + parts → norm2(parts
            or norm1(x + parts → norm1(parts
            norm2(x + parts → norm2(parts""",
        "norm_on_the_part": """parts.norm1(x + parts → x + parts.norm1(parts
            or parts.norm2(x + parts → x + parts.norm2(parts
            or parts.norm1(x + parts → x + parts.norm1(parts
            parts.norm2(x + parts → x + parts.norm2(parts""",
        "residual_from_before": """x = p → y = p
            (x) → (y)""",
        "parts_side_by_side": """x = p → y = p
            norm2(x → norm2(y""",
        "one_norm_twice": "norm2 → norm1",
        "mask_not_passed": ", mask=mask →",
        "visible_for_hidden": "mask=mask → mask=~mask",
        "mask_as_memory": "mask=mask → mask",
        "no_norm": """parts.norm1(x + parts.attention(x, mask=mask)) → x + parts.attention(x, mask=mask)
            or parts.norm2(x + parts.feed_forward(x)) → x + parts.feed_forward(x)""",
        "no_feed_forward": "return parts.norm2(x + parts.feed_forward(x)) → return x",
        "norms_swapped": """norm1 → norm2
            norm2 → norm1""",
    },
)
def encoder_layer(parts, x, mask):
    x = parts.norm1(x + parts.attention(x, mask=mask))
    return parts.norm2(x + parts.feed_forward(x))


def decoder_case(says, target, source, tokens, size=(4, 2), seed=0):
    """target, source: how long each sentence is; tokens: how long both batches are."""
    shapes = [(len(target), t, size[0]) for t in tokens]
    x, memory = wave(*shapes[0], seed=seed), wave(*shapes[1], seed=seed + 0.5)
    hidden = [padded(*lengths, tokens=t) for lengths, t in zip((target, source), tokens)]
    return Case(says, Parts(*size, cross=True), x, memory, *hidden)


@notebook.ask(
    _("decoder_layer(parts, x, memory, target_padding, source_padding): pre-norm, with its masks."),
    returns="x",
    cases=lambda: [
        decoder_case(_("4 target words, 6 source words"), (4, 2), (3, 6), (4, 6)),
        decoder_case(_("as many target words as source words"), (5, 4), (3, 5), (5, 5), seed=1),
        decoder_case(_("as many sentences as words"), (3, 1, 2), (2, 3, 1), (3, 3), (6, 3), 2),
    ],
    reread="The decoder",
    mistakes={
        "post_norm": """x + parts.attention(parts.norm1(x) → parts.norm1(x + parts.attention(x
            mask=mask) → mask=mask))
            parts.norm2(x), memory → x, memory
            x + parts.cross → parts.norm2(x + parts.cross
            mask=memory_mask) → mask=memory_mask))
            x + parts.feed_forward(parts.norm3(x)) → parts.norm3(x + parts.feed_forward(x))""",
        "causal_forgotten": "later | target_padding → target_padding",
        "target_padding_shown": "later | target_padding[:, None, None, :] → later[None, None]",
        "causal_in_cross": "memory, mask=memory_mask → memory, mask=mask",
        "source_padding_shown": "memory, mask=memory_mask → memory",
        "memory_not_passed": "memory, mask → mask",
        "no_residual": """x + parts.attention → parts.attention
            or x + parts.cross → parts.cross
            or x + parts.feed → parts.feed
            or x + parts.attention → parts.attention
            x + parts.cross → parts.cross
            x + parts.feed → parts.feed""",
        "residual_from_before": """x = x + parts.attention → y = x + parts.attention
            norm2(x) → norm2(y)
            or x = x + parts.cross → y = x + parts.cross
            norm3(x) → norm3(y)""",
        "parts_side_by_side": """x = x + parts.attention → y = x + parts.attention
            x = x + parts.cross → y = y + parts.cross
            return x + → return y +""",
        "norm_on_the_residual": """x + parts.attention(parts.norm1(x) → (x := parts.norm1(x)) + parts.attention(x
            x + parts.cross_attention(parts.norm2(x) → (x := parts.norm2(x)) + parts.cross_attention(x
            x + parts.feed_forward(parts.norm3(x)) → (x := parts.norm3(x)) + parts.feed_forward(x)""",
        "diagonal_0": "diagonal=1 → diagonal=0",
        "visible_for_hidden": "mask=memory_mask → mask=~memory_mask",
        "norms_swapped": """norm1 → norm2
            norm2 → norm1
            or norm2 → norm3
            norm3 → norm2""",
        "one_norm_twice": """norm3 → norm2
            or norm2 → norm1
            norm3 → norm1""",
        "no_norm": """parts.norm1(x) → x
            or parts.norm2(x) → x
            or parts.norm3(x) → x""",
        "memory_normed": "memory, mask → parts.norm2(memory), mask",
        "no_feed_forward": "return x + parts.feed_forward(parts.norm3(x)) → return x",
        "hides_queries": "target_padding[:, None, None, :] → target_padding[:, None, :, None]",
        "tril_for_triu": "triu(diagonal=1) → tril()",
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
    _(
        "There are two words, four positions of padding, and all scores are equal. What are the"
        " weights in the row of lee, once the padding is hidden?"
    ),
    answer=(0.5, 0.5, 0, 0, 0, 0),
    words=((0.17,) * 6, (0.17, 0.17, 0, 0, 0, 0), (0.5, 0.5, 0, 0, 0, 0)),
    why=_("Only two words are left to look at. Their scores are equal, so each gets half."),
    hint=_("The row must sum to 1. Among how many words is this 1 divided?"),
    wrong=[
        (
            (0.17,) * 6,
            _("These are the weights without a mask. Which weights does hidden padding get?"),
        ),
        (
            (0.17, 0.17, 0, 0, 0, 0),
            _("A row must sum to 1. Which tokens get the weight that the padding had?"),
        ),
    ],
)
