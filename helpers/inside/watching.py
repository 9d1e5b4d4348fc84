"""The block in which a model is watched: which layer is running, and what is recorded."""

import math
import sys
import threading
import warnings
from contextlib import ExitStack

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from .. import _
from .fused import ENCODER, blank_rows, multi_head, sdpa
from .marks import MARKS, mark_softmax
from .places import Place, Refused, axes_of, kind_of
from .seeing import Call, Seen, far, fits, is_attention, listed, message, reasons

LIMIT = 1_000_000_000  # bytes of weights that a watch records by default
CALL = nn.Module.__call__
_WATCHED = {}  # id of a watched module → its watch
_LOCK, _BLOCK = threading.Lock(), ExitStack()  # the block is open while something is watched


class TooLarge(ValueError):
    """An error that goes through the model to whoever called it."""


class _OfThread(threading.local):
    """The Places in which one thread is, the outermost first."""

    def __init__(self):
        self.stack = []


class watch:
    """Watch the attention of a model: `with watch(model) as seen: model(x)`.

    model   any torch.nn.Module. It is not changed, and returns what it always returns, as closely
            as two kernels of PyTorch agree: watched, it does without the faster ones for inference
    layers  which layers to record: a name, a pattern such as "decoder.*", or a list of them; a name
            also stands for everything inside that layer. None: all
    limit   the most bytes of weights to record; 12 layers of 12 heads of 1,024 tokens take 604 MB

    What it sees, and what it refuses, is listed in docs/api.md. A compiled model runs uncompiled in
    the block. Where batch and heads are equally many, the batch is the first of the two.

    A context manager that returns a Seen; the same one can be used for several blocks.
    Raises TypeError if model is no module, and ValueError if it has no such layer. In the block,
    raises ValueError if the limit would be exceeded; at its end, ValueError if nothing was seen,
    and a warning that names each layer of which not all is shown, and why.
    """

    def __init__(self, model, layers=None, limit=LIMIT):
        if not isinstance(model, nn.Module):
            text = _("watch: model is a {kind}, not a torch.nn.Module; pass the model itself")
            raise TypeError(text.format(kind=type(model).__name__))
        self.root, self.limit, self.open = type(model).__name__, limit, False
        # A compiled module wraps the original one, whose names people know.
        self.names = {
            module: name.replace("_orig_mod", "").replace("..", ".").strip(".") or self.root
            for name, module in model.named_modules()
        }
        self.layers, self.mode = [layers] if isinstance(layers, str) else layers, _Mode(self)
        for pattern in self.layers or ():
            if not any(fits(name, pattern) for name in self.names.values()):
                text = _("watch: {root} has no layer {pattern!r}; there is {found}")
                found = [name for module, name in self.names.items() if is_attention(module)]
                told = {"root": self.root, "found": listed(found or self.names.values())}
                raise ValueError(text.format(pattern=pattern, **told))

    def __enter__(self):
        with _LOCK:
            mine = {id(module): self for module in self.names}
            if not mine.keys().isdisjoint(_WATCHED):
                text = _("watch: {root} is watched already; one watch sees all of its calls")
                raise ValueError(text.format(root=self.root))
            if not _WATCHED:
                nn.Module.__call__ = _called
                _BLOCK.callback(setattr, nn.Module, "__call__", CALL)
                if "torch._dynamo" in sys.modules:  # otherwise nothing is compiled
                    _BLOCK.enter_context(torch.compiler.set_stance("force_eager"))
            _WATCHED.update(mine)
        self.seen, self.here, self.open = Seen(), _OfThread(), True
        self.used, self.ran, self.failed = 0, {}, {}
        self.softmaxes = []  # the layer of each, and None once it has met values
        self.marks = WeakIdKeyDictionary()
        return self.seen

    def __exit__(self, kind, error, trace):
        self.open, self.marks = False, None
        with _LOCK:
            for module in self.names:
                del _WATCHED[id(module)]
            if not _WATCHED:
                _BLOCK.close()
        if kind is not None:
            return
        # Of a layer that was refused once, nothing is shown: what is left may be no attention.
        self.seen.calls[:] = [x for x in self.seen.calls if x.name not in self.failed]
        why = reasons(self)
        self.seen.unseen = tuple(why)
        if not self.seen.calls:
            raise ValueError(message(self, why))
        if why:
            warnings.warn(message(self, why), stacklevel=2)

    # -- which layer is running -------------------------------------------------------------

    @property
    def stack(self):
        """The Places in which this thread is, the outermost first."""
        return self.here.stack

    @property
    def wanted(self):
        """Whether the layer that is running is to be recorded."""
        name = self.stack[-1].name
        return self.layers is None or any(fits(name, x) for x in self.layers)

    def follow(self, module, args, kwargs):
        """Call a module of the model, and know meanwhile that it is running."""
        again = torch._C._current_graph_task_id() >= 0  # on the way back, as in a checkpoint
        if not self.open or not self.stack and again:
            return CALL(module, *args, **kwargs)
        name, outer = self.names[module], self.stack[-1] if self.stack else None
        self.ran[name] = module
        self.stack.append(Place(name, module, args, kwargs))
        try:
            if outer is None:
                with self.mode:
                    return CALL(module, *args, **kwargs)
            result = CALL(module, *args, **kwargs)
        finally:
            self.stack.pop()
        if type(outer.module).forward is ENCODER and module is outer.module.layers[-1]:
            blank = blank_rows(outer.module, *outer.args, **outer.kwargs)
            return result if blank is None else result.masked_fill(blank[..., None], 0.0)
        return result

    # -- recording --------------------------------------------------------------------------

    def mark_among(self, args, kwargs):
        """The mark of the first of these tensors that comes from a softmax; None if none does."""
        found = (self.marks.get(x) for x in (*args, *kwargs.values()) if isinstance(x, Tensor))
        return next((mark for mark in found if mark), None)

    def see(self, how, function, args, kwargs, result):
        """Compute beside the model; what goes wrong here is told at the end, and stops nothing."""
        try:
            with torch._C.DisableTorchFunction(), torch.inference_mode(False), torch.no_grad():
                with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
                    if torch._C._functorch.maybe_current_level() is not None:
                        text = _("it ran in torch.vmap or its like; call the model with a batch")
                        raise Refused(text)
                    how(self, function, args, kwargs, result)
        except TooLarge:
            raise
        except Exception as error:
            self.failed[self.stack[-1].name] = error

    def make_room(self, shape):
        """Raise TooLarge if weights (…, queries, keys) of this shape would exceed the limit."""
        needed = 4 * math.prod(shape)
        if self.used + needed > self.limit:
            text = _(
                "watch: the weights of {name!r}, {shape}, take {needed:,.1f} MB, after {used:,.1f} MB "
                "of other calls; the limit is {limit:,.1f} MB. Give layers=, a smaller batch or fewer "
                "tokens, or raise limit=, in bytes"
            )
            sizes = {"needed": needed / 1e6, "used": self.used / 1e6, "limit": self.limit / 1e6}
            raise TooLarge(text.format(name=self.stack[-1].name, shape=tuple(shape), **sizes))

    def record(self, weights, values, used, hidden, *, checked=True):
        """Record a call: weights (…, queries, keys), which times values (…, keys, d) are `used`.

        checked  whether the two can be compared

        Raises Refused if it is not known which axis is which, and TooLarge.
        """
        place, (*leading, queries, keys) = self.stack[-1], weights.shape
        self.make_room(weights.shape)
        batch, heads = axes_of(self.stack, leading, queries, keys, _is_split(values))
        kind = kind_of(self.stack, queries, keys)

        def four(x):
            return x.expand(*leading, *x.shape[-2:]).reshape(batch, heads, *x.shape[-2:])

        dtype, wide = used.dtype, max(weights.dtype, torch.float32, key=lambda x: x.itemsize)
        weights, values, used = (four(x).to(wide) for x in (weights, values, used))
        error = far(weights @ values, used, values) if checked else None
        if hidden is not None:
            hidden = (
                four(hidden.expand(*hidden.shape[:-2], queries, keys)) if hidden.any() else None
            )
        step = sum(call.name == place.name for call in self.seen.calls)
        self.seen.calls.append(Call(place.name, weights, hidden, kind, step, error, dtype))
        self.used += weights.nbytes


class _Mode(TorchFunctionMode):
    """Intercepts each function of torch, and calls it."""

    def __init__(self, watch):
        self.watch = watch

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs, watch = kwargs or {}, self.watch
        if not watch.open or not watch.stack:
            return function(*args, **kwargs)
        if function is F.multi_head_attention_forward:
            return multi_head(watch, function, args, kwargs)
        result = function(*args, **kwargs)
        how = sdpa if function is F.scaled_dot_product_attention else MARKS.get(function)
        if how and watch.wanted:
            if how in (sdpa, mark_softmax) or watch.marks and watch.mark_among(args, kwargs):
                watch.see(how, function, args, kwargs, result)
        return result


def _called(module, *args, **kwargs):
    """nn.Module.__call__ as long as something is watched: nothing is put on the model itself."""
    watch = _WATCHED.get(id(module))
    if watch is None:
        return CALL(module, *args, **kwargs)
    return watch.follow(module, args, kwargs)


def _is_split(values):
    """Whether values (batch, heads, keys, d) stand in memory as one vector for each key."""
    heads, size = values.shape[-3:][0], values.shape[-1]
    return values.dim() == 4 and values.stride()[1:] == (size, heads * size, 1)


def seen_of(model, inputs, layers=None):
    """What a watch saw of model(inputs), in eval mode and without gradients; its mode is restored.

    Raises ValueError if nothing was seen, or if the check fails.
    """
    watching = watch(model, layers)
    training = {module: module.training for module in model.modules()}
    try:
        with torch.no_grad(), watching as seen:
            model.eval()
            if hasattr(inputs, "keys"):
                model(**inputs)
            else:
                model(*inputs if isinstance(inputs, tuple) else (inputs,))
    finally:
        for module, mode in training.items():
            module.training = mode
    seen.check()
    return seen
