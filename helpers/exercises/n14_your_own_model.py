"""The exercises and predictions of notebook 14: a watch of your own, a score for heads, a head off."""

import copy

import torch

from .. import _
from ..judge.exercise import Case, wave
from .mistakes import Mistake, swap
from .notebook import Notebook
from .small_models import Reader, Writer, encoder, filled, hooked, left_as_found, maps

notebook = Notebook(__name__)

notebook.predict(
    "shape of the weights",
    _("A batch of one sentence of 6 words, 4 heads: which shape have the weights of one layer?"),
    form=_("its sizes, a number for each axis, such as (2, 3, 5)"),
    answer=(1, 4, 6, 6),
    why=_(
        "For each sentence and each head, a row for every word that asks, with a share for every word."
    ),
    hint=_("Sentences, heads, words that ask, words looked at: how many are there of each?"),
    wrong=[
        ((4, 6, 6), _("These are the maps of one sentence. A model takes a batch of them.")),
        ((1, 6, 6), _("So it would be with one head, or with the average of all heads.")),
        ((6, 6), _("This is one map. How many heads has the layer, how many sentences the batch?")),
    ],
)

SECOND = "layers.1.self_attn"  # of two
REMOVE = "for hook in hooks:\n        hook.remove()"


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
    ],
    reread="Your model, in three lines",
    mistakes={
        "heads_averaged_away": Mistake(swap(', "average_attn_weights": False', "")).called("""
            heads averaged away
            One map where there should be one for each head.
            What is left in their average of a head that looks at one word? Over which axes may you average?"""),
        "layer_not_asked": Mistake("return given, named").called("""
            the layer is not asked for its weights
            In place of the weights comes None: the layer does not compute what nobody wants.
            nn.MultiheadAttention has an argument for it. With which value does the model call it?"""),
        "hook_left": Mistake(swap(REMOVE, "hooks[1].remove()")).called("""
            a hook left on the model
            The right numbers; and from then on every call of the model runs your code, too.
            What does register_… give back? Is nothing left after an error, or of a replaced method?"""),
        "named_lost": Mistake(swap("named | {", "{")).called("""
            the model's own named arguments are lost
            Right until the model gives something by name: a mask, say, is gone.
            What stands in named before you change it, and does the layer get that, too?"""),
        "result_replaced": Mistake("kept.append(result[1])\nreturn result[1]").called("""
            the hook gives something back
            What a hook returns takes the place of the layer's result, and the model goes on with that.
            Your hook is to keep something, and to change nothing. What does it return then?"""),
        "layer_called_alone": Mistake(
            "return output, layer(x, x, x, average_attn_weights=False)[1]"
        ).called("""
            the layer called by itself, with the model's input
            Wrong for a layer that gets something else than the model did: other vectors, a mask, a memory.
            What does the layer get when the model calls it: your x? Who knows?"""),
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


@notebook.ask(
    _("induction_scores(weights, period): each head's mean weight on what followed last time."),
    returns="scores",
    cases=[
        Case(_("2 layers of 3 heads, 10 tokens"), maps(2, 3, 10), 4),
        Case(_("one layer, twice the same"), maps(1, 2, 8, seed=1), 4),
        Case(_("more than two runs"), maps(2, 1, 11, seed=3), 3),
        Case(_("weights with no mask"), maps(2, 2, 9, seed=4, causal=False), 4),
    ],
    reread="Find a head by its score",
    mistakes={
        "twin_not_follower": Mistake("keys = queries - period").called("""
            the letter's own first self, not what followed it
            These heads get a small score, and a head that looks for equal letters a large one.
            The letter at position t stood at t - period before. And what followed it there?"""),
        "one_too_far": Mistake("keys = queries - period + 2").called("""
            one position too far
            It measures the weight on the second letter after the first self.
            What followed the letter at t - period stands one position later. Which position do you take?"""),
        "word_before": Mistake(
            "keys = queries - 1", "return weights.diagonal(-1, -2, -1).mean(-1)"
        ).called("""
            the position before, whatever the period
            This finds the heads of another kind: those that look at the word in front of them.
            How many positions back did the same letter stand, and what came after it there?"""),
        "first_run_counted": Mistake("queries = torch.arange(period - 1, tokens)").called("""
            positions of the first run count, too
            A little too small or too large: the first run has nothing to look up yet.
            Which is the first position at which a letter stands for the second time?"""),
        "first_position_left_out": Mistake("queries = torch.arange(period + 1, tokens)").called("""
            the first position that counts left out
            Counting begins one position too late.
            Positions count from 0. Where does the letter of position 0 come again?"""),
        "queries_and_keys_swapped": Mistake(swap("queries, keys]", "keys, queries]")).called("""
            queries and keys in each other's place
            With a causal mask, all scores are 0: you read the weights that are hidden.
            The row asks, the column is looked at. Which of the two is later in the text?"""),
        "heads_averaged_away": swap("mean(dim=-1)", "mean()"),
        "added_not_averaged": Mistake(swap("mean(dim=-1)", "sum(dim=-1)")).called("""
            added up, not averaged
            A longer row gets a larger score.
            A mean is asked for. What is the largest score that a head can have?"""),
        "shared_by_all_positions": Mistake(swap("mean(dim=-1)", "sum(dim=-1) / tokens")).called("""
            divided by all positions, not by those that count
            Too small: the positions of the first run have nothing to look up.
            How many weights do you add up, and by how many do you divide?"""),
    },
)
def induction_scores(weights, period):
    tokens = weights.shape[-1]
    queries = torch.arange(period, tokens)
    keys = queries - period + 1
    return weights[..., queries, keys].mean(dim=-1)


notebook.predict(
    "tokens of a picture",
    _("A picture of 16 × 16, in patches of 4 × 4, and one token [CLS] in front: how many tokens?"),
    answer=17,
    why=_("4 patches down, 4 across, and [CLS]."),
    hint=_("How many patches lie side by side, how many one below the other?"),
    wrong=[
        (16, _("These are the patches. What stands in front of them?")),
        (256, _("That would be one token for each pixel. A patch has 16 of them.")),
        (5, _("So many are in one line of patches, with [CLS]. How many lines are there?")),
    ],
)

PART = "head * size : (head + 1) * size"
LATER = "blocks.1.attention"
HEAD = f"context[..., {PART}]"
ZERO = "layer.out_proj.weight.data[:, part] = 0"


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
    ],
    reread="Switch a head off",
    mistakes={
        "hook_left": swap("hook.remove()", "del hook"),
        "tokens_not_numbers": Mistake(swap("context[..., head", "context[:, head")).called("""
            tokens zeroed, not numbers
            Some tokens lose all heads, the others none.
            (batch, tokens, d_model): on which axis do the heads lie side by side?"""),
        "begins_at_its_number": Mistake(swap(PART, "head : head + size")).called("""
            it begins at the number of the head
            Right for head 0; for the others, parts of two heads are off.
            With heads of 2 numbers each, at which number does head 1 begin?"""),
        "mean_not_zero": Mistake(
            *[f"{HEAD} = {HEAD}.mean({axes})" for axes in ("(0, 1)", "1, keepdim=True")]
        ).called("""
            a mean in place of a zero
            The head still adds something, if less than it did.
            An average is a fair way to be absent. But which number adds nothing?"""),
        "more_than_this_head": Mistake("context[..., head * size :] = 0").called("""
            its neighbours off as well
            All heads behind this one are gone, too.
            A head has a beginning and an end. How many ends has your slice?"""),
        "in_place": swap("copy.deepcopy", "copy.copy"),
        "rows_of_out_proj": Mistake(swap("weight.data[:, part]", "weight.data[part]")).called("""
            the rows of out_proj, not its columns
            Some numbers of the output lose all heads, the others none.
            An nn.Linear keeps (out, in). On which of the two axes do the heads come in?"""),
        "value_bias_left": Mistake(swap(ZERO, "layer.W_value.weight.data[part] = 0")).called("""
            the bias of the values still comes through
            The head still adds something, the same at each position.
            W_value has a weight and a bias. What does the head mix if only one of them is 0?"""),
        "whole_layer_off": Mistake(swap("weight.data[:, part]", "weight.data[:]")).called("""
            the whole layer switched off
            All heads are gone, and not one.
            Which columns belong to this head, and which do you set to 0?"""),
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
