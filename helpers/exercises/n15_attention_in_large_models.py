"""The exercises and predictions of notebook 15: tiles, GQA, windows, states, chosen keys."""

import contextlib
import sys
from collections import Counter

import numpy as np
import torch

from .. import _
from ..judge.comparing import Remark, read
from ..judge.exercise import Called, Case, on_tensors_or_arrays, wave
from ..models import large
from .large_model_mistakes import OF_CHOICE, OF_GROUPS, OF_STEP, OF_TILES, OF_WINDOW
from .notebook import Notebook

notebook = Notebook(__name__)


class Array(np.ndarray):
    """A NumPy array; of each that is made of it PyTorch is told, and so Made sees it."""

    def __array_finalize__(self, source):
        with contextlib.suppress(TypeError, ValueError):  # not numeric, or with negative strides
            torch.as_tensor(np.asarray(self))


KERNEL = "scaled_dot_product_attention"
SUMS = {"matmul", "__rmatmul__", "mm", "mv", "bmm", "dot", "einsum", "linear", "sum", "as_tensor"}


def references(objects):
    return [sys.getrefcount(one) for one in objects]


class Made(Called):
    """As `with Made() as made:`; made.tensors are those that PyTorch's functions returned, too.

    sums    the shapes of those that are sums of products, as scores are, and of NumPy's arrays
    at_once  shape → how many tensors of it the answer held at the same time, at most
    What one of PyTorch's functions makes inside is not seen.
    """

    def __init__(self):
        super().__init__()
        self.tensors, self.sums, self.at_once = [], [], Counter()

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = super().__torch_function__(function, types, args, kwargs)
        parts = result if isinstance(result, (tuple, list)) else [result]
        new = [part for part in parts if isinstance(part, torch.Tensor)]
        if (kwargs or {}).get("enable_gqa"):
            self.names.append("enable_gqa")
        if self.names[-1] in SUMS:
            self.sums += [{*t.shape} for t in new if t.is_floating_point()]
        self.tensors += new
        (ours_alone,) = references([object()])
        held = zip(self.tensors, references(self.tensors))
        self.at_once |= Counter(t.shape for t, count in held if count > ours_alone)
        return result.view(Array) if isinstance(result, np.ndarray) else result


def too_many_scores(made, query, key, value, tile):
    """What is to be said of scores that were there at the same time; None if they were few."""
    queries, keys, sums = len(query), len(key), made.sums
    most = max(queries, keys)
    if KERNEL in made.names:
        return _("It calls {name}.", name=KERNEL)
    if tile > 1 and any({queries, keys} <= {*t.shape} for t in made.tensors):
        return _("All scores were there at once.")
    if min(query.shape[-1], value.shape[-1]) <= most:
        return None  # then no shape can be recognised as one of scores
    if tile > 1 and any(keys in shape and max(shape) <= most for shape in sums):
        return _("Some queries met all keys at once.")
    if any(queries in shape and any(tile < n <= keys for n in shape - {queries}) for shape in sums):
        return _("A query met more than `tile` keys at once.")
    # A right answer, too, holds several tiles for a moment: the scores, the scores minus their
    # maximum, and the exponentials. So this can be tested only if there are many tiles.
    held = max(made.at_once[shape] for shape in [(queries, tile), (tile, queries)])
    if tile > 1 and held * tile >= keys > 10 * tile:
        return _("The scores of all tiles were stored.")
    return None


def copied(made, query, key, value):
    """What is to be said if keys or values were copied for every head; None if they were not.

    Of one query, the products with all keys, not added up yet, are as many: that is not asked.
    """
    heads, key_heads = query.shape[1], key.shape[1]
    if heads == key_heads or query.shape[2] == 1:
        return None
    if "enable_gqa" in made.names:
        return _("It calls {name}.", name=KERNEL)
    own = {}
    for t in made.tensors:
        with contextlib.suppress(NotImplementedError):  # inside torch.vmap: no storage
            own[t.untyped_storage().data_ptr()] = t
    for given in (key, value):
        whole = heads * given[:, 0].numel()
        single = [
            any(torch.equal(t, one_head) for one_head in given.unbind(1))
            for memory, t in own.items()
            if memory != given.untyped_storage().data_ptr()
        ]
        spread = any(t.untyped_storage().nbytes() // t.itemsize == whole for t in own.values())
        if spread or sum(single) > key_heads:
            return _("Keys or values were copied for every head.")
    return None


def on_the_way(happened):
    """A `how`: the context, and a remark on what happened on the way."""

    def how(answer, *arguments):
        with Made() as made:
            result = on_tensors_or_arrays(answer, arguments)
        came = read(result, ("context",))
        if text := happened(made, *arguments):
            came[f"on the way: {text}"] = Remark(text)
        return came

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
    how=on_the_way(too_many_scores),
    cases=[
        Case(_("9 queries, tiles of 2 keys, of 6"), *queries_and_keys(9, 6, 11, 13), 2),
        Case(_("the last tile is not full"), *queries_and_keys(9, 8, 11, 13, seed=1), 3),
        Case(_("tiles of one key"), *queries_and_keys(9, 5, 11, 13, seed=2), 1),
        Case(_("30 keys in tiles of 2"), *queries_and_keys(9, 30, 31, 37, seed=6), 2),
        Case(_("scores in the hundreds"), *queries_and_keys(9, 8, 11, 13, 4, size=20), 2),
        Case(_("scores far below 0"), *far_below([-190.0, -191, -188, -189, -187, -195]), 2),
        Case(_("later tiles far below"), *far_below([100.0, 99, 2, 1, -98, -99]), 2),
    ],
    reread="Tile by tile",
    mistakes=OF_TILES,
)(large.tiled_attention)


notebook.ask(
    _("grouped_attention(query, key, value): the context of all heads; keys are not copied."),
    how=on_the_way(copied),
    cases=[
        Case(_("6 heads, 2 heads of keys"), *keys_in_groups(1, 6, 2, 1, 5, 4, 4)),
        Case(_("two texts, 3 new words"), *keys_in_groups(2, 4, 2, 3, 9, 5, 7, seed=3)),
        Case(_("keys one for all"), *keys_in_groups(2, 4, 1, 2, 5, 3, 7, seed=6)),
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
    ],
    reread="Only the last few",
    mistakes=OF_WINDOW,
)(large.window_mask)


def one_step(d, d_v, seed=0, tokens=3, size=1.0):
    """A query (this many times as large), key and value, the state and total of earlier tokens."""
    query, key, value = wave(d, seed=seed) + 1.2, wave(d, seed=seed + 1) + 1.2, wave(d_v, seed=seed)
    query = size * query
    keys, values = wave(tokens, d, seed=seed + 2) + 1.2, wave(tokens, d_v, seed=seed + 3)
    return query, key, value, keys.T @ values, keys.sum(dim=0)


notebook.ask(
    _("linear_step(query, key, value, state, total): the context, and both sums, grown."),
    returns=("context", "state", "total"),
    cases=[
        Case(_("after 3 tokens"), *one_step(3, 5)),
        Case(_("keys as long as values"), *one_step(4, 4, seed=5)),
        Case(_("the first token"), *one_step(3, 2, seed=9, tokens=0)),
        Case(_("a small query"), *one_step(3, 3, seed=2, size=0.01)),
    ],
    reread="Two sums in place of a cache",
    mistakes=OF_STEP,
)(large.linear_step)


def indexed(tokens, d, d_v, d_index, k, seed=0):
    """Queries, keys and values with index vectors, no two of whose products are alike."""
    query, key = 2 * wave(tokens, d, seed=seed), 2 * wave(tokens, d, seed=seed + 1)
    index_query, index_key = (
        wave(tokens, d_index, seed=seed + 3),
        wave(tokens, d_index, seed=seed + 4),
    )
    return query, key, wave(tokens, d_v, seed=seed + 2), index_query, index_key, k


def twice(query, key, value, index_query, index_key, k):
    """The same with token 1 again as token 2, so that their index scores tie for every query."""
    order = [0, 1, 1, *range(3, len(key))]
    return query, key[order], value[order], index_query, index_key[order], k


notebook.ask(
    _("chosen_attention(query, key, value, index_query, index_key, k): the context, from k keys."),
    returns="context",
    cases=[
        Case(_("7 tokens, 2 keys each"), *indexed(7, 3, 5, 4, 2)),
        Case(_("9 tokens, 3 keys each"), *indexed(9, 4, 2, 3, 3, seed=5)),
        Case(_("one key each"), *indexed(6, 4, 4, 2, 1, seed=10)),
        Case(_("more keys asked for than there are"), *indexed(4, 3, 2, 3, 6, seed=15)),
        Case(_("a word that stands twice"), *twice(*indexed(6, 3, 2, 3, 2, seed=20)), ties=True),
    ],
    reread="Further: Chosen keys · 4 min",
    mistakes=OF_CHOICE,
)(large.chosen_attention)


notebook.predict(
    "reach of four windows",
    _("Each of 4 layers has a window of 3 tokens. How far ahead does a word still move outputs?"),
    form=_("a whole number of positions"),
    answer=8,
    why=_("A window of 3 reaches 2 positions back, in each of 4 layers."),
    hint=_("How far back does one layer with a window of 3 look, and how much does the next add?"),
    wrong=[
        (
            12,
            _(
                "That is window times layers. But the window holds the token itself: how far back does it look?"
            ),
        ),
        (2, _("One layer reaches that far. What does the second see in the outputs of the first?")),
        (
            9,
            _("That many outputs move, the word's own included. How far away is the last of them?"),
        ),
        (3, _("The window counts the token itself, and there are 4 layers.")),
    ],
)
