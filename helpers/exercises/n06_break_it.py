"""The six layers of notebook 6, with one mistake in each, to be found by testing. Spoilers."""

import torch

from .. import _
from .mistakes import DESCRIPTIONS
from .n05_multi_head import notebook as heads
from .notebook import Notebook

notebook = Notebook(__name__)  # no exercises: learners look for mistakes from earlier ones

GUILTY = {
    "A": "diagonal_2",
    "B": "mask_after_softmax",
    "C": "drops_in_use",
    "D": "by_tokens",
    "E": "no_transpose",
    "F": "across_the_batch",
}
NAMES = list(GUILTY)

SHOWS = {  # id of a mistake → how the tools of notebook 6 show it, for learners to try out
    "diagonal_2": _(
        "Tool 1: each output also moves with the token after its own, but with none later than that."
    ),
    "mask_after_softmax": _(
        "Tool 1: every token moves every output. Tool 3: only the last row sums to 1, the others to less."
    ),
    "drops_in_use": _("Tool 4: two calls differ in evaluation mode, too."),
    "by_tokens": _(
        "Tool 2: from 2 tokens on, it agrees only where a head has as many components as there are tokens."
    ),
    "no_transpose": _(
        "Tool 1: with one head it is right, but with two heads, tokens move outputs that come before them."
    ),
    "across_the_batch": _(
        "Tool 1: a token moves its own output alone in its sentence, but also one in the other sentence."
    ),
    "no_mask": _("Tool 1: every token moves every output. Tool 3: every row sums to 1."),
    "diagonal_0": _("Tool 3: the sum of the first row is NaN."),
    "no_scale": _("Tool 2: from 2 tokens on, it agrees only with two heads and d_out 2."),
    "by_d_in": _("Tool 2: from 2 tokens on, it agrees only with two heads and d_out 6."),
    "over_queries": _("Tool 3: the first rows sum to less than 1, the last ones to more."),
    "never_drops": _("Tool 4: two calls agree in training mode, too."),
}
CHARGES = sorted((DESCRIPTIONS[key].name for key in SHOWS), key=str.lower)


def layer(name, d_in=3, d_out=4, context_length=6, dropout=0.0, num_heads=1):
    """The suspect of this name: a MultiHeadAttention with biases, and with one mistake."""
    if name not in GUILTY:
        raise ValueError(_no_suspect(name))
    code = heads.exercises["multi_head"].mistakes[GUILTY[name]].ways[0]
    made = type(f"Suspect{name}", (code,), {})(
        d_in, d_out, context_length, dropout, num_heads, qkv_bias=True
    )
    numbers = torch.Generator().manual_seed(NAMES.index(name))
    with torch.no_grad():
        for weight in made.parameters():
            weight.copy_(2 * torch.rand(weight.shape, generator=numbers) - 1)
    return made


def found(name, answer=None):
    """In words: is this the mistake of that suspect? The answer is one of CHARGES, also in English.

    How a charge shows is told by the tools of notebook 6, so that it can be tried.
    """
    if name not in GUILTY:
        return _no_suspect(name)
    if answer is None or answer is ...:
        return _("{name}: not attempted yet", name=name)
    said = answer.strip().lower() if isinstance(answer, str) else ""
    names = {
        key: (DESCRIPTIONS[key].name.lower(), DESCRIPTIONS[key].english.lower()) for key in SHOWS
    }
    charge = next((key for key in SHOWS if said in (key, *names[key])), None)
    if charge is None:
        came = {"name": name, "answer": repr(answer)}
        return _("{name}: {answer} is not on the list. Copy a name from suspects.CHARGES.", **came)
    came = {"name": name, "symptom": SHOWS[charge]}
    if charge == GUILTY[name]:
        return _("{name}: correct. {symptom}", **came)
    return _("{name}: not that one. It would show like this: {symptom} Does it?", **came)


def _no_suspect(name):
    came = {"name": repr(name), "known": ", ".join(NAMES)}
    return _("There is no suspect {name}. There are: {known}.", **came)
