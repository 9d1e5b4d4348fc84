"""The block in which a model is watched: which layer is running, and what is recorded."""

import math
import sys
import threading
import warnings
from contextlib import ExitStack, nullcontext

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from .. import _
from .functions import HANDLERS, mark_softmax, multi_head, sdpa
from .places import Place, Refused, axes_of, kind_of
from .seeing import Call, Seen, far, fits, is_attention, listed, report

LIMIT = 1_000_000_000  # bytes of weights that a watch records by default


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
    Raises TypeError if model is no module, and ValueError if it has no such layer, or, at the end
    of the block, if nothing was seen. Warns there of each layer of which not all is shown, and why.
    """

    def __init__(self, model, layers=None, limit=LIMIT):
        if not isinstance(model, nn.Module):
            text = _("watch: model is a {kind}, not a torch.nn.Module; pass the model itself")
            raise TypeError(text.format(kind=type(model).__name__))
        self.root, self.limit = type(model).__name__, limit
        self.mode, self.marks = _Mode(self), None
        # A compiled module wraps the original one, whose names people know.
        self.names = {
            module: name.replace("_orig_mod", "").replace("..", ".").strip(".") or self.root
            for name, module in model.named_modules()
        }
        self.layers = [layers] if isinstance(layers, str) else layers
        for pattern in self.layers or ():
            if not any(fits(name, pattern) for name in self.names.values()):
                found = [name for module, name in self.names.items() if is_attention(module)]
                names = listed(found or self.names.values())
                text = _("watch: {root} has no layer {pattern!r}; there is {names}")
                raise ValueError(text.format(root=self.root, pattern=pattern, names=names))

    def __enter__(self):
        if self.marks is not None:
            raise ValueError(_("watch: this block is open already; make a second watch"))
        self.seen, self.stack, self.ran, self.failed = Seen(), [], {}, {}
        self.softmaxes = []  # the layer of each, and None once it has met values
        self.marks, self.used = WeakIdKeyDictionary(), 0
        self.thread, self.block = threading.get_ident(), ExitStack()
        if "torch._dynamo" in sys.modules:  # otherwise nothing is compiled
            self.block.enter_context(torch.compiler.set_stance("force_eager"))
        # nn.Module's own call is replaced meanwhile, so nothing is put on the model.
        self.call = nn.Module.__call__
        nn.Module.__call__ = lambda module, *args, **kwargs: self.follow(module, args, kwargs)
        return self.seen

    def __exit__(self, kind, error, trace):
        nn.Module.__call__ = self.call
        self.block.close()
        self.marks = None
        if kind is not None:
            return
        # Of a layer that was refused once, nothing is shown: what is left may be no attention.
        self.seen.calls[:] = [x for x in self.seen.calls if x.name not in self.failed]
        self.seen.unseen, text = report(self)
        if not self.seen.calls:
            raise ValueError(text)
        if self.seen.unseen:
            warnings.warn(text, stacklevel=2)

    def follow(self, module, args, kwargs):
        """Call a module; of one of the model, know meanwhile that it is running."""
        name = self.names.get(module)
        if name is None or threading.get_ident() != self.thread:
            return self.call(module, *args, **kwargs)
        self.ran[name] = module
        self.stack.append(place := Place(name, module, args, kwargs))
        try:
            with self.mode if len(self.stack) == 1 else nullcontext():
                result = self.call(module, *args, **kwargs)
        finally:
            self.stack.pop()
        if isinstance(module, nn.TransformerEncoder) and not module.training:
            if place.given.get("src_key_padding_mask") is not None:
                # Unwatched, PyTorch may take a path of its own, which sets padding to 0.
                with torch._C.DisableTorchFunction():
                    return self.call(module, *args, **kwargs)
        return result

    def mark_among(self, args, kwargs):
        """The mark of the first of these tensors that comes from a softmax; None if none does."""
        found = (self.marks.get(x) for x in (*args, *kwargs.values()) if isinstance(x, Tensor))
        return next((mark for mark in found if mark), None)

    def see(self, how, function, args, kwargs, result):
        """Compute beside the model; what goes wrong here is told at the end, and stops nothing."""
        place = self.stack[-1]
        if self.layers is not None and not any(fits(place.name, x) for x in self.layers):
            return
        try:
            with torch._C.DisableTorchFunction(), torch.inference_mode(False), torch.no_grad():
                with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
                    if torch._C._functorch.maybe_current_level() is not None:
                        raise Refused(_("it ran in torch.vmap; give it a batch instead"))
                    how(self, function, args, kwargs, result)
        except Exception as error:
            self.failed[place.name] = error

    def make_room(self, shape):
        """Refuse weights (…, queries, keys) of this shape if they would exceed the limit."""
        if self.used + 4 * math.prod(shape) > self.limit:
            text = _(
                "{shape} weights exceed the limit; give layers=, fewer tokens, or a higher limit="
            )
            raise Refused(text.format(shape=tuple(shape)))

    def record(self, weights, values, used, hidden, *, checked=True):
        """Record weights (…, queries, keys), which times values (…, keys, d) are `used`, if checked.

        Raises Refused if it is not known which axis is which, or the limit is exceeded.
        """
        self.make_room(weights.shape)
        batch, heads = axes_of(self.stack, weights, values)
        place, (*leading, queries, keys) = self.stack[-1], weights.shape

        def four(x):
            return x.expand(*leading, *x.shape[-2:]).reshape(batch, heads, *x.shape[-2:])

        dtype, wide = used.dtype, torch.promote_types(weights.dtype, torch.float32)
        weights, values, used = (four(x).to(wide) for x in (weights, values, used))
        error = far(weights @ values, used, values) if checked else None
        if hidden is not None:
            hidden = four(hidden.expand(*hidden.shape[:-2], queries, keys))
        step = sum(call.name == place.name for call in self.seen.calls)
        kind = kind_of(self.stack, queries, keys)
        self.seen.calls.append(Call(place.name, weights, hidden, kind, step, error, dtype))
        self.used += weights.nbytes


class _Mode(TorchFunctionMode):
    """Intercepts each function of torch, and calls it."""

    def __init__(self, watch):
        self.watch = watch

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs, watch = kwargs or {}, self.watch
        if function is F.multi_head_attention_forward:
            return multi_head(watch, function, args, kwargs)
        result = function(*args, **kwargs)
        how = HANDLERS.get(function)
        if how in (sdpa, mark_softmax) or how and watch.marks and watch.mark_among(args, kwargs):
            watch.see(how, function, args, kwargs, result)
        return result


def seen_of(model, inputs, layers=None):
    """What a watch saw of model(inputs), in eval mode and without gradients; its mode is restored."""
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
    return seen
