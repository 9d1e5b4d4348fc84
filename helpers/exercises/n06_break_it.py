"""The six layers of notebook 6, with one mistake in each, to be found by testing.

Do not read on: spoilers.
"""

import torch

from ..judge.lines import Line
from .n05_multi_head import notebook as heads
from .notebook import Notebook
from .words import WORDS

notebook = Notebook(__name__)  # with no exercises: here the mistakes of the others are looked for

GUILTY = {
    "A": "diagonal_2",
    "B": "mask_after_softmax",
    "C": "drops_in_use",
    "D": "by_tokens",
    "E": "no_transpose",
    "F": "across_the_batch",
}
INNOCENT = ["no_mask", "diagonal_0", "no_scale", "by_d_in", "over_queries", "never_drops"]
NAMES = list(GUILTY)

_by_name = {WORDS.mistakes[key]["name"]: key for key in [*GUILTY.values(), *INNOCENT]}
_by_name_lower = {name.lower(): key for name, key in _by_name.items()}
CHARGES = sorted(_by_name, key=str.lower)


def layer(name, d_in=3, d_out=4, context_length=6, dropout=0.0, num_heads=1):
    """The suspect of this name: a MultiHeadAttention with biases, and with one mistake."""
    if name not in GUILTY:
        raise ValueError(_no_suspect(name))
    code = heads.exercises["multi_head"].mistakes[GUILTY[name]][0]
    made = type(f"Suspect{name}", (code,), {})(
        d_in, d_out, context_length, dropout, num_heads, qkv_bias=True
    )
    numbers = torch.Generator().manual_seed(NAMES.index(name))
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(2 * torch.rand(weight.shape, generator=numbers) - 1)
    return made


def found(name, answer=None):
    """In words: is this the mistake of that suspect? The answer is one of CHARGES.

    How a charge shows is told by the tools of notebook 6, so that it can be tried.
    """
    if name not in GUILTY:
        return _no_suspect(name)
    if answer is None or answer is ...:
        return WORDS.text(Line("suspect_open", name=name))
    charge = _by_name_lower.get(answer.strip().lower()) if isinstance(answer, str) else None
    if charge is None:
        return WORDS.text(Line("no_charge", name=name, answer=repr(answer)))
    key = "guilty" if charge == GUILTY[name] else "other_charge"
    return WORDS.text(Line(key, name=name, symptom=Line(f"charge_{charge}")))


def _no_suspect(name):
    return WORDS.text(Line("no_suspect", name=repr(name), known=NAMES))
