"""The block in which a model is watched: each forward leaves its name, a mode sees the calls."""

import copy
import math
import sys
import threading
import warnings
from contextlib import ExitStack, contextmanager, nullcontext
from functools import wraps

import torch
from torch import nn
from torch.overrides import (
    TorchFunctionMode,
    _get_current_function_mode,
    _pop_mode,
    _pop_mode_temporarily,
    _push_mode,
)
from torch.utils.weak import WeakIdKeyDictionary

from .. import _
from . import seeing
from .fused import FAST, FUSED, compact, far, has_fast_path
from .places import Place
from .seeing import Call, Seen, after_cache, fits, listed, sizes_in_words
from .written import WRITTEN, softmax

LIMIT = 500_000_000  # bytes of weights that a watch keeps, if nothing else is said


class watch:
    """Watch the attention of a model: `with watch(model) as seen: model(x)`.

    model   any torch.nn.Module; it is not changed, and gives what it always gives, as close as two
            kernels of PyTorch are to each other: watched, its faster ones for inference step aside
    layers  which layers to keep: a name, a pattern such as "decoder.*", or a list of them; a name
            stands for all that is inside it, too. None: all
    limit   the most bytes of weights to keep; 32 heads of 4,096 by 4,096 tokens take 2 GB

    What is seen: scaled_dot_product_attention, nn.MultiheadAttention with all that is made of it, and
    attention that is written out in Python: a softmax, and then a product (matmul, bmm or einsum)
    with the values. Between the two dropout, masks, numbers and other shapes may come.
    A compiled model runs uncompiled in the block. What was taken for granted, as that the batch stands
    before the heads, a Seen says: in its repr, and in its check.

    A context manager that gives a Seen; the same one can be used for block after block.
    Raises TypeError or ValueError if an argument is of the wrong kind. In the block, ValueError if
    the limit would be passed, before memory is taken; at its end, ValueError if nothing was seen,
    and a warning if some layer was not.
    """

    def __init__(self, model, layers=None, limit=LIMIT):
        if not isinstance(model, nn.Module):
            text = _("watch: model is a {kind}, not a torch.nn.Module; pass the model itself")
            raise TypeError(text.format(kind=type(model).__name__))
        if type(limit) not in (int, float) or not limit > 0:
            text = _(
                "watch: limit={x!r} is not a size; pass a number of bytes, such as 2e9 for 2 GB"
            )
            raise TypeError(text.format(x=limit))
        self.model, self.root, self.limit = model, type(model).__name__, limit
        # A compiled module wraps the one that was compiled: its names are those that people know.
        self.names = {
            module: name.replace("_orig_mod", "").replace("..", ".").strip(".") or self.root
            for name, module in model.named_modules()
        }
        self.layers = _checked_layers(layers, self.names, self.root)
        self.open = False

    def __enter__(self):
        if self.open:
            raise ValueError(_("watch: this watch is open already; make another: watch(model)"))
        self.seen, self.here, self.lock = Seen(), _OfThread(), threading.Lock()
        self.ran, self.scripted = {}, {}
        self.runs, self.used, self.last = 0, 0, {}  # the last call of each layer; bytes so far
        self.softmaxes, self.failed = [], {}
        self.marks = WeakIdKeyDictionary()  # tensors that come from a softmax
        self.mode = _Mode(self)
        mine = {}
        for module, name in self.names.items():
            if isinstance(module, torch.jit.ScriptModule):  # its forward is not Python
                self.scripted[name] = module
            elif module is self.model or _may_attend(module):
                mine[id(module)] = self
        _open(mine, self.root)
        self.mine, self.open = mine, True
        return self.seen

    def __exit__(self, kind, error, trace):
        self.open, self.marks = False, None
        _close(self.mine)
        if kind is not None:
            return
        called = {call.name for call in self.seen.calls}
        unseen = seeing.blind(self, called)
        if not called:
            raise ValueError(seeing.nothing(self, unseen))
        unmet = (x for x in self.softmaxes if not x.axes and (x.spread or x.name in called))
        unmet = dict.fromkeys(x.name for x in unmet)
        self.seen.unseen = unseen
        self.seen.partial = tuple(x for x in unmet if x not in unseen)
        if unseen:
            warnings.warn(f"watch: {seeing.not_seen(self, unseen)}", stacklevel=2)

    @property
    def stack(self):
        """The places in which this thread is, the outermost first."""
        return self.here.stack

    def follow(self, call, module, args, kwargs):
        """Call a module of the model, and know meanwhile where we are."""
        stack, name = self.stack, self.names[module]
        again = not stack and torch._C._current_graph_task_id() >= 0  # as a checkpoint does
        if again or self.here.aside or not self.open:
            return call(module, *args, **kwargs)
        place = Place(name, module, args, kwargs, *stack[-1:])
        self.ran[name] = module
        if not stack:
            place.run, self.runs = self.runs, self.runs + 1
        twice = has_fast_path(module, args, kwargs) and not any(x.twice for x in stack)
        place.twice = twice
        stack.append(place)
        try:
            with self._mode_in(place):
                if not twice:
                    return call(module, *args, **kwargs)
                double = None
                with self.beside():
                    double = self._double(module)
                if double is not None:
                    double.forward(*args, **kwargs)
        finally:
            stack.pop()
        mine = _get_current_function_mode() is self.mode
        self.here.aside = True
        try:  # what it gives unwatched, with the fast path of PyTorch
            with _pop_mode_temporarily() if mine else nullcontext():
                return call(module, *args, **kwargs)
        finally:
            self.here.aside = False

    def _double(self, module):
        """What is run beside the module: itself, or, for it may count its calls, a copy with its weights."""
        if all(type(x).__module__.startswith("torch.nn.") for x in module.modules()):
            return module
        double = copy.deepcopy(module, {id(x): x for x in module.parameters()})
        pairs = zip(module.modules(), double.modules())
        theirs = {b: self.names[a] for a, b in pairs if id(a) in self.mine}
        self.names |= theirs
        self.mine |= {id(x): self for x in theirs}
        _WATCHED.update((id(x), self) for x in theirs)
        return double

    @contextmanager
    def _mode_in(self, place):
        """The mode is on, or off, as this place needs it.

        A mode slows each function of torch. PyTorch's own encoders and decoders, which leave
        attention to nn.MultiheadAttention, run without it. But it is what keeps an encoder from its
        fast path, so one that might take that has it until it attends.
        """
        on = place.outer is not None and not place.outer.quiet
        own = type(place.module).__module__ == "torch.nn.modules.transformer"
        if own and (place.module.training or not isinstance(place.module, FAST)):
            place.quiet = not on or _get_current_function_mode() is self.mode
        if place.quiet == on:
            _pop_mode() if on else _push_mode(self.mode)
        try:
            yield
        finally:
            if place.quiet == on:
                _push_mode(self.mode) if on else _pop_mode()
            outer = place.outer
            if on and type(outer.module) is nn.TransformerEncoderLayer:
                if _get_current_function_mode() is self.mode:
                    _pop_mode()
                    outer.quiet = True

    def place(self):
        """The Place of what happens now; None if that is not to be watched."""
        if not self.stack or self.here.aside or not self.open:
            return None
        place = self.stack[-1]
        wanted = self.layers is None or any(fits(place.name, x) for x in self.layers)
        return place if wanted else None

    @contextmanager
    def beside(self):
        """Computing beside the model: what goes wrong there is said at the end, and does not stop it."""
        try:
            with torch._C.DisableTorchFunction(), torch.inference_mode(False), torch.no_grad():
                with ExitStack() as stack:
                    for device in ("cpu", "cuda"):
                        if torch.is_autocast_enabled(device):
                            stack.enter_context(torch.autocast(device, enabled=False))
                    yield
        except _Refused:
            raise
        except Exception as error:
            self.failed[self.stack[-1].name] = error

    def knows(self, args, kwargs):
        """Whether one of these came from a softmax."""
        if not self.marks:
            return False
        values = [*args, *kwargs.values()]
        if values and isinstance(values[-1], list | tuple):
            values += values[-1]  # of an einsum
        return any(isinstance(x, torch.Tensor) and x in self.marks for x in values)

    def room(self, place, layout, queries, keys, dtype):
        """Raise ValueError if weights of this size do not fit any more."""
        shape = layout.batch, layout.heads, queries, keys
        needed = math.prod(shape) * dtype.itemsize
        if self.used + needed > self.limit:
            text = _(
                "watch: the weights of {name!r} take {needed:,.1f} MB ({sizes}), after {used:,.1f} MB of "
                "other calls; the limit is {limit:,.1f} MB. Pick layers (layers={name!r}), pass a "
                "smaller batch or fewer tokens, or raise limit=, in bytes"
            )
            sizes = {"needed": needed / 1e6, "used": self.used / 1e6, "limit": self.limit / 1e6}
            raise _Refused(text.format(name=place.name, sizes=sizes_in_words(shape), **sizes))

    def keep(self, place, layout, weights, values, used, hidden, dropout, checked=True):
        """Keep a call; the weights are ours, nobody else writes to them.

        All are (batch, heads, …); used is what the model went on with, where checked in place of
        weights @ values.
        """
        error = far(weights @ values.to(weights.dtype), used, values) if checked else None
        hidden = compact(hidden)
        known = {"dropout": dropout, "error": error, "dtype": used.dtype, "run": place.root.run}
        known |= {"batch": place.root.batch, "doubts": layout.doubts}
        known |= {"tags": values[:, 0, :, 0].clone()}
        with self.lock:  # another thread may call the model, too
            before = self.last.get(place.name)
            self.used += weights.nbytes + (0 if hidden is None else hidden.nbytes)
            step = 0 if before is None else before.step + 1
            call = Call(place.name, weights, hidden, None, step, **known)
            goes_on = before is not None and before.kind == "self"
            goes_on = goes_on and after_cache(before, call) is not None
            call.kind = place.kind(*weights.shape[-2:], goes_on)
            self.last[place.name] = call
            self.seen.calls.append(call)


class _OfThread(threading.local):
    """What a thread has for itself: the places in which it is, and whether nothing of them is seen."""

    def __init__(self):
        self.stack, self.aside = [], False


_WATCHED = {}  # by the id of each module that is watched, its watch: nothing is put on the module
_LOCK, _BLOCK = threading.Lock(), ExitStack()  # the block is open while something is watched


def _open(mine, root):
    """Watch these modules. What is changed for all of them is changed back with the last."""
    with _LOCK:
        if not mine.keys().isdisjoint(_WATCHED):
            text = _(
                "watch: {root}, or a part of it, is watched already; one watch sees all of its calls"
            )
            raise ValueError(text.format(root=root))
        if not _WATCHED:
            before = nn.Module.__call__
            nn.Module.__call__ = called = _called(before)
            _BLOCK.callback(
                lambda: nn.Module.__call__ is called and setattr(nn.Module, "__call__", before)
            )
            if "torch._dynamo" in sys.modules:  # else nothing is compiled, and it is slow to import
                _BLOCK.enter_context(torch.compiler.set_stance("force_eager"))
        _WATCHED.update(mine)


def _close(mine):
    with _LOCK:
        for module in mine:
            del _WATCHED[module]
        if not _WATCHED:
            _BLOCK.close()


def _called(call):
    """nn.Module.__call__, for as long as something is watched."""

    @wraps(call)
    def called(module, *args, **kwargs):
        watch = _WATCHED.get(id(module))
        if watch is None:
            return call(module, *args, **kwargs)
        return watch.follow(call, module, args, kwargs)

    return called


def _may_attend(module):
    """Whether attention may happen in its forward: not in a part of torch.nn that has no parts."""
    return bool(module._modules) or not type(module).__module__.startswith("torch.nn.modules")


class _Refused(ValueError):
    """What goes through the model to whoever watches."""


class _Mode(TorchFunctionMode):
    """Sees each function of torch that is called, and calls it."""

    def __init__(self, watch):
        self.watch = watch

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs, watch = kwargs or {}, self.watch
        see = FUSED.get(function) or WRITTEN.get(function)
        if see is None or not watch.stack or not watch.open:
            return function(*args, **kwargs)
        if function in FUSED:
            place = watch.place()
            if place is not None:
                return see(watch, place, function, args, kwargs)
            return function(*args, **kwargs)
        result = function(*args, **kwargs)
        if see is softmax or watch.knows(args, kwargs):
            with watch.beside():
                see(watch, function, args, kwargs, result)
        return result


def _checked_layers(layers, names, root):
    found = (layers,) if isinstance(layers, str) else layers
    if found is not None and (not found or not all(isinstance(layer, str) for layer in found)):
        text = _("watch: layers={x!r}; pass names, such as ['decoder.*'], or None for all")
        raise TypeError(text.format(x=layers))
    for pattern in found or ():
        if not any(fits(name, pattern) for name in names.values()):
            likely = [name for module, name in names.items() if seeing.is_attention(module)]
            text = _("watch: {root} has no layer {pattern!r}; there is {found}")
            there = listed(likely or names.values())
            raise ValueError(text.format(root=root, pattern=pattern, found=there))
    return found
