"""The exercises and predictions of notebook 12: writing word by word, top-k, top-p, the cache."""

import torch
from torch.nn import functional as F  # noqa: F401  for an edit below

from ..judge.exercise import wave
from ..judge.functions import Case
from .edits import swap
from .notebook import Notebook
from .writing_parts import (
    AnyOfEquals,
    Writer,
    growing,
    likeliest,
    nearest_to_one,
    scores_of,
    second_best,
    with_new_names,
)

notebook = Notebook(__name__)

# ---------------------------------------------------------------- word by word


BEGUN = torch.tensor([[1, 4, 2], [3, 1, 5]])
THREE_BY_THREE = torch.tensor([[1, 4, 2], [3, 1, 5], [2, 2, 1]])


@notebook.function(
    "generate(model, ids, n_new, choose): the ids (batch, tokens), and n_new words after them.",
    returns="ids written",
    wanted="int",
    by_numpy=False,
    cases=[
        Case("2 stories, 3 new words", Writer(7, 9), BEGUN, 3, likeliest),
        Case("the second best word each time", Writer(7, 9, 2), BEGUN, 4, second_best),
        Case("as many stories as words", Writer(6, 9, 4), THREE_BY_THREE, 2, likeliest),
        Case("a score near to 1", Writer(6, 9, 5), torch.tensor([[5, 1]]), 4, nearest_to_one),
        Case("one new word", Writer(6, 9, 6), BEGUN, 1, likeliest),
        Case("more words than the model can read", Writer(7, 5, 7), BEGUN, 5, likeliest),
    ],
    mistakes={
        "scores_of_the_first": swap("scores[:, -1]", "scores[:, 0]"),
        "scores_of_all_places": swap("scores[:, -1]", "scores"),
        "last_story_scored": [
            swap("scores[:, -1]", "scores[-1]"),
            swap("scores[:, -1]", "scores[-1, -1:]"),
        ],
        "last_word_alone": [
            swap("ids[:, -model.context_length :]", "ids[:, -1:]"),
            swap("model(ids[:, -model", "model(ids[:, -1:] if _ else ids[:, -model"),
        ],
        "context_outgrown": swap("ids[:, -model.context_length :]", "ids"),
        "first_words_read": swap("-model.context_length :", ": model.context_length"),
        "beginning_lost": [
            "ids = torch.cat([ids, new], dim=1)[:, -model.context_length :]",
            "ids = ids[:, -model.context_length :]\nscores = model(ids)",
        ],
        "never_appended": "new = choose(scores[:, -1])\nwritten = torch.cat([ids, new], dim=1)\n"
        "ids = written if _ == n_new - 1 else ids",
        "returned_at_once": "ids = torch.cat([ids, new], dim=1)\nreturn ids",
        "chances_to_choose": swap("scores[:, -1]", "scores[:, -1].softmax(dim=-1)"),
        "new_words_alone": "return ids[:, -n_new:]",
        "last_new_alone": "return new",
        "put_in_front": swap("[ids, new]", "[new, ids]"),
        "put_below": swap("dim=1", "dim=0"),
        "one_word_too_many": swap("range(n_new)", "range(n_new + 1)"),
        "one_word_too_few": swap("range(n_new)", "range(n_new - 1)"),
        "n_new_as_length": swap("range(n_new)", "range(n_new - ids.shape[1])"),
        "choose_unused": [
            swap("choose(scores[:, -1])", "scores[:, -1].argmax(dim=-1, keepdim=True)"),
            swap("choose(scores[:, -1])", "scores.argmax(dim=-1)[:, -1:]"),
        ],
        "least_likely": "new = choose(-scores[:, -1])",
    },
)  # fmt: skip
def generate(model, ids, n_new, choose):
    for _ in range(n_new):
        scores = model(ids[:, -model.context_length :])
        new = choose(scores[:, -1])
        ids = torch.cat([ids, new], dim=1)
    return ids


# ---------------------------------------------------------------- what is left to choose from


def by_threshold(threshold, below="<"):
    """The edits that hide by a threshold, in place of the sorted places."""
    sorted_places = "best_first = scores.sort(dim=-1, descending=True, stable=True).indices"
    hidden = 'scores.scatter(-1, best_first[..., k:], float("-inf"))'
    by_score = f'scores.masked_fill(scores {below} threshold, float("-inf"))'
    return swap(sorted_places, f"threshold = {threshold}"), swap(hidden, by_score)


@notebook.ask(
    AnyOfEquals,
    "top_k(scores, k): the k largest scores of each row stay, all others become -inf.",
    returns="scores",
    cases=[
        Case("a row of scores", torch.tensor([1.0, 3.0, -2.0, 2.0, 0.5]), 2),
        Case("3 rows", wave(3, 6), 4),
        Case("as many rows as words", wave(4, 4, seed=1), 2),
        Case("equal scores", torch.tensor([[2.0, 1.0, 1.0, 1.0, 0.0], [0.5, 0.0, 0.5, 0.5, 0.5]]), 2),
        Case("k = 1", wave(2, 5, seed=2), 1),
        Case("k = all", wave(2, 5, seed=3), 5),
        Case("scores below 0", -3 - wave(2, 7, seed=4), 3),
        Case("(batch, tokens, words)", wave(2, 3, 5, seed=5), 2),
        Case("float64", wave(2, 6, seed=6).double(), 3),
    ],
    mistakes={
        "ties_kept_too": by_threshold("scores.topk(k).values[..., -1:]"),
        "threshold_without_axis": by_threshold("scores.topk(k).values[..., -1]"),
        "kth_hidden": by_threshold("scores.topk(k).values[..., -1:]", "<="),
        "one_threshold": by_threshold("scores.flatten().topk(k).values[-1]"),
        "copy_not_kept": 'scores.scatter(-1, best_first[..., k:], float("-inf"))\nreturn scores',
        "least_kept": swap(", descending=True", ""),
        "best_hidden": swap("[..., k:]", "[..., :k]"),
        "one_too_few_kept": swap("[..., k:]", "[..., k - 1 :]"),
        "one_too_many_kept": swap("[..., k:]", "[..., k + 1 :]"),
        "zero_for_hidden": swap('float("-inf")', "0.0"),
        "values_without_places": "return scores.topk(k).values",
        "places_for_scores": "return scores.topk(k).indices",
        "chances_for_scores": 'return scores.scatter(-1, best_first[..., k:], float("-inf")).softmax(dim=-1)',
        "order_not_undone": "sorted_ = scores.gather(-1, best_first)\n"
        'return sorted_.where(torch.arange(scores.shape[-1]) < k, float("-inf"))',
        "over_rows": (
            "best_first = scores.sort(dim=0, descending=True, stable=True).indices",
            'return scores.scatter(0, best_first[k:], float("-inf"))',
        ),
        "in_place": 'return scores.scatter_(-1, best_first[..., k:], float("-inf"))',
    },
)  # fmt: skip
def top_k(scores, k):
    best_first = scores.sort(dim=-1, descending=True, stable=True).indices
    return scores.scatter(-1, best_first[..., k:], float("-inf"))


UNSORTED = "best_first, order = scores, torch.arange(scores.shape[-1]).expand(scores.shape)"


@notebook.ask(
    AnyOfEquals,
    "top_p(scores, p): the fewest likely words whose chances reach p stay, all others become -inf.",
    returns="scores",
    cases=[
        Case("chances .5 .3 .15 .05, p = .6", scores_of(0.5, 0.3, 0.15, 0.05), 0.6),
        Case("in another order, p = .9", scores_of([0.15, 0.05, 0.5, 0.3], [0.3, 0.15, 0.05, 0.5]), 0.9),
        Case("3 rows", 3 * wave(3, 6), 0.7),
        Case("as many rows as words", 2 * wave(4, 4, seed=1), 0.55),
        Case("one word has nearly all", scores_of([0.02, 0.95, 0.02, 0.01]), 0.9),
        Case("a small p", 2 * wave(2, 5, seed=2), 0.01),
        Case("p = 1", wave(2, 5, seed=3), 1.0),
        Case("equal chances", scores_of([0.4, 0.2, 0.2, 0.2]), 0.55),
        Case("scores that sum to no 1", 5 + 2 * wave(2, 7, seed=4), 0.8),
        Case("(batch, tokens, words)", 2 * wave(2, 3, 5, seed=5), 0.6),
        Case("the sum is p exactly", torch.zeros(1, 4), 0.5),
    ],
    mistakes={
        "crossing_dropped": [
            "before = chances.cumsum(dim=-1)",
            ("before = chances.cumsum(dim=-1)", swap("before >= p", "before > p")),
        ],
        "only_the_best_saved": [
            "before = chances.cumsum(dim=-1)\nbefore[..., 0] = 0",
            ("before = chances.cumsum(dim=-1)\nbefore[..., 0] = 0", swap("before >= p", "before > p")),
        ],
        "one_more_than_needed": "before = chances.cumsum(dim=-1) - chances - chances.roll(1, dims=-1)",
        "scores_added_up": "chances = best_first",
        "not_sorted": [
            UNSORTED,
            (UNSORTED, "before = chances.cumsum(dim=-1)", swap("before >= p", "before > p")),
        ],
        "least_first": swap(", descending=True", ""),
        "order_not_undone": 'return best_first.masked_fill(hidden, float("-inf"))',
        "undone_by_the_order": swap("hidden.scatter(-1, order, hidden)", "hidden.gather(-1, order)"),
        "hidden_not_put_back": swap("hidden.scatter(-1, order, hidden)", "hidden"),
        "sum_above_p": swap("before >= p", "before > p"),
        "threshold_p": 'return scores.masked_fill(scores.softmax(dim=-1) < p, float("-inf"))',
        "share_of_the_best": "least = p * chances.amax(dim=-1, keepdim=True)\n"
        'return scores.masked_fill(scores.softmax(dim=-1) < least, float("-inf"))',
        "rest_kept": swap("before >= p", "before < p"),
        "zero_for_hidden": swap('float("-inf")', "0.0"),
        "chances_for_scores": [
            'return scores.masked_fill(hidden.scatter(-1, order, hidden), float("-inf")).softmax(dim=-1)',
            swap("scores.masked_fill", "scores.softmax(dim=-1).masked_fill"),
        ],
        "over_rows": (
            "best_first, order = scores.sort(dim=0, descending=True, stable=True)",
            "chances = best_first.softmax(dim=0)",
            "before = chances.cumsum(dim=0) - chances",
            swap("scatter(-1", "scatter(0"),
        ),
        "in_place": swap("masked_fill(", "masked_fill_("),
    },
)  # fmt: skip
def top_p(scores, p):
    best_first, order = scores.sort(dim=-1, descending=True, stable=True)
    chances = best_first.softmax(dim=-1)
    before = chances.cumsum(dim=-1) - chances
    hidden = before >= p
    return scores.masked_fill(hidden.scatter(-1, order, hidden), float("-inf"))


notebook.predict(
    "words left by top-p",
    "Four words have the chances .5 .3 .15 .05. How many are left by top-p with p = 0.6?",
    form="a whole number",
    answer=2,
    why="The first alone sums to .5, which is less than .6. With the second it is .8.",
    hint="Add up from the largest. When is the sum .6 for the first time, or more?",
    wrong=[
        (1, "The first alone sums to .5. Is that .6 at least?"),
        (3, "How much do the first two sum to?"),
    ],
)


# ---------------------------------------------------------------- attention with a cache


@notebook.function(
    "cached_attention(layer, x, keys, values): what new tokens x see, and keys and values, grown.",
    returns=("context", "keys", "values"),
    by_numpy=False,
    cases=lambda: [
        Case("a new word after 4", *growing(2, 1, 4)),
        Case("a beginning of 5 words, nothing kept", *growing(1, 5, 0, seed=1)),
        Case("3 new words after 2", *growing(2, 3, 2, seed=2)),
        Case("as many new as kept", *growing(3, 3, 3, seed=3)),
        Case("one word, nothing kept", *growing(2, 1, 0, seed=4)),
        Case("as many numbers everywhere", *growing(3, 2, 1, 3, 3, 3, seed=5)),
    ],
    also=[with_new_names],
    mistakes={
        "cache_unused": ("keys = layer.W_key(x)", "values = layer.W_value(x)"),
        "cache_not_grown": swap("@ all_values, all_keys, all_values", "@ all_values, keys, values"),
        "new_not_seen": (
            "scores = layer.W_query(x) @ keys.mT / keys.shape[-1] ** 0.5",
            "return scores.softmax(dim=-1) @ values, all_keys, all_values",
        ),
        "new_keys_alone_returned": swap("values, keys, values", "values, layer.W_key(x), layer.W_value(x)"),
        "new_in_front": (
            "keys = torch.cat([layer.W_key(x), keys], dim=1)",
            "values = torch.cat([layer.W_value(x), values], dim=1)",
        ),
        "appended_twice": (
            "keys = torch.cat([keys, layer.W_key(x), layer.W_key(x)], dim=1)",
            "values = torch.cat([values, layer.W_value(x), layer.W_value(x)], dim=1)",
            "earlier = keys.shape[1] - 2 * x.shape[1]",
        ),
        "query_kept": swap("[keys, layer.W_key(x)]", "[keys, queries]"),
        "last_overwritten": (
            "keys = torch.cat([keys[:, : -x.shape[1]], layer.W_key(x)], dim=1)",
            "values = torch.cat([values[:, : -x.shape[1]], layer.W_value(x)], dim=1)",
        ),
        "x_kept": ("keys = torch.cat([keys, x], dim=1)", "values = torch.cat([values, x], dim=1)"),
        "corner_of_the_mask": [
            swap("triu(1 + earlier)", "triu(1)"),
            "return F.scaled_dot_product_attention(queries, keys, values, is_causal=True), keys, values",
            "return F.scaled_dot_product_attention(queries, keys, values, is_causal=len(x[0]) > 1), keys, values",
        ],
        "mask_convention": "return F.scaled_dot_product_attention(queries, keys, values, future), keys, values",
        "nothing_hidden": swap('.masked_fill(future, float("-inf"))', ""),
        "own_key_hidden": swap("triu(1 + earlier)", "triu(earlier)"),
        "last_query_alone": swap("layer.W_query(x)", "layer.W_query(x[:, -1:])"),
        "no_scale": swap(" / keys.shape[-1] ** 0.5", ""),
        "by_d_k": swap("keys.shape[-1] ** 0.5", "keys.shape[-1]"),
        "by_another_size": [
            swap("keys.shape[-1] ** 0.5", "x.shape[-1] ** 0.5"),
            swap("keys.shape[-1] ** 0.5", "values.shape[-1] ** 0.5"),
        ],
        "over_queries_in_batch": swap("softmax(dim=-1)", "softmax(dim=1)"),
        "scores_mixed": swap("scores.softmax(dim=-1)", "scores.nan_to_num(neginf=0)"),
    },
)  # fmt: skip
def cached_attention(layer, x, keys, values):
    queries = layer.W_query(x)
    keys = torch.cat([keys, layer.W_key(x)], dim=1)
    values = torch.cat([values, layer.W_value(x)], dim=1)
    earlier = keys.shape[1] - x.shape[1]
    future = torch.ones(x.shape[1], keys.shape[1]).triu(1 + earlier).bool()
    scores = (queries @ keys.mT / keys.shape[-1] ** 0.5).masked_fill(future, float("-inf"))
    return scores.softmax(dim=-1) @ values, keys, values


notebook.predict(
    "keys that one query sees",
    "One new word asks, with five keys in the cache, its own the last; is_causal=True. How many does it see?",
    form="a whole number",
    answer=1,
    why="PyTorch takes the query for the first word of the text: it sees the first key alone.",
    hint="The triangle is drawn from the upper left corner. In which row of it does the query stand?",
    wrong=[
        (5, "It should. But which place does is_causal take the query to have?"),
        (4, "Its own key would be among those that it may see."),
        (0, "A query always sees one key at least under a causal mask."),
    ],
)  # fmt: skip
