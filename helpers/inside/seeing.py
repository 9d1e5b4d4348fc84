"""What a watch has seen: the weights of each call of attention, in order, and their check."""

from collections import Counter
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import torch

from .. import _, plural
from .joining import join, orders_of

# How far weights times values may be from what the model used, relative to the largest value: about
# ten rounding steps of the dtype, because each kernel adds up in an order of its own.
TOLERANCES = {
    torch.float64: 1e-12,
    torch.float32: 1e-5,
    torch.float16: 1e-2,
    torch.bfloat16: 4e-2,
}


@dataclass(eq=False)
class Call:
    """One call of attention.

    name     the layer in whose forward it happened, as in model.named_modules()
    weights  (batch, heads, queries, keys), without gradients, in float32 or float64; large maps in
             float16. Further axes are
             part of batch: of 2 pictures with 4 windows each, 0 to 3 are the first one's windows
    hidden   booleans that broadcast to the weights, True = a mask hid this key from this query;
             None: no mask. An additive mask of only -100, as in Swin, looks like low scores
    kind     "self" or "cross", None if unknown
    step     how many calls of the same layer came before it
    dropout  the share of weights that was dropped
    error    the difference of weights times values from what the model used, relative to the
             largest value; None if a fused kernel dropped weights, which are then those before
    dtype    the dtype in which the model computed
    run      the number of earlier calls of the model; the same within one forward
    batch    the number of sequences in that call of the model; None if its inputs do not show it
    steps    how many calls are joined in it
    doubts   messages: what the sizes do not show, such as which axis is batch
    tags     (batch, keys), one component of each key's value: the same in a cache that grows
    heads, queries   what was picked: indices of heads, "average" or "maximum", and positions of
             queries, in the order of the weights; None: all
    asked    how many queries the call had
    reach    the number of keys up to the last one that any query sees
    """

    name: str
    weights: torch.Tensor
    hidden: torch.Tensor | None = None
    kind: str | None = None
    step: int = 0
    dropout: float = 0.0
    error: float | None = 0.0
    dtype: torch.dtype = torch.float32
    run: int = 0
    batch: int | None = None
    steps: int = 1
    doubts: tuple = ()
    tags: torch.Tensor | None = None
    heads: tuple | None = None
    queries: tuple | None = None
    asked: int | None = None
    reach: int | None = None

    def __post_init__(self):
        self.asked = self.weights.shape[2] if self.asked is None else self.asked
        self.reach = self.weights.shape[3] if self.reach is None else self.reach

    @property
    def right(self):
        """Whether weights times values are what the model used, as far as this can be checked."""
        return self.error is None or self.error <= TOLERANCES[self.dtype]

    def __repr__(self):
        size = sizes_in_words(self.weights.shape)
        size += "".join(_("; not sure: {doubt}", doubt=doubt) for doubt in self.doubts)
        kind = self.kind or "self or cross"  # not translated, as in `kind`
        return f"Call({self.name!r}, step {self.step}, {kind}, {size})"


@dataclass(eq=False)
class Seen:
    """What a watch has seen.

    calls    every Call, in the order in which they happened
    unseen   layers that ran and are named like attention, but of which nothing was seen
    partial  layers of which something was seen, but in which a softmax met no values
    blocks   parts of the model that read a picture block by block, and not row by row
    """

    calls: list = field(default_factory=list)
    unseen: tuple = ()
    partial: tuple = ()
    blocks: tuple = ()

    @property
    def weights(self):
        """The weights by the name of the layer, in the order of the first calls.

        If a layer was called more than once, these are from the LAST call, in which a decoder has
        seen most. `steps(name)` has all of them. For a decoder with a KV cache, whose every call
        has only one new query, `joined(name)` combines the steps.
        """
        return {call.name: call.weights for call in self.calls}

    def steps(self, name):
        """The calls of one layer, in order. Raises ValueError if nothing was seen of it."""
        calls = [call for call in self.calls if call.name == name]
        if not calls:
            text = _("steps: nothing was seen of {name!r}; there is {names}")
            raise ValueError(text.format(name=name, names=listed(self.weights)))
        return calls

    def joined(self, name):
        """The steps of a decoder with a KV cache as one Call, their queries below each other.

        A key that did not exist yet at a query's step, or no longer, has weight 0, and is hidden.
        After a beam search these are the beams of the last step, each with all the tokens in it.
        Raises ValueError if nothing was seen of this layer, or if its calls do not continue each
        other: without a cache, where the last call has every query.
        """
        calls = self.steps(name)
        if len(calls) == 1:
            return calls[0]
        rows = [call.asked for call in calls]
        orders, crosses = orders_of(calls), False
        if orders is None and calls[0].kind != "self" and set(rows[1:]) == {1}:
            # Cross-attention: the keys never change, while the queries follow one another.
            crosses = all(torch.equal(call.tags, calls[0].tags) for call in calls)
            others = (self.steps(other) for other in self.weights) if crosses else ()
            others = [x for x in others if [y.asked for y in x] == rows]
            orders = next((x for x in map(orders_of, others) if x), None)
        if orders is None:
            text = _(
                "joined: the calls of {name!r} do not continue one another; look at them one by "
                "one with steps({name!r}), where the last has seen the most tokens"
            )
            raise ValueError(text.format(name=name))
        return replace(calls[-1], step=0, steps=len(calls), **join(calls, orders, crosses))

    def check(self):
        """Check that weights times values are what the model used in each call, and say so.

        They were compared when the call happened. The tolerances are TOLERANCES, by dtype, relative
        to the largest value. This does not prove which axis is which: see `doubts`.
        Raises ValueError if a call fails, or if there is nothing to check.
        """
        if not self.calls:
            raise ValueError(_("check: nothing was seen yet; call the model inside the watch"))
        if wrong := [call for call in self.calls if not call.right]:
            text = _(
                "check: in {n} of {all} calls, weights times values are not what the model "
                "used; the first is {first!r}, off by {error:.1e} of the largest value. Do not "
                "trust these weights"
            )
            found = {"n": len(wrong), "all": len(self.calls), "first": wrong[0]}
            raise ValueError(text.format(error=wrong[0].error, **found))
        known = [call for call in self.calls if call.error is not None]
        within = max((TOLERANCES[call.dtype] for call in known), default=0)
        text = _(
            "In {n} of {all} calls, weights times values are what the model used, to within "
            "{within:g} of the largest value. This does not prove which axis is batch, "
            "heads or queries."
        )
        return text.format(n=len(known), all=len(self.calls), within=within) + self.notes()

    def notes(self):
        """What a reader of the weights should know first, in words; "" if there is nothing."""
        texts, doubted = [], {}
        turns = Counter((call.name, call.run) for call in self.calls)
        for call in self.calls:
            for doubt in call.doubts:
                doubted.setdefault(doubt, {})[call.name] = None
        if many := {name: n for (name, _run), n in turns.items() if n > 1}:
            text = _("{name!r} attends {n} times in one forward")
            which = ", ".join(text.format(name=name, n=n) for name, n in many.items())
            text = _("{which}: each call is a step, and `weights` holds only the last.")
            texts.append(text.format(which=which))
        if any(call.error is None for call in self.calls):
            texts.append(
                _(
                    "Where a fused kernel applies dropout, the weights before dropout are shown, "
                    "unchecked; after model.eval() all can be checked."
                )
            )
        if self.partial:
            text = _(
                "A softmax in {names} met no values that could be followed, so part of the "
                "attention is not shown."
            )
            texts.append(text.format(names=listed(self.partial)))
        larger = [x for x in self.calls if x.batch and len(x.weights) > x.batch]
        if larger:
            most = max(larger, key=lambda x: len(x.weights))
            text = _(
                "There are {n} sequences, but the model was called with {batch}: windows count "
                "as sequences."
            )
            texts.append(text.format(n=len(most.weights), batch=most.batch))
        for doubt, names in doubted.items():
            texts.append(_("Not sure of {names}: {doubt}.", names=listed(names), doubt=doubt))
        return "".join(f" {text}" for text in texts)

    def __repr__(self):
        calls = plural("{n} call", "{n} calls", len(self.calls))
        layers = plural("{n} layer", "{n} layers", len(self.weights))
        return f"Seen({calls} of {layers}: {', '.join(self.weights)}){self.notes()}"


def sizes_in_words(shape):
    """For example, "2 × 3 heads × 5 queries × 5 keys"."""
    heads = plural("{n:,} head", "{n:,} heads", shape[1])
    queries = plural("{n:,} query", "{n:,} queries", shape[2])
    keys = plural("{n:,} key", "{n:,} keys", shape[3])
    return f"{shape[0]:,} × {heads} × {queries} × {keys}"


def listed(names, most=5):
    names = list(names)
    return ", ".join(map(repr, names[:most])) + (", …" if len(names) > most else "")


def fits(name, pattern):
    """Whether a layer, or one that contains it, has this name or matches this pattern."""
    parts = name.split(".")
    outer = (".".join(parts[: i + 1]) for i in range(len(parts)))
    return any(one == pattern or fnmatchcase(one, pattern) for one in outer)


def is_attention(module):
    """Whether a layer is named like attention."""
    name = getattr(module, "original_name", type(module).__name__).lower()
    # A layer named attention's output receives the result of attention.
    return ("attention" in name or name.endswith("attn")) and not name.endswith("output")


def blind(watch, called):
    """Layers of which nothing was seen although they contain attention.

    These are layers in which a watch failed and, if no layers were selected, those that ran and are
    named like attention, or that torch.jit compiled, as nobody knows what these do.
    """
    names, known = list(watch.failed), {*called, *watch.failed}
    for name, module in (watch.ran | watch.scripted).items() if watch.layers is None else ():
        if name in known or not is_attention(module) or called and name == watch.root:
            continue
        if not any(fits(one, name) or fits(name, one) for one in known):
            names.append(name)
    return tuple(names)


def not_seen(watch, names):
    """A message: nothing was seen of these layers, and what to do about it."""
    text = _("a watch could not follow what {name!r} does: {error!r}")
    texts = [text.format(name=name, error=error) for name, error in watch.failed.items()]
    if others := [name for name in names if name not in watch.failed]:
        text = _("nothing was seen of {names}, although these ran and are named attention. ")
        texts.append(text.format(names=listed(others)) + _advice())
    return "; ".join(texts)


def nothing(watch, names):
    """A message: why a block has seen nothing, and what to do about it."""
    if names:
        return f"watch: {not_seen(watch, names)}"
    if not watch.ran and watch.root not in watch.scripted:
        return _(
            "watch: {root} was not called in the block. Call it there: model(x)", root=watch.root
        )
    text = _("watch: no attention was seen when {root} ran. ", root=watch.root)
    if watch.layers is not None:
        return text + _("Leave out layers= to see where there is some")
    if names := dict.fromkeys(x.name for x in watch.softmaxes):
        ran = _("A softmax ran in {names}, but no such product of it was seen. ")
        text += ran.format(names=listed(names))
    return text + _advice()


def _advice():
    return _(
        "These cannot be followed: heads that are mixed, maps that are subtracted or a "
        "sum in the same step (baddbmm) between a softmax and its product with the "
        "values; values that are multiplied by their weights one by one and then summed, "
        "in place of @ or einsum; more axes than batch and heads before queries and keys; "
        "a softmax that is written out as exp and sum; flex_attention; kernels of other "
        "packages or in C++; and whatever torch.jit has made. For a Hugging Face model, "
        "switch to PyTorch's own attention: model.set_attn_implementation('sdpa')"
    )
