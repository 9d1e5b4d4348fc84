"""Catalogue, fourth part: mistakes in dropout and in heads."""

from . import wrong_causal, wrong_dropout, wrong_heads, wrong_layers
from .wrong_layers import in_layers

DROPPING = ("causal_dropout", "multi_head")

DROPOUT = [
    {
        "name": "kept weights not scaled by 1/(1 − p)",
        "wrong": {
            "dropout": wrong_dropout.dropout_not_scaled,
            "dropout_module": wrong_dropout.ModuleNotScaled,
            **in_layers(wrong_causal.DropsNotScaled, *DROPPING),
        },
        "symptom": "On average, all weights shrink by the factor 1 − p.",
        "hint": "Part of the weight is gone. How large must the rest be, to be right on average?",
        "reread": (4, "Why divide by 1 − p"),
    },
    {
        "name": "scaled by the wrong factor",
        "wrong": {
            "dropout": [wrong_dropout.dropout_shrunk, wrong_dropout.dropout_by_p],
        },
        "symptom": "The average over many draws is not the weight one started from.",
        "hint": "A weight stays with chance 1 − p. Times what is it right on average?",
        "reread": (4, "Why divide by 1 − p"),
    },
    {
        "name": "p kept, not p dropped",
        "wrong": {
            "dropout": [wrong_dropout.dropout_keeps_p, wrong_dropout.dropout_keeps_p_by_p],
            "dropout_module": wrong_dropout.ModuleKeepsP,
        },
        "symptom": "With p = 0.2, four out of five weights are gone.",
        "hint": "p is the chance to be dropped. For p = 0, what does your comparison keep?",
        "reread": (4, "A row of weights, and a coin"),
    },
    {
        "name": "the same draw every time",
        "wrong": {
            "dropout": wrong_dropout.dropout_same_draw,
            "dropout_module": wrong_dropout.ModuleSameDraw,
        },
        "symptom": "Two calls drop the same weights.",
        "hint": "Where does your randomness start from, at each call?",
        "reread": (4, "A row of weights, and a coin"),
    },
    {
        "name": "one draw for a whole row or column",
        "wrong": {"dropout": [wrong_dropout.dropout_by_row, wrong_dropout.dropout_by_column]},
        "symptom": "Whole rows, or whole columns, are gone together.",
        "hint": "Every weight has a coin of its own. How many coins do you toss?",
        "reread": (4, "A row of weights, and a coin"),
    },
    {
        "name": "rows renormalised after dropout",
        "wrong": {"dropout": wrong_dropout.dropout_renormalised},
        "symptom": "Every row sums to 1, whatever was dropped.",
        "hint": "Must one draw sum to 1? What should be right on average?",
        "reread": (4, "Why divide by 1 − p"),
    },
    {
        "name": "normal random numbers, where even ones are meant",
        "wrong": {"dropout": wrong_dropout.dropout_normal},
        "symptom": "The share that is dropped is not p.",
        "hint": "Between which numbers do your draws lie? How many of them fall below p?",
        "reread": (4, "Why divide by 1 − p"),
    },
    {
        "name": "dropout that never drops",
        "wrong": {
            "dropout": wrong_dropout.dropout_nothing,
            "dropout_module": wrong_dropout.ModuleNeverDrops,
            **in_layers(wrong_causal.NeverDrops, *DROPPING),
        },
        "symptom": "In training, too, nothing is ever 0.",
        "hint": "Is your dropout called at all? Does it know that the layer is in training?",
        "reread": (4, "Training and use"),
    },
    {
        "name": "dropout in use, after eval()",
        "wrong": {
            "dropout_module": wrong_dropout.ModuleDropsInUse,
            **{
                name: [
                    *in_layers(wrong_causal.DropsInUse, name)[name],
                    *in_layers(wrong_causal.FusedDropsInUse, name)[name],
                ]
                for name in DROPPING
            },
        },
        "symptom": "After eval(), two calls with the same input differ.",
        "hint": "A function does not know the mode of your layer. Who tells it?",
        "reread": (4, "The fast kernel does not look"),
    },
    {
        "name": "training and use the wrong way round",
        "wrong": {"dropout_module": wrong_dropout.ModuleTurnedRound},
        "symptom": "It drops in use, and does nothing in training.",
        "hint": "When is self.training True?",
        "reread": (4, "Training and use"),
    },
    {
        "name": "shrunk in use, not scaled in training",
        "wrong": {"dropout_module": wrong_dropout.ModuleScaledInUse},
        "symptom": "After eval() all weights are too small.",
        "hint": "So it was done at first. Today, use changes nothing: where does the factor go then?",
        "reread": (4, "Why divide by 1 − p"),
    },
    {
        "name": "dropout before the softmax",
        "wrong": {
            name: [
                *in_layers(wrong_causal.DropsScores, name)[name],
                *in_layers(wrong_causal.DropsMaskedScores, name)[name],
            ]
            for name in DROPPING
        },
        "symptom": "No weight is ever 0; or, if the mask was there first, all is nan.",
        "hint": "A dropped score is 0. What does the softmax make of it?",
        "reread": (4, "After the softmax, not before"),
    },
    {
        "name": "dropout on the context vectors",
        "wrong": in_layers(wrong_causal.DropsContext, *DROPPING),
        "symptom": "Single numbers of the output are 0, where whole words should be left out.",
        "hint": "What is to be left out now and then: a word, or one number of the mixture?",
        "reread": (4, "The class"),
    },
]

HEADS = [
    {
        "name": "view without transpose",
        "wrong": {
            "split_heads": wrong_heads.split_by_view,
            **in_layers(wrong_causal.SplitByView, "multi_head"),
        },
        "symptom": "The right shape; the tokens are scrambled into the heads.",
        "hint": "view never moves a number. Number the numbers: what does head 1 get?",
        "reread": (5, "One layer, cut into heads"),
    },
    {
        "name": "heads left behind the tokens",
        "wrong": {
            "split_heads": wrong_heads.split_not_turned,
            **in_layers(wrong_causal.SplitNotTurned, "multi_head"),
        },
        "symptom": "The shape is (batch, tokens, heads, head_dim).",
        "hint": "The cut is right. Attention needs one matrix for each head: which axes must swap?",
        "reread": (5, "One layer, cut into heads"),
    },
    {
        "name": "heads interleaved",
        "wrong": {
            "split_heads": wrong_heads.split_interleaved,
            "merge_heads": wrong_heads.merge_interleaved,
            **in_layers(wrong_causal.SplitInterleaved, "multi_head"),
        },
        "symptom": "The right shape; each head has numbers from all over a token.",
        "hint": "Should a head be a block of neighbours? The last axis of a view counts fastest.",
        "reread": (5, "One layer, cut into heads"),
    },
    {
        "name": "merged without transposing back",
        "wrong": {
            "merge_heads": wrong_heads.merge_not_turned,
            **in_layers(wrong_causal.MergeNotTurned, "multi_head"),
        },
        "symptom": "The right shape; the tokens are scrambled on the way out.",
        "hint": "On the way in two axes were swapped. What has become of that on the way out?",
        "reread": (5, "The way back"),
    },
    {
        "name": "view after transpose, no contiguous",
        "wrong": {
            "merge_heads": wrong_heads.merge_not_contiguous,
            **in_layers(wrong_causal.MergeNotContiguous, "multi_head"),
        },
        "symptom": "RuntimeError: view refuses.",
        "hint": "transpose moves no number in memory. What writes them down in the new order?",
        "reread": (5, "The way back"),
    },
    {
        "name": "heads added up, not laid side by side",
        "wrong": {"merge_heads": [wrong_heads.merge_by_mean, wrong_heads.merge_by_sum]},
        "symptom": "A token has head_dim numbers, not heads · head_dim.",
        "hint": "No number may be lost. How many does a token have before and after?",
        "reread": (5, "The way back"),
    },
    {
        "name": "d_out not divisible by num_heads",
        "wrong": in_layers(wrong_causal.Uneven, "multi_head"),
        "symptom": "A layer with d_out=7 and 2 heads is made without a word, and fails later.",
        "hint": "Seven numbers in two heads: when should your layer say no?",
        "reread": (5, "One layer, cut into heads"),
    },
    {
        "name": "√d_out in place of √head_dim",
        "wrong": in_layers(wrong_layers.ByDOut, "multi_head"),
        "symptom": "Right shape, but the weights of every head are too even.",
        "hint": "How many products are added up in a score of one head?",
        "reread": (5, "Mistakes people make"),
    },
    {
        "name": "out_proj of size d_in",
        "wrong": in_layers(wrong_causal.OutProjOfDIn, "multi_head"),
        "symptom": "An error, unless d_in = d_out.",
        "hint": "What goes into out_proj: an embedding, or the heads side by side?",
        "reread": (5, "out_proj: where heads meet"),
    },
    {
        "name": "no out_proj",
        "wrong": in_layers(wrong_causal.NoOutProj, "multi_head"),
        "symptom": "The heads lie side by side, and never meet.",
        "hint": "Which layer mixes the heads at the end, and is it called?",
        "reread": (5, "out_proj: where heads meet"),
    },
    {
        "name": "d_out for every head",
        "wrong": in_layers(wrong_causal.EveryHeadWhole, "multi_head"),
        "symptom": "The projections are num_heads times as wide as they should be.",
        "hint": "Here d_out is the size in total. How much of it has each head?",
        "reread": (5, "The class"),
    },
    {
        "name": "weights averaged over the heads",
        "wrong": {"torch_heads": wrong_heads.torch_averaged},
        "symptom": "One matrix of weights for each sentence, where one for each head is wanted.",
        "hint": "Look at the arguments of nn.MultiheadAttention's forward: "
        "which one is about an average?",
        "reread": (5, "Mistakes people make"),
    },
    {
        "name": "is_causal without attn_mask",
        "wrong": {"torch_heads": wrong_heads.torch_only_is_causal},
        "symptom": "RuntimeError: need attn_mask.",
        "hint": "Here is_causal is a mere hint that your mask is causal. Where is the mask?",
        "reread": (5, "The proof ladder"),
    },
    {
        "name": "biases left out",
        "wrong": {
            "gpt2_parameters": [
                wrong_heads.count_no_biases,
                wrong_heads.count_bias_of_out_proj_only,
            ]
        },
        "symptom": "The count is a little too low, by one or more times 768.",
        "hint": "Each matrix of GPT-2 comes with a bias. How many numbers has a bias?",
        "reread": (5, "What heads cost"),
    },
    {
        "name": "out_proj left out",
        "wrong": {
            "gpt2_parameters": [
                wrong_heads.count_no_out_proj,
                wrong_heads.count_no_out_proj_no_biases,
            ]
        },
        "symptom": "The count is a quarter too low.",
        "hint": "Queries, keys, values: and then? Where do the heads meet?",
        "reread": (5, "out_proj: where heads meet"),
    },
    {
        "name": "every head as wide as the model",
        "wrong": {"gpt2_parameters": wrong_heads.count_every_head_whole},
        "symptom": "The count is many times too high.",
        "hint": "Are the heads copies of the whole, or cuts of it?",
        "reread": (5, "What heads cost"),
    },
    {
        "name": "one head counted",
        "wrong": {"gpt2_parameters": wrong_heads.count_one_head},
        "symptom": "The count is less than a third of what it should be.",
        "hint": "One head of 64 is projected. How many of them are there?",
        "reread": (5, "What heads cost"),
    },
    {
        "name": "all twelve layers counted",
        "wrong": {"gpt2_parameters": wrong_heads.count_twelve_times},
        "symptom": "The count is exactly twelve times too high.",
        "hint": "Twelve of what? Cutting into heads costs nothing, and one block is asked for.",
        "reread": (5, "What heads cost"),
    },
    {
        "name": "the mask counted",
        "wrong": {"gpt2_parameters": wrong_heads.count_with_mask},
        "symptom": "The count is too high by 1024 · 1024.",
        "hint": "Is the mask trained?",
        "reread": (3, "The layer"),
    },
]
