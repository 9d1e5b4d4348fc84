"""What beginners write first, over all exercises: each attempt is told what is wrong with it."""

import linecache
import math
import random
import re
import textwrap

import numpy as np
import pytest
import torch
from answers import first_attempts
from torch import nn
from torch.nn import functional as F

from helpers import checks, exercises
from helpers.data.sentences import SUNNY
from helpers.exercises import EXERCISES
from helpers.exercises.n02_trainable_qkv import NAMES, FromParameters, ToLinear
from helpers.exercises.words import WORDS
from helpers.models.attention import CausalAttention

ATTEMPTS = list(first_attempts.read())
NOTEBOOK = {  # names that the notebooks have by then
    **{"torch": torch, "nn": nn, "F": F, "np": np, "math": math, "random": random},
    **{"NAMES": NAMES, "CausalAttention": CausalAttention, "causal_mask": exercises.causal_mask},
    **{"dot": lambda a, b: sum(a * b), "embeddings": torch.ones(3, 3), "d_k": 2, "head_dim": 2},
    **{"future": torch.ones(6, 6).triu(1).bool(), "tokens_matrix": SUNNY, "SUNNY": SUNNY},
    **{"causal": CausalAttention(3, 2, 6), "batch": torch.ones(2, 6, 3)},
    **{"source": FromParameters(3, 2), "target": ToLinear(3, 2), "p": 0.5},
    **{"SUNNY": SUNNY, "layer": CausalAttention(3, 2, 6, 0.5)},
}


CELLS = """
def poke(token, mask):
    layer, poked = causal, SUNNY.clone()
    poked[token] += 1.0
    return layer(poked) - layer(SUNNY)

def moves(mask):
    return torch.stack([poke(i, mask).abs().amax(dim=1) for i in range(3)], dim=1) + 1
"""


def answer(exercise, code, number):
    """What a learner would pass to the check."""
    if EXERCISES[exercise].asks_for == "number":
        return eval(code)
    if not code.startswith("class "):
        arguments = ", ".join(EXERCISES[exercise].arguments)
        code = f"def my_{exercise}({arguments}):\n{textwrap.indent(code, '    ')}\n"
    file, space = f"<attempt {number}>", dict(NOTEBOOK)
    exec(CELLS, space)
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)  # for the messages
    exec(compile(code, file, "exec"), space)
    return space[re.match(r"(?:def|class) (\w+)", code)[1]]


def pattern(key):
    """The sentence of this key: anything in place of its fields."""
    return re.sub(r"\\\{\w+\\\}", ".*", re.escape(WORDS.says[key]))


def test_there_are_attempts_at_every_exercise():
    assert {name for name, _, _ in ATTEMPTS} == set(EXERCISES)
    assert len(ATTEMPTS) >= 150


@pytest.mark.parametrize(
    "number", range(len(ATTEMPTS)), ids=lambda n: f"{ATTEMPTS[n][0]}-{ATTEMPTS[n][1]}"
)
def test_a_first_attempt_is_told_what_is_wrong(number):
    exercise, said, code = ATTEMPTS[number]
    result = getattr(checks, exercise)(answer(exercise, code, number))
    assert result.attempted and "not attempted yet" not in result.message
    assert "could not be checked" not in result.message
    if said == "correct":
        assert result.passed, result.message
    elif said in WORDS.mistakes:
        assert result.pitfall == said, result.message
    else:
        assert not result.passed and result.pitfall is None, result.message
        assert re.search(pattern(said), result.message), result.message
