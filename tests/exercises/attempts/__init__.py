"""Answers to the exercises as beginners write them, right and wrong; a file for each notebook.

    # scores                what follows are attempts at this exercise
    correct                 return X @ query
    not_added_up            return query * X
    not named               total = 0
                            …                   further lines of the same attempt

On the left stands what the check must find: "correct", the id of a mistake, "a fact": wrong, in a
way that a fact is told of, or "not named": wrong, in a way that gets a comparison at least. On the
right stands what is under the def; of a class all of it, the first time, and then what is changed
in it: `dim=-1 -> dim=0`.
"""

import linecache
import math
import random
import re
import textwrap
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from helpers import checks, exercises
from helpers.data.sentences import SUNNY
from helpers.exercises import EXERCISES
from helpers.judge.layers import PROJECTIONS as NAMES
from helpers.models.attention import CausalAttention

MARGIN = 24
NOTEBOOK = {  # names that the notebooks have by then
    "torch": torch, "nn": nn, "F": F, "np": np, "math": math, "random": random, "NAMES": NAMES,
    "CausalAttention": CausalAttention, "causal_mask": exercises.causal_mask, "SUNNY": SUNNY,
    "dot": lambda a, b: sum(a * b), "p": 0.5,
}  # fmt: skip


def read(notebook="*"):
    """[(exercise, what must be found, code)] of every attempt; a changed class as a whole.

    notebook  the number of the notebook, such as "03"; all by default
    """
    found, whole = [], {}
    for path in sorted(Path(__file__).parent.glob(f"{notebook}.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                exercise = line[2:]
            elif line[:1].strip():
                found.append((exercise, line[:MARGIN].strip(), [line[MARGIN:]]))
            elif found:
                found[-1][2].append(line[MARGIN:])
    for i, (exercise, said, code) in enumerate(found):
        text = "\n".join(code).rstrip("\n")
        if text.startswith("class "):
            whole[exercise] = text
        elif exercise in whole:
            text = _changed(whole[exercise], code)
        found[i] = exercise, said, text
    return found


def _changed(source, changes):
    for change in filter(None, changes):
        old, new = (change + " ").split(" -> ")
        assert old in source, old
        source = source.replace(old, new.removesuffix(" "))
    return source


def answer(exercise, code, number, namespace=NOTEBOOK):
    """What a learner would pass to the check, written in a notebook that has these names."""
    if EXERCISES[exercise].asks_for == "number":
        return eval(code)
    if not code.startswith("class "):
        arguments = ", ".join(EXERCISES[exercise].arguments)
        code = f"def my_{exercise}({arguments}):\n{textwrap.indent(code, '    ')}\n"
    file, space = f"<attempt {number}>", dict(namespace)
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)  # for the messages
    exec(compile(code, file, "exec"), space)
    return space[re.match(r"(?:def|class) (\w+)", code)[1]]


def judged(attempts, namespace=NOTEBOOK):
    """(what must be found, what is found, code, the check's result) of each attempt.

    namespace  the names that a learner's notebook has at that point
    """
    for number, (exercise, said, code) in enumerate(attempts):
        mine = answer(exercise, code, number, {**NOTEBOOK, **namespace})
        result = getattr(checks, exercise)(mine)
        found = (
            "correct"
            if result.passed
            else result.pitfall or ("not named", "a fact")[bool(result.facts)]
        )
        found = said if (said, found) == ("not named", "a fact") else found
        yield said, found, code, result


def judged_otherwise(judged):
    """[(what must be found, what is found, code)] of the attempts that are not judged as they must be."""
    return [
        (said, found, code)
        for said, found, code, result in judged
        if found != said or not result.attempted or "could not be checked" in result.message
    ]
