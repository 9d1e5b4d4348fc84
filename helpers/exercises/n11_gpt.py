"""The exercises and predictions of notebook 11: next-token loss, the block, GPT's parameters."""

import torch
from torch.nn import functional as F

from .. import _
from ..judge.exercise import Case, wave
from .n10_translation import ids
from .notebook import Notebook
from .small_models import Parts

notebook = Notebook(__name__)


def loss_by_hand(logits, ids):
    log_probabilities = logits[:, :-1].log_softmax(dim=-1)
    surprise = -log_probabilities.gather(-1, ids[:, 1:, None])[..., 0]
    words = ids[:, 1:] != 0
    return surprise[words].mean()


@notebook.ask(
    _(
        "next_word_loss(logits, ids): the mean surprise at each next word, without the padding, id 0."
    ),
    returns="loss",
    cases=[
        Case(_("padding at the end"), wave(2, 5, 6, seed=1), ids([1, 3, 2, 4, 1], [1, 2, 0, 0, 0])),
        Case(_("2 stories of 5 words"), wave(2, 5, 7), ids([1, 4, 2, 6, 3], [1, 5, 5, 2, 4])),
        Case(_("as many stories as words"), wave(2, 2, 4, seed=2), ids([1, 2], [1, 3])),
        Case(_("as many words as the vocabulary"), wave(1, 4, 4, seed=3), ids([1, 3, 2, 0])),
        Case(_("large logits"), 300 * wave(2, 4, 5, seed=4), ids([1, 2, 4, 3], [1, 4, 4, 0])),
    ],
    also=[loss_by_hand],
    reread="The loss",
    mistakes={
        "answers_not_shifted": """guesses = logits[:, :-1] → guesses = logits
            answers = ids[:, 1:] → answers = ids
            or guesses = logits[:, :-1] → guesses = logits[:, 1:]
            answers = ids[:, 1:] → answers = ids[:, 1:]""",
        "padding_in_the_loss": ", ignore_index=0 →",
        "softmax_before_loss": "guesses.flatten(0, 1) → guesses.flatten(0, 1).softmax(dim=-1)",
        "summed": 'ignore_index=0 → ignore_index=0, reduction="sum"',
        "not_flattened": """guesses.flatten(0, 1), answers.flatten() → guesses, answers
            or answers.flatten() → answers""",
        "one_for_each_word": 'ignore_index=0 → ignore_index=0, reduction="none"',
        "answers_shifted_back": """guesses = logits[:, :-1] → guesses = logits[:, 1:]
            answers = ids[:, 1:] → answers = ids[:, :-1]""",
        "mean_over_stories": "surprise[words] → torch.stack([s[w].mean() for s, w in zip(surprise, words)])",
        "stories_shifted": """guesses = logits[:, :-1] → guesses = logits[:-1]
            answers = ids[:, 1:] → answers = ids[1:]""",
        "log_of_the_mean": "return surprise[words].mean() → return -(-surprise[words]).exp().mean().log()",
        "reshaped": """guesses.flatten(0, 1), answers.flatten()
            → guesses.reshape(len(guesses), -1, guesses.shape[1]), answers""",
        "sign_lost": "surprise = -log_probabilities → surprise = log_probabilities",
        "logits_left_raw": """logits[:, :-1].log_softmax(dim=-1) → logits[:, :-1]
            or log_softmax(dim=-1) → log()""",
        "divided_by_all": "surprise[words] → (surprise * words)",
        "log_after_softmax": "log_softmax(dim=-1) → softmax(dim=-1).log()",
        "padding_alone": "words = ids[:, 1:] != 0 → words = ids[:, 1:] == 0",
        "stories_run_together": """logits[:, :-1] → logits.flatten(0, 1)[None, :-1]
            answers = ids[:, 1:] → answers = ids.flatten()[None, 1:]""",
        "words_rolled": """guesses = logits[:, :-1] → guesses = logits
            answers = ids[:, 1:] → answers = ids.roll(-1, dims=1)""",
        "lost_gradient": "ignore_index=0) → ignore_index=0).item()",
    },
)
def next_word_loss(logits, ids):
    guesses = logits[:, :-1]
    answers = ids[:, 1:]
    return F.cross_entropy(guesses.flatten(0, 1), answers.flatten(), ignore_index=0)


@notebook.ask(
    _("gpt_block(parts, x): causal self-attention and feed-forward, pre-norm."),
    returns="x",
    cases=lambda: [
        Case(_("2 stories of 5 words"), Parts(), wave(2, 5, 4)),
        Case(_("as many stories as words"), Parts(), wave(3, 3, 4, seed=1)),
        Case(_("as many words as numbers"), Parts(6, 3), wave(1, 6, 6, seed=2)),
        Case(_("large numbers"), Parts(), 30 * wave(2, 4, 4, seed=4)),
    ],
    reread="From the decoder to GPT",
    mistakes={
        "post_norm": """x + parts.attention(parts.norm1(x), mask=future)
                → parts.norm1(x + parts.attention(x, mask=future))
            parts.norm2(x) → x
            return x + thought → return parts.norm2(x + thought)
            or parts.norm2(x) → x
            return x + thought → return parts.norm2(x + thought)""",
        "mask_convention": "triu(1) → tril()",
        "not_booleans": 'ones(tokens, tokens).triu(1).bool() → full((tokens, tokens), float("-inf")).triu(1)',
        "no_residual": """x + parts → parts
            or return x + thought → return thought
            or x + parts → parts
            return x + thought → return thought
            or x = x + parts.attention → seen = parts.attention
            parts.norm2(x) → parts.norm2(seen)
            or x = x + parts.attention → seen = parts.attention
            parts.norm2(x) → parts.norm2(x + seen)
            return x + thought → return seen + thought""",
        "x_not_read": """x = x + parts.attention → seen = parts.attention
            parts.norm2(x) → parts.norm2(seen)
            return x + thought → return x + seen + thought""",
        "residual_from_before": """x = x + parts.attention → y = x + parts.attention
            parts.norm2(x) → parts.norm2(y)""",
        "parts_side_by_side": """x = x + parts.attention → y = x + parts.attention
            return x + → return y +""",
        "norm_on_the_residual": """x = x + parts.attention(parts.norm1(x), mask=future) → x = parts.norm1(x)
            x = x + parts.attention(x, mask=future)
            or x = x + parts.attention(parts.norm1(x), mask=future) → x = parts.norm1(x)
            x = x + parts.attention(x, mask=future)
            thought = parts.feed_forward(parts.norm2(x)) → x = parts.norm2(x)
            thought = parts.feed_forward(x)""",
        "no_mask": ", mask=future →",
        "mask_without_axes": """bool()[None, None] → bool()
            or None, None → None
            or bool()[None, None] → bool().expand(len(x), -1, -1)""",
        "norms_swapped": """norm1 → norm2
            norm2 → norm1""",
        "tokens_of_batch": "tokens = x.shape[1] → tokens = x.shape[0]",
        "one_norm_twice": "parts.norm2 → parts.norm1",
        "diagonal_0": "triu(1) → triu(0)",
        "diagonal_2": "triu(1) → triu(2)",
        "no_norm": """parts.norm1(x) → x
            or parts.norm2(x) → x
            or parts.norm1(x) → x
            parts.norm2(x) → x""",
        "tokens_of_width": "tokens = x.shape[1] → tokens = x.shape[-1]",
    },
)
def gpt_block(parts, x):
    tokens = x.shape[1]
    future = torch.ones(tokens, tokens).triu(1).bool()[None, None]
    x = x + parts.attention(parts.norm1(x), mask=future)
    thought = parts.feed_forward(parts.norm2(x))
    return x + thought


@notebook.count(
    _("How many numbers does GPT-2 medium learn, its weights tied?"),
    returns="parameters",
    reread="The whole of GPT",
    mistakes={
        "another_size": """d, layers = 1024, 24 → d, layers = 768, 12
            or d, layers = 1024, 24 → d, layers = 1024, 12
            or d, layers = 1024, 24 → d, layers = 768, 24""",
        "rounded": """words + positions + layers * block + last_norm
                → round(words + positions + layers * block + last_norm, -5)
            or words + positions + layers * block + last_norm
                → round(words + positions + layers * block + last_norm, -6)
            or words + positions + layers * block + last_norm → 345_000_000""",
        "head_counted_again": "words + → 2 * words +",
        "out_proj_not_counted": "attention = 4 → attention = 3",
        "one_block_counted": "layers * block → block",
    },
)
def gpt2_medium():
    d, layers = 1024, 24
    words, positions = 50_257 * d, 1024 * d
    attention = 4 * (d * d + d)
    feed_forward = d * 4 * d + 4 * d + 4 * d * d + d
    norms = 2 * (d + d)
    block = attention + feed_forward + norms
    last_norm = d + d
    return words + positions + layers * block + last_norm


notebook.predict(
    "logits that move",
    _(
        "A text has seven tokens, at positions 0 to 6. If the token at position 4 is changed,"
        " at which positions do the logits move?"
    ),
    answer=(4, 5, 6),
    words=(_("only 4"), (5, 6), (4, 5, 6), (0, 1, 2, 3, 4, 5, 6)),
    why=_("The mask hides a token from the positions before it, and from no others."),
    hint=_("Which positions may see the token at position 4? Does it see itself?"),
    wrong=[
        (
            (5, 6),
            _(
                "These positions see it. But which tokens are the logits at position 4 computed from?"
            ),
        ),
        ((0, 1, 2, 3, 4, 5, 6), _("This is what would happen without a mask.")),
        (_("only 4"), _("The logits at position 4 do move. Which other positions look at it?")),
    ],
)
