"""The exercises and predictions of notebook 15: softmax in tiles, shared keys, a window, a state."""

import torch
from torch.overrides import TorchFunctionMode

from .. import _
from ..judge.comparing import read
from ..judge.exercise import Case, on_tensors_or_arrays, wave
from ..models import large
from .large_model_mistakes import OF_GROUPS, OF_STEP, OF_TILES, OF_WINDOW
from .notebook import Notebook

notebook = Notebook(__name__)


class Largest(TorchFunctionMode):
    """As `with Largest() as largest:`; then largest.numel is that of the largest tensor made.

    What a tensor holds in memory counts: one that is only spread out (`expand`) holds no more. What
    PyTorch makes inside of one of its functions is not seen.
    """

    def __init__(self):
        super().__init__()
        self.numel = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for made in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(made, torch.Tensor):
                self.numel = max(self.numel, made.untyped_storage().nbytes() // made.itemsize)
        return result


def with_largest(name, too_large):
    """A `how`: the context, and under this name 1 where a tensor of `too_large(…)` numbers is made."""

    def how(answer, *arguments):
        with Largest() as largest:
            result = on_tensors_or_arrays(answer, arguments)
        return read(result, ("context",)) | {name: largest.numel >= too_large(*arguments)}

    return how


def keys_in_groups(batch, heads, key_heads, queries, keys, d, d_v, seed=0):
    query = 2 * wave(batch, heads, queries, d, seed=seed)
    key = 2 * wave(batch, key_heads, keys, d, seed=seed + 1)
    return query, key, wave(batch, key_heads, keys, d_v, seed=seed + 2)


def queries_and_keys(queries, keys, d, d_v, seed=0, size=2):
    query, key = size * wave(queries, d, seed=seed), size * wave(keys, d, seed=seed + 1)
    return query, key, wave(keys, d_v, seed=seed + 2)


def far_below(scores):
    """One query for each number, and keys of one number: the scores are these, and fall by tiles."""
    return torch.ones(9, 1), torch.tensor(scores)[:, None], wave(len(scores), 2, seed=3)


notebook.ask(
    _("tiled_attention(query, key, value, tile): the context, from `tile` keys at a time."),
    how=with_largest("all scores at once", lambda q, k, *rest: len(q) * len(k)),
    cases=[
        Case(_("9 queries, tiles of 2 keys, of 6"), *queries_and_keys(9, 6, 4, 3), 2),
        Case(_("the last tile is not full"), *queries_and_keys(9, 8, 4, 3, seed=1), 3),
        Case(_("tiles of one key"), *queries_and_keys(9, 5, 4, 3, seed=2), 1),
        Case(_("scores in the hundreds"), *queries_and_keys(9, 8, 4, 3, 4, size=20), 2),
        Case(_("scores far below 0"), *far_below([-190.0, -191, -188, -189, -187, -195]), 2),
        Case(_("later tiles far below"), *far_below([100.0, 99, 2, 1, -98, -99]), 2),
    ],
    reread="Tile by tile",
    mistakes=OF_TILES,
)(large.tiled_attention)


notebook.ask(
    _("grouped_attention(query, key, value): the context of all heads; keys are not copied."),
    how=with_largest(
        "keys copied", lambda q, k, v: q.shape[1] * min(k[:, 0].numel(), v[:, 0].numel())
    ),
    cases=[
        Case(_("6 heads, 2 heads of keys"), *keys_in_groups(1, 6, 2, 1, 5, 4, 4)),
        Case(_("two texts, 3 new words"), *keys_in_groups(2, 4, 2, 3, 9, 5, 7, seed=3)),
        Case(_("keys one for all"), *keys_in_groups(2, 4, 1, 2, 5, 3, 6, seed=6)),
        Case(_("a head of keys for each head"), *keys_in_groups(1, 3, 3, 2, 4, 5, 3, seed=9)),
    ],
    reread="Several heads, one key",
    mistakes=OF_GROUPS,
)(large.grouped_attention)


notebook.ask(
    _("window_mask(tokens, window): True and False (tokens, tokens), True = hidden."),
    returns="mask",
    wanted="bool",
    cases=[
        Case(_("6 tokens, a window of 3"), 6, 3),
        Case(_("a window of 1"), 4, 1),
        Case(_("a window wider than the text"), 4, 9),
        Case(_("7 tokens, a window of 2"), 7, 2),
    ],
    reread="Only the last few",
    mistakes=OF_WINDOW,
)(large.window_mask)


def one_step(d, d_v, seed=0, tokens=3):
    """A query, key and value, and the state and total that so many tokens left."""
    query, key, value = wave(d, seed=seed) + 1.2, wave(d, seed=seed + 1) + 1.2, wave(d_v, seed=seed)
    keys, values = wave(tokens, d, seed=seed + 2) + 1.2, wave(tokens, d_v, seed=seed + 3)
    return query, key, value, keys.T @ values, keys.sum(dim=0)


notebook.ask(
    _("linear_step(query, key, value, state, total): the context, and both sums, grown."),
    returns=("context", "state", "total"),
    cases=[
        Case(_("after 3 tokens"), *one_step(3, 5)),
        Case(_("keys as long as values"), *one_step(4, 4, seed=5)),
        Case(_("the first token"), *one_step(3, 2, seed=9, tokens=0)),
    ],
    reread="Two sums in place of a cache",
    mistakes=OF_STEP,
)(large.linear_step)


notebook.predict(
    "reach of four windows",
    _("Each of 4 layers has a window of 3 tokens. How far ahead does a word still move outputs?"),
    form=_("a whole number of places"),
    answer=8,
    why=_("A window of 3 reaches 2 places back, in each of 4 layers."),
    hint=_(
        "How many places back does one layer with a window of 3 look? And the next, from there?"
    ),
    wrong=[
        (12, _("Window times layers. But how far back does a window look that holds the token?")),
        (2, _("So far one layer reaches. What does the second see in what the first made?")),
        (9, _("So many outputs move, the word's own counted. How far is the last of them?")),
        (3, _("The window counts the token itself; and there are 4 layers.")),
    ],
)
