"""Words going in, for every model: how small their vectors start, and what is said of wrong ids."""

import torch

SMALL_START = 0.02  # the standard deviation of GPT-2's and BERT's weights before training


def check_ids(name, ids):
    """Raise TypeError or ValueError unless ids are whole numbers (batch, tokens)."""
    if not isinstance(ids, torch.Tensor):
        came = f"{name} are a {type(ids).__name__}, not a tensor"
        raise TypeError(f"{came}; wrap whole numbers, int64: torch.tensor([[3, 1, 4]])")
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} hold {ids.dtype}, not whole numbers; convert with .long()")
    if ids.dim() != 2 or 0 in ids.shape:
        wanted = "expected (batch, tokens), neither of them 0; ids[None] makes a batch of one"
        raise ValueError(f"{name} have shape {tuple(ids.shape)}; {wanted}")


def check_words(name, ids, vocabulary, context_length, cut):
    """Raise as check_ids does, and ValueError if there are too many tokens or no such words.

    cut  how to make them fewer, such as "ids[:, :9]": which end may go is for the model to say
    """
    check_ids(name, ids)
    if ids.shape[1] > context_length:
        came = f"{name} have {ids.shape[1]} tokens; at most context_length={context_length} fit"
        raise ValueError(f"{came}: {cut}")
    check_range(name, ids, "vocabulary", vocabulary)


def check_range(name, ids, label, count):
    """Raise ValueError unless ids go from 0 to count - 1."""
    if ids.is_meta:
        return  # these have no values
    low, high = ids.aminmax()
    if low < 0 or high >= count:
        wanted = f"with {label}={count} they are 0 to {label} - 1"
        raise ValueError(f"{name} go from {low} to {high}; {wanted}")
