"""The exercises and predictions of notebook 12: writing word by word, top-k, top-p, the cache."""

import torch
from torch.nn import functional as F  # noqa: F401  for the mistakes

from ..judge.exercise import Case, wave
from .notebook import Notebook
from .writing_mistakes import OF_CACHED_ATTENTION, OF_GENERATE, OF_TOP_K, OF_TOP_P
from .writing_parts import (
    Writer,
    growing,
    in_one_order,
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


@notebook.ask(
    "generate(model, ids, n_new, choose): the ids (batch, tokens), and n_new words after them.",
    returns="ids written",
    wanted="int",
    cases=[
        Case("2 stories, 3 new words", Writer(7, 9), BEGUN, 3, likeliest),
        Case("the second best word each time", Writer(7, 9, 2), BEGUN, 4, second_best),
        Case("as many stories as words", Writer(6, 9, 4), THREE_BY_THREE, 2, likeliest),
        Case("a score near to 1", Writer(6, 9, 5), torch.tensor([[5, 1]]), 4, nearest_to_one),
        Case("one new word", Writer(6, 9, 6), BEGUN, 1, likeliest),
        Case("more words than the model can read", Writer(7, 5, 7), BEGUN, 5, likeliest),
    ],
    reread="Word by word",
    mistakes=OF_GENERATE,
)
def generate(model, ids, n_new, choose):
    for _ in range(n_new):
        scores = model(ids[:, -model.context_length :])
        new = choose(scores[:, -1])
        ids = torch.cat([ids, new], dim=1)
    return ids


# ---------------------------------------------------------------- what is left to choose from


@notebook.ask(
    "top_k(scores, k): the k largest scores of each row stay, all others become -inf.",
    returns="scores",
    how=in_one_order,
    cases=[
        Case("a row of scores", torch.tensor([1.0, 3.0, -2.0, 2.0, 0.5]), 2),
        Case("3 rows", wave(3, 6), 4),
        Case("as many rows as words", wave(4, 4, seed=1), 2),
        Case(
            "equal scores", torch.tensor([[2.0, 1.0, 1.0, 1.0, 0.0], [0.5, 0.0, 0.5, 0.5, 0.5]]), 2
        ),
        Case("k = 1", wave(2, 5, seed=2), 1),
        Case("k = all", wave(2, 5, seed=3), 5),
        Case("scores below 0", -3 - wave(2, 7, seed=4), 3),
        Case("(batch, tokens, words)", wave(2, 3, 5, seed=5), 2),
    ],
    reread="Top-k",
    mistakes=OF_TOP_K,
)
def top_k(scores, k):
    best_first = scores.sort(dim=-1, descending=True, stable=True).indices
    return scores.scatter(-1, best_first[..., k:], float("-inf"))


@notebook.ask(
    "top_p(scores, p): the fewest likely words whose chances reach p stay, all others become -inf.",
    returns="scores",
    how=in_one_order,
    cases=[
        Case("chances .5 .3 .15 .05, p = .6", scores_of(0.5, 0.3, 0.15, 0.05), 0.6),
        Case(
            "in another order, p = .9",
            scores_of([0.15, 0.05, 0.5, 0.3], [0.3, 0.15, 0.05, 0.5]),
            0.9,
        ),
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
    reread="Top-p",
    mistakes=OF_TOP_P,
)
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


@notebook.ask(
    "cached_attention(layer, x, keys, values): what new tokens x see, and keys and values, grown.",
    returns=("context", "keys", "values"),
    cases=lambda: [
        Case("a new word after 4", *growing(2, 1, 4)),
        Case("a beginning of 5 words, nothing kept", *growing(1, 5, 0, seed=1)),
        Case("3 new words after 2", *growing(2, 3, 2, seed=2)),
        Case("as many new as kept", *growing(3, 3, 3, seed=3)),
        Case("one word, nothing kept", *growing(2, 1, 0, seed=4)),
        Case("as many numbers everywhere", *growing(3, 2, 1, 3, 3, 3, seed=5)),
    ],
    also=[with_new_names],
    reread="What was computed may be kept",
    mistakes=OF_CACHED_ATTENTION,
)
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
)
