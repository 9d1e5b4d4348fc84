"""Predictions: a question asked before the cell that answers it, and what an answer tells."""

from dataclasses import dataclass, field

import numpy as np

from .frames import to_array
from .outcomes import kind


@dataclass
class Prediction:
    """A question with one right answer: a word, a number, or a list of numbers.

    wrong  (answer, what to say of it) for the answers that one can foresee
    """

    name: str
    notebook: int
    question: str
    form: str
    answer: object
    why: str
    hint: str
    wrong: list = field(default_factory=list)

    def verdict(self, answer):
        """(whether it is right, what to say)."""
        if self._is(answer, self.answer):
            return True, self.why
        for foreseen, say in self.wrong:
            if self._is(answer, foreseen):
                return False, say
        if self._shape(answer) != self._shape(self.answer):
            return False, f"{self.question} Answer with {self.form}; this is {kind(answer)}."
        return False, self.hint

    def _is(self, answer, other):
        a, b = self._plain(answer), self._plain(other)
        if isinstance(a, str) or isinstance(b, str):
            return type(a) is type(b) and a == b
        return a is not None and a.shape == b.shape and np.allclose(a, b, atol=5e-3, equal_nan=True)

    def _shape(self, answer):
        plain = self._plain(answer)
        return "word" if isinstance(plain, str) else None if plain is None else plain.shape

    @staticmethod
    def _plain(answer):
        """A word in small letters, or an array; None for anything else."""
        if isinstance(answer, str):
            return answer.strip().lower()
        try:
            return to_array("answer", answer)
        except (TypeError, ValueError):
            return None


PREDICTIONS = [
    Prediction(
        "highest score",
        1,
        "Which of the three words gets the highest score with shiny?",
        'a word, such as "Hello"',
        "shiny",
        "It points its own way, and it is the longest of the three.",
        "Go through the rows: whose numbers are large where those of shiny are large?",
        [("sun", "Close: it comes second. Compare the two rows number by number.")],
    ),
    Prediction(
        "tripled scores",
        1,
        "All scores are tripled. What becomes of the largest weight?",
        '"grows", "stays" or "shrinks"',
        "grows",
        "The softmax looks at differences, and these are now three times as large.",
        "What happens to the differences between the scores, and what is exp of a large one?",
        [("stays", "So it would be, if one divided by the plain sum. What does exp do to 3 · s?")],
    ),
    Prediction(
        "shape of a linear weight",
        2,
        "What is the shape of nn.Linear(3, 2).weight?",
        "two numbers, such as (4, 5)",
        (2, 3),
        "nn.Linear keeps its weight as (out, in), and multiplies by its transpose.",
        "It has one weight for each pair of an input and an output.",
        [((3, 2), "That is our own layout, (in, out). nn.Linear has another one.")],
    ),
    Prediction(
        "variance at 64",
        2,
        "Numbers of variance 1, d_k = 64: what is the variance of q · k, about?",
        "a number",
        64,
        "Every product adds a variance of 1, and there are 64.",
        "A dot product is a sum. How many products are in it, and what does each add?",
        [
            (8, "8 is its square root: how far a score tends to lie from 0."),
            (1, "So it is after dividing by √d_k. And before?"),
        ],
    ),
    Prediction(
        "first causal row",
        3,
        "Three tokens, causal weights: what is the first row?",
        "a list of three numbers",
        (1, 0, 0),
        "The first token sees itself alone, and gives itself all its weight.",
        "Whom may the first token see? Its weights sum to 1.",
        [
            ((1 / 3, 1 / 3, 1 / 3), "So it would be with no mask. Whom may the first token see?"),
            ((0, 0, 0), "It may see itself. And what must a row of weights sum to?"),
            ((np.nan,) * 3, "So it is with diagonal=0, where it may not see even itself."),
        ],
    ),
    Prediction(
        "row that keeps its sum",
        3,
        "The future gets zeros after the softmax, nothing is divided. Which row still sums to 1?",
        'the word of that row, such as "with"',
        "step",
        "The last token has no future, so its row has lost nothing.",
        "Which row has lost nothing?",
        [("your", "It has lost most of all: all of the others are its future.")],
    ),
    Prediction(
        "a weight that is kept",
        4,
        "In training, with p = 0.4, a weight of 0.30 is kept. What is it now?",
        "a number",
        0.5,
        "0.30 / (1 − 0.4): what is kept is made larger.",
        "It is kept with chance 0.6. What must it be, to be 0.30 on average?",
        [
            (0.3, "Then the average would shrink to 0.18. What makes up for the weights that go?"),
            (0.75, "That is 0.30 / p. With what chance is a weight kept?"),
            (0.18, "That makes it smaller still. On average, 0.30 is to come out."),
        ],
    ),
    Prediction(
        "shape after the split",
        5,
        "x is (2, 6, 8), there are 4 heads. What is the shape after the split?",
        "four numbers, such as (1, 2, 3, 4)",
        (2, 4, 6, 2),
        "(batch, heads, tokens, head_dim): each head has all tokens, and 8 / 4 numbers of each.",
        "(batch, heads, tokens, head_dim). How many numbers of a token does a head get?",
        [
            ((2, 6, 4, 2), "That is after view, and before transpose. What is each block now?"),
            ((2, 4, 6, 8), "A head gets a part of each token, not all 8 numbers."),
            ((2, 2, 6, 4), "That would be 2 heads of 4."),
        ],
    ),
]
