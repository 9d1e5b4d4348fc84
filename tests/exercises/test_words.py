"""Beginners are judged as they must be, and what they read has no bare English, is in whole
sentences, and says nothing that its cases deny.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import attempts
import numpy as np
import pytest

from helpers.exercises import EXERCISES
from helpers.exercises.mistakes import DESCRIPTIONS as WORDS
from helpers.judge.comparing import differing
from helpers.judge.running import Run
from tests.tools.translations import words_of_helpers

HERE = Path(__file__).parent
IN_A_LANGUAGE = """
import gettext, json, sys
asked = set()

class Marked(gettext.NullTranslations):
    def gettext(self, message):
        asked.add(message)
        lines = message.split("\\n")  # the words of a mistake are three
        return "\\n".join(f"⟦{line}⟧" if line.strip() else line for line in lines)

    def ngettext(self, one, many, n):
        asked.add(one)
        return f"⟦{one if n == 1 else many}⟧"

gettext.NullTranslations = Marked
sys.path.insert(0, sys.argv[1])
import attempts
from helpers import checks
from helpers.exercises import PREDICTIONS, pitfalls, suspects
from helpers.explorer import Explorer

judged = list(attempts.judged(attempts.read()))
wrong = attempts.judged_otherwise(judged)
said = [result.message for *_about, result in judged]
for name, prediction in PREDICTIONS.items():
    answers = [prediction.answer, {}, 12345, ..., *(answer for answer, _ in prediction.wrong)]
    said += [checks.predict(name, answer).message for answer in answers]
    assert checks.predict(name, str(prediction.answer).strip("⟦⟧")).passed, name  # English counts
said += [text for p in pitfalls.CATALOGUE for text in (p.symptom, p.hint)]
said += [suspects.found(name, charge) for name in "AZ" for charge in (None, "x", *suspects.CHARGES)]
said += [str(checks.progress(1)).splitlines()[0]] + [checks.predict("x").message]
repr(checks.drill(7))  # shows names of arguments: only asks for its words
def f(t): return [[t]]
said += [repr(Explorer(f, t=(0.5, 2.0, 0.5), tokens=["a"])).splitlines()[0]]
print(json.dumps([wrong, said, sorted(asked)]))
"""


@pytest.fixture(scope="module")
def in_a_language():
    """[attempts judged wrongly, what was said, English that was asked for] where all is translated."""
    run = subprocess.run(
        [sys.executable, "-c", IN_A_LANGUAGE, str(HERE)],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def test_attempts_of_beginners_are_judged_as_they_must_be(in_a_language):
    """In another language, too: nothing is told by its words."""
    attempted = Counter(name for name, *_ in attempts.read())
    assert attempted.keys() == EXERCISES.keys() and min(attempted.values()) >= 4
    assert not in_a_language[0]


def test_no_bare_english_in_what_checks_say_and_all_of_it_is_in_the_catalogue(in_a_language):
    _wrong, said, asked = in_a_language
    known = {m.id if isinstance(m.id, str) else m.id[0] for m in words_of_helpers()}
    unknown = {text for text in asked if text not in known and re.search("[A-Za-z]{2}", text)}
    assert not {text for text in unknown if "⟦" not in text}  # a title inside a title is there
    for message in said:
        rest = message
        while re.search("⟦[^⟦⟧]*⟧", rest):
            rest = re.sub("⟦[^⟦⟧]*⟧", "", rest)
        bare = [line for line in rest.splitlines() if re.search("[A-Za-z]{3}", line)]
        bare = [line for line in bare if not re.match(r"\s*\w+(Error|Exception|Exit): ", line)]
        assert not bare, (bare, message)


JUDGEMENT = ("Right", "The right", "Fine", "An error", "No error")  # no verb follows these


def sentences(text):
    return re.split(r"(?<=[.?!]) +(?=[^a-z\d])", text)


@pytest.mark.parametrize("key", WORDS)
def test_a_mistake_is_described_in_whole_sentences_and_one_question(key):
    name, shows, hint, _english = WORDS[key]
    assert len(name.split()) <= 8, name
    assert len(shows.split()) <= 24 and len(sentences(shows)) <= 2, shows
    for sentence in sentences(shows):
        assert sentence.endswith(".") and len(sentence.split()) >= 3, shows
        assert not sentence.startswith(JUDGEMENT), shows
    assert hint.endswith("?") and hint.count("?") == 1 and len(sentences(hint)) <= 2, hint


# (id of a mistake, a case that its description names) → what its ways give there, in all
# exercises that have both: what is wrong, what is right, or both.
GIVES = {
    ("billion_in_float16", "float16"): {"wrong"},
    ("dim_1", "a batch"): {"wrong"},
    ("dim_1", "a matrix"): {"right"},
    ("keeps_p", "p = 0"): {"wrong"},
    ("keeps_p", "p = 0.2"): {"wrong"},
    ("log_after_softmax", "large logits"): {"wrong"},
    ("low_number", "float16"): {"right", "wrong"},
    ("name_unused", "the first layer"): {"right"},
    ("nothing_left", "a future score far above"): {"wrong"},
    ("one_maximum", "a matrix"): {"right", "wrong"},
    ("one_sum", "a matrix"): {"wrong"},
    ("over_queries", "a matrix"): {"wrong"},
    ("shuffled_twice", "self-attention"): {"wrong"},
    ("threshold_without_axis", "as many rows as words"): {"wrong"},
    ("tokens_of_batch", "a batch"): {"wrong"},
    ("total_not_grown", "the first token"): {"wrong"},
    ("window_too_narrow", "a window of 1"): {"wrong"},
}


def differing_arrays(mine, ours):
    names = differing(mine, ours)
    return [n for n in names if all(isinstance(s.values.get(n), np.ndarray) for s in (mine, ours))]


def seen_of(key, says=None):
    """(the Seen of a way to make a mistake, that of the right answer) for each way and case."""
    for exercise in (e for e in EXERCISES.values() if key in e.mistakes):
        for case in (c for c in exercise.all_cases if says in (None, c.says)):
            ours = exercise.observe(exercise.right, case, Run(60))
            for way in exercise.mistakes[key].ways:
                yield exercise.observe(way, case, Run(60)), ours


@pytest.mark.parametrize("key, says", GIVES)
def test_the_cases_that_a_description_names_do_not_contradict_it(key, says):
    found = {
        "wrong" if mine.trouble or differing_arrays(mine, ours) else "right"
        for mine, ours in seen_of(key, says)
    }
    assert found == GIVES[key, says]


def test_these_are_all_cases_that_descriptions_name():
    named = {
        (key, case.says)
        for exercise in EXERCISES.values()
        for key in exercise.mistakes
        for case in exercise.all_cases
        if case.says.lower() in WORDS[key].shows.lower()
    }
    assert named == GIVES.keys()


def same_shapes(mine, ours):
    both = [(array, mine.values.get(name, array)) for name, array in ours.values.items()]
    return not mine.trouble and all(np.shape(a) == np.shape(b) for a, b in both)


CLAIMS = {  # words of descriptions → whether they are true of what a way gives
    "The numbers are right": lambda mine, ours: (
        not mine.trouble and not differing_arrays(mine, ours)
    ),
    "The shape is right": same_shapes,
    "Shapes and row sums are right": lambda mine, ours: (
        same_shapes(mine, ours) and np.allclose(mine.values.get("weights", np.eye(2)).sum(-1), 1)
    ),
    "There is no error": lambda mine, ours: not mine.trouble,
    "The count is too low": lambda mine, ours: mine.values["parameters"] < ours.values["parameters"],
    "The count is too high": lambda mine, ours: mine.values["parameters"] > ours.values["parameters"],
}  # fmt: skip


@pytest.mark.parametrize("words", CLAIMS)
def test_what_descriptions_claim_is_true_of_every_way_in_every_case(words):
    keys = [key for key, text in WORDS.items() if text.shows.startswith(words)]
    both = [(key, *two) for key in keys for two in seen_of(key) if two[1].values is not None]
    assert len(both) > 1
    for key, mine, ours in both:
        assert mine.values is None and not mine.trouble or CLAIMS[words](mine, ours), (key, mine)
