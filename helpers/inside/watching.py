"""The block in which a model is watched: wrapped forwards tell the layer, a mode sees the calls."""

import math
import threading
import warnings
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from .. import _
from . import seeing
from .calling import Follows, OfThread, close_for, open_for
from .fused import FUSED, compact, far, reach_of, wide
from .joining import after_cache
from .merging import merge_of
from .picking import AT_ONCE, Picks, kind_of, part
from .seeing import Call, Seen, fits, listed, sizes_in_words
from .written import WRITTEN, softmax

LIMIT = 500_000_000  # bytes of weights that a watch records by default


class watch(Follows):
    """Watch the attention of a model: `with watch(model) as seen: model(x)`.

    model   any torch.nn.Module. It is not changed, and returns what it always returns, as closely
            as two kernels of PyTorch agree: watched, it does without the faster ones for inference
    layers  which layers to record: a name, a pattern such as "decoder.*", or a list of them; a name
            also stands for everything inside that layer. None: all
    limit   the most bytes of weights to record; 12 layers of 12 heads of 1,024 tokens take 302 MB
    heads   which heads to record: an index from 0, "average" or "maximum" of all heads, or a list
            of these. None: each head
    queries   which queries of each call to record: an index, a list of them, or a slice. None: all

    What is not picked takes no memory. Maps of more than 512 by 512 are recorded in float16.

    It sees scaled_dot_product_attention, nn.MultiheadAttention and what is built from it, and
    attention that is written out in Python: a softmax, and then a product (matmul, bmm or einsum)
    with the values. Dropout, masks, factors and changes of shape may come between the two. A
    compiled model runs uncompiled in the block. Assumptions, such as that the batch comes before
    the heads, are stated by a Seen in its repr and in its check.

    A context manager that returns a Seen; the same one can be used for several blocks.
    Raises TypeError or ValueError if an argument is of the wrong kind. In the block, raises
    ValueError before memory is used if the limit would be exceeded; at its end, ValueError if
    nothing was seen, and a warning if some layer was not seen.
    """

    def __init__(self, model, layers=None, limit=LIMIT, *, heads=None, queries=None):
        if not isinstance(model, nn.Module):
            text = _("watch: model is a {kind}, not a torch.nn.Module; pass the model itself")
            raise TypeError(text.format(kind=type(model).__name__))
        if type(limit) not in (int, float) or not limit > 0:
            text = _(
                "watch: limit={x!r} is not a size; pass a number of bytes, such as 2e9 for 2 GB"
            )
            raise TypeError(text.format(x=limit))
        self.picks = Picks(heads, queries)
        self.model, self.root, self.limit = model, type(model).__name__, limit
        # A compiled module wraps the original one, whose names people know.
        self.names = {
            module: name.replace("_orig_mod", "").replace("..", ".").strip(".") or self.root
            for name, module in model.named_modules()
        }
        self.layers = _checked_layers(layers, self.names, self.root)
        self.open = False

    def __enter__(self):
        if self.open:
            raise ValueError(_("watch: this watch is open already; make another: watch(model)"))
        self.seen, self.here, self.lock = Seen(), OfThread(), threading.Lock()
        sides = ((name, vars(x).get("spatial_merge_size", 1)) for x, name in self.names.items())
        blocks = (name for name, side in sides if side != 1)  # as in Qwen2-VL
        self.seen.blocks = tuple("*" if name == self.root else name for name in blocks)
        self.ran, self.scripted = {}, {}
        # calls of the model, bytes, last call of each layer
        self.runs, self.used, self.last = 0, 0, {}
        self.softmaxes, self.failed = [], {}
        self.marks = WeakIdKeyDictionary()  # tensors that come from a softmax
        self.mode = _Mode(self)
        mine = {}
        for module, name in self.names.items():
            if isinstance(module, torch.jit.ScriptModule):  # its forward is not Python
                self.scripted[name] = module
            elif module is self.model or _may_attend(module):
                mine[id(module)] = self
        open_for(mine, self.root)
        self.mine, self.open = mine, True
        return self.seen

    def __exit__(self, kind, error, trace):
        self.open, self.marks = False, None
        close_for(self.mine)
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

    @contextmanager
    def beside(self):
        """Computation beside the model: its errors are reported at the end, and stop nothing."""
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
        """Whether one of these tensors came from a softmax."""
        if not self.marks:
            return False
        values = [*args, *kwargs.values()]
        values += [y for x in values if isinstance(x, list | tuple) for y in x]  # of einsum, cat
        return any(isinstance(x, torch.Tensor) and x in self.marks for x in values)

    def _room(self, place, shape, dtype):
        """Raise ValueError if weights of this size would exceed the limit."""
        needed = math.prod(shape) * dtype.itemsize
        if self.used + needed > self.limit:
            text = _(
                "watch: the weights of {name!r} take {needed:,.1f} MB ({sizes}), after {used:,.1f} MB of "
                "other calls; the limit is {limit:,.1f} MB. Give {advice}, or raise limit=, in bytes"
            )
            sizes = {"needed": needed / 1e6, "used": self.used / 1e6, "limit": self.limit / 1e6}
            sizes["advice"] = self.picks.advice(self.layers, shape[0])
            raise _Refused(text.format(name=place.name, sizes=sizes_in_words(shape), **sizes))

    def keep(
        self, place, layout, rows_of, keys, values, used, hidden, dropout, checked=True, raw=None
    ):
        """Record a call, a few queries at a time.

        rows_of  returns the weights of some heads and queries (a slice or a list of either), new,
                 in float32 or float64; if the last keys are hidden from all of them, it may leave
                 these keys out
        values, used, hidden   (batch, heads, …) as in the layout; `used` is what the model went on
                 with, which weights @ values are compared with
        raw      `used` as the model has it
        """
        batch, heads, queries = layout.batch, layout.heads, used.shape[-2]
        rows, kind = self.picks.rows(queries), wide(used.dtype)
        if wrong := self.picks.misfit(place.name, heads, rows):
            raise _Refused(wrong)
        count = queries if rows is None else len(rows)
        shape = batch, len(self.picks.heads or range(heads)), count, keys
        dtype, mine = kind_of(kind, queries, keys), self.picks.computed(heads)
        self._room(place, shape, dtype)
        hidden, values = compact(hidden), values.to(kind)
        reach, values = reach_of(hidden, keys), part(values, mine, slice(None))
        step = max(1, AT_ONCE // max(1, batch * values.shape[1] * keys))
        weights, errors = None, []
        for start in range(0, count, step):
            at = slice(start, start + step)
            own = at if rows is None else list(rows[at])
            some = rows_of(mine, own)
            if checked:
                context = some @ values[:, :, : some.shape[-1]]
                errors.append(far(context, part(used, mine, own), values))
            some = self.picks.of(some)
            if some.shape == shape and dtype == some.dtype:
                weights = some
                break
            weights = some.new_zeros(shape, dtype=dtype) if weights is None else weights
            weights[:, :, at, : some.shape[-1]] = some
        hidden = compact(self.picks.hidden(hidden, rows))
        # torch's max, unlike Python's, passes NaN on
        error = torch.tensor(errors, dtype=torch.float64).max().item() if errors else None
        known = {"dropout": dropout, "error": error, "dtype": used.dtype, "run": place.root.run}
        known |= {"batch": place.root.batch, "doubts": layout.doubts}
        known |= {"tags": values[:, 0, :, 0].clone(), "reach": reach, "asked": queries}
        known |= {"heads": self.picks.heads and tuple(self.picks.heads), "queries": rows}
        with self.lock:  # another thread may call the model, too
            before = self.last.get(place.name)
            self.used += weights.nbytes + (0 if hidden is None else hidden.nbytes)
            step = 0 if before is None else before.step + 1
            call = Call(place.name, weights, hidden, None, step, **known)
            goes_on = before is not None and before.kind == "self"
            goes_on = goes_on and after_cache(before, call) is not None
            call.kind = place.kind(queries, keys, goes_on)
            self.last[place.name] = call
            self.seen.calls.append(call)
        if merge := merge_of(place, layout, raw, call, values):
            self.marks[raw] = merge


def _may_attend(module):
    """Whether its forward may contain attention: not that of a torch.nn module without parts."""
    return bool(module._modules) or not type(module).__module__.startswith("torch.nn.modules")


class _Refused(ValueError):
    """An error that passes through the model to the caller of watch."""


class _Mode(TorchFunctionMode):
    """Intercepts each function of torch, and calls it."""

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


def seen_of(model, inputs, layers, heads):
    """What a watch saw of model(inputs), in eval mode and without gradients; its mode is restored.

    Raises ValueError as `watch` does, and if weights times values are not what the model used.
    """
    watching = watch(model, layers, heads=heads)
    training = {module: module.training for module in model.modules()}
    try:
        with torch.no_grad(), watching as seen:
            model.eval()
            if isinstance(inputs, Mapping):
                model(**inputs)
            else:
                model(*inputs if isinstance(inputs, tuple) else (inputs,))
    finally:
        for module, mode in training.items():
            module.training = mode
    seen.check()
    return seen
