"""The exercises and predictions of notebook 14: a watch of your own, a score for heads, a head off."""

import copy

import torch

from ..judge.exercise import wave
from ..judge.functions import Case
from ..judge.models import ModelExercise
from .edits import swap
from .notebook import Notebook
from .small_models import Reader, Writer, encoder, filled, hooked, maps

notebook = Notebook(__name__)

notebook.predict(
    "shape of the weights",
    "A batch of one sentence of 6 words, 4 heads: which shape have the weights of one layer?",
    form="its sizes, a number for each axis, such as (2, 3, 5)",
    answer=(1, 4, 6, 6),
    why="For each sentence and each head, a row for every word that asks, with a share for every word.",
    hint="Sentences, heads, words that ask, words that are looked at: how many are there of each?",
    wrong=[
        ((4, 6, 6), "These are the maps of one sentence. A model takes a batch of them."),
        ((1, 6, 6), "So it would be with one head, or with the average of all heads."),
        ((6, 6), "This is one map. How many heads has the layer, how many sentences the batch?"),
        ((1, 6, 32), "So many numbers has what comes out. A word gives a share to whom?"),
        ((1, 4, 6, 8), "So many numbers has the query of a head. Weights are shares: of whom?"),
    ],
)

REMOVE = "for hook in hooks:\n        hook.remove()"
CLEAR = "layer._forward_pre_hooks.clear()\nlayer._forward_hooks.clear()"
EVERYWHERE = """torch.nn.modules.module.register_module_forward_hook(
    lambda *all: all[0] is layer and keep(*all) or None)"""


@notebook.ask(
    ModelExercise,
    "my_watch(model, name, x): what the model gives for x, and the weights of one layer, each head's.",
    returns=("output", "weights"),
    cases=lambda: [
        Case("the second layer of two", encoder(8, 2), "layers.1.self_attn", wave(2, 5, 8)),
        Case("the first layer", encoder(6, 3), "layers.0.self_attn", wave(1, 4, 6, seed=1)),
        Case("a causal mask", filled(Reader(4, 2)), "look", wave(2, 3, 4, seed=2)),
        Case("a memory of 7 words", filled(Reader(4, 2, memory=7)), "look", wave(2, 3, 4, seed=3)),
        Case("training with hooks on", hooked(encoder(4, 2)), "layers.1.self_attn", wave(2, 3, 4)),
    ],
    mistakes={
        "heads_averaged_away": [
            swap(', "average_attn_weights": False', ""),
            swap('"average_attn_weights": False', '"average_attn_weights": True'),
        ],
        "layer_not_asked": [
            "return given, named",
            swap('"need_weights": True, ', ""),
        ],
        "hook_left": [
            swap(REMOVE, "hooks[1].remove()"),
            swap(REMOVE, ""),
            (
                swap("layer.register_forward_hook(keep)", EVERYWHERE),
                swap(REMOVE, "hooks[0].remove()"),
            ),
        ],
        "hooks_of_others_gone": swap(REMOVE, CLEAR),
        "named_lost": swap("named | {", "{"),
        "result_replaced": [
            swap("append(result[1])", "append(result[1])\nreturn result[1]"),
            swap("append(result[1])", "append(result[1])\nreturn result[0]"),
        ],
        "layer_called_alone": "return output, layer(x, x, x, average_attn_weights=False)[1]",
        "output_of_the_layer": [
            (swap("append(result[1])", "append(result)"), swap("output, kept[0]", "kept[0]")),
            (
                swap("kept.append(result[1])", "kept.extend(result)"),
                swap("output, kept[0]", "kept[0], kept[1]"),
            ),
        ],
        "first_layer_watched": swap(
            "model.get_submodule(name)",
            'next(m for m in model.modules() if hasattr(m, "in_proj_weight"))',
        ),
        "in_place": "model.eval()\noutput = model(x)",
        "results_swapped": swap("output, kept[0]", "kept[0], output"),
    },
    name="my_watch",
)
def watch_by_hooks(model, name, x):
    layer, kept = model.get_submodule(name), []

    def ask(layer, given, named):
        return given, named | {"need_weights": True, "average_attn_weights": False}

    def keep(layer, given, result):
        kept.append(result[1])

    hooks = [
        layer.register_forward_pre_hook(ask, with_kwargs=True),
        layer.register_forward_hook(keep),
    ]
    output = model(x)
    for hook in hooks:
        hook.remove()
    return output, kept[0]


@notebook.function(
    "induction_scores(weights, period): for each head, the mean weight on what followed last time.",
    returns="scores",
    cases=[
        Case("2 layers of 3 heads, 10 tokens", maps(2, 3, 10), 4),
        Case("one layer, twice the same", maps(1, 2, 8, seed=1), 4),
        Case("as many layers as heads", maps(3, 3, 7, seed=2), 5),
        Case("more than two runs", maps(2, 1, 11, seed=3), 3),
        Case("weights with no mask", maps(2, 2, 9, seed=4, causal=False), 4),
    ],
    mistakes={
        "twin_not_follower": "keys = queries - period",
        "one_too_far": "keys = queries - period + 2",
        "word_before": ["keys = queries - 1", "return weights.diagonal(-1, -2, -1).mean(-1)"],
        "asked_one_early": swap("queries, keys]", "queries - 1, keys - 1]"),
        "first_place_left_out": "queries = torch.arange(period + 1, tokens)",
        "all_earlier_runs": "return sum(weights[..., t, t + 1 - k] for t in range(period, tokens) "
        "for k in range(period, t + 2, period)) / len(queries)",
        "first_run_counted": [
            "queries = torch.arange(period - 1, tokens)",
            "queries = torch.arange(tokens)",
        ],
        "last_place_left_out": "queries = torch.arange(period, tokens - 1)",
        "before_the_twin": [
            "keys = queries - period - 1",
            "return weights.diagonal(-period - 1, -2, -1).mean(-1)",
        ],
        "only_the_second_run": "queries = torch.arange(period, min(2 * period, tokens))",
        "queries_and_keys_swapped": [
            swap("queries, keys]", "keys, queries]"),
            "return weights.diagonal(period - 1, -2, -1).mean(-1)",
        ],
        "block_not_diagonal": [
            "return weights[..., queries[:, None], keys].mean(dim=(-2, -1))",
            "return weights[..., period:, :].mean(dim=(-2, -1))",
        ],
        "heads_averaged_away": [
            swap("mean(dim=-1)", "mean()"),
            swap("mean(dim=-1)", "mean(dim=(1, 2))"),
            swap("mean(dim=-1)", "mean(dim=(0, -1))"),
        ],
        "added_not_averaged": swap("mean(dim=-1)", "sum(dim=-1)"),
        "shared_by_all_places": swap("mean(dim=-1)", "sum(dim=-1) / tokens"),
        "largest_not_mean": [
            swap("mean(dim=-1)", "amax(dim=-1)"),
            swap("mean(dim=-1)", "max(dim=-1).values"),
        ],
        "winners_counted": "return (weights[..., period:, :].argmax(-1) == keys).float().mean(-1)",
    },
)
def induction_scores(weights, period):
    tokens = weights.shape[-1]
    queries = torch.arange(period, tokens)
    keys = queries - period + 1
    return weights[..., queries, keys].mean(dim=-1)


notebook.predict(
    "tokens of a picture",
    "A picture of 16 × 16, cut into patches of 4 × 4, and one token [CLS] in front: how many tokens?",
    form="a number",
    answer=17,
    why="4 patches down, 4 across, and [CLS].",
    hint="How many patches lie side by side, how many one below the other?",
    wrong=[
        (16, "These are the patches. What stands in front of them?"),
        (257, "That would be one token for each pixel. A patch has 16 of them."),
        (256, "That would be one token for each pixel. A patch has 16 of them."),
        (5, "So many are in one line of patches, with [CLS]. How many lines are there?"),
    ],
)

PART = "head * size : (head + 1) * size"
ZERO = "layer.out_proj.weight.data[:, part] = 0"


def by_copy(model, name, head, x):
    model = copy.deepcopy(model)
    layer = model.get_submodule(name)
    size = layer.d_model // layer.num_heads
    part = slice(head * size, (head + 1) * size)
    layer.out_proj.weight.data[:, part] = 0
    return model(x)


@notebook.ask(
    ModelExercise,
    "without_head(model, name, head, x): what the model gives for x with one head switched off.",
    returns="output",
    also=[by_copy],
    cases=lambda: [
        Case("head 1 of 3", filled(Writer(6, 3)), "blocks.0.attention", 1, wave(2, 5, 6)),
        Case("the last head", filled(Writer(6, 3)), "blocks.1.attention", 2, wave(2, 4, 6, seed=1)),
        Case(
            "the first head", filled(Writer(8, 2)), "blocks.0.attention", 0, wave(1, 8, 8, seed=2)
        ),
        Case("one head", filled(Writer(4, 1, 1)), "blocks.0.attention", 0, wave(2, 3, 4, seed=3)),
        Case(
            "training with hooks on", hooked(Writer(8, 4)), "blocks.1.attention", 1, wave(2, 3, 8)
        ),
    ],
    mistakes={
        "hook_left": [swap("hook.remove()", "del hook"), swap("hook.remove()", "")],
        "hooks_of_others_gone": swap("hook.remove()", CLEAR.replace("layer", "layer.out_proj")),
        "change_not_returned": [
            swap("return (context,)", "return None"),
            swap("return (context,)", ""),
        ],
        "tokens_not_numbers": swap("context[..., head", "context[:, head"),
        "sentences_not_numbers": swap("context[..., head", "context[head"),
        "first_sentence_only": swap("context[..., head", "context[0, :, head"),
        "mean_not_zero": [
            f"context[..., {PART}] = context[..., {PART}].mean({axes})"
            for axes in ("(0, 1)", "1, keepdim=True", "", "-1, keepdim=True", "0")
        ],
        "more_than_this_head": [
            "context[..., head * size :] = 0",
            "context[..., : (head + 1) * size] = 0",
        ],
        "begins_at_its_number": "context[..., head : head + size] = 0",
        "edge_of_the_head": [
            "context[..., head * size : (head + 1) * size - 1] = 0",
            "context[..., head * size : (head + 1) * size + 1] = 0",
        ],
        "output_of_the_layer": (
            swap("output = model(x)", "got = []\nlook = lambda *all: got.append(all[2])"),
            swap(
                "hook.remove()",
                "with layer.register_forward_hook(look):\n    model(x)\nhook.remove()",
            ),
            swap("return output", "return got[0]"),
        ),
        "in_place": [swap("copy.deepcopy", "copy.copy"), swap("model = copy.deepcopy(model)", "")],
        "rows_of_out_proj": swap("weight.data[:, part]", "weight.data[part]"),
        "zeroed_after_out_proj": (
            swap("def cut(out_proj, given)", "def cut(out_proj, given, result)"),
            swap("given[0].clone()", "result.clone()"),
            swap("register_forward_pre_hook", "register_forward_hook"),
            swap("(context,)", "context"),
        ),
        "bias_switched_off_too": f"{ZERO}\nlayer.out_proj.bias.data[:] = 0",
        "heads_for_size": swap("layer.d_model // layer.num_heads", "layer.num_heads"),
        "zeroed_in_front": [
            (
                swap("layer.out_proj.register", "layer.register"),
                swap("(context,)", "(context, *given[1:])"),
            ),
            swap("layer.out_proj.register", "layer.register"),
            swap("layer.out_proj.register", "model.register"),
        ],
        "head_from_1": [
            "part = slice((head - 1) * size, head * size)",
            "part = slice((head + 1) * size, (head + 2) * size)",
        ],
        "one_number_of_the_head": [
            swap("weight.data[:, part]", "weight.data[:, head]"),
            swap("weight.data[:, part]", "weight.data[:, head * size]"),
        ],
        "heads_interleaved": swap(
            "weight.data[:, part]", "weight.data[:, head :: layer.num_heads]"
        ),
        "value_bias_left": swap(ZERO, "layer.W_value.weight.data[part] = 0"),
        "columns_of_W_value": swap(ZERO, "layer.W_value.weight.data[:, part] = 0"),
        "weights_made_even": [
            swap(ZERO, "layer.W_query.weight.data[part] = 0\nlayer.W_query.bias.data[part] = 0"),
            swap(ZERO, "layer.W_key.weight.data[part] = 0"),
        ],
        "only_this_head": "kept = layer.out_proj.weight.data[:, part].clone()\n"
        "layer.out_proj.weight.data[:] = 0\nlayer.out_proj.weight.data[:, part] = kept",
        "whole_layer_off": swap("weight.data[:, part]", "weight.data[:]"),
        "others_scaled_up": f"{ZERO}\n"
        "layer.out_proj.weight.data *= layer.num_heads / max(1, layer.num_heads - 1)",
        "in_every_layer": swap(
            ZERO,
            "for block in model.blocks:\n    block.attention.out_proj.weight.data[:, part] = 0",
        ),
    },
)
def without_head(model, name, head, x):
    layer = model.get_submodule(name)
    size = layer.d_model // layer.num_heads

    def cut(out_proj, given):
        context = given[0].clone()
        context[..., head * size : (head + 1) * size] = 0
        return (context,)

    hook = layer.out_proj.register_forward_pre_hook(cut)
    output = model(x)
    hook.remove()
    return output
