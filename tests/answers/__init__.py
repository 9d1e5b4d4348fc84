"""Answers to the exercises, as learners write them; a file for each notebook, which holds

RIGHT        exercise → right answers, in as many styles as there are
UNKNOWN      exercise → wrong answers of no kind that the catalogue foresees
OTHER_WORDS  (exercise, wrong answer, id): known mistakes in other words than the catalogue's
"""

from . import n01_hello_shiny_sun as n01
from . import n02_trainable_qkv as n02
from . import n03_causal_mask as n03
from . import n04_dropout as n04
from . import n05_multi_head as n05

_ALL = (n01, n02, n03, n04, n05)
RIGHT = {name: answers for n in _ALL for name, answers in n.RIGHT.items()}
UNKNOWN = {name: answers for n in _ALL for name, answers in n.UNKNOWN.items()}
OTHER_WORDS = [found for n in _ALL for found in n.OTHER_WORDS]
