"""The exercises and predictions of notebook 1: scores, weights and context, by hand."""

import torch
from torch.nn import functional as F  # noqa: F401  for the edits below

from .. import _
from ..data.sentences import SUNNY
from ..judge.exercise import Case, wave
from .mistakes import Mistake, swap
from .notebook import Notebook

notebook = Notebook(__name__)

five = wave(5, 4)  # tokens and dimensions differ: a mixed-up axis cannot hide


@notebook.ask(
    _("scores(query, X): the dot product of a query (d,) with every row of X (tokens, d)."),
    returns="scores",
    sums={"scores": "X @ query"},
    cases=[
        Case(_("shiny and its three words"), SUNNY[1], SUNNY),
        Case(_("more words than dimensions"), wave(4, seed=2), five),
        Case(_("a single word"), wave(3, seed=3), wave(1, 3, seed=4)),
    ],
    reread="Step 1: attention scores",
    mistakes={
        "weights_too_early": Mistake("return torch.softmax(X @ query, dim=-1)").called("""
            weights returned where scores are asked
            All numbers lie between 0 and 1, and they sum to 1.
            Scores may be of any size, even below 0. Which step have you taken too early?"""),
        "not_added_up": Mistake("return query * X").called("""
            products not added up
            A whole matrix comes back, where one number for each row or column is wanted.
            You multiply number by number. What comes after that, and along which axis?"""),
        "added_along_wrong_axis": Mistake("return (query * X).sum(dim=0)").called("""
            added up along the wrong axis
            One number for each dimension, where each token should have one; or the other way round.
            Write down the shape before the sum. Which of the two axes must disappear?"""),
        "cosine": Mistake("return F.cosine_similarity(X, query[None], dim=1)").called("""
            cosine similarity in place of the dot product
            No score is above 1, and a word's score with itself is exactly 1.
            Does a long vector get a higher score than a short one that points the same way?"""),
        "columns_for_rows": Mistake("return X.T @ query").called("""
            columns in place of rows
            It runs only if there are as many tokens as dimensions, and the numbers are off.
            A token is a row. Do your dot products pair up rows?"""),
        "returned_at_once": Mistake("return X[0] @ query", "return (X @ query)[:1]").called("""
            a return inside the loop
            Only the first round of the loop counts.
            A return ends the whole function. How many rounds does your loop get?"""),
        "count_written_in": Mistake(
            "return torch.stack([X[i] @ query for i in range(3)])",
            "return torch.stack([sum(query[i] * x[i] for i in range(3)) for x in X])",
        ).called("""
            a 3 written into the loop
            Right for three; for more some are left out, for fewer there is an error.
            Not every sentence has three words. What tells how many there are?"""),
        "tokens_of_width": Mistake(
            "return torch.stack([X[i] @ query for i in range(len(query))])"
        ).called("""
            the numbers of a token counted, not the tokens
            Fine, as long as there are as many tokens as numbers in each.
            Print the shape. Which of its numbers counts the tokens?"""),
        "last_round_only": ["return query[-1] * X[:, -1]", "return X[-1] @ query"],
        "scaled_too_early": "return X @ query / len(query) ** 0.5",
    },
)
def scores(query, X):
    return X @ query


notebook.predict(
    "highest score",
    _("Which of the three words gets the highest score with shiny?"),
    form=_('a word, such as "Hello"'),
    answer="shiny",
    why=_("With itself, its large numbers meet large ones; and it is the longest of the three."),
    hint=_("Go through the rows: whose numbers are large where those of shiny are large?"),
    same=("itself", "shiny itself"),
    words=("Hello", "shiny", "sun"),
    wrong=[("sun", _("Close: it comes second. Compare the two rows number by number."))],
)

OTHERS = "- scores.mean", "- scores.amin", "+ scores.amax"  # than "- scores.amax"


@notebook.ask(
    _("softmax(scores): shares over the last axis, of one to three; scores of any size."),
    returns="weights",
    sums={"weights": "softmax(scores)"},
    cases=[
        Case(_("a row of scores"), wave(4)),
        Case(_("a matrix"), wave(3, 5, seed=2)),
        Case(_("a batch of matrices"), wave(2, 3, 4, seed=3)),
        Case(_("scores far apart"), torch.tensor([-1000.0, 0.0, 1000.0, 999.0])),
        Case(_("rows far apart"), wave(2, 3, seed=7) - torch.tensor([[0.0], [1000.0]])),
    ],
    written_out={"library_softmax": "softmax"},
    reread="Step 2: from scores to attention weights",
    mistakes={
        "library_softmax": Mistake("return torch.softmax(scores, dim=-1)").called("""
            PyTorch's softmax, where it is to be written out
            The numbers are right, but here you are to write what happens inside. Later, use PyTorch's.
            Which steps keep exp from overflowing, make scores positive, and make them shares?"""),
        "over_queries": Mistake(
            "return torch.softmax(scores, dim=0)",
            ("e = scores.exp()", "return e / e.sum(dim=0)"),
            ("e = (scores - scores.max()).exp()", "return e / e.sum(dim=0)"),
        ).called("""
            softmax over the queries
            Columns of the weights sum to 1; rows do not.
            A row belongs to one query, and is shared out among the keys. Along which axis do its shares lie?"""),
        "dim_1": Mistake(
            "return torch.softmax(scores, dim=1)",
            ("e = (scores - scores.amax(1, True)).exp()", "return e / e.sum(dim=1, keepdim=True)"),
        ).called("""
            dim=1, where the last axis is meant
            Right for matrices; in a batch, axis 1 is the queries, and rows no longer sum to 1.
            A batch in front moves the other axes on. From which end must you count to name the last one?"""),
        "one_sum": Mistake(
            "return e / e.sum()",
            ("return e / e.sum()", "e = scores.exp()"),
            ("return e / e.sum()", "e = (scores - scores.max()).exp()"),
        ).called("""
            one sum for the whole matrix
            A single row comes out right; of a matrix, all cells together sum to 1.
            Each query has its own row, to be shared out on its own. Over which axis do you sum?"""),
        "no_exp": Mistake("return scores / scores.sum(dim=-1, keepdim=True)").called("""
            divided by the plain sum, no exp
            Rows sum to 1, but some shares are below 0, or above 1, where scores have both signs.
            What do you do to a score to make sure it is positive, before you divide?"""),
        "no_keepdim": [
            "e = (scores - scores.amax(dim=-1)).exp()",
            ("e = scores.exp()", "return e / e.sum(dim=-1)"),
        ],
        "no_maximum": Mistake("e = scores.exp()").called("""
            exp without subtracting the maximum
            Right for small scores; for large ones nan, or an overflow.
            exp(1000) is too large. What can be taken from all scores of a row and leave its weights alone?"""),
        "not_the_maximum": Mistake(
            *[f"e = (scores {less}(dim=-1, keepdim=True)).exp()" for less in OTHERS]
        ).called("""
            not the maximum is subtracted
            Right while the scores are small or close together; else nan, or infinity over infinity.
            After the subtraction, how large may the largest number be, so that exp never overflows?"""),
        "scores_returned": Mistake(
            "return scores", "return scores - scores.amax(dim=-1, keepdim=True)"
        ).called("""
            scores in place of weights: no softmax
            Rows do not sum to 1, and some numbers are above 1 or below 0.
            Weights are shares. Which step turns scores into shares, and where is it?"""),
        "not_divided": Mistake("return e").called("""
            exp not divided by its sum
            All numbers are positive, but rows do not sum to 1.
            You have made every score positive. What turns positive numbers into shares?"""),
        "in_place": Mistake(
            "e = scores.sub_(scores.amax(dim=-1, keepdim=True)).exp()",
            "scores += 1.0\nreturn scores.softmax(dim=-1)",
        ).called("""
            in-place change of an argument
            The caller's own tensor, or layer, is another one after the call.
            Which of your lines, such as -=, a slice, a name that ends in _, changes what you were given?"""),
    },
)
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


notebook.predict(
    "tripled scores",
    _("All scores are tripled. What becomes of the largest weight?"),
    form=_('"grows", "stays" or "shrinks"'),
    answer="grows",
    why=_("The softmax looks at differences, and these are now three times as large."),
    hint=_("What happens to the differences between the scores, and what is exp of a large one?"),
    same=("grow", "it grows", "larger", "bigger"),
    words=("grows", "stays", "shrinks"),
    wrong=[("stays", _("So it is if one divides by the plain sum. What does exp do to 3 · s?"))],
)


@notebook.ask(
    _("context(weights, X): the sum of the rows of X, each times its weight (tokens,)."),
    returns="context",
    sums={"context": "weights @ X"},
    cases=[
        Case(_("shiny's weights"), softmax(SUNNY @ SUNNY[1]), SUNNY),
        Case(_("more words than dimensions"), softmax(wave(5, seed=1)), five),
        Case(_("weights that do not sum to 1"), torch.tensor([0.5, 0.0]), wave(2, 3, seed=5)),
    ],
    reread="Step 3: the context vector",
    mistakes={
        "not_added_up": "return weights[:, None] * X",
        "added_along_wrong_axis": "return (weights[:, None] * X).sum(dim=1)",
        "product_turned": Mistake("return X @ weights").called("""
            the product the wrong way round
            It runs only if there are as many tokens as dimensions, and the numbers are off.
            In A @ B, the columns of A meet the rows of B. Each token has a weight: where are the tokens in X?"""),
        "weights_along_wrong_axis": Mistake(
            "return (weights * X).sum(dim=0)", "return weights * X"
        ).called("""
            weights spread along the wrong axis
            It runs only if there are as many tokens as dimensions, and the numbers are off.
            Shapes are lined up from the right. Does weights * X scale each row by a weight, or each column?"""),
        "returned_at_once": "return weights[0] * X[0]",
        "mean_for_sum": Mistake("return (weights[:, None] * X).mean(dim=0)").called("""
            the mean in place of the sum
            Everything is too small, by the number of tokens.
            The weights sum to 1: they have done the dividing. Is anything left to divide by?"""),
        "last_round_only": Mistake("return weights[-1] * X[-1]").called("""
            only the last round of a loop counts
            What the earlier rounds found is gone.
            In each round, does = add to what there is, or replace it?"""),
        "count_written_in": "return sum(weights[i] * X[i] for i in range(3))",
        "softmax_twice": Mistake("return torch.softmax(weights, dim=0) @ X").called("""
            softmax, and softmax again
            Rows sum to 1, but the weights are too even: those of 0 are gone, too.
            Weights are shares already. How often does your code share out?"""),
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
        Case(_("more words than dimensions"), five),  # first: here a mixed-up axis cannot hide
        Case(_("Hello shiny sun"), SUNNY),
        Case(_("large numbers"), 40 * wave(4, 3, seed=6)),
    ],
    also=[self_attention_by_hand],
    reread="Step 2: from scores to attention weights",
    mistakes={
        "columns_for_rows": "weights = torch.softmax(X @ X, dim=-1)",
        "dimensions_compared": Mistake(
            "weights = torch.softmax(X.T @ X, dim=-1)",
            ("weights = torch.softmax(X.T @ X, dim=-1)", "return weights, X @ weights"),
            ("weights = torch.softmax(X.T @ X, dim=-1)", "return weights, weights @ X.T"),
        ).called("""
            dimensions paired up, not tokens
            There is a row for each dimension, where one for each token is wanted.
            Print the shape of your scores. Which of the two has to be turned, so that rows meet rows?"""),
        "product_turned": "return weights, X @ weights",
        "weights_along_wrong_axis": "return weights, weights * X",
        "scaled_too_early": Mistake(
            "weights = torch.softmax(X @ X.T / X.shape[-1] ** 0.5, dim=-1)",
            "weights = torch.softmax(X @ X.T / 3**0.5, dim=-1)",
        ).called("""
            scaled, where the plain score is asked
            The weights are too even: all scores are smaller than they should be, by one factor.
            This notebook's score is a bare dot product. What else happens to it in your code?"""),
        "over_queries": "weights = torch.softmax(X @ X.T, dim=0)",
        "reshaped": Mistake(swap("X @ X.T", "X @ X.reshape(X.shape[::-1])")).called("""
            view or reshape, where axes must swap
            The right shape, and the numbers stand in the wrong places.
            view and reshape read on row by row, and break the lines elsewhere. Which function swaps two axes?"""),
        "no_keepdim": Mistake(
            ("e = scores.exp()", "weights = e / e.sum(dim=-1)"),
            ("e = (scores - scores.amax(dim=-1)).exp()", "weights = e / e.sum(dim=-1)"),
            "e = (scores - scores.amax(dim=-1)).exp()",
        ).called("""
            keepdim left out
            A square matrix comes out wrong; one that is not square raises an error.
            Print the shape of your sum. Is each row divided by its own sum, or each column?"""),
        "softmax_twice": "weights = torch.softmax(torch.softmax(X @ X.T, dim=-1), dim=-1)",
        "no_exp": [
            swap("e / e.sum", "scores / scores.sum"),
            swap("e / e.sum(dim=-1, keepdim=True)", "scores / scores.sum(dim=-1)"),
        ],
        "scores_returned": ["weights = X @ X.T", "return X @ X.T, X"],
        "one_sum": [("e = scores.exp()", swap("e.sum(dim=-1, keepdim=True)", "e.sum()"))],
        "not_added_up": "weights = torch.softmax(X * X, dim=-1)",
        "results_swapped": Mistake("return weights @ X, weights").called("""
            results in the wrong order
            What is asked for first comes second.
            Look at the line under your def once more: in which order are they wanted?"""),
    },
)
def self_attention(X):
    weights = torch.softmax(X @ X.T, dim=-1)
    return weights, weights @ X
