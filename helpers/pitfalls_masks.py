"""Catalogue, third part: mistakes in masks, and in tests for a leak."""

from . import wrong_causal, wrong_heads, wrong_layers, wrong_masks
from .wrong_layers import in_layers

CAUSAL = ("causal_attention", "multi_head")

MASKS = [
    {
        "name": "0 times −∞ is nan",
        "wrong": {
            "causal_mask": wrong_masks.mask_times_infinity,
            "masked_weights": wrong_masks.masked_nan,
            **in_layers(wrong_causal.MaskOfNan, *CAUSAL),
        },
        "symptom": "nan on and below the diagonal of the mask, then everywhere.",
        "hint": "Print your mask before you use it. What is 0 · −∞?",
        "reread": (3, "Way 2: add −∞ to the scores, before the softmax"),
    },
    {
        "name": "diagonal=0",
        "wrong": {
            "causal_mask": wrong_masks.mask_diagonal_0,
            "masked_weights": wrong_masks.masked_diagonal_0,
            **in_layers(wrong_causal.Diagonal0, *CAUSAL),
        },
        "symptom": "Tokens may not see themselves; the first one sees nothing, and its row is nan.",
        "hint": "May a token see itself? Where does your triangle start?",
        "reread": (3, "Hide the future"),
    },
    {
        "name": "diagonal=2",
        "wrong": {
            "causal_mask": wrong_masks.mask_diagonal_2,
            "masked_weights": wrong_masks.masked_diagonal_2,
            **in_layers(wrong_causal.Diagonal2, *CAUSAL),
        },
        "symptom": "Every token sees one that comes after it.",
        "hint": "Draw the mask of three tokens on paper. Where does your triangle start?",
        "reread": (3, "Hide the future"),
    },
    {
        "name": "tril in place of triu",
        "wrong": {
            "causal_mask": [wrong_masks.mask_inverted, wrong_masks.mask_of_the_past],
            "masked_weights": [wrong_masks.masked_tril, wrong_masks.masked_past],
            **{
                name: [
                    *in_layers(wrong_causal.Tril, name)[name],
                    *in_layers(wrong_causal.ThePast, name)[name],
                ]
                for name in CAUSAL
            },
        },
        "symptom": "The past is hidden, and the future shows.",
        "hint": "Here True means hidden. Which triangle is the future: lower left, or upper right?",
        "reread": (3, "Hide the future"),
    },
    {
        "name": "a mask of numbers, not of True and False",
        "fact": "dtype",
        "wrong": {"causal_mask": [wrong_masks.mask_of_numbers, wrong_masks.mask_of_infinity]},
        "symptom": "The triangle may be right, but its cells are numbers.",
        "hint": "What is the dtype of your mask, and which method turns it into True and False?",
        "reread": (3, "Way 3: masked_fill"),
    },
    {
        "name": "scores times 0 and 1, before the softmax",
        "wrong": {
            "masked_weights": [wrong_masks.masked_by_zero, wrong_masks.masked_tiny],
            **in_layers(wrong_causal.ByZero, *CAUSAL),
        },
        "symptom": "Rows sum to 1, but the future keeps some weight.",
        "hint": "exp(0) is not 0. Which score becomes a weight of 0?",
        "reread": (3, "Way 2: add −∞ to the scores, before the softmax"),
    },
    {
        "name": "masked after the softmax, not renormalised",
        "wrong": {
            "masked_weights": wrong_masks.masked_after,
            **in_layers(wrong_causal.AfterSoftmax, *CAUSAL),
        },
        "symptom": "The future has no weight, but only the last row still sums to 1.",
        "hint": "What the future had is gone. Who should have got it?",
        "reread": (3, "Way 1: zero the weights, then renormalise"),
    },
    {
        "name": "mask built from the scores",
        "wrong": {
            "masked_weights": wrong_masks.masked_by_scores,
            **in_layers(wrong_causal.MaskOfScores, "causal_attention"),
        },
        "symptom": "Right, until a score of the future is exactly 0: that one is not hidden.",
        "hint": "What does your mask depend on? Should it change when a score does?",
        "reread": (3, "Hide the future"),
    },
    {
        "name": "no mask",
        "wrong": {
            "masked_weights": wrong_masks.masked_not_at_all,
            **in_layers(wrong_causal.NoMask, *CAUSAL),
            "torch_heads": wrong_heads.torch_no_mask,
        },
        "symptom": "Every token sees every other, the future too.",
        "hint": "Poke the last token. Which outputs should move, and which do? "
        "If your code does mask: does it keep what masked_fill gives back?",
        "reread": (3, "Hide the future"),
    },
    {
        "name": "−1e9 in float16",
        "wrong": {"masked_weights": wrong_masks.masked_billion},
        "symptom": "Right in float32; in float16, whose numbers end near 65,000, an error.",
        "hint": "Which number is lower than all others, whatever the format?",
        "reread": (3, "Way 3: masked_fill"),
    },
    {
        "name": "tokens counted along the batch",
        "wrong": {
            "masked_weights": wrong_masks.masked_by_batch,
            **in_layers(wrong_causal.CutByBatch, *CAUSAL),
        },
        "symptom": "Fine, as long as there are as many sentences as tokens.",
        "hint": "A batch puts a new axis in front. Which number of the shape counts the tokens now?",
        "reread": (3, "The layer"),
    },
    {
        "name": "mask not cut to the tokens at hand",
        "wrong": in_layers(wrong_causal.NotCut, *CAUSAL),
        "symptom": "Only sentences of exactly context_length tokens get through.",
        "hint": "The mask is made for the longest sentence. How much of it does a short one need?",
        "reread": (3, "The layer"),
    },
    {
        "name": "mask as a plain attribute",
        "fact": "stays behind",
        "wrong": in_layers(wrong_causal.PlainMask, *CAUSAL),
        "symptom": "The numbers are right; when the layer moves to a GPU, the mask stays behind.",
        "hint": "The mask is not trained, and yet it belongs to the layer. What is that called?",
        "reread": (3, "The layer"),
    },
    {
        "name": "PyTorch's mask convention turned round",
        "wrong": {
            **in_layers(wrong_causal.TrueIsVisible, *CAUSAL),
            "torch_heads": wrong_heads.torch_mask_inverted,
        },
        "symptom": "No error, and tokens see the future alone.",
        "hint": "Does True mean visible or hidden, in the function that you call? Poke, and see.",
        "reread": (3, "PyTorch says it in two ways"),
    },
    {
        "name": "attention across the batch",
        "wrong": {
            **in_layers(wrong_layers.AcrossTheBatch, *CAUSAL),
            "torch_heads": wrong_heads.torch_batch_second,
        },
        "symptom": "No error, and a sentence changes with the others in its batch.",
        "hint": "Which axis does it take for the tokens? Change one sentence: may the others move?",
        "reread": (5, "Mistakes people make"),
    },
    {
        "name": "nothing is poked",
        "wrong": {"leak_test": wrong_masks.leak_not_poked},
        "symptom": "No layer ever leaks, says the test.",
        "hint": "Compare your two inputs: do they differ, and in which tokens?",
        "reread": (3, "Causality, as a test"),
    },
    {
        "name": "an alias in place of a copy",
        "wrong": {"leak_test": [wrong_masks.leak_alias, wrong_masks.leak_before_and_alias]},
        "symptom": "The caller's x is another one after the test.",
        "hint": "After poked = x, how many tensors are there? Which method makes a second one?",
        "reread": (3, "Move it: poke a token"),
    },
    {
        "name": "the poked tokens are watched too",
        "wrong": {"leak_test": wrong_masks.leak_own_output},
        "symptom": "Every layer leaks, says the test.",
        "hint": "A token may well move its own output. Which outputs must stay still? "
        "And is the copy a new one for each place?",
        "reread": (3, "Move it: poke a token"),
    },
    {
        "name": "the past is poked",
        "wrong": {"leak_test": wrong_masks.leak_of_the_past},
        "symptom": "Layers that look back are accused, and that is what they should do.",
        "hint": "Which tokens do you change, and which outputs do you watch? Who comes first?",
        "reread": (3, "Causality, as a test"),
    },
    {
        "name": "True and False the wrong way round",
        "wrong": {"leak_test": wrong_masks.leak_answer_inverted},
        "symptom": "Every answer is the opposite of the right one.",
        "hint": "Nothing moved: is that a leak, or no leak? What do you return then?",
        "reread": (3, "Causality, as a test"),
    },
    {
        "name": "only one place is tried",
        "wrong": {"leak_test": [wrong_masks.leak_one_place, wrong_masks.leak_last_on_first]},
        "symptom": "A leak somewhere else in the sentence gets through.",
        "hint": "The verdict hangs on one place. Where else could a leak hide? "
        "And does a leak, once found, stay found?",
        "reread": (3, "Move it: poke a token"),
    },
    {
        "name": "small differences let through",
        "wrong": {"leak_test": wrong_masks.leak_coarse},
        "symptom": "A faint leak gets through.",
        "hint": "How far may two numbers lie apart and still count as equal in your test?",
        "reread": (3, "Causality, as a test"),
    },
]
