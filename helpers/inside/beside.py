"""Computing beside the model: nothing of it is seen, kept for gradients, or drawn from its dice."""

from contextlib import ExitStack, contextmanager

import torch

LOW = -9e3  # a number this low, in a mask or among scores, is there to hide: BERT's is -10,000


@contextmanager
def beside():
    """No gradients, no autocast, no inference mode, and no watch sees it."""
    with ExitStack() as stack:
        stack.enter_context(torch._C.DisableTorchFunction())
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.no_grad())
        for device in ("cpu", "cuda"):
            stack.enter_context(torch.autocast(device, enabled=False))
        yield


class Dice:
    """The state of a device's random numbers, to draw again what the model will draw next."""

    def __init__(self, device):
        self.devices = [device] if device.type == "cuda" else []
        self.cpu = torch.get_rng_state()
        self.cuda = [torch.cuda.get_rng_state(each) for each in self.devices]

    @contextmanager
    def again(self):
        """Draw from that state; afterwards the model's dice lie as they did before."""
        with torch.random.fork_rng(self.devices, device_type="cuda"):
            torch.set_rng_state(self.cpu)
            for device, state in zip(self.devices, self.cuda):
                torch.cuda.set_rng_state(state, device)
            yield


def wide(dtype):
    """The type that weights are kept in: float64 stays, all others become float32."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def far(context, used, beside=None):
    """The largest difference from what was used, beside the largest number of the third.

    Where both are NaN, or the same infinity, there is no difference.
    """
    used = used.to(context.dtype)
    same = (context == used) | (context.isnan() & used.isnan())
    off = (context - used).abs().masked_fill(same, 0.0)
    most = (used if beside is None else beside).nan_to_num(0.0, 0.0, 0.0).abs()
    if not off.numel() or not off.any():
        return 0.0
    return (off.amax() / most.amax().clamp_min(torch.finfo(off.dtype).tiny)).item()


def low(scores, dim=-1):
    """Which scores, or numbers of a mask that is added to them, hide their key; None if none does.

    Where all of a row are as low, nothing is hidden, unless they are minus infinity: softmax
    compares them as ever.
    """
    hidden = scores <= LOW
    if not hidden.any():
        return None
    return (hidden & ~hidden.all(dim=dim, keepdim=True)) | (scores == float("-inf"))


def compact(hidden):
    """The same booleans (batch, heads, queries, keys), with 1 where all along a dimension agree.

    None if nothing is hidden.
    """
    if hidden is None or not hidden.any():
        return None
    for dim in range(3):
        first = hidden.narrow(dim, 0, 1)
        if hidden.shape[dim] > 1 and (hidden == first).all():
            hidden = first
    return hidden.clone()
