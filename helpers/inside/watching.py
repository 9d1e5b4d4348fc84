"""The block in which a model is watched: hooks that know the layer, a mode that sees the calls."""

import sys
import warnings
from collections import Counter, OrderedDict
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from .. import _
from . import saying
from .fused import FUSED
from .places import Place
from .seeing import Call, Seen, after_cache, compact, sizes_in_words
from .written import BEGINS, written

LIMIT = 500_000_000  # bytes of weights that a watch keeps, if nothing else is said
FAST = (nn.TransformerEncoder, nn.TransformerEncoderLayer, nn.MultiheadAttention)


def watch(model, layers=None, heads=None, limit=LIMIT):
    """Watch the attention of a model: `with watch(model) as seen: model(x)`.

    model   any torch.nn.Module; it is not changed, and gives what it always gives, as close as two
            kernels of PyTorch are to each other: watched, its faster ones for inference step aside
    layers  which layers to keep: a name, a pattern such as "decoder.*", or a list of them; a name
            stands for all that is inside it, too. None: all
    heads   which heads to keep of each layer: a number from 0, or a list. None: all
    limit   the most bytes of weights to keep, 500 MB if nothing is said. One map of 4,096 by 4,096
            tokens and 32 heads takes 2 GB

    What is seen: nn.functional.scaled_dot_product_attention, nn.MultiheadAttention with all that is
    made of it, and attention that is written out in Python: a softmax, and then a product (matmul,
    bmm, einsum, or times and sum) with the values. Between the two dropout, masks, numbers and
    other shapes may come: heads that are mixed there, or maps that are subtracted, are not
    followed. A compiled model runs uncompiled in the block. What cannot be seen: flex_attention,
    kernels of other packages, and what torch.jit made.

    Axes have no names. Where neither letters, nor sizes, nor the number of heads that a layer names
    tell, the batch is taken to stand before the heads. And a softmax may weigh classes or experts,
    where keys are no tokens. What was taken for granted, a Seen says: in its repr, and in its check.

    Returns a context manager that gives a Seen; the same one can be used for block after block.
    Raises TypeError or ValueError if an argument is of the wrong kind. In the block, ValueError if
    the limit would be passed, before memory is taken; at its end, ValueError if nothing was seen,
    and a warning if some layer was not.
    """
    return Watch(model, layers, heads, limit)


class Watch:
    """What `watch` returns."""

    def __init__(self, model, layers, heads, limit):
        if not isinstance(model, nn.Module):
            text = _(
                "watch: model is a {kind}, not a torch.nn.Module; pass the model: watch(model)"
            )
            raise TypeError(text.format(kind=type(model).__name__))
        self.model, self.root = model, type(model).__name__
        # A compiled module wraps the one that was compiled: its names are those that people know.
        self.names = {
            module: name.replace("_orig_mod", "").replace("..", ".").strip(".") or self.root
            for name, module in model.named_modules()
        }
        self.limit, self.heads = saying.checked_limit(limit), saying.checked_heads(heads)
        self.layers = saying.checked_layers(layers, self.names, self.root)
        self.block = None  # the ExitStack of the block, while it is open

    def __enter__(self):
        if self.block is not None:
            raise ValueError(_("watch: this watch is open already; make another: watch(model)"))
        self.seen, self.stack, self.ran = Seen(), [], {}
        self.used, self.steps, self.last = 0, Counter(), {}
        self.softmaxes, self.failed, self.refusal = [], {}, None
        self.elsewhere = False  # whether attention was seen where no layer of the model runs
        self.marks = WeakIdKeyDictionary()  # tensors that come from a softmax
        with ExitStack() as block:
            for module, name in self.names.items():
                if module is self.model or _may_attend(module):
                    block.callback(self._enter_with(module, name).remove)
                    block.callback(self._leave_with(module).remove)
            if "torch._dynamo" in sys.modules:  # else nothing is compiled, and it is slow to import
                block.enter_context(torch.compiler.set_stance("force_eager"))
            block.enter_context(_Mode(self))
            self.block = block.pop_all()
        return self.seen

    def __exit__(self, kind, error, trace):
        block, self.block, self.stack, self.marks = self.block, None, [], None
        block.close()
        if kind is not None:
            return
        called = {call.name for call in self.seen.calls}
        blind = saying.blind(self, called)
        if not called:
            raise ValueError(saying.nothing(self, blind))
        unmet = dict.fromkeys(x.name for x in self.softmaxes if not x.met and x.name in called)
        self.seen.unseen, self.seen.partial = blind, tuple(x for x in unmet if x not in blind)
        if blind:
            warnings.warn(f"watch: {saying.not_seen(self, blind)}", stacklevel=2)

    # Where we are.

    def _enter_with(self, module, name):
        bare = next(module.parameters(), None) is None

        def enter(module, args, kwargs):
            outer = self.stack[-1] if self.stack else None
            self.stack.append(Place(name, module, args, kwargs, bare, outer))
            self.ran[name] = module
            if module is self.model and self.seen.batch is None:
                self.seen.batch = self.stack[-1].batch

        return module.register_forward_pre_hook(enter, with_kwargs=True)

    def _leave_with(self, module):
        def leave(module, args, kwargs, output):
            while self.stack and self.stack.pop().module is not module:
                pass  # left by an error that the model caught
            if isinstance(module, FAST) and not any(isinstance(x.module, FAST) for x in self.stack):
                return self._as_unwatched(module, args, kwargs, output)
            return None

        return module.register_forward_hook(leave, always_call=True, with_kwargs=True)

    def _as_unwatched(self, module, args, kwargs, output):
        """What PyTorch's own layers give without hooks and modes, where that may be something else.

        In eval mode they have a fast path that sets padded places to 0, and a watch switches it
        off. So, where a mask came, they compute once more, and the model goes on with that.
        """
        tensors = [x for x in (*args[1:], *kwargs.values()) if isinstance(x, torch.Tensor)]
        masked = any(x.dtype == torch.bool or x.dim() == 2 for x in tensors)
        slow = (
            module.training
            or torch.is_grad_enabled()
            and (any(x.requires_grad for x in (*args, *module.parameters()) if x is not None))
        )
        parts = list(module.modules())
        hooks = [(part._forward_hooks, part._forward_pre_hooks) for part in parts]
        theirs = [tuple(map(_without_ours, two)) for two in hooks]
        if output is None or slow or not masked or any(map(any, theirs[1:])):
            return None
        try:
            _hang(parts, theirs)
            with torch._C.DisableTorchFunction():
                return module.forward(*args, **kwargs)
        finally:
            _hang(parts, hooks)

    def place(self):
        """The Place of what happens now; None if that is not to be watched."""
        if not self.stack:
            self.elsewhere = True
            return None
        place = self.stack[-1]
        wanted = self.layers is None or any(saying.fits(place.name, x) for x in self.layers)
        return place if wanted else None

    @contextmanager
    def beside(self, autocast=False):
        """Computing beside the model: no gradients, no inference mode, and no watch sees it.

        What goes wrong there is said at the end of the block: it must not stop a model.
        """
        try:
            with ExitStack() as stack:
                stack.enter_context(torch._C.DisableTorchFunction())
                stack.enter_context(torch.inference_mode(False))
                stack.enter_context(torch.no_grad())
                for device in () if autocast else ("cpu", "cuda"):
                    stack.enter_context(torch.autocast(device, enabled=False))
                yield
        except Exception as error:
            if error is self.refusal:
                raise
            self.failed[self.stack[-1].name] = error

    def knows(self, args, kwargs):
        """Whether one of these came from a softmax."""
        values = [*args, *kwargs.values()]
        if values and isinstance(values[-1], list | tuple):
            values += values[-1]  # of an einsum
        return any(isinstance(x, torch.Tensor) and x in self.marks for x in values)

    # What is kept.

    def refuse(self, text):
        """Raise a ValueError that goes through the model to whoever watches."""
        self.refusal = ValueError(text)
        raise self.refusal

    def picked(self, place, heads):
        """The numbers of the heads to keep, of a layer that has so many; None: all."""
        if self.heads is not None and self.heads[-1] >= heads:
            text = _(
                "watch: heads={asked}, but {name!r} has {n}; pass 0 to {last}, or pick layers,"
            )
            text += _(" too: layers=...")
            asked = list(self.heads)
            self.refuse(text.format(asked=asked, name=place.name, n=heads, last=heads - 1))
        return self.heads

    def room(self, place, shape, dtype):
        """Raise ValueError if weights of this shape do not fit any more."""
        needed = torch.Size(shape).numel() * dtype.itemsize
        if self.used + needed <= self.limit:
            return
        before = (
            _(", after {size} of other calls", size=saying.bytes_in_words(self.used))
            if self.used
            else ""
        )
        self.refuse(
            _(
                "watch: the weights of {name!r} take {needed} ({sizes}){before}; the limit is"
                " {limit}. Pick layers (layers={name!r}) or heads (heads=0), pass a smaller batch"
                " or fewer tokens, or raise limit=, in bytes",
                name=place.name,
                needed=saying.bytes_in_words(needed),
                sizes=sizes_in_words(shape),
                before=before,
                limit=saying.bytes_in_words(self.limit),
            )
        )

    def keep(self, place, weights, hidden, tags, doubts, dtype, **known):
        """Keep a call; the weights are ours, nobody else writes to them."""
        hidden = compact(hidden)
        self.used += weights.nbytes + (0 if hidden is None else hidden.nbytes)
        step = self.steps[place.name]
        self.steps[place.name] += 1
        known |= {"heads": self.heads, "turn": place.turn, "dtype": dtype, "tags": tags.clone()}
        call = Call(place.name, weights, hidden, None, step, doubts=tuple(doubts), **known)
        before = self.last.get(place.name)
        goes_on = before is not None and before.kind == "self" and after_cache(before, call)
        call = replace(call, kind=place.kind(*weights.shape[-2:], goes_on))
        place.turn += 1
        self.last[place.name] = call
        self.seen.calls.append(call)


def _without_ours(hooks):
    return OrderedDict((i, x) for i, x in hooks.items() if x.__module__ != __name__)


def _hang(modules, hooks):
    """Give each module these hooks, (after its forward, before it)."""
    for module, (after, before) in zip(modules, hooks):
        module._forward_hooks, module._forward_pre_hooks = after, before


def _may_attend(module):
    """Whether attention may happen in its forward: not in a part of torch.nn that has no parts."""
    if isinstance(module, torch.jit.ScriptModule):  # it takes no such hooks
        return False
    library = type(module).__module__.startswith("torch.nn.modules")
    return not library or next(module.children(), None) is not None


class _Mode(TorchFunctionMode):
    """Sees each function of torch that is called, and calls it."""

    def __init__(self, watch):
        super().__init__()
        self.watch = watch

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs, watch = kwargs or {}, self.watch
        see = FUSED.get(function)
        place = watch.place() if see is not None else None
        if place is not None:
            return see(watch, place, function, args, kwargs)
        result = function(*args, **kwargs)
        see = written(function)
        if see is not None and watch.stack and (see in BEGINS or watch.knows(args, kwargs)):
            with watch.beside():
                see(watch, function, args, kwargs, result)
        return result
