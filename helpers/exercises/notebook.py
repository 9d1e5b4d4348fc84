"""The exercises and predictions of one notebook, in their order.

notebook = Notebook(__name__)       in n01_hello_shiny_sun.py, beside 01_hello_shiny_sun.ipynb

@notebook.function("scores(query, X): …", returns="scores", cases=[…], mistakes={…})
def scores(query, X):
    return X @ query                the right answer
"""

from functools import partialmethod

from ..judge.draws import DropoutExercise
from ..judge.functions import FunctionExercise
from ..judge.layers import LayerExercise
from ..judge.others import CopyExercise, LeakExercise, NumberExercise, OrderExercise
from ..judge.predictions import Prediction
from .edits import Mistakes


class Notebook:
    """exercises, predictions: by their names."""

    def __init__(self, module):
        self.file = module.rpartition(".n")[2]  # "01_hello_shiny_sun"
        self.number = int(self.file[:2])
        self.exercises, self.predictions = {}, {}

    def ask(self, kind, asks, *, mistakes, also=(), name=None, **details):
        """A decorator of the right answer; it hands it back as it was.

        asks      what is to be written, in a line: the help of its check
        mistakes  id → an edit of the right answer, or a list of ways to make the mistake
        also      other forms of the right answer, for edits that do not fit the first
        name      of the exercise, where the right answer has another
        """

        def keep(right):
            key = name or right.__name__
            made = Mistakes([right, *also], mistakes)
            exercise = kind(name=key, asks=asks, right=right, mistakes=made, **details)
            self.exercises[key] = exercise
            return right

        return keep

    function = partialmethod(ask, FunctionExercise)
    layer = partialmethod(ask, LayerExercise)
    dropout = partialmethod(ask, DropoutExercise)
    copy = partialmethod(ask, CopyExercise)
    leak_test = partialmethod(ask, LeakExercise)
    order_test = partialmethod(ask, OrderExercise)
    count = partialmethod(ask, NumberExercise)

    def predict(self, name, question, **details):
        """Ask for a prediction."""
        self.predictions[name] = Prediction(name=name, question=question, **details)
