"""Six layers with one mistake in each, to be found by testing. Do not read on: spoilers.

suspects.layer("A", num_heads=2)      a layer, to be poked
suspects.found("A", "no mask")        what there is to say of an answer
suspects.CHARGES                      the mistakes to choose from
"""

import torch

from . import pitfalls

_MISTAKES = {
    "A": "diagonal=2",
    "B": "masked after the softmax, not renormalised",
    "C": "dropout in use, after eval()",
    "D": "√tokens in place of √d_k",
    "E": "view without transpose",
    "F": "attention across the batch",
}
_INNOCENT = [
    "no mask",
    "diagonal=0",
    "no scale",
    "√d_in in place of √d_k",
    "softmax over the queries",
    "dropout that never drops",
]
NAMES = list(_MISTAKES)
CHARGES = sorted([*_MISTAKES.values(), *_INNOCENT], key=str.lower)


def layer(name, d_in=3, d_out=4, context_length=6, dropout=0.0, num_heads=1):
    """The suspect of this name: a MultiHeadAttention with biases, and with one mistake."""
    if name not in _MISTAKES:
        raise ValueError(f"There is no suspect {name!r}. There are: {', '.join(NAMES)}.")
    code = pitfalls.find(_MISTAKES[name]).codes("multi_head")[0]
    made = type(f"Suspect{name}", (code,), {})(
        d_in, d_out, context_length, dropout, num_heads, qkv_bias=True
    )
    numbers = torch.Generator().manual_seed(NAMES.index(name))
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(2 * torch.rand(weight.shape, generator=numbers) - 1)
    return made


def found(name, answer=None):
    """In words: is this the mistake of that suspect?"""
    if name not in _MISTAKES:
        return f"There is no suspect {name!r}. There are: {', '.join(NAMES)}."
    if answer is None or answer is ...:
        return f"{name}: not attempted yet"
    if not isinstance(answer, str) or answer not in CHARGES:
        return f"{name}: {answer!r} is not on the list. Copy a name from suspects.CHARGES."
    symptom = pitfalls.find(answer).symptom
    if answer != _MISTAKES[name]:
        return f"{name}: not that one. It would show like this: {symptom} Does it?"
    return f"{name}: correct. {symptom}"
