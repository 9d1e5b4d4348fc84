"""The exercises and predictions of notebook 14: watching, scoring and switching off heads."""

import copy
import functools

import torch

from .. import _
from ..judge.exercise import Case, wave
from .notebook import Notebook
from .small_models import Reader, Writer, encoder, filled, hooked, left_as_found, maps, stopping

notebook = Notebook(__name__)

notebook.predict(
    "shape of the weights",
    _(
        "A batch holds one sentence of 6 words. What is the shape of the weights of a layer with 4 heads?"
    ),
    answer=(1, 4, 6, 6),
    words=((6, 6), (1, 6, 6), (1, 4, 6, 6), (4, 6, 6)),
    why=_(
        "For each sentence and each head there is a row for every query, with a weight for every key."
    ),
    hint=_("How many sentences, heads, queries and keys are there?"),
    wrong=[
        ((4, 6, 6), _("These are the weights of one sentence. A model takes a batch of them.")),
        (
            (1, 6, 6),
            _("That is the shape of the average over all heads. How many heads are there?"),
        ),
        ((6, 6), _("This is one head of one sentence. How many heads and sentences are there?")),
    ],
)

SECOND = "layers.1.self_attn"  # the second layer of two
stops = functools.partial(
    Case, _("a model that stops with an error"), how=left_as_found(), apart=True
)


@notebook.ask(
    _(
        "my_watch(model, name, x): what the model gives for x, and the weights of one layer's heads."
    ),
    returns=("output", "weights"),
    how=left_as_found("output", "weights"),
    cases=lambda: [
        Case(_("the second layer of two"), encoder(8, 2), SECOND, wave(2, 5, 8)),
        Case(_("the first layer"), encoder(6, 3), "layers.0.self_attn", wave(1, 4, 6, seed=1)),
        Case(_("a causal mask"), filled(Reader(4, 2)), "look", wave(2, 3, 4, seed=2)),
        Case(_("a memory of 7 words"), filled(Reader(4, 2, memory=7)), "look", wave(2, 3, 4)),
        Case(_("training with hooks on"), hooked(encoder(4, 2)), SECOND, wave(2, 3, 4)),
        stops(stopping(encoder(4, 2)), SECOND, wave(2, 3, 4)),
    ],
    reread="Your model, in three lines",
    mistakes={
        "heads_averaged_away": ', "average_attn_weights": False →',
        "layer_not_asked": 'named | {"need_weights": True, "average_attn_weights": False} → named',
        "hook_left": "for hook in hooks → for hook in hooks[1:]",
        "hook_left_after_error": """try: → if True:
            finally: → if True:""",
        "name_unused": """model.get_submodule(name), []
            → next(m for m in model.modules() if isinstance(m, torch.nn.MultiheadAttention)), []""",
        "named_lost": "named | { → {",
        "result_replaced": """kept.append(result[1]) → kept.append(result[1])
            return result[1]""",
        "layer_called_alone": "kept[0] → layer(x, x, x, average_attn_weights=False)[1]",
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
    try:
        output = model(x)
    finally:
        for hook in hooks:
            hook.remove()
    return output, kept[0]


@notebook.ask(
    _("induction_scores(weights, period): each head's mean weight on what followed last time."),
    returns="scores",
    cases=[
        Case(_("2 layers of 3 heads, 10 tokens"), maps(2, 3, 10), 4),
        Case(_("one layer, twice the same"), maps(1, 2, 8, seed=1), 4),
        Case(_("more than two runs"), maps(2, 1, 11, seed=3), 3),
        Case(_("weights with no mask"), maps(2, 2, 9, seed=4, causal=False), 4),
    ],
    trains=False,  # it only measures, so it needs no gradient
    reread="Find a head by its score",
    mistakes={
        "twin_not_follower": "keys = queries - period + 1 → keys = queries - period",
        "word_before": """keys = queries - period + 1 → keys = queries - 1
            or weights[..., queries, keys].mean(dim=-1) → weights.diagonal(-1, -2, -1).mean(-1)""",
        "before_the_twin": """queries = torch.arange(period, tokens) → queries = torch.arange(period + 1, tokens)
            - period + 1 → - period - 1
            or - period + 1 → - period - 1""",
        "first_run_counted": "period, → period - 1,",
        "queries_and_keys_swapped": "queries, keys] → keys, queries]",
        "heads_averaged_away": "mean(dim=-1) → mean()",
        "summed": "mean(dim=-1) → sum(dim=-1)",
        "divided_by_all": "mean(dim=-1) → sum(dim=-1) / tokens",
    },
)
def induction_scores(weights, period):
    tokens = weights.shape[-1]
    queries = torch.arange(period, tokens)
    keys = queries - period + 1
    return weights[..., queries, keys].mean(dim=-1)


notebook.predict(
    "tokens of a picture",
    _(
        "A picture of 16 × 16 pixels is cut into patches of 4 × 4, and [CLS] is put in front."
        " How many tokens are there?"
    ),
    answer=17,
    why=_("There are 4 patches down and 4 across, and [CLS]."),
    hint=_("How many patches lie side by side, and how many one below the other?"),
    wrong=[
        (16, _("These are the patches. What stands in front of them?")),
        (256, _("That would be one token for each pixel, but a patch has 16 pixels.")),
        (5, _("That is one row of patches, with [CLS]. How many rows are there?")),
    ],
)

LATER = "blocks.1.attention"


def by_copy(model, name, head, x):
    model = copy.deepcopy(model)
    layer = model.get_submodule(name)
    size = layer.d_model // layer.num_heads
    part = slice(head * size, (head + 1) * size)
    layer.out_proj.weight.data[:, part] = 0
    return model(x)


@notebook.ask(
    _("without_head(model, name, head, x): what the model gives for x with one head switched off."),
    returns="output",
    how=left_as_found("output"),
    also=[by_copy],
    cases=lambda: [
        Case(_("head 1 of 3"), filled(Writer(6, 3)), "blocks.0.attention", 1, wave(2, 5, 6)),
        Case(_("the last head"), filled(Writer(6, 3)), LATER, 2, wave(2, 4, 6)),
        Case(_("the first head"), filled(Writer(8, 2)), "blocks.0.attention", 0, wave(1, 8, 8)),
        Case(_("training with hooks on"), hooked(Writer(8, 4)), LATER, 1, wave(2, 3, 8)),
        stops(stopping(filled(Writer(8, 4))), LATER, 1, wave(2, 3, 8)),
    ],
    reread="Switch a head off",
    mistakes={
        "hook_left": "hook.remove() → del hook",
        "hook_left_after_error": """try: → if True:
            finally: → if True:""",
        "heads_for_width": """size = layer.d_model // layer.num_heads
            → size = layer.num_heads""",
        "components_skipped": "head * size : (head + 1) * size → head :: layer.num_heads",
        "heads_from_1": "head * size : (head + 1) * size → (head - 1) * size : head * size",
        "hook_gives_nothing": "return (context,) → return None",
        "after_out_proj": """out_proj, given) → out_proj, given, result)
            given[0].clone() → result.clone()
            (context,) → context
            register_forward_pre_hook → register_forward_hook""",
        "tokens_not_numbers": "context[..., head → context[:, head",
        "mean_not_zero": """= 0 → = context[..., head * size : (head + 1) * size].mean((0, 1))
            or = 0 → = context[..., head * size : (head + 1) * size].mean(1, keepdim=True)
            or layer.out_proj.weight.data[:, part] = 0
                → layer.W_query.weight.data[part] = layer.W_query.bias.data[part] = 0""",
        "in_place": "copy.deepcopy → copy.copy",
        "rows_of_out_proj": "weight.data[:, part] → weight.data[part]",
        "value_bias_left": "layer.out_proj.weight.data[:, part] = 0 → layer.W_value.weight.data[part] = 0",
        "whole_layer_off": """weight.data[:, part] → weight.data[:]
            or layer.out_proj.weight.data[:, part] = 0 → layer.out_proj.weight.data[:] = 0
            layer.out_proj.bias.data[:] = 0""",
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
    try:
        output = model(x)
    finally:
        hook.remove()
    return output
