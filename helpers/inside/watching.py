"""The block in which a model is watched: hooks that know the layer, a mode that sees the calls."""

import warnings
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from . import saying
from .beside import beside, compact
from .doubts import AXES
from .fused import fused
from .places import Place
from .seeing import Call, Seen
from .uncompiled import UNCOMPILED
from .written import written

LIMIT = 500_000_000  # bytes of weights that a watch keeps, if nothing else is said


def watch(model, layers=None, heads=None, limit=LIMIT):
    """Watch the attention of a model: `with watch(model) as seen: model(x)`.

    model   any torch.nn.Module; it is not changed, and computes what it always computes
    layers  which layers to keep: a name, a pattern such as "decoder.*", or a list of them; a name
            stands for all that is inside it, too. None: all
    heads   which heads to keep of each layer: a number from 0, or a list. None: all
    limit   the most bytes of weights to keep, 500 MB if nothing is said. One map of 4,096 by 4,096
            tokens and 32 heads takes 2 GB

    What is seen: nn.functional.scaled_dot_product_attention, flex_attention, nn.MultiheadAttention
    with all that is made of it, and attention that is written out in Python: a softmax, and then a
    matrix product (matmul, bmm, einsum) with the values. Between the two dropout, masks, numbers
    and other shapes may come: heads that are mixed there, or maps that are subtracted, are not
    followed. A compiled model runs uncompiled in the block. What cannot be seen: kernels of other
    packages, and what torch.jit made.

    Axes have no names. Where neither letters, nor shapes, nor what the model does next tells, the
    batch is taken to stand before the heads. And a softmax may weigh classes or experts, where keys
    are no tokens. What was taken for granted, a Seen says: in its repr, and in its check.

    Returns a context manager that gives a Seen; the same one can be used for block after block.
    Raises TypeError or ValueError if an argument is of the wrong kind. In the block, ValueError if
    the limit would be passed, before memory is taken; at its end, ValueError if nothing was seen,
    and a warning if some layer was not.
    """
    return Watch(model, layers, heads, limit)


class Watch:
    """What `watch` returns."""

    def __init__(self, model, layers, heads, limit):
        saying.check_model(model)
        self.model, self.root = model, type(model).__name__
        # A compiled module wraps the one that was compiled: its names are those that people know.
        self.names = {
            module: name.replace("_orig_mod.", "").removesuffix("_orig_mod") or self.root
            for name, module in model.named_modules()
        }
        self.limit, self.heads = saying.checked_limit(limit), saying.checked_heads(heads)
        self.layers = saying.checked_layers(layers, self.names, self.root)
        self.block = None  # the ExitStack of the block, while it is open

    def __enter__(self):
        if self.block is not None:
            raise ValueError("watch: this watch is open already; make another: watch(model)")
        self.seen, self.stack, self.ran = Seen(), [], {}
        self.used, self.steps = 0, Counter()
        self.softmaxes, self.failed, self.refusal = [], {}, None
        self.elsewhere = False  # whether attention was seen where no layer of the model runs
        self.marks = WeakIdKeyDictionary()  # tensors that come from a softmax
        self.spread = WeakIdKeyDictionary()  # products of weights and values, not summed yet
        self.unsure = WeakIdKeyDictionary()  # results of calls whose batch and heads are one
        with ExitStack() as block:
            for module, name in self.names.items():
                if not isinstance(module, torch.jit.ScriptModule):  # they take no such hooks
                    block.callback(self._enter_with(module, name).remove)
                    block.callback(self._leave_with(module).remove)
            block.enter_context(UNCOMPILED)
            block.enter_context(_Mode(self))
            self.block = block.pop_all()
        return self.seen

    def __exit__(self, kind, error, trace):
        block, self.block, self.stack = self.block, None, []
        self.marks = self.spread = self.unsure = None
        block.close()
        if kind is not None:
            return
        blind = saying.blind(self)
        if not self.seen.calls:
            raise ValueError(saying.nothing(self, blind))
        self.seen.unseen = blind
        if blind:
            warnings.warn(f"watch: {saying.not_seen(blind, self.failed)}", stacklevel=2)

    # Where we are.

    def _enter_with(self, module, name):
        def enter(module, args, kwargs):
            outer = self.stack[-1] if self.stack else None
            self.stack.append(Place(name, module, args, kwargs, outer))
            self.ran[name] = module
            UNCOMPILED.look()

        return module.register_forward_pre_hook(enter, with_kwargs=True)

    def _leave_with(self, module):
        def leave(module, args, output):
            while self.stack and self.stack.pop().module is not module:
                pass  # left by an error that the model caught

        return module.register_forward_hook(leave, always_call=True)

    def place(self):
        """The Place of what happens now; None if that is not to be watched."""
        if not self.stack:
            self.elsewhere = True
            return None
        place = self.stack[-1]
        wanted = self.layers is None or any(saying.fits(place.name, x) for x in self.layers)
        return place if wanted else None

    def refuse(self, text):
        """Raise a ValueError that goes through the model to whoever watches."""
        self.refusal = ValueError(text)
        raise self.refusal

    @contextmanager
    def careful(self):
        """What goes wrong in watching is said at the end of the block: it must not stop a model."""
        try:
            with beside():
                yield
        except Exception as error:
            if error is self.refusal:
                raise
            self.failed[self.stack[-1].name] = error

    # What is kept.

    def picked(self, place, heads):
        """The numbers of the heads to keep, of a layer that has so many; None: all."""
        if self.heads is not None and self.heads[-1] >= heads:
            came = f"watch: heads={list(self.heads)}, but {place.name!r} has {heads}"
            self.refuse(f"{came}; pass 0 to {heads - 1}, or pick layers, too: layers=...")
        return self.heads

    def room(self, place, shape, dtype):
        """Raise ValueError if weights of this shape do not fit any more."""
        needed = torch.Size(shape).numel() * dtype.itemsize
        if self.used + needed > self.limit:
            self.refuse(saying.too_large(self, place, shape, needed))

    def goes_on(self, place, queries, keys):
        """Whether these keys are those of the layer's last call, and one more for each query."""
        before = next((x for x in reversed(self.seen.calls) if x.name == place.name), None)
        if before is None or before.kind != "self":
            return False
        return before.weights.shape[-1] + queries == keys

    def keep(self, place, weights, hidden, result, leading, doubts=(), **known):
        """Keep a call; the weights are ours, nobody else writes to them.

        result   what the model got; None if its axes are not those of leading
        leading  the sizes of it before (queries, d); () where all is known of them
        """
        hidden = compact(hidden)
        self.used += weights.nbytes + (0 if hidden is None else hidden.nbytes)
        step = self.steps[place.name]
        self.steps[place.name] += 1
        queries, keys = weights.shape[-2:]
        kind = place.kind(queries, keys, self.goes_on(place, queries, keys))
        known = {"kind": kind, "heads": self.heads, "step": step, "turn": place.turn} | known
        place.turn += 1
        if len(leading) == 1:
            untold = min(len(weights), leading[0] // len(weights)) > 1
        else:
            untold = len(leading) == 2 and min(leading) > 1
            untold = untold and sum(place.batches(leading, queries, keys)) != 1
        if untold and result is not None:
            self.unsure[result] = len(self.seen.calls), leading, result.stride()
        doubts = tuple(filter(None, (*doubts, AXES if untold else "")))
        self.seen.calls.append(Call(place.name, weights, hidden, doubts=doubts, **known))

    def divided(self, whole, parts):
        """What is done next to a result shows which of its axes is batch, and which is heads.

        Where both were one, it is cut into both; where they are two, heads are brought beside d.
        """
        number, leading, strides = self.unsure.get(whole, (None, (), ()))
        if number is None:
            return
        several = isinstance(parts, tuple | list)
        if len(leading) == 1:
            batch = len(self.seen.calls[number].weights)
            heads = leading[0] // batch
            sizes = (len(parts), len(parts[0])) if several else tuple(parts.shape[:2])
            if sizes == (heads, batch) and (several or heads != batch):
                self.tell(number, heads)
            elif sizes == (batch, heads) != (heads, batch):
                self.tell(number)
            elif sizes == (heads, batch) and parts.dim() == 4:
                self.unsure[parts] = number, sizes, parts.stride()
        elif not several and parts.dim() == 4:
            near = parts.shape[-2], parts.stride(-2)
            first, second = zip(leading, strides)
            if near in (first, second):
                self.tell(number, leading[0] if near == first else None)
            else:
                self.unsure[parts] = number, leading, strides

    def tell(self, number, heads=None):
        """It is known now of a call whose result had batch in front, or so many heads."""
        call = self.seen.calls[number]
        if AXES not in call.doubts:
            return
        weights, hidden = call.weights, call.hidden
        if heads is not None:
            if call.heads is not None:
                came = f"watch: heads={list(call.heads)}, but in {call.name!r} heads stand before"
                self.refuse(f"{came} batch; leave out heads=, and pick them from the weights")

            def turn(x):
                x = x.expand_as(call.weights)
                return x.reshape(heads, -1, *x.shape[2:]).transpose(0, 1)

            weights = turn(weights).contiguous()
            hidden = None if hidden is None else compact(turn(hidden))
        doubts = tuple(doubt for doubt in call.doubts if doubt != AXES)
        told = replace(call, weights=weights, hidden=hidden, doubts=doubts)
        self.seen.calls[number] = told


class _Mode(TorchFunctionMode):
    """Sees each function of torch that is called, and calls it."""

    def __init__(self, watch):
        super().__init__()
        self.watch = watch

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs, watch = kwargs or {}, self.watch
        UNCOMPILED.look()
        see = fused(function)
        place = watch.place() if see is not None else None
        if place is not None:
            return see(watch, place, function, args, kwargs)
        result = function(*args, **kwargs)
        see = written(function)
        if see is not None and watch.stack:
            with watch.careful():
                see(watch, function, args, kwargs, result)
        return result
