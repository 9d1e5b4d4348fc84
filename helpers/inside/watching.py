"""The block in which a model is watched: hooks that know the layer, a mode that sees the calls."""

import warnings
from contextlib import ExitStack
from fnmatch import fnmatchcase

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from .beside import beside
from .fused import FUSED
from .places import Place
from .seeing import Call, Seen
from .written import WRITTEN

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
    matrix product (matmul, bmm, einsum) with the values. A compiled model runs uncompiled in the
    block. What cannot be seen: kernels of other packages, and what torch.jit made.

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
            came = f"watch: model is a {type(model).__name__}, not a torch.nn.Module"
            raise TypeError(f"{came}; pass the model itself: watch(model)")
        self.model, self.limit = model, _bytes(limit)
        self.layers, self.heads = _patterns(layers), _numbers(heads)
        self.root = type(model).__name__  # what the model is called, where it is one layer itself
        names = [name or self.root for name, _ in model.named_modules()]
        for pattern in self.layers or ():
            if not any(_fits(name, pattern) for name in names):
                there = ", ".join(map(repr, names[1:9])) + (", …" if len(names) > 9 else "")
                raise ValueError(f"watch: {self.root} has no layer {pattern!r}; there is {there}")
        self.open = None  # the ExitStack of the block

    def __enter__(self):
        if self.open is not None:
            raise ValueError("watch: this watch is open already; make another: watch(model)")
        self.seen, self.stack, self.ran, self.used = Seen(), [], {}, 0
        self.elsewhere = False  # whether attention was seen where no layer of the model runs
        self.marks = WeakIdKeyDictionary()  # tensors that come from a softmax
        with ExitStack() as stack:
            for name, module in self.model.named_modules():
                if not isinstance(module, torch.jit.ScriptModule):  # they take no such hooks
                    stack.callback(self._enter_with(name or self.root, module).remove)
                    stack.callback(self._leave_with(module).remove)
            stack.enter_context(torch.compiler.set_stance("force_eager"))
            stack.enter_context(_Mode(self))
            self.open = stack.pop_all()
        return self.seen

    def __exit__(self, kind, error, trace):
        stack, self.open, self.stack = self.open, None, []
        self.marks = None
        stack.close()
        if kind is not None:
            return
        if not self.seen.calls:
            raise ValueError(self._nothing())
        self.seen.unseen = self._unseen()
        if self.seen.unseen:
            warnings.warn(f"watch: {_blind(self.seen.unseen)}", stacklevel=2)

    # Where we are.

    def _enter_with(self, name, module):
        def enter(module, args, kwargs):
            self.stack.append(Place(name, module, args, kwargs))
            self.ran[name] = module

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
        if torch._C._current_graph_task_id() != -1:
            return None  # on the way back: a checkpointed layer runs once more
        place = self.stack[-1]
        wanted = self.layers is None or any(_fits(place.name, one) for one in self.layers)
        return place if wanted else None

    # What is kept.

    def picked(self, place, heads):
        """The numbers of the heads to keep, of a layer that has so many."""
        if self.heads is None:
            return None
        if self.heads[-1] >= heads:
            came = f"watch: heads={list(self.heads)}, but {place.name!r} has {heads}"
            raise ValueError(f"{came}; pass 0 to {heads - 1}, or pick layers, too: layers=...")
        return self.heads

    def room(self, place, shape, dtype, hidden=0):
        """Raise ValueError if weights of this shape do not fit any more; hidden in bytes."""
        needed = torch.Size(shape).numel() * dtype.itemsize + hidden
        if self.used + needed > self.limit:
            batch, heads, queries, keys = shape
            came = f"{batch} × {heads} heads × {queries:,} queries × {keys:,} keys"
            before = f", after {_mb(self.used)} of other calls" if self.used else ""
            raise ValueError(
                f"watch: the weights of {place.name!r} take {_mb(needed)} ({came}){before}; the"
                f" limit is {_mb(self.limit)}. Pick layers (layers={place.name!r}) or heads"
                " (heads=0), pass a smaller batch or fewer tokens, or raise limit=, in bytes"
            )

    def keep(self, place, weights, hidden, **more):
        """Keep a call; weights are ours, nobody else writes to them."""
        self.used += weights.nbytes + (0 if hidden is None else hidden.nbytes)
        step = sum(call.name == place.name for call in self.seen.calls)
        more = {"kind": place.kind(), "heads": self.heads} | more
        self.seen.calls.append(Call(place.name, weights, hidden, step=step, **more))

    # What is said at the end.

    def _unseen(self):
        """Layers that are attention by their name, and ran, while nothing was seen in them."""
        if self.layers is not None:
            return ()
        called = [call.name for call in self.seen.calls]
        scripted = [
            name or self.root
            for name, module in self.model.named_modules()
            if isinstance(module, torch.jit.ScriptModule)
        ]
        names = [
            name for name, module in self.ran.items() if name in scripted or _is_attention(module)
        ]
        if called and self.root in names:
            names.remove(self.root)
        return tuple(n for n in names if not any(_fits(c, n) or _fits(n, c) for c in called))

    def _nothing(self):
        if not self.ran:
            why = f"{self.root} was not called in the block; call it there: model(x)"
            return f"watch: nothing was seen: {why}"
        unseen = self._unseen()
        if unseen:
            return f"watch: nothing was seen: {_blind(unseen)}"
        looked = (
            "looked for were scaled_dot_product_attention, flex_attention, nn.MultiheadAttention,"
            " and a softmax whose result is then multiplied with the values (matmul, bmm, einsum)"
        )
        where = "" if self.layers is None else f" in {', '.join(self.layers)}"
        text = f"watch: no attention was seen{where} when {self.root} ran; {looked}."
        if self.layers is not None:
            return f"{text} Leave out layers= to see where there is some"
        return f"{text} A kernel of another package, or of C++, cannot be seen: {ELSE}"


def _bytes(limit):
    if not isinstance(limit, (int, float)) or isinstance(limit, bool):
        came = f"watch: limit={limit!r} is a {type(limit).__name__}"
        raise TypeError(f"{came}; pass bytes, such as 2e9 for 2 GB")
    if limit <= 0:
        raise ValueError(f"watch: {limit=} leaves no room; pass bytes, such as 2e9 for 2 GB")
    return limit


def _patterns(layers):
    if layers is None:
        return None
    layers = (layers,) if isinstance(layers, str) else tuple(layers)
    if not layers or not all(isinstance(layer, str) for layer in layers):
        came = f"watch: layers={list(layers)!r}"
        raise TypeError(f"{came}; pass names of layers, such as layers=['decoder.*'], or None")
    return layers


def _numbers(heads):
    if heads is None:
        return None
    heads = (heads,) if isinstance(heads, int) else tuple(heads)
    if not heads or not all(isinstance(h, int) and not isinstance(h, bool) for h in heads):
        came = f"watch: heads={list(heads)!r}"
        raise TypeError(f"{came}; pass numbers of heads, such as heads=[0, 3], or None for all")
    if min(heads) < 0:
        raise ValueError(f"watch: heads={list(heads)}; they count from 0")
    return tuple(sorted(set(heads)))


def _fits(name, pattern):
    """Whether a layer, or one that it is inside of, has this name or fits this pattern."""
    parts = name.split(".")
    outer = (".".join(parts[: i + 1]) for i in range(len(parts)))
    return any(one == pattern or fnmatchcase(one, pattern) for one in outer)


def _mb(size):
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


ELSE = (
    "switch to PyTorch's attention (in Hugging Face model.set_attn_implementation('sdpa')), and"
    " pass the module itself in place of one made by torch.jit or torch.export"
)


def _blind(names):
    listed = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
    return (
        f"of {listed} nothing was seen, though they are attention by their name and ran. A kernel"
        f" of another package, or of C++, cannot be seen: {ELSE}"
    )


def _is_attention(module):
    name = type(module).__name__.lower()
    return "attention" in name or name.endswith("attn")


class _Mode(TorchFunctionMode):
    """Sees each function of torch that is called, and calls it."""

    def __init__(self, watch):
        super().__init__()
        self.watch = watch

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        route = FUSED.get(function)
        if route is not None:
            place = self.watch.place()
            if place is not None:
                return route(self.watch, place, function, args, kwargs)
            return function(*args, **kwargs)
        result = function(*args, **kwargs)
        see = WRITTEN.get(function)
        if see is not None and self.watch.stack:
            with beside():
                see(self.watch, function, args, kwargs, result)
        return result
