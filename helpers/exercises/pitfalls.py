"""The catalogue of mistakes: what each is called, the code that makes it, how it shows, a hint.

One catalogue serves the checks, which name a mistake when they see it, and the gallery of broken
layers.

    for pitfall in CATALOGUE: print(pitfall.id, pitfall.name)
    find("no_scale").line("scaled_weights"), find("no_scale").mend("scaled_weights")
"""

from .catalogue import CATALOGUE, Pitfall, find, of

__all__ = ["CATALOGUE", "Pitfall", "find", "of"]
