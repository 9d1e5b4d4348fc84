"""Six layers with one mistake in each, to be found by testing.

suspects.layer("A", num_heads=2)      a layer, to be poked
suspects.found("A", "no mask")        what there is to say of an answer
suspects.CHARGES                      the mistakes to choose from
"""

from .n06_break_it import CHARGES, NAMES, found, layer

__all__ = ["CHARGES", "NAMES", "found", "layer"]
