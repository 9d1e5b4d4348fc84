"""The exercises and predictions of one notebook, in their order.

notebook = Notebook(__name__)       in n01_hello_shiny_sun.py, for 01_hello_shiny_sun.ipynb

@notebook.ask("scores(query, X): …", returns="scores", cases=[…], mistakes={…})
def scores(query, X):
    return X @ query                the right answer
"""

from .. import _
from ..judge.comparing import read
from ..judge.dropping import dropout_cases
from ..judge.exercise import Case, Exercise, argument_names
from ..judge.layers import layer_cases
from ..judge.predictions import Prediction
from ..judge.running import WrongKind
from .mistakes import SECTION_OF, Mistake, general


class Notebook:
    """exercises, predictions: by their names."""

    def __init__(self, module):
        self.file = module.rpartition(".n")[2]  # "01_hello_shiny_sun"
        self.number = int(self.file[:2])
        self.exercises, self.predictions = {}, {}

    def ask(self, asks, *, mistakes, reread="", reread_on=(), also=(), name=None, **details):
        """A decorator of the right answer; it hands it back as it was.

        asks       what is to be written, in a line: the help of its check
        mistakes  id → the edits that make it, as in mistakes.py; what it is called is found by its id
        reread     the heading of this notebook to read again
        reread_on  {id of a mistake: (notebook, heading)} where that of mistakes.py comes too late
        also       other forms of the right answer, for edits that do not fit the first
        name       of the exercise, where the right answer has another
        The others are those of Exercise.
        """

        def keep(right):
            key = name or right.__name__
            returns = details.get("returns", "")
            count = 1 if isinstance(returns, str) else len(returns)
            floats = details.get("wanted", "float") == "float" and (returns or "how" not in details)
            self.exercises[key] = Exercise(
                name=key,
                asks=asks,
                right=right,
                mistakes={m: Mistake(m, text, [right, *also]) for m, text in mistakes.items()},
                general=general(right, count, floats),
                reread=(self.file, reread) if reread else (),
                reread_on={m: SECTION_OF[m] for m in mistakes if m in SECTION_OF} | dict(reread_on),
                **details,
            )
            return right

        return keep

    def layer(self, asks, *, cases, drops=False, buffer=False, calls="", **details):
        """Ask for a layer; cases: {in words: Layer}. See layer_cases."""

        def keep(right):
            made = layer_cases(argument_names(right), cases, drops, buffer, calls)
            return self.ask(asks, cases=made, **details)(right)

        return keep

    def dropout(self, asks, **details):
        """Ask for dropout, as a function (weights, p) or a module made with p."""

        def keep(right):
            made = dropout_cases(isinstance(right, type))
            return self.ask(asks, cases=made, trains=False, **details)(right)

        return keep

    def count(self, asks, *, returns, **details):
        """Ask for one number; the right answer and its mistakes are functions that work it out."""

        def number(answer):
            came = read(answer() if callable(answer) else answer, (returns,))
            if came[returns].size != 1:
                raise WrongKind(
                    _("one number is wanted, and this holds {count}.", count=came[returns].size)
                )
            return {returns: came[returns].reshape(())}

        cases = [Case(_("this answer"), close={"rtol": 0, "atol": 0.5})]
        return self.ask(
            asks, cases=cases, how=number, returns=returns, asks_for="number", **details
        )

    def predict(self, name, question, **details):
        """Ask for a prediction."""
        self.predictions[name] = Prediction(name=name, question=question, **details)
