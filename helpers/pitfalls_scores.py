"""Catalogue, first part: mistakes in scores, softmax and context vectors."""

from . import wrong_dropout, wrong_layers, wrong_masks, wrong_projections, wrong_scores
from .wrong_layers import in_layers

SCORES = [
    {
        "name": "scaled, where the plain score is asked",
        "wrong": {
            "scores": wrong_scores.scores_scaled,
            "self_attention": wrong_scores.self_attention_scaled,
        },
        "symptom": "All scores are smaller than they should be, by one and the same factor.",
        "hint": "This notebook's score is a bare dot product. What else happens to it in your code?",
        "reread": (1, "Step 1: attention scores"),
    },
    {
        "name": "weights returned where scores are asked",
        "wrong": {"scores": wrong_scores.scores_softmaxed},
        "symptom": "All numbers lie between 0 and 1, and they sum to 1.",
        "hint": "Scores may be of any size, even below 0. Which step have you taken too early?",
        "reread": (1, "Step 1: attention scores"),
    },
    {
        "name": "products not added up",
        "wrong": {
            "scores": wrong_scores.scores_not_added_up,
            "context": wrong_scores.context_not_added_up,
        },
        "symptom": "A whole matrix comes back, where one number for each row or column is wanted.",
        "hint": "You multiply number by number. What comes after that, and along which axis?",
        "reread": (1, "Step 1: attention scores"),
    },
    {
        "name": "added up along the wrong axis",
        "wrong": {
            "scores": wrong_scores.scores_added_down,
            "context": wrong_scores.context_added_across,
        },
        "symptom": "As many numbers come back as there are dimensions, where tokens are wanted; "
        "or the other way round.",
        "hint": "Write down the shape before the sum. Which of the two axes must disappear?",
        "reread": (1, "Step 3: the context vector"),
    },
    {
        "name": "cosine similarity in place of the dot product",
        "wrong": {"scores": wrong_scores.scores_cosine},
        "symptom": "No score is above 1, and a word's score with itself is exactly 1.",
        "hint": "Does a long vector get a higher score than a short one that points the same way?",
        "reread": (1, "Move it: another query"),
    },
    {
        "name": "columns in place of rows",
        "wrong": {
            "scores": wrong_scores.scores_of_columns,
            "scaled_weights": wrong_projections.weights_of_columns,
        },
        "symptom": "It runs only if there are as many tokens as dimensions, and the numbers are off.",
        "hint": "A token is a row. Do your dot products pair up rows?",
        "reread": (1, "Every token at once"),
    },
    {
        "name": "softmax over the queries",
        "wrong": {
            "softmax": [
                wrong_scores.softmax_over_queries,
                wrong_scores.softmax_over_first,
            ],
            "self_attention": wrong_scores.self_attention_over_queries,
            "scaled_weights": wrong_projections.weights_over_queries,
            "masked_weights": wrong_masks.masked_over_queries,
            **in_layers(wrong_layers.OverQueries),
        },
        "symptom": "Columns of the weights sum to 1; rows do not.",
        "hint": "One row belongs to one query, and is shared out among the keys. "
        "Along which axis do the shares of a row lie?",
        "reread": (1, "Move it: the wrong direction"),
    },
    {
        "name": "dim=1, where the last axis is meant",
        "wrong": {"softmax": [wrong_scores.softmax_dim_1, wrong_scores.softmax_over_dim_1]},
        "symptom": "Right for matrices; a batch is shared out along the wrong axis.",
        "hint": "A row has one axis, a batch has three. How do you count from the end?",
        "reread": (1, "Move it: the wrong direction"),
    },
    {
        "name": "softmax over the batch",
        "wrong": {
            "softmax": wrong_scores.softmax_without_dim,
            **in_layers(wrong_layers.OverBatch, "causal_attention", "multi_head"),
        },
        "symptom": "A single sentence may come out right; in a batch, sentences share their weights.",
        "hint": "Count the axes of a batch from the front, then from the back. "
        "Which way of counting still names the keys when a batch comes along?",
        "reread": (1, "Move it: the wrong direction"),
    },
    {
        "name": "softmax over the heads",
        "wrong": in_layers(wrong_layers.OverHeads, "multi_head"),
        "symptom": "The weights that two heads give to one word sum to 1; rows do not.",
        "hint": "With heads there are four axes. Which one holds the keys, and what is its number?",
        "reread": (5, "One layer, cut into heads"),
    },
    {
        "name": "one sum for the whole matrix",
        "wrong": {
            "softmax": [wrong_scores.softmax_over_everything, wrong_scores.softmax_unstable_row],
            "self_attention": wrong_scores.self_attention_over_everything,
            "scaled_weights": wrong_projections.weights_over_everything,
        },
        "symptom": "A single row comes out right; of a matrix, all cells together sum to 1.",
        "hint": "Each query has its own row, to be shared out on its own. Over which axis do you sum?",
        "reread": (1, "Every token at once"),
    },
    {
        "name": "keepdim left out",
        "wrong": {
            "softmax": wrong_scores.softmax_no_keepdim,
            "self_attention": wrong_scores.self_attention_no_keepdim,
            "scaled_weights": wrong_projections.weights_no_keepdim,
        },
        "symptom": "A square matrix comes out wrong; one that is not square raises an error.",
        "hint": "Print the shape of your sum. PyTorch lines shapes up from the right: "
        "does it divide each row by its own sum, or each column?",
        "reread": (1, "Every token at once"),
    },
    {
        "name": "divided by the plain sum, no exp",
        "wrong": {
            "softmax": wrong_scores.softmax_without_exp,
            "self_attention": wrong_scores.self_attention_without_exp,
            "scaled_weights": wrong_projections.weights_without_exp,
            **in_layers(wrong_layers.NoExp),
        },
        "symptom": "Rows sum to 1, but a score below 0 gives a share below 0, or above 1.",
        "hint": "What do you do to a score to make sure it is positive, before you divide?",
        "reread": (1, "Step 2: from scores to attention weights"),
    },
    {
        "name": "exp without subtracting the maximum",
        "wrong": {
            "softmax": [wrong_scores.softmax_unstable, wrong_scores.softmax_of_python],
            "self_attention": wrong_scores.self_attention_unstable,
            "scaled_weights": wrong_projections.weights_unstable,
            "masked_weights": wrong_masks.masked_unstable,
            **in_layers(
                wrong_layers.Unstable, "self_attention_module", "causal_attention", "multi_head"
            ),
        },
        "symptom": "Right for small scores; for large ones nan, or an overflow.",
        "hint": "exp(1000) is too large for a computer. "
        "What can you take away from all scores of a row and leave its weights as they are?",
        "reread": (1, "The overflow"),
    },
    {
        "name": "the maximum of the whole matrix, not of each row",
        "wrong": {
            "softmax": wrong_scores.softmax_global_maximum,
            "self_attention": wrong_scores.self_attention_global_maximum,
        },
        "symptom": "Right, unless one row's scores are far below another's: then that row is nan.",
        "hint": "Take two rows, one near 0 and one near 1000. What is left of the first one?",
        "reread": (1, "The overflow"),
    },
    {
        "name": "scores returned where weights are asked",
        "wrong": {
            "softmax": wrong_scores.softmax_scores_returned,
            "self_attention": [
                wrong_scores.self_attention_scores_throughout,
                wrong_scores.self_attention_scores_returned,
            ],
            "scaled_weights": wrong_projections.weights_scores_returned,
            "masked_weights": wrong_masks.masked_scores_returned,
            **in_layers(wrong_layers.NoSoftmax),
        },
        "symptom": "Rows do not sum to 1, and some numbers are above 1 or below 0.",
        "hint": "Weights are shares. Which step turns scores into shares, and where is it?",
        "reread": (1, "Step 2: from scores to attention weights"),
    },
    {
        "name": "exp not divided by its sum",
        "wrong": {
            "softmax": [
                wrong_scores.softmax_not_divided,
                wrong_scores.softmax_not_divided_stable,
            ]
        },
        "symptom": "All numbers are positive, but rows do not sum to 1.",
        "hint": "You have made every score positive. What turns positive numbers into shares?",
        "reread": (1, "Step 2: from scores to attention weights"),
    },
    {
        "name": "log-softmax in place of softmax",
        "wrong": {"softmax": wrong_scores.softmax_logarithm},
        "symptom": "No number is above 0.",
        "hint": "These are the logarithms of the weights. Which function of PyTorch did you call?",
        "reread": (1, "Step 2: from scores to attention weights"),
    },
    {
        "name": "scores in place of weights in the sum",
        "wrong": {"self_attention": wrong_scores.self_attention_scores_used},
        "symptom": "The weights are right, and the context vectors are too long.",
        "hint": "By what is each embedding multiplied before the sum?",
        "reread": (1, "Step 3: the context vector"),
    },
    {
        "name": "weights transposed",
        "wrong": {
            "self_attention": wrong_scores.self_attention_turned,
            **in_layers(wrong_layers.WeightsTurned),
        },
        "symptom": "The weights are right; each token collects with a column, not with its row.",
        "hint": "Which weights belong to one query: a row, or a column? Which of them do you use?",
        "reread": (1, "Every token at once"),
    },
    {
        "name": "results in the wrong order",
        "wrong": {"self_attention": wrong_scores.self_attention_swapped},
        "symptom": "Both matrices are right, and each stands in the other's place.",
        "hint": "Read the stub once more: which of the two comes first?",
        "reread": (1, "Every token at once"),
    },
    {
        "name": "the product the wrong way round",
        "wrong": {"context": wrong_scores.context_product_turned},
        "symptom": "It runs only if there are as many tokens as dimensions, and the numbers are off.",
        "hint": "In a product A @ B, the columns of A meet the rows of B. "
        "There is one weight for each token: where are the tokens in X?",
        "reread": (1, "Step 3: the context vector"),
    },
    {
        "name": "weights spread along the wrong axis",
        "wrong": {"context": wrong_scores.context_weights_along_columns},
        "symptom": "It runs only if there are as many tokens as dimensions, and the numbers are off.",
        "hint": "PyTorch lines shapes up from the right. "
        "Does weights * X multiply each row by its weight, or each column?",
        "reread": (1, "Step 3: the context vector"),
    },
    {
        "name": "the mean in place of the sum",
        "wrong": {"context": wrong_scores.context_mean},
        "symptom": "Everything is too small, by the number of tokens.",
        "hint": "The weights sum to 1: they have done the dividing. Is anything left to divide by?",
        "reread": (1, "Step 3: the context vector"),
    },
    {
        "name": "weights not used",
        "wrong": {"context": [wrong_scores.context_weights_unused, wrong_scores.context_plain_sum]},
        "symptom": "Whatever the weights are, the same context vector comes out.",
        "hint": "Double one weight: what should move, and does it in your function?",
        "reread": (1, "Step 3: the context vector"),
    },
    {
        "name": "in-place change of an argument",
        "fact": "changes",
        "wrong": {
            "softmax": wrong_scores.softmax_in_place,
            "self_attention": wrong_scores.self_attention_in_place,
            "scaled_weights": wrong_projections.weights_in_place,
            "masked_weights": wrong_masks.masked_in_place,
            "dropout": wrong_dropout.dropout_in_place,
        },
        "symptom": "The caller's own tensor is another one after the call.",
        "hint": "Look for -=, *=, assignments to a slice, and names that end in _. "
        "Do they work on a copy, or on what you were given?",
        "reread": (3, "Mistakes people make"),
    },
    {
        "name": "lost gradient",
        "fact": "gradient",
        "wrong": {
            "project": wrong_projections.project_detached,
            "scaled_weights": wrong_projections.weights_detached,
            "masked_weights": wrong_masks.masked_detached,
            "dropout": wrong_dropout.dropout_detached,
            **in_layers(wrong_layers.Detached),
        },
        "symptom": "The numbers are right, but training could not get back through all of them.",
        "hint": "Look for detach(), .data, item(), numpy(), torch.tensor(…) and torch.no_grad(), "
        "and for a change in place half-way. Which of them cuts the way back?",
        "reread": (2, "Which of the three are trained?"),
    },
]
