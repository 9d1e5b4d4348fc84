"""The exercises and predictions of notebook 9: padding, cross-attention, and the two layers."""

import torch

from .. import _
from ..judge.exercise import Case, wave
from ..models import transformer
from .layer_parts import Parts, padded
from .mistakes import Mistake, swap
from .notebook import Notebook

notebook = Notebook(__name__)
SPREAD = "[:, None, None, :]"
SOURCE = "queries, keys, values = memory @ W_query, x @ W_key, x @ W_value"


@notebook.ask(
    _("padding_mask(ids, pad): True where a key is padding, (batch, 1, 1, tokens)."),
    returns="mask",
    wanted="bool",
    cases=[
        Case(_("2 sentences of 5 tokens"), torch.tensor([[3, 1, 4, 1, 5], [9, 2, 0, 0, 0]]), 0),
        Case(_("as many sentences as tokens"), torch.tensor([[1, 2, 0], [2, 0, 0], [1, 1, 2]]), 0),
        Case(_("another number for padding"), torch.tensor([[0, 6, 2, 7], [0, 7, 7, 7]]), 7),
    ],
    reread="Fill up, and hide it",
    mistakes={
        "hides_queries": Mistake(swap(SPREAD, "[:, None, :, None]")).called("""
            padding hidden as queries, not as keys
            A padded word gets no row of weights, and everybody still looks at it.
            The last axis of the scores belongs to the keys. Along which axis lies your padding?"""),
        "padding_not_spread": Mistake(
            *[swap(SPREAD, a) for a in ("", "[:, None]", "[None, None]", "[:, :, None, None]")]
        ).called("""
            padding without the axes of heads and queries
            It fits the scores by chance or not at all: its axes meet others than their own.
            Write the mask's axes below those of the scores, from the right. Where is a 1 missing?"""),
        "visible_for_hidden": Mistake(swap("==", "!=")).called("""
            True for visible, where True means hidden
            No error; what should be hidden is all that is looked at.
            In our masks True means hidden. What is True in yours?"""),
        "not_booleans": [
            swap("(ids == pad)", "(ids == pad).float()"),
            swap("(ids == pad)", 'torch.where(ids == pad, float("-inf"), 0.0)'),
        ],
        "pad_is_0": Mistake(swap("== pad", "== 0")).called("""
            padding taken to be 0
            Right where the padding has the number 0, wrong for every other number.
            Which number stands for padding is told to you. Do you use it?"""),
    },
)
def padding_mask(ids, pad):
    return (ids == pad)[:, None, None, :]


def cross_case(says, batch, target, source, lengths, seed=0, level=0.0):
    x, memory = wave(batch, target, 4, seed=seed), wave(batch, source, 4, seed=seed + 0.5)
    padding, three = padded(*lengths, tokens=source), [wave(4, 3, seed=seed + i) for i in (1, 2, 3)]
    return Case(says, level + x, level + memory, padding, *three)


@notebook.ask(
    _("cross_attention(x, memory, padding, W_query, W_key, W_value): (context, weights)."),
    returns=("context", "weights"),
    cases=[
        cross_case(_("3 words look at 5, 2 sentences"), 2, 3, 5, (5, 2)),
        cross_case(_("as many target words as source words"), 2, 4, 4, (3, 4), seed=1),
        cross_case(_("large numbers"), 2, 2, 3, (3, 2), seed=5, level=6.0),
    ],
    reread="Fill up, and hide it",
    mistakes={
        "asked_by_the_source": Mistake(
            *(SOURCE, (SOURCE, swap("[:, None]", "[:, :, None]")), (SOURCE, "scores = scores"))
        ).called("""
            source and target in each other's place
            A row for each source word, where one for each target word is wanted; or an error.
            Who asks: the sentence that is being written, or the one that was read?"""),
        "keys_of_the_target": Mistake(
            swap("memory @ W_key", "x @ W_key"), swap("memory @ W_key, memory", "x @ W_key, x")
        ).called("""
            keys of the target's own words
            The scores compare the target with itself; with other lengths, an error.
            What is looked at, x or memory? Whose are the keys then?"""),
        "queries_of_the_source": Mistake(swap("x @ W_query", "memory @ W_query")).called("""
            queries of the source
            The source looks at itself: the target is never used.
            Is x used at all? Who asks here?"""),
        "padding_forgotten": Mistake("scores = scores").called("""
            padding not hidden
            Right for sentences with no padding; else the padding gets weight, too.
            What do you do with the padding? If you hide it: do you keep what masked_fill gives back?"""),
        "padding_not_spread": swap("padding[:, None]", "padding"),
        "visible_for_hidden": swap("padding[:, None]", "~padding[:, None]"),
        "zeroed_not_hidden": Mistake("scores = scores * ~padding[:, None]").called("""
            a score of 0 for what should be hidden
            Padding keeps some weight: exp(0) is 1, not 0.
            Which score becomes a weight of 0 after the softmax?"""),
        "over_queries_in_batch": "weights = scores.softmax(dim=-2)",
        "batch_turned": swap("keys.mT", "keys.T"),
        "padding_zeroed_late": Mistake(
            ("scores = scores", "weights = scores.softmax(dim=-1) * ~padding[:, None]")
        ).called("""
            padding set to 0 after the softmax
            Padding has no weight, but the rows of padded sentences sum to less than 1.
            The softmax has shared out everything already. Who should get what the padding had?"""),
        "padding_times_infinity": Mistake(
            "scores = scores - padding[:, None] * torch.inf"
        ).called("""
            0 times −∞
            Everything is nan.
            What is 0 · −∞? Which function writes −∞ where a mask is True, with no multiplication?"""),
        "no_scale": swap(" / keys.shape[-1] ** 0.5", ""),
        "by_d_k": swap("keys.shape[-1] ** 0.5", "keys.shape[-1]"),
        "by_d_in": swap("keys.shape[-1]", "x.shape[-1]"),
        "values_of_x": swap("memory @ W_value", "x @ W_value"),
        "results_swapped": "return weights, weights @ values",
    },
)
def cross_attention(x, memory, padding, W_query, W_key, W_value):
    queries, keys, values = x @ W_query, memory @ W_key, memory @ W_value
    scores = queries @ keys.mT / keys.shape[-1] ** 0.5
    scores = scores.masked_fill(padding[:, None], float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ values, weights


def exchanged(one, other):
    return swap(one, "neither"), swap(other, one), swap("neither", other)


ALONE = tuple(swap(f"norm{i}(x + ", f"norm{i}(") for i in (1, 2))
PART = tuple(swap(f"parts.norm{i}(x + ", f"x + parts.norm{i}(") for i in (1, 2))


def encoder_case(says, lengths, tokens, size=(4, 2), seed=0):
    x = wave(len(lengths), tokens, size[0], seed=seed)
    return Case(says, Parts(*size), x, transformer.padding_mask(padded(*lengths, tokens=tokens)))


@notebook.ask(
    _("encoder_layer(parts, x, mask): self-attention and feed-forward, post-norm."),
    returns="x",
    cases=lambda: [
        encoder_case(_("2 sentences"), (5, 3), 5),
        encoder_case(_("as many sentences as words"), (1, 2, 3), 3, size=(6, 3), seed=1),
        Case(_("a causal mask"), Parts(), wave(1, 4, 4, seed=3), transformer.causal_mask(4)),
    ],
    reread="Pre-norm and post-norm",
    mistakes={
        "pre_norm": Mistake(
            (
                "x = x + parts.attention(parts.norm1(x), mask=mask)",
                "return x + parts.feed_forward(parts.norm2(x))",
            )
        ).called("""
            pre-norm, where post-norm is asked
            The output is not normalised: the sums of the residual connection come out as they are.
            Post-norm: first the part, then the sum, then LayerNorm. Where does yours stand?"""),
        "no_residual": Mistake(*ALONE, ALONE).called("""
            a residual connection left out
            What a part says takes the place of x, and is not added to it.
            Each part adds to what came in. Is every part inside an x + …?"""),
        "norm_on_the_part": Mistake(*PART, PART).called("""
            LayerNorm on the part, not on the sum
            The right shape; the output of the layer is not normalised.
            In post-norm the sum goes into LayerNorm. Where do your brackets close?"""),
        "residual_from_before": Mistake((swap("x = p", "y = p"), swap("(x)", "(y)"))).called("""
            the second residual connection starts too early
            What attention added is lost on the second residual connection.
            The second part starts from what the first one left. Which x stands in your second sum?"""),
        "one_norm_twice": Mistake(swap("norm2", "norm1")).called("""
            one LayerNorm used twice
            Right at the start of training, when all norms are alike; then one of them never learns.
            Each part has a LayerNorm of its own. Which numbers stand behind your norms?"""),
        "mask_not_passed": Mistake(swap(", mask=mask", "")).called("""
            the mask not passed on
            Right for sentences with nothing to hide; else the hidden words are seen.
            You are given a mask. Who needs it, and does it get there?"""),
        "visible_for_hidden": swap("mask=mask", "mask=~mask"),
        "mask_as_memory": Mistake(swap("mask=mask", "mask")).called("""
            the mask handed over as memory
            An error: memory holds booleans.
            The second argument of our attention is memory. How do you give a mask by its name?"""),
        "no_norm": Mistake(
            "x = x + parts.attention(x, mask=mask)", "return x + parts.feed_forward(x)"
        ).called("""
            a LayerNorm left out
            What was added up stays as it is, and grows from layer to layer.
            After each sum comes a LayerNorm. Which of the four parts does your layer never call?"""),
        "no_feed_forward": Mistake("return x").called("""
            no feed-forward
            Only attention and one LayerNorm are used.
            Which of the four parts does your layer never call?"""),
        "norms_swapped": Mistake(exchanged("norm1", "norm2")).called("""
            the LayerNorms in another order
            Right at the start of training, when all norms are alike; with trained weights all is wrong.
            The parts are numbered in the order of use. Which norm belongs to which of them?"""),
    },
)
def encoder_layer(parts, x, mask):
    x = parts.norm1(x + parts.attention(x, mask=mask))
    return parts.norm2(x + parts.feed_forward(x))


def decoder_case(says, target, source, tokens, size=(4, 2), seed=0):
    """target, source: how long each sentence is; tokens: how long both batches are."""
    shapes = [(len(target), t, size[0]) for t in tokens]
    x, memory = wave(*shapes[0], seed=seed), wave(*shapes[1], seed=seed + 0.5)
    hidden = [padded(*lengths, tokens=t) for lengths, t in zip((target, source), tokens)]
    return Case(says, Parts(*size, cross=True), x, memory, *hidden)


@notebook.ask(
    _("decoder_layer(parts, x, memory, target_padding, source_padding): pre-norm, with its masks."),
    returns="x",
    cases=lambda: [
        decoder_case(_("4 target words, 6 source words"), (4, 2), (3, 6), (4, 6)),
        decoder_case(_("as many target words as source words"), (5, 4), (3, 5), (5, 5), seed=1),
        decoder_case(_("as many sentences as words"), (3, 1, 2), (2, 3, 1), (3, 3), (6, 3), 2),
    ],
    reread="The decoder",
    mistakes={
        "post_norm": Mistake(
            (
                swap("x + parts.attention(parts.norm1(x)", "parts.norm1(x + parts.attention(x"),
                swap("mask=mask)", "mask=mask))"),
                swap("parts.norm2(x), memory", "x, memory"),
                swap("x + parts.cross", "parts.norm2(x + parts.cross"),
                swap("mask=memory_mask)", "mask=memory_mask))"),
                "return parts.norm3(x + parts.feed_forward(x))",
            )
        ).called("""
            post-norm, where pre-norm is asked
            Every output word has mean 0 and deviation 1 before the last scale and shift.
            Pre-norm: LayerNorm stands in front of the part, not on the residual connection. Where does yours stand?"""),
        "causal_forgotten": Mistake("mask = target_padding[:, None, None, :]").called("""
            no causal mask in the decoder
            Target words see those after them.
            The decoder's own words are still being written. Poke the last one: which outputs move?"""),
        "target_padding_shown": Mistake("mask = later[None, None]").called("""
            the target's padding not hidden
            Right where no target word is padding that another may see.
            Two masks meet in the decoder's own attention. Which one is missing?"""),
        "causal_in_cross": Mistake(swap("memory, mask=memory_mask", "memory, mask=mask")).called("""
            the causal mask in cross-attention
            Early target words are blind to the end of the source; with other lengths, an error.
            The source was read before the writing began. Which of its words may the first target word see?"""),
        "paddings_swapped": Mistake(swap("= source_padding", "= target_padding")).called("""
            source and target padding in each other's place
            An error, as soon as source and target have other lengths.
            A mask hides keys. Whose keys are looked at in self-attention, and whose in cross-attention?"""),
        "source_padding_shown": Mistake(swap("memory, mask=memory_mask", "memory")).called("""
            the source's padding not hidden in cross-attention
            Right for sources with no padding; else the target looks at it.
            The encoder hid its padding from itself. Who hides it from the decoder?"""),
        "and_for_or": Mistake(swap("later | target", "later & target")).called("""
            & for |: hidden only where both masks hide
            The future shows, save where it is padding; and padding shows, save where it is the future.
            A word is hidden if one mask hides it *or* the other. Which sign did you take?"""),
        "memory_not_passed": Mistake(swap("memory, mask", "mask")).called("""
            cross-attention that looks at its own side
            The source is never heard: poke it, and nothing moves.
            With no memory, our attention looks at x itself. Who is to be looked at?"""),
        "no_residual": [
            swap(f"x + parts.{part}", f"parts.{part}") for part in ("attention", "cross", "feed")
        ],
        "norms_swapped": [exchanged("norm1", "norm2"), exchanged("norm2", "norm3")],
        "one_norm_twice": swap("norm3", "norm2"),
        "no_feed_forward": "return x",
        "hides_queries": swap(f"target_padding{SPREAD}", "target_padding[:, None, :, None]"),
        "tril_for_triu": swap("triu(diagonal=1)", "tril()"),
    },
)
def decoder_layer(parts, x, memory, target_padding, source_padding):
    tokens = x.shape[1]
    later = torch.ones(tokens, tokens).triu(diagonal=1).bool()
    mask = later | target_padding[:, None, None, :]
    memory_mask = source_padding[:, None, None, :]
    x = x + parts.attention(parts.norm1(x), mask=mask)
    x = x + parts.cross_attention(parts.norm2(x), memory, mask=memory_mask)
    return x + parts.feed_forward(parts.norm3(x))


notebook.predict(
    "row of lee",
    _("Two words, four blanks, all scores equal: the weights of lee, once the blanks are hidden?"),
    form=_("six numbers, such as (1, 2, 3, 4, 5, 6)"),
    answer=(0.5, 0.5, 0, 0, 0, 0),
    within=0.01,
    why=_("Two words are left to look at, and their scores are equal."),
    hint=_("Among whom is the 1 of the row shared out?"),
    wrong=[
        ((0.17,) * 6, _("So it is with no mask. What happens to the shares of the blanks?")),
        ((0.17, 0.17, 0, 0, 0, 0), _("What must a row sum to? Who gets what the blanks had?")),
    ],
)
