"""The exercises and predictions of notebook 1: scores, weights and context, by hand."""

import torch
from torch.nn import functional as F  # noqa: F401  for the edits below

from .. import _
from ..data.sentences import SUNNY
from ..judge.exercise import Case, wave
from .notebook import Notebook

notebook = Notebook(__name__)

EXACT = {"rtol": 1e-5, "atol": 1e-6}  # otherwise 2.718 would pass for e
five = wave(5, 4)  # not square, so that a mixed-up axis shows


@notebook.ask(
    _("scores(query, X): the dot product of a query (d,) with every row of X (tokens, d)."),
    returns="scores",
    sums={"scores": "query @ X.T"},
    cases=[
        Case(_("shiny and its three words"), SUNNY[1], SUNNY),
        Case(_("more words than dimensions"), wave(4, seed=2), five),
        Case(_("a single word"), wave(3, seed=3), wave(1, 3, seed=4)),
    ],
    trains=False,  # nothing is trained yet, so plain numbers are fine
    reread="Step 1: attention scores",
    mistakes={
        "not_added_up": "return X @ query → return query * X",
        "added_along_wrong_axis": "return X @ query → return (query * X).sum(dim=0)",
        "cosine": "return X @ query → return F.cosine_similarity(X, query[None], dim=1)",
        "columns_for_rows": "return X @ query → return X.T @ query",
        "tokens_written_in": """X @ query → torch.stack([X[i] @ query for i in range(3)])""",
        "components_written_in": "X @ query → torch.stack([sum(query[i] * x[i] for i in range(3)) for x in X])",
        "tokens_of_width": "X @ query → torch.stack([X[i] @ query for i in range(len(query))])",
    },
)
def scores(query, X):
    return X @ query


notebook.predict(
    "highest score",
    _("Which of the three words gets the highest score with shiny?"),
    answer="shiny",
    why=_("It points the same way as itself, and it is the longest of the three vectors."),
    hint=_("Go through the rows: whose components are large where those of shiny are large?"),
    words=("Hello", "shiny", "sun"),
    wrong=[("sun", _("Close: it comes second. Compare the two rows component by component."))],
)


@notebook.ask(
    _(
        "softmax(scores): weights that sum to 1 along the last axis; 1 to 3 axes, scores of any size."
    ),
    returns="weights",
    sums={"weights": "softmax(scores)"},
    cases=[
        Case(_("a row of scores"), wave(4), close=EXACT),
        Case(_("a matrix"), wave(3, 5, seed=2), close=EXACT),
        Case(_("a batch of matrices"), wave(2, 3, 4, seed=3), close=EXACT),
        Case(_("scores far apart"), torch.tensor([-1000.0, 0.0, 1000.0, 999.0])),
        Case(_("scores far below 0"), torch.tensor([-1000.0, -999.0])),
        Case(_("rows far apart"), wave(2, 3, seed=7) - torch.tensor([[0.0], [1000.0]])),
    ],
    written_out={"library_softmax": "softmax"},
    trains=False,
    reread="Step 2: from scores to attention weights",
    mistakes={
        "library_softmax": "e / e.sum(dim=-1, keepdim=True) → torch.softmax(scores, dim=-1)",
        "over_queries": """e / e.sum(dim=-1, keepdim=True) → torch.softmax(scores, dim=0)
            or e = (scores - scores.amax(dim=-1, keepdim=True)) → e = scores
            return e / e.sum(dim=-1, keepdim=True) → return e / e.sum(dim=0)
            or amax(dim=-1, keepdim=True) → max()
            return e / e.sum(dim=-1, keepdim=True) → return e / e.sum(dim=0)""",
        "dim_1": """e / e.sum(dim=-1, keepdim=True) → torch.softmax(scores, dim=1)
            or amax(dim=-1, keepdim=True) → amax(1, True)
            sum(dim=-1, keepdim=True) → sum(dim=1, keepdim=True)""",
        "one_sum": """return e / e.sum(dim=-1, keepdim=True) → return e / e.sum()
            or return e / e.sum(dim=-1, keepdim=True) → return e / e.sum()
            e = (scores - scores.amax(dim=-1, keepdim=True)).exp() → e = scores.exp()
            or return e / e.sum(dim=-1, keepdim=True) → return e / e.sum()
            amax(dim=-1, keepdim=True) → max()""",
        "no_exp": "e / e. → scores / scores.",
        "no_keepdim": """amax(dim=-1, keepdim=True) → amax(dim=-1)
            or e = (scores - scores.amax(dim=-1, keepdim=True)) → e = scores
            return e / e.sum(dim=-1, keepdim=True) → return e / e.sum(dim=-1)""",
        "no_maximum": "e = (scores - scores.amax(dim=-1, keepdim=True)) → e = scores",
        "one_maximum": """amax(dim=-1, keepdim=True) → max()
            or amax(dim=-1, keepdim=True) → amax(0)""",
        "scores_returned": """return e / e.sum(dim=-1, keepdim=True) → return scores
            or e / e.sum → scores - scores.amax""",
        "not_divided": "return e / e.sum(dim=-1, keepdim=True) → return e",
    },
)
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


notebook.predict(
    "tripled scores",
    _("All scores are tripled. What becomes of the largest weight?"),
    answer=_("grows"),
    why=_("The softmax looks at differences, and these are now three times as large."),
    hint=_("What happens to the differences between the scores, and what is exp of a large one?"),
    words=(_("grows"), _("stays"), _("shrinks")),
    wrong=[
        (_("stays"), _("It would stay if we divided by the plain sum. What does exp do to 3 · s?"))
    ],
)


@notebook.ask(
    _("context(weights, X): the sum of the rows of X, each times its weight (tokens,)."),
    returns="context",
    sums={"context": "weights @ X"},
    cases=[
        Case(_("shiny's weights"), softmax(SUNNY @ SUNNY[1]), SUNNY),
        Case(_("more words than dimensions"), softmax(wave(5, seed=1)), five),
        Case(_("weights that do not sum to 1"), torch.tensor([0.5, 0.25]), wave(2, 3, seed=5)),
        Case(
            _("a word that stands twice, and equal weights"),
            torch.tensor([0.1, 0.4, 0.4, 0.1]),
            wave(3, 2, seed=6)[[0, 1, 0, 2]],
        ),
    ],
    trains=False,
    reread="Step 3: the context vector",
    mistakes={
        "not_added_up": "return weights @ X → return weights[:, None] * X",
        "added_along_wrong_axis": "weights @ X → (weights[:, None] * X).sum(dim=1)",
        "product_turned": "return weights @ X → return X @ weights",
        "weights_along_wrong_axis": """return weights @ X → return (weights * X).sum(dim=0)
            or return weights @ X → return weights * X""",
        "first_alone": "return weights @ X → return weights[0] * X[0]",
        "mean_for_sum": "return weights @ X → return (weights[:, None] * X).mean(dim=0)",
        "last_round_only": "return weights @ X → return weights[-1] * X[-1]",
        "tokens_written_in": "weights @ X → sum(weights[i] * X[i] for i in range(3))",
    },
)
def context(weights, X):
    return weights @ X


def self_attention_by_hand(X):
    scores = X @ X.T
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = e / e.sum(dim=-1, keepdim=True)
    return weights, weights @ X


@notebook.ask(
    _("self_attention(X): (weights, context) of all tokens at once, from plain dot products."),
    returns=("weights", "context"),
    sums={"scores": "X @ X.T", "weights": "softmax(scores)", "context": "weights @ X"},
    cases=[
        Case(_("more words than dimensions"), five),  # first, because here a mixed-up axis shows
        Case(_("Hello shiny sun"), SUNNY),
        Case(_("large numbers"), 40 * wave(4, 3, seed=6)),
    ],
    also=[self_attention_by_hand],
    trains=False,
    reread="Step 2: from scores to attention weights",
    mistakes={
        "columns_for_rows": "X @ X.T → X @ X",
        "dimensions_compared": """X @ X.T → X.T @ X
            or X @ X.T → X.T @ X
            return weights, weights @ X → return weights, X @ weights
            or X @ X.T → X.T @ X
            return weights, weights @ X → return weights, weights @ X.T""",
        "product_turned": "return weights, weights @ X → return weights, X @ weights",
        "weights_turned": "return weights, weights @ X → return weights, weights.T @ X",
        "weights_along_wrong_axis": "weights @ → weights *",
        "over_queries": "dim=-1 → dim=0",
        "reshaped": "X @ X.T → X @ X.reshape(X.shape[::-1])",
        "no_keepdim": """e = (scores - scores.amax(dim=-1, keepdim=True)) → e = scores
            sum(dim=-1, keepdim=True) → sum(dim=-1)
            or amax(dim=-1, keepdim=True) → amax(dim=-1)
            sum(dim=-1, keepdim=True) → sum(dim=-1)
            or amax(dim=-1, keepdim=True) → amax(dim=-1)""",
        "scores_returned": """weights = torch.softmax(X @ X.T, dim=-1) → weights = X @ X.T
            or return weights, weights @ X → return X @ X.T, X""",
        "no_maximum": "e = (scores - scores.amax(dim=-1, keepdim=True)) → e = scores",
    },
)
def self_attention(X):
    weights = torch.softmax(X @ X.T, dim=-1)
    return weights, weights @ X
