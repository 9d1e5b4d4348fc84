"""The exercises and predictions of notebook 1: scores, weights and context, by hand."""

import math  # noqa: F401  for the edits below

import torch
from torch.nn import functional as F  # noqa: F401

from ..data.sentences import SUNNY
from ..judge.exercise import wave
from ..judge.functions import Case
from .edits import swap
from .notebook import Notebook

notebook = Notebook(__name__)

five = wave(5, 4)  # tokens and dimensions differ: a mixed-up axis cannot hide


def scores_by_hand(query, X):
    return (query * X).sum(dim=1)


@notebook.function(
    "scores(query, X): the dot product of a query (d,) with every row of X (tokens, d).",
    returns="scores",
    cases=[
        Case("shiny and its three words", SUNNY[1], SUNNY),
        Case("more words than dimensions", wave(4, seed=2), five),
        Case("a single word", wave(3, seed=3), wave(1, 3, seed=4)),
        Case("large numbers", 30 * wave(2, seed=5), 30 * wave(3, 2, seed=6)),
        Case("float64", wave(4, seed=7).double(), five.double()),
    ],
    also=[scores_by_hand],
    mistakes={
        "scaled_too_early": "return X @ query / math.sqrt(len(query))",
        "weights_too_early": "return torch.softmax(X @ query, dim=-1)",
        "not_added_up": swap(".sum(dim=1)", ""),
        "added_along_wrong_axis": swap("dim=1", "dim=0"),
        "cosine": "return F.cosine_similarity(X, query[None], dim=1)",
        "columns_for_rows": "return X.T @ query",
        "returned_at_once": ["return X[0] @ query", "return (X @ query)[:1]"],
        "last_round_only": ["return query[-1] * X[:, -1]", "return X[-1] @ query"],
        "sum_not_reset": "return (X @ query).cumsum(dim=0)",
        "count_written_in": [
            "return torch.stack([X[i] @ query for i in range(3)])",
            "return torch.stack([sum(query[i] * x[i] for i in range(3)) for x in X])",
        ],
        "tokens_of_width": "return torch.stack([X[i] @ query for i in range(len(query))])",
        "query_written_in": "return X @ X[1]",
    },
)
def scores(query, X):
    return X @ query


notebook.predict(
    "highest score",
    "Which of the three words gets the highest score with shiny?",
    form='a word, such as "Hello"',
    answer="shiny",
    why="With itself, its large numbers meet large ones; and it is the longest of the three.",
    hint="Go through the rows: whose numbers are large where those of shiny are large?",
    same=("itself", "shiny itself", "shiny with itself", "shiny with shiny"),
    words=("Hello", "shiny", "sun"),
    wrong=[("sun", "Close: it comes second. Compare the two rows number by number.")],
)

# ---------------------------------------------------------------- softmax


@notebook.function(
    "softmax(scores): shares over the last axis, of a row, a matrix or a batch; any size of score.",
    returns="weights",
    cases=[
        Case("a row of scores", wave(4)),
        Case("a square matrix", wave(3, 3, seed=1)),
        Case("a matrix", wave(3, 5, seed=2)),
        Case("a batch of matrices", wave(2, 3, 4, seed=3)),
        Case("negative scores", wave(2, 4, seed=4) - 3),
        Case("a single score", wave(1, seed=5)),
        Case("large scores", 1000 + wave(2, 3, seed=6)),
        Case("scores far apart", torch.tensor([-300.0, 0.0, 300.0, 299.0])),
        Case("scores far below 0", wave(2, 3, seed=9) - 1000),
        Case("rows far apart", wave(2, 3, seed=7) + torch.tensor([[0.0], [1000.0]])),
        Case("float64", wave(3, 4, seed=8).double()),
    ],
    written_out={"library_softmax": "softmax"},
    mistakes={
        "library_softmax": "return torch.softmax(scores, dim=-1)",
        "over_queries": [
            "return torch.softmax(scores, dim=-2 if scores.dim() > 1 else -1)",
            "return torch.softmax(scores, dim=0)",
        ],
        "dim_1": [
            "return torch.softmax(scores, dim=1)",
            "return torch.softmax(scores, dim=min(1, scores.dim() - 1))",
        ],
        "over_batch": "return F.softmax(scores)",
        "one_sum": [
            ("return e / e.sum()", "e = (scores - scores.max()).exp()"),
            ("return e / e.sum()", "e = scores.exp()"),
            "return e / e.sum()",
        ],
        "no_keepdim": [
            "return e / e.sum(dim=-1)",
            ("return e / e.sum(dim=-1)", "e = (scores - scores.amax(dim=-1)).exp()"),
        ],
        "maximum_no_exp": swap(".exp()", ""),
        "no_exp": "return scores / scores.sum(dim=-1, keepdim=True)",
        "no_maximum": [
            "e = scores.exp()",
            "e = scores.double().exp()",
            (
                "e = scores.exp()",
                swap("e.sum(dim=-1, keepdim=True)", "(e.sum(dim=-1, keepdim=True) + 1e-9)"),
            ),
            "e = [math.exp(x) for x in scores.flatten().tolist()]\n"
            "e = torch.as_tensor(e).reshape(scores.shape)",
        ],
        "global_maximum": "e = (scores - scores.max()).exp()",
        "sign_turned": "e = (scores.amax(dim=-1, keepdim=True) - scores).exp()",
        "not_the_maximum": [
            f"e = (scores {shift}(dim=-1, keepdim=True)).exp()"
            for shift in ("- scores.amin", "- scores.mean", "+ scores.amax")
        ],
        "only_large_scores": "e = scores.exp() if scores.max() < 80 else"
        " (scores - scores.amax(dim=-1, keepdim=True)).exp()",
        "scores_returned": [
            "return scores",
            "return scores - scores.amax(dim=-1, keepdim=True)",
        ],
        "not_divided": ["return scores.exp()", "return e"],
        "log_softmax": "return torch.log_softmax(scores, dim=-1)",
        "in_place": "e = scores.sub_(scores.amax(dim=-1, keepdim=True)).exp()",
    },
)
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


notebook.predict(
    "tripled scores",
    "All scores are tripled. What becomes of the largest weight?",
    form='"grows", "stays" or "shrinks"',
    answer="grows",
    why="The softmax looks at differences, and these are now three times as large.",
    hint="What happens to the differences between the scores, and what is exp of a large one?",
    same=("grow", "it grows", "increases", "rises", "larger", "bigger"),
    words=("grows", "stays", "shrinks"),
    wrong=[
        ("stays", "So it would be, if one divided by the plain sum. What does exp do to 3 · s?")
    ],
)

# ---------------------------------------------------------------- context


def context_by_hand(weights, X):
    return (weights[:, None] * X).sum(dim=0)


@notebook.function(
    "context(weights, X): the sum of the rows of X, each times its weight (tokens,).",
    returns="context",
    cases=[
        Case("shiny's weights", softmax(SUNNY @ SUNNY[1]), SUNNY),
        Case("more words than dimensions", softmax(wave(5, seed=1)), five),
        Case("a single word", torch.ones(1), wave(1, 3, seed=4)),
        Case("weights that do not sum to 1", torch.tensor([0.5, 0.0]), wave(2, 3, seed=5)),
        Case("float64", softmax(wave(5, seed=6)).double(), five.double()),
    ],
    also=[context_by_hand],
    mistakes={
        "not_added_up": swap(".sum(dim=0)", ""),
        "added_along_wrong_axis": swap("sum(dim=0)", "sum(dim=1)"),
        "product_turned": "return X @ weights",
        "weights_along_wrong_axis": swap("weights[:, None]", "weights"),
        "returned_at_once": "return weights[0] * X[0]",
        "mean_for_sum": swap("sum(dim=0)", "mean(dim=0)"),
        "weights_unused": ["return X.mean(dim=0)", "return X.sum(dim=0)"],
        "last_round_only": "return weights[-1] * X[-1]",
        "last_left_out": [
            "return weights[:-1] @ X[:-1]",
            "return sum(weights[i] * X[i] for i in range(len(X) - 1))",
        ],
        "count_written_in": "return sum(weights[i] * X[i] for i in range(3))",
        "softmax_twice": "return torch.softmax(weights, dim=0) @ X",
        "all_pairs": "return weights.sum() * X.sum(dim=0)",
    },
)
def context(weights, X):
    return weights @ X


# ---------------------------------------------------------------- all tokens at once


def self_attention_by_hand(X):
    scores = X @ X.T
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = e / e.sum(dim=-1, keepdim=True)
    return weights, weights @ X


@notebook.function(
    "self_attention(X): (weights, context) of all tokens at once, from plain dot products.",
    returns=("weights", "context"),
    cases=[
        Case("more words than dimensions", five),  # first: here a mixed-up axis cannot hide
        Case("Hello shiny sun", SUNNY),
        Case("a single word", wave(1, 3, seed=4)),
        Case("negative numbers", wave(3, 2, seed=5) - 1),
        Case("large numbers", 40 * wave(4, 3, seed=6)),
        Case("float64", wave(4, 5, seed=7).double()),
    ],
    also=[self_attention_by_hand],
    mistakes={
        "not_added_up": "weights = torch.softmax(X * X, dim=-1)",
        "columns_for_rows": "weights = torch.softmax(X @ X, dim=-1)",
        "dimensions_compared": [
            "weights = torch.softmax(X.T @ X, dim=-1)",
            ("weights = torch.softmax(X.T @ X, dim=-1)", "return weights, X @ weights"),
        ],
        "product_turned": "return weights, X @ weights",
        "weights_along_wrong_axis": "return weights, weights * X",
        "scaled_too_early": [
            "weights = torch.softmax(X @ X.T / math.sqrt(X.shape[-1]), dim=-1)",
            "weights = torch.softmax(X @ X.T / math.sqrt(3), dim=-1)",
        ],
        "over_queries": "weights = torch.softmax(X @ X.T, dim=0)",
        "reshaped": "weights = torch.softmax(X @ X.reshape(X.shape[1], X.shape[0]), dim=-1)",
        "one_sum": [
            "weights = torch.softmax((X @ X.T).flatten(), dim=0).view(len(X), len(X))",
            "weights = e / e.sum()",
            ("e = scores.exp()", "weights = e / e.sum()"),
        ],
        "no_keepdim": [
            "weights = e / e.sum(dim=-1)",
            ("e = (scores - scores.amax(dim=-1)).exp()", "weights = e / e.sum(dim=-1)"),
            ("e = scores.exp()", "weights = e / e.sum(dim=-1)"),
            "e = (scores - scores.amax(dim=-1)).exp()",
        ],
        "maximum_no_exp": swap(".exp()", ""),
        "no_scores": "weights = torch.softmax(X, dim=-1)",
        "softmax_twice": "weights = torch.softmax(torch.softmax(X @ X.T, dim=-1), dim=-1)",
        "weights_turned": "return weights.T, weights @ X",
        "no_exp": [
            swap("e / e.sum", "scores / scores.sum"),
            swap("e / e.sum(dim=-1, keepdim=True)", "scores / scores.sum(dim=-1)"),
        ],
        "no_maximum": "e = scores.exp()",
        "global_maximum": "e = (scores - scores.max()).exp()",
        "scores_returned": ["weights = X @ X.T", "return X @ X.T, weights @ X"],
        "scores_in_the_sum": "return weights, X @ X.T @ X",
        "weights_transposed": "return weights, weights.T @ X",
        "results_swapped": "return weights @ X, weights",
        "in_place": "X.copy_(weights @ X)\nreturn weights, X",
    },
)
def self_attention(X):
    weights = torch.softmax(X @ X.T, dim=-1)
    return weights, weights @ X
