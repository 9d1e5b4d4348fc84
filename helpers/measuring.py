"""What a piece of code costs on this computer: time, and memory for the way back."""

import timeit

import torch


def milliseconds(act, repeat=7):
    """The milliseconds that act() takes: the fastest of several runs, for what else runs only adds."""
    return 1000 * min(timeit.repeat(act, number=1, repeat=repeat))


def megabytes(form, x):
    """The megabytes (10^6 bytes) that form(x) keeps for gradients: PyTorch names each tensor kept."""
    kept = {}  # where in memory → how many bytes: what two tensors share counts once

    def note(tensor):
        memory = tensor.untyped_storage()
        kept[memory.data_ptr()] = memory.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        result = form(x)  # held, or its memory might be given to another
    del result
    return sum(kept.values()) / 1e6
