"""Catalogue, second part: mistakes in queries, keys and values, their scale and their weights."""

from . import wrong_layers, wrong_projections
from .wrong_layers import in_layers

PROJECTIONS = [
    {
        "name": "the query left as the data",
        "wrong": {
            "project": wrong_projections.project_query_is_data,
            **in_layers(wrong_layers.QueryIsData, "self_attention_module", "causal_attention"),
        },
        "symptom": "The queries are the embeddings: W_query is never used, and never trained.",
        "hint": "How many of the three matrices take part in training?",
        "reread": (2, "Which of the three are trained?"),
    },
    {
        "name": "queries and keys the wrong way round",
        "wrong": {
            "project": wrong_projections.project_swapped,
            "scaled_weights": wrong_projections.weights_keys_ask,
            **in_layers(wrong_layers.KeysAsk),
        },
        "symptom": "The scores are the right ones, mirrored along the diagonal.",
        "hint": "Row i belongs to the token that asks. Is it the query or the key that asks?",
        "reread": (2, "A dictionary that answers softly"),
    },
    {
        "name": "values mixed up with queries or keys",
        "wrong": {
            "project": [
                wrong_projections.project_values_first,
                wrong_projections.project_keys_values_swapped,
            ],
            **in_layers(wrong_layers.ValuesSwapped),
        },
        "symptom": "Right shapes, wrong numbers: one projection does the work of another.",
        "hint": "Follow W_value through your code. Where do its numbers end up?",
        "reread": (2, "Three matrices, by hand"),
    },
    {
        "name": "one matrix for two jobs",
        "wrong": {
            "project": [
                wrong_projections.project_one_matrix,
                wrong_projections.project_keys_from_queries,
            ],
            "scaled_weights": wrong_projections.weights_queries_only,
            **in_layers(wrong_layers.OneProjection),
        },
        "symptom": "The scores are symmetric again, as in notebook 1.",
        "hint": "Count the matrices that your scores are made of. How many should it be?",
        "reread": (2, "What raw dot products cannot do"),
    },
    {
        "name": "W transposed",
        "wrong": {
            "project": [wrong_projections.project_turned, wrong_projections.project_as_linear]
        },
        "symptom": "An error, unless d_in = d_out: then wrong numbers, in silence.",
        "hint": "Here W is (d_in, d_out); nn.Linear keeps it the other way round. "
        "Which of the two does your product expect?",
        "reread": (2, "What does nn.Linear add?"),
    },
    {
        "name": "no scale",
        "wrong": {
            "scaled_weights": wrong_projections.weights_not_scaled,
            **in_layers(wrong_layers.NotScaled),
        },
        "symptom": "Right shape, rows sum to 1, but the weights are too sharp.",
        "hint": "Dot products grow with the number of dimensions. What keeps them in bounds?",
        "reread": (2, "Why divide by √d_k?"),
    },
    {
        "name": "divided by d_k, not by √d_k",
        "wrong": {
            "scaled_weights": wrong_projections.weights_by_d_k,
            **in_layers(wrong_layers.ByDk),
        },
        "symptom": "Right shape, rows sum to 1, but the weights are too even.",
        "hint": "The variance of a dot product is d_k. By what must you divide to make it 1?",
        "reread": (2, "Why divide by √d_k?"),
    },
    {
        "name": "multiplied by √d_k",
        "wrong": {
            "scaled_weights": wrong_projections.weights_times_root,
            **in_layers(wrong_layers.TimesRoot),
        },
        "symptom": "Right shape, rows sum to 1, but the weights are far too sharp.",
        "hint": "Does your factor shrink the scores, or make them grow? Look at the sign of the power.",
        "reread": (2, "Why divide by √d_k?"),
    },
    {
        "name": "√d_in in place of √d_k",
        "wrong": in_layers(wrong_layers.ByDIn),
        "symptom": "Right as long as d_in = d_out; else the weights are too sharp or too even.",
        "hint": "A score is a sum of how many products? Look at the shape of a key.",
        "reread": (2, "Why divide by √d_k?"),
    },
    {
        "name": "√tokens in place of √d_k",
        "wrong": {
            "scaled_weights": wrong_projections.weights_by_tokens,
            **in_layers(wrong_layers.ByTokens),
        },
        "symptom": "The sharpness of the weights changes with the length of the sentence.",
        "hint": "Which axis of the keys do you measure? Print the shape.",
        "reread": (2, "Why divide by √d_k?"),
    },
    {
        "name": "d_k**1/2, where d_k**(1/2) is meant",
        "wrong": {
            "scaled_weights": [
                wrong_projections.weights_by_half,
                wrong_projections.weights_by_half_in_brackets,
            ]
        },
        "symptom": "Right shape, rows sum to 1, but no root is taken.",
        "hint": "Which does Python do first, the power or the division?",
        "reread": (2, "Why divide by √d_k?"),
    },
    {
        "name": "a fixed number in place of d_k",
        "wrong": {
            "scaled_weights": wrong_projections.weights_by_two,
            **in_layers(wrong_layers.ByTwo),
        },
        "symptom": "Right as long as keys have two numbers; else too sharp, as a rule.",
        "hint": "Our keys had two numbers. Does your code ask how many there are?",
        "reread": (2, "Why divide by √d_k?"),
    },
    {
        "name": "scaled after the softmax",
        "wrong": {"scaled_weights": wrong_projections.weights_scaled_after},
        "symptom": "Rows sum to less than 1, all by the same factor.",
        "hint": "The scale is to keep the softmax from saturating. Can it, where it stands now?",
        "reread": (2, "Why divide by √d_k?"),
    },
    {
        "name": "values not used",
        "wrong": in_layers(wrong_layers.KeysMixed)
        | {
            name: [*in_layers(wrong_layers.KeysMixed)[name], *codes]
            for name, codes in in_layers(
                wrong_layers.InputsMixed, "self_attention_module", "causal_attention"
            ).items()
        },
        "symptom": "The weights are right, and they mix the keys, or the embeddings.",
        "hint": "A token has something to be found by, and something to hand over. "
        "Which of them do you mix?",
        "reread": (2, "A dictionary that answers softly"),
    },
    {
        "name": "qkv_bias has no effect",
        "wrong": {
            name: [
                *in_layers(wrong_layers.BiasAlways)[name],
                *in_layers(wrong_layers.BiasNever)[name],
            ]
            for name in ("self_attention_module", "causal_attention", "multi_head")
        },
        "symptom": "There is a bias whatever qkv_bias says, or there never is one.",
        "hint": "What is the default of nn.Linear, and where does your qkv_bias arrive?",
        "reread": (2, "What does nn.Linear add?"),
    },
    {
        "name": "weights that are not trained",
        "fact": "not trained",
        "wrong": {
            **in_layers(wrong_layers.PlainTensors, "self_attention_module"),
            "copy_weights": wrong_projections.copy_frozen,
        },
        "symptom": "The output may be right, but an optimiser would not find the weights.",
        "hint": "What must you wrap a tensor in, so that training may change it? "
        "And is its requires_grad still True?",
        "reread": (2, "What does nn.Linear add?"),
    },
    {
        "name": "copied without .T",
        "wrong": {
            "copy_weights": [
                wrong_projections.copy_without_turning,
                wrong_projections.copy_without_turning_in_place,
            ]
        },
        "symptom": "A shape does not fit, unless d_in = d_out: then wrong numbers, in silence.",
        "hint": "Print both shapes, side by side. In which layout does nn.Linear keep its weight?",
        "reread": (2, "What does nn.Linear add?"),
    },
    {
        "name": "copied while autograd watches",
        "wrong": {"copy_weights": wrong_projections.copy_watched},
        "symptom": "RuntimeError: a leaf that requires grad is used in an in-place operation.",
        "hint": "PyTorch records every step for the way back, and this one should not be recorded. "
        "How do you tell it to look away?",
        "reread": (2, "What does nn.Linear add?"),
    },
    {
        "name": "a tensor where a Parameter belongs",
        "wrong": {"copy_weights": wrong_projections.copy_assigned},
        "symptom": "TypeError: PyTorch will not take a plain tensor as a weight.",
        "hint": "A weight must be trainable. What marks a tensor as one that training may change?",
        "reread": (2, "Three matrices, by hand"),
    },
    {
        "name": "one matrix copied to all three",
        "wrong": {"copy_weights": wrong_projections.copy_one_for_all},
        "symptom": "Query, key and value have the same weights afterwards.",
        "hint": "Follow the loop: what is different in its second round?",
        "reread": (2, "Three matrices, by hand"),
    },
    {
        "name": "only a copy was filled",
        "wrong": {"copy_weights": wrong_projections.copy_of_a_copy},
        "symptom": "No error, and nothing has changed in to_linear.",
        "hint": "Which tensor have you filled: the weight of the layer, or one that you made?",
        "reread": (2, "What does nn.Linear add?"),
    },
    {
        "name": "copied the wrong way",
        "wrong": {"copy_weights": wrong_projections.copy_backwards},
        "symptom": "to_linear is as it was, and from_parameters has changed.",
        "hint": "Which layer are the numbers to end up in?",
        "reread": (2, "What does nn.Linear add?"),
    },
]
