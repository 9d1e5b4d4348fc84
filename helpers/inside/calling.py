"""How a watch knows in which module, and in which thread, something happens.

While something is watched, nn.Module.__call__ looks up each module among the watched ones. So
nothing is attached to the model: a copy or a pickle of it, made meanwhile, contains no trace of a
watch.
"""

import copy
import sys
import threading
from contextlib import ExitStack, contextmanager, nullcontext
from functools import wraps

import torch
from torch import nn
from torch.overrides import (
    _get_current_function_mode,
    _pop_mode,
    _pop_mode_temporarily,
    _push_mode,
)

from .. import _
from .fused import FAST, has_fast_path
from .places import Place
from .seeing import fits

_WATCHED = {}  # id of a watched module → its watch
_LOCK, _BLOCK = threading.Lock(), ExitStack()  # the block is open while something is watched


class OfThread(threading.local):
    """The state of one thread: the places in which it is, and whether they are unwatched."""

    def __init__(self):
        self.stack, self.aside = [], False


class Follows:
    """The part of a watch that follows which module is running."""

    @property
    def stack(self):
        """The places in which this thread is, the outermost first."""
        return self.here.stack

    def follow(self, call, module, args, kwargs):
        """Call a module of the model, and record it as the present place meanwhile."""
        stack, name = self.stack, self.names[module]
        again = not stack and torch._C._current_graph_task_id() >= 0  # as in a checkpoint
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
        try:  # the unwatched result, with PyTorch's fast path
            with _pop_mode_temporarily() if mine else nullcontext():
                return call(module, *args, **kwargs)
        finally:
            self.here.aside = False

    def _double(self, module):
        """What runs beside the module: itself or, if it may count, a copy sharing its weights."""
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
        """Switch the mode on or off for this place.

        A mode slows down each function of torch. PyTorch's own encoders and decoders, which leave
        attention to nn.MultiheadAttention, run without it. However, the mode also keeps an encoder
        from its fast path, so an encoder that might take this path has the mode until it attends.
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
        """The Place of the present call; None if it is not to be watched."""
        if not self.stack or self.here.aside or not self.open:
            return None
        place = self.stack[-1]
        wanted = self.layers is None or any(fits(place.name, x) for x in self.layers)
        return place if wanted else None


def open_for(mine, root):
    """Watch these modules. With the last one, global changes are undone."""
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
            # otherwise nothing is compiled, and the import is slow
            if "torch._dynamo" in sys.modules:
                _BLOCK.enter_context(torch.compiler.set_stance("force_eager"))
        _WATCHED.update(mine)


def close_for(mine):
    with _LOCK:
        for module in mine:
            del _WATCHED[module]
        if not _WATCHED:
            _BLOCK.close()


def _called(call):
    """nn.Module.__call__ as long as something is watched."""

    @wraps(call)
    def called(module, *args, **kwargs):
        watch = _WATCHED.get(id(module))
        if watch is None:
            return call(module, *args, **kwargs)
        return watch.follow(call, module, args, kwargs)

    return called
