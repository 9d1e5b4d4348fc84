"""What every exercise has, whatever it asks for."""

import functools
import inspect
import math
from dataclasses import dataclass, field

import torch

STOP = ("slow", "not attempted")  # after these there is no point in trying another input


@dataclass(eq=False, kw_only=True)
class Exercise:
    """One thing to write. A kind of exercise adds how it is asked: `observe`.

    asks      what is to be written, in a line: the help of its check
    right     the right answer, as code
    mistakes  id of a mistake → the ways to make it, as code
    """

    name: str
    asks: str
    right: object
    mistakes: dict = field(default_factory=dict)

    def __post_init__(self):
        is_class = isinstance(self.right, type)
        self.asks_for = "class" if is_class else "function"
        signature = inspect.signature(self.right)
        parameters = signature.parameters.items()
        self.arguments = tuple(n for n, p in parameters if p.default is inspect.Parameter.empty)
        self.forward_gets = (
            tuple(inspect.signature(self.right.forward).parameters)[1:] if is_class else ()
        )

    def observe(self, candidate, calls):
        """Outcomes of the candidate, one for each input; the same inputs every time."""
        raise NotImplementedError

    def missed(self, candidate, calls):
        """The id of the mistake if the numbers are right, but not come by as asked; None if all is."""
        return None


def wave(*shape, seed=0.0):
    """Numbers between -1 and 1 with no pattern to the eye, the same on every computer."""
    return _numbers(shape, seed).clone()  # whoever asks may change theirs


@functools.lru_cache(1000)
def _numbers(shape, seed):
    k = torch.arange(1, 1 + math.prod(shape), dtype=torch.float64)
    return torch.sin(0.37 * k * k + 1.1 * k + 2.3 * seed).float().reshape(shape)
