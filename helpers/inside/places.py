"""Where a call of attention happens, and what its axes are: batch, heads, queries, keys.

The sizes of the layer's inputs show it, then the number of heads that the layer states, and last
the convention that the batch comes first. What rests on that convention alone is doubtful."""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import nn

from .. import _

# Names that layers give to the other sequence, which provides the keys in cross-attention.
OTHERS = "context cross_attention_states key_value_states memory enc_output encoder_hidden_states"
OTHERS = set(f"{OTHERS} encoder_out encoder_output encoder_outputs".split())
CROSS = ("cross", "encdec", "enc_dec", "encoder_attn")  # in the name of a layer
HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "nheads", "nhead", "heads")


@dataclass(frozen=True)
class Layout:
    """How the axes before (queries, keys) become (batch, heads): expanded to `leading`, split
    where one axis holds two (`sizes`), and reordered so that those of the batch come first.
    """

    leading: tuple
    sizes: tuple
    order: tuple
    heads: int
    doubts: tuple = ()

    def doubted(self, doubts):
        return replace(self, doubts=(*self.doubts, *doubts))

    @property
    def batch(self):
        return math.prod(self.sizes) // self.heads

    def four(self, x):
        """Reshape x (…, rows, columns) to (batch, heads, rows, columns); None stays None."""
        if x is None:
            return None
        last = x.shape[-2:]
        x = x.expand(*self.leading, *last)
        if self.order == (0, 1) and self.leading == (self.batch, self.heads):
            return x
        x = x.reshape(*self.sizes, *last)
        return x.permute(*self.order, -2, -1).reshape(self.batch, self.heads, *last)


@dataclass(eq=False)
class Place:
    """A module whose forward is running: its qualified name, and its arguments.

    forward  its own forward
    outer    the Place that called it
    twice    whether it is computed twice, watched and unwatched
    quiet    whether none of its functions is watched
    turn     how many calls of attention it has made
    """

    name: str
    module: nn.Module
    forward: Callable
    args: tuple
    kwargs: dict
    outer: "Place | None" = None
    twice: bool = False
    quiet: bool = False
    turn: int = 0

    @cached_property
    def bare(self):
        """Whether it has no weights, and so receives what another layer has computed."""
        return next(self.module.parameters(), None) is None

    @property  # cached, it would keep itself and its inputs alive
    def owner(self):
        """The layer that knows its heads: this one or, if it has no weights, its caller."""
        return self.outer.owner if self.bare and self.outer is not None else self

    @cached_property
    def given(self):
        """All its arguments, by name."""
        names = _argument_names(self.forward)
        names += [str(i) for i in range(len(names), len(self.args))]
        return dict(zip(names, self.args)) | self.kwargs

    @cached_property
    def inputs(self):
        """The tensors among its arguments."""
        return {k: v for k, v in self.given.items() if isinstance(v, torch.Tensor)}

    @cached_property
    def sequences(self):
        """The first two sizes of each input that is (batch, tokens, d), or ids (batch, tokens)."""
        inputs = self.inputs.values()
        return [tuple(x.shape[:2]) for x in inputs if x.dim() == 2 + x.is_floating_point()]

    @property
    def batch(self):
        """The number of sequences or pictures in the call, if the first input shows it; or None."""
        for x in self.inputs.values():
            ids = x.dim() == 2 and not x.is_floating_point()
            return len(x) if ids or x.dim() == 4 else None

    @cached_property
    def heads(self):
        """The number of heads that the layer or its config states; empty if neither does."""
        homes = (self.module, getattr(self.module, "config", None))
        named = [[getattr(home, name, None) for name in HEADS] for home in homes]
        own, configured = ({n for n in found if type(n) is int} for found in named)
        return own or configured

    @cached_property
    def cached(self):
        """Whether it, or a layer around it, was called with a cache, as far as names show."""
        mine = any(x is not None and _is_cache(name) for name, x in self.given.items())
        return mine or self.outer is not None and self.outer.cached

    def kind(self, queries, keys, goes_on=False):
        """ "self" or "cross", or None if names and inputs do not show it.

        goes_on  whether these keys are those of the previous call, and one more for each query
        """
        if any(word in self.name.rsplit(".", 1)[-1].lower() for word in CROSS):
            return "cross"
        if self.owner is not self:
            return self.owner.kind(queries, keys, goes_on)
        inputs = self.inputs
        first = next(iter(inputs.values()), None)
        others = [value for name, value in inputs.items() if name in OTHERS]
        if isinstance(self.module, nn.MultiheadAttention):
            others.append(inputs["key"])
        if others:
            return "self" if all(_same(other, first) for other in others) else "cross"
        like = [x for name, x in inputs.items() if "mask" not in name and not _is_cache(name)]
        like = [x for x in like if (x.dtype, x.dim()) == (first.dtype, first.dim())]
        # Queries from a parameter, or keys from a table, may be of any number.
        fits = queries == keys or goes_on or queries < keys and self.cached
        return "self" if fits and like and all(_same(x, first) for x in like) else None

    def layout(self, leading, queries, keys):
        """The Layout for the sizes before (queries, keys)."""
        leading, owner = tuple(leading), self.owner
        if isinstance(self.module, nn.MultiheadAttention):
            query, batch_axis = self.inputs["query"], not self.module.batch_first
            batch = query.shape[batch_axis] if query.dim() > 2 else 1
            heads = math.prod(leading) // batch
            return Layout(leading, (batch, heads), (0, 1), heads)
        found = owner._blocks_first(leading, queries, keys)
        if not found and len(leading) > 1:
            found = (owner._of_two if len(leading) == 2 else owner._of_many)(leading, queries, keys)
        layout = Layout(leading, *(found or self._in_one(leading, queries, keys)))
        if owner.heads and layout.heads not in owner.heads:
            text = _("the layer names {of} heads, but {n} are seen: some may be windows or blocks")
            named = " or ".join(map(str, sorted(owner.heads)))
            layout = layout.doubted([text.format(n=layout.heads, of=named)])
        return layout

    def _in_one(self, leading, queries, keys):
        """One axis is the batch, the heads, or both flattened; without it, there is one of each."""
        both = leading[0] if leading else 1
        called = _batches(self.inputs.values(), queries, keys)
        batch = next((n for n in called if n and both % n == 0), None)
        if batch == both and self.owner is not self:
            return self.owner._in_one(leading, queries, keys)
        heads = both // (batch or both)
        sure = both == 1 or batch and 1 in (batch, heads)
        return (both // heads, heads), (0, 1), heads, () if sure else _batch_first()

    def _of_two(self, leading, queries, keys):
        """Of two axes, one is the batch that the layer was called with; in doubt, the first."""
        first, second = leading
        if first == 1 and any(x.shape[:-1] == (second, queries) for x in self.inputs.values()):
            return leading, (0, 1), 1  # (1, batch, queries, d): kernels need four dimensions
        called = self.sequences
        calls = [any({(n, x), (x, n)} & set(called) for x in (queries, keys)) for n in leading]
        names = [n in self.heads for n in leading]
        turned = calls == [False, True] or calls[0] == calls[1] and names == [True, False]
        sure = calls[0] != calls[1] or names[0] != names[1] or 1 in leading
        clash = calls[0] != calls[1] and names == calls  # the batch is named as heads
        order, heads = ((1, 0), first) if turned else ((0, 1), second)
        return leading, order, heads, () if sure and not clash else _batch_first()

    def _of_many(self, leading, queries, keys):
        """Of many axes, one is the heads; or all but the first are, in groups that share keys."""
        if {(leading[0], queries), (leading[0], keys)} & set(self.sequences):  # over all
            return leading, tuple(range(len(leading))), math.prod(leading[1:])
        named = [i for i, n in enumerate(leading) if n in self.heads]
        i = named[0] if len(named) == 1 else len(leading) - 1
        order = (*(k for k in range(len(leading)) if k != i), i)
        sure = len(named) == 1 or leading[-2] * queries in {n for _, n in self.sequences}
        text = _("cannot tell which of {sizes} are heads; assuming that the last is")
        doubts = () if sure else (text.format(sizes=" × ".join(map(str, leading))),)
        return leading, order, leading[i], doubts

    def _blocks_first(self, leading, queries, keys):
        """If the last axis counts blocks of queries, behind the heads: its layout, or else None.

        This holds if the blocks make up the tokens of (batch, tokens, d), and no earlier axis can.
        """
        tokens, blocks = {n for _, n in self.sequences}, leading[-1] if leading else 1
        if len(leading) < 2 or 1 in (queries, blocks) or {queries, keys} & tokens:
            return None
        every = math.prod(leading)
        for batch, n in () if leading[-2] * queries in tokens else self.sequences:
            if n == blocks * queries and every % (batch * blocks) == 0:
                heads = every // batch // blocks
                return (batch, heads, blocks), (0, 2, 1), heads
        return None

    def doubts(self, layout, queries, keys, values=None, single=False):
        """Reasons why rows or columns may not be tokens, and heads not heads; a list of messages.

        values  those of a product that is written out; None for a kernel, whose axes are known
        single  whether the product had no axis of queries, so that heads may be queries as well

        Raises ValueError if the heads of one query may really be as many queries, each with keys of
        its own, such as its neighbours, or the experts to which it is routed.
        """
        heads, untold = layout.heads, queries == 1 < layout.heads
        untold = untold and heads not in self.owner.heads
        if isinstance(self.module, nn.MultiheadAttention) or values is None and not untold:
            return []
        counts, found = self._counts(layout.batch), []
        known = keys in counts or self.cached
        own = single and (heads == keys or len(layout.leading) > 2)
        if untold and (own or heads in counts and (single or not known)):
            text = _(
                "it multiplies {sizes} weights with values, and the shapes do not show whether "
                "{heads} are heads or queries; give the queries an axis that the values do not "
                "have"
            )
            raise ValueError(text.format(sizes=f"{layout.batch} × {heads} × {keys}", heads=heads))
        if untold and heads in counts:
            found.append(_("the shapes do not show whether {n} are heads or queries", n=heads))
        if values is None:
            return found
        none = _("{n} {what}, but no input of this layer has {n} tokens: they may be {else_}")
        if isinstance(values if values._base is None else values._base, nn.Parameter):
            found.append(_("its values are a parameter, so its keys are rows of a table"))
        elif counts and not known:
            kinds = _("classes, features or experts")
            found.append(none.format(n=keys, what=_("keys"), else_=kinds))
        if queries > 1 and counts and queries not in counts:
            found.append(none.format(n=queries, what=_("queries"), else_=_("features")))
        return found

    def _counts(self, batch):
        """Possible numbers of tokens, or of pixels, from the sizes of all inputs."""
        counts = set() if self.outer is None else self.outer._counts(batch)
        for name, x in self.inputs.items():
            sizes = list(x.shape[:-1] if x.is_floating_point() and x.dim() < 4 else x.shape)
            if batch in sizes:
                sizes.remove(batch)
            spans = ((i, j) for j in range(len(sizes) + 1) for i in range(j))
            if "mask" not in name and "bias" not in name:  # their sizes may include the heads
                counts |= {math.prod(sizes[i:j]) for i, j in spans}
        return counts


def _batch_first():
    text = _("cannot tell the batch axis from the heads axis; assuming that the batch comes first")
    return (text,)


def _is_cache(name):
    return any(word in name.lower() for word in ("past", "cache"))


def _batches(inputs, queries, keys):
    """Possible batch sizes of these inputs, the most likely first."""
    floats = [x for x in inputs if x.is_floating_point()]
    three = [x for n in (keys, queries) for x in floats if x.dim() == 3 and n in x.shape[:2]]
    found = [len(x) for x in three if x.shape[1] in (queries, keys)]  # (batch, tokens, d)
    found += [x.shape[1] for x in three]  # (tokens, batch, d)
    for x in floats or inputs:
        return [*found, len(x) if x.dim() > 2 - (not floats) else 1]  # (tokens, d), one sequence
    return found


def _same(other, first):
    """Whether these are the same vectors, or end with them: a cache also holds earlier ones."""
    if other is first or (other.dim(), other.dtype) != (first.dim(), first.dtype):
        return other is first
    ends = [other[-len(first) :], other[:, -first.shape[1] :] if other.dim() > 2 else other]
    return any(end.shape == first.shape and torch.equal(end, first) for end in ends)


def _argument_names(forward):
    """The argument names of a module's forward, as far as it is written in Python."""
    function = inspect.unwrap(forward)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    names = list(code.co_varnames[: code.co_argcount]) if code else []
    return names[1:] if names[:1] == ["self"] else names
