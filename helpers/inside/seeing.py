"""What a watch has seen: the weights of each call of attention, their check, and what it missed."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import torch

from .. import _

# How far weights times values may be from what the model used, relative to the largest value: about
# ten rounding steps of the dtype, because each kernel adds up in an order of its own.
TOLERANCES = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 4e-2}


@dataclass(eq=False)
class Call:
    """One call of attention.

    name     the layer in whose forward it happened, as in model.named_modules()
    weights  (batch, heads, queries, keys), without gradients, in float32 or float64. Where a model
             cuts a picture into windows, each window counts as a sequence of the batch
    hidden   booleans of this shape, True = a mask hid this key from this query; None: no mask. A
             mask that adds only -100, as in Swin, looks like low scores
    kind     "self" or "cross", None if unknown
    step     how many calls of the same layer came before it
    error    the difference of weights times values from what the model used, relative to the
             largest value; None if a fused kernel dropped weights, which are then those before
    dtype    the dtype in which the model computed
    """

    name: str
    weights: torch.Tensor = field(repr=False)
    hidden: torch.Tensor | None = field(default=None, repr=False)
    kind: str | None = None
    step: int = 0
    error: float | None = 0.0
    dtype: torch.dtype = torch.float32


@dataclass(eq=False)
class Seen:
    """What a watch has seen.

    calls    every Call, in the order in which they happened
    unseen   layers that ran and attend, but of which nothing is shown, or not all
    """

    calls: list = field(default_factory=list)
    unseen: tuple = ()

    @property
    def weights(self):
        """The weights by the name of the layer; if it was called more than once, of the LAST call."""
        return {call.name: call.weights for call in self.calls}

    def check(self):
        """Check that weights times values are what the model used in each call, and say so.

        Raises ValueError if a call is off by more than TOLERANCES, or if there is none.
        """
        if not self.calls:
            raise ValueError(_("check: nothing was seen yet; call the model inside the watch"))
        known = [call for call in self.calls if call.error is not None]
        for call in known:
            if not call.error <= TOLERANCES[call.dtype]:
                raise ValueError(_("check: do not trust {call}: its error is too large", call=call))
        text = _(
            "In {n} of {all} calls, weights times values are what the model used, to within "
            "{within:g} of the largest value. This does not prove which axis is batch, "
            "heads or queries."
        )
        within = max((TOLERANCES[call.dtype] for call in known), default=0)
        return text.format(n=len(known), all=len(self.calls), within=within)


def far(context, used, values):
    """The largest difference from what was used, relative to the largest value; 0 between NaNs."""
    off = (context - used).masked_fill(context.isnan() & used.isnan(), 0.0).abs().max()
    return (off / values.nan_to_num().abs().max().clamp(min=1e-30)).item()


def listed(names, most=5):
    names = list(names)
    return ", ".join(map(repr, names[:most])) + (", …" if len(names) > most else "")


def fits(name, pattern):
    """Whether a layer, or one that contains it, has this name or matches this pattern."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*")


def is_attention(module):
    """Whether a layer is named like attention, or was made by torch.jit, so that nobody knows."""
    name = type(module).__name__.lower()
    # A layer named attention's output receives the result of attention.
    named = ("attention" in name or name.endswith("attn")) and not name.endswith("output")
    return named or isinstance(module, torch.jit.ScriptModule)


def report(watch):
    """(layers that attend, as far as is known, and are not shown whole; what to say of them)."""
    seen = {call.name for call in watch.seen.calls}
    why = {name: str(error) or repr(error) for name, error in watch.failed.items()}
    for name in filter(None, watch.softmaxes):
        if name in seen or is_attention(watch.ran[name]):
            why.setdefault(name, _("a softmax met no values that could be followed"))
    for name, module in watch.ran.items() if watch.layers is None else ():
        told = [x for x in (*seen, *why) if name == watch.root or fits(x, name) or fits(name, x)]
        if is_attention(module) and not told:
            why[name] = _("it is named attention, but no softmax was followed by its values")
    said = [] if why else [_("no attention was seen when {root} ran", root=watch.root)]
    if not watch.ran:
        said = [_("{root} was not called in the block. Call it there: model(x)", root=watch.root)]
    for reason in dict.fromkeys(why.values()):
        names = listed(name for name, other in why.items() if other == reason)
        said.append(_("nothing is shown of {names}, or not all: {why}", names=names, why=reason))
    text = _(
        "watch: {said}. docs/api.md lists what can be followed. For a Hugging Face model, try "
        "model.set_attn_implementation('sdpa')"
    )
    return tuple(why), text.format(said="; ".join(said))
