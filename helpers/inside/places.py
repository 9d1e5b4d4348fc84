"""Where a call of attention happens, and what its axes are: batch, heads, queries, keys.

The sizes of the layer's inputs show it, then the number of heads that the layer states, and last
the convention that the batch comes first. What rests on that convention alone is doubtful."""

import inspect
import math
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import nn

from .. import _

# Names that layers give to the other sequence, which provides the keys in cross-attention.
OTHERS = "context cross_attention_states key_value_states memory enc_output encoder_hidden_states"
OTHERS = set(f"{OTHERS} encoder_out encoder_output encoder_outputs".split())
CROSS = ("cross", "encdec", "enc_dec", "encoder_attn")  # in the name of a layer
HEADS = "num_heads num_attention_heads num_attn_heads n_heads n_head nheads nhead heads".split()


@dataclass(frozen=True)
class Layout:
    """How the axes before (queries, keys) become (batch, heads): expanded to `leading`, and split
    where one axis holds both.

    heads_first   whether the heads come before the batch
    """

    leading: tuple
    batch: int
    heads: int
    heads_first: bool = False
    doubts: tuple = ()

    def doubted(self, doubts):
        return replace(self, doubts=(*self.doubts, *doubts))

    def four(self, x):
        """Reshape x (…, rows, columns) to (batch, heads, rows, columns); None stays None."""
        if x is None:
            return None
        last = x.shape[-2:]
        x = x.expand(*self.leading, *last)
        if self.heads_first:
            return x.reshape(self.heads, self.batch, *last).transpose(0, 1)
        four = self.batch, self.heads
        return x if x.shape[:-2] == four else x.reshape(*four, *last)


@dataclass(eq=False)
class Place:
    """A module whose forward is running: its qualified name, and its arguments.

    outer    the Place that called it
    twice    whether it is computed twice, watched and unwatched
    quiet    whether none of its functions is watched
    run      for the outermost place, the number of earlier calls of the model
    """

    name: str
    module: nn.Module
    args: tuple
    kwargs: dict
    outer: "Place | None" = None
    twice: bool = False
    quiet: bool = False
    run: int = 0

    @cached_property
    def bare(self):
        """Whether it has no weights, and so receives what another layer has computed."""
        return next(self.module.parameters(), None) is None

    @property  # cached, it would keep itself and its inputs alive
    def owner(self):
        """The layer that knows its heads: this one or, if it has no weights, its caller."""
        return self.outer.owner if self.bare and self.outer is not None else self

    @property
    def root(self):
        """The outermost place."""
        return self if self.outer is None else self.outer.root

    @cached_property
    def given(self):
        """All its arguments, by name."""
        names = _argument_names(self.module.forward)
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
        """The Layout for the sizes before (queries, keys).

        Raises ValueError if there are more axes than batch and heads.
        """
        leading, owner = tuple(leading), self.owner
        if isinstance(self.module, nn.MultiheadAttention):
            query, batch_axis = self.inputs["query"], not self.module.batch_first
            batch = query.shape[batch_axis] if query.dim() > 2 else 1
            return Layout(leading, batch, math.prod(leading) // batch)
        sizes = leading
        while len(sizes) > 2 and 1 in sizes[1:]:  # an axis of size 1 shows nothing
            i = sizes.index(1, 1)
            sizes = sizes[:i] + sizes[i + 1 :]
        if len(sizes) > 2:
            text = _("it has {n} axes before queries and keys ({sizes}), more than batch and heads")
            raise ValueError(text.format(n=len(sizes), sizes=" × ".join(map(str, sizes))))
        found = owner._of_two(sizes, queries, keys) if len(sizes) == 2 else None
        layout = Layout(leading, *(found or self._in_one(sizes, queries, keys)))
        return layout.doubted(other_heads(layout.heads, owner.heads))

    def _in_one(self, leading, queries, keys):
        """One axis is the batch, the heads, or both flattened; without it, there is one of each."""
        both = leading[0] if leading else 1
        called = _batches(self.inputs.values(), queries, keys)
        batch = next((n for n in called if n and both % n == 0), None)
        if batch == both and self.owner is not self:
            return self.owner._in_one(leading, queries, keys)
        heads = both // (batch or both)
        sure = both == 1 or batch and 1 in (batch, heads)
        return both // heads, heads, False, () if sure else batch_first()

    def _of_two(self, leading, queries, keys):
        """Which of two sizes is the heads, as shown by the layer's batch, or by the number of
        heads that it states. If neither shows it, the second is taken."""
        first, second = leading
        if first == 1 and any(x.shape[:-1] == (second, queries) for x in self.inputs.values()):
            return second, 1  # (1, batch, queries, d): kernels need four dimensions
        called = set(self.sequences)
        calls = [any({(n, x), (x, n)} & called for x in (queries, keys)) for n in leading]
        names = [n in self.heads for n in leading]
        told = [calls.index(False)] if calls[0] != calls[1] else []
        named = [names.index(True)] if names[0] != names[1] else []
        others, axis = {*told, *named}, (told or named or [1])[0]
        sure = len(others) == 1 or 1 in leading or not others and all(calls) and all(names)
        return leading[1 - axis], leading[axis], axis == 0, () if sure else batch_first()

    def packs(self, query, key):
        """Whether heads that share keys replace the queries, as transformers arranges them.

        It does so for a single token, if both axes together are the heads that the layer states.
        """
        heads = math.prod(query.shape[1:3]) if query.dim() == 4 else 0
        one_token = {n for _, n in self.owner.sequences} == {1}
        return one_token and heads in self.owner.heads and key.shape[1] < heads


def batch_first():
    text = _("cannot tell the batch axis from the heads axis; assuming that the batch comes first")
    return (text,)


def other_heads(heads, named):
    """A doubt if the layer names other numbers of heads."""
    if not named or heads in named:
        return ()
    text = _("the layer names {of} heads, but {n} are seen: some may be windows or blocks")
    return (text.format(n=heads, of=" or ".join(map(str, sorted(named)))),)


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
