"""What a learner reads in a check: no bare English, whole sentences, nothing that its cases deny."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.exercises import EXERCISES, mistakes
from helpers.judge.comparing import differing
from helpers.judge.running import Run

HERE = Path(__file__).parent
IN_A_LANGUAGE = """
import gettext, json, sys

class Marked(gettext.NullTranslations):
    def gettext(self, message):
        lines = message.split("\\n")  # the words of a mistake are three
        return "\\n".join(f"⟦{line}⟧" if line.strip() else line for line in lines)

    def ngettext(self, one, many, n):
        return f"⟦{one if n == 1 else many}⟧"

gettext.NullTranslations = Marked
sys.path.insert(0, sys.argv[1])
import attempts
from helpers import checks
from helpers.exercises import PREDICTIONS, pitfalls, suspects

said, tried = [], set()
for number, (name, found, code) in enumerate(attempts.read()):
    if found == "not named" or (name not in tried and found != "correct"):
        tried.add(name)  # the words of all mistakes come below
        said.append(getattr(checks, name)(attempts.answer(name, code, number)).message)
for name, prediction in PREDICTIONS.items():
    answers = [prediction.answer, {}, 12345, ..., *(answer for answer, _ in prediction.wrong)]
    said += [checks.predict(name, answer).message for answer in answers]
said += [text for p in pitfalls.CATALOGUE for text in (p.symptom, p.hint)]
said += [suspects.found(name, charge) for name in "AZ" for charge in (None, "x", *suspects.CHARGES)]
said += [str(checks.progress(1)).splitlines()[0]] + [checks.predict("x").message]
print(json.dumps(said))
"""


def test_no_bare_english_in_what_checks_say():
    run = subprocess.run(
        [sys.executable, "-c", IN_A_LANGUAGE, str(HERE)],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr[-2000:]
    for message in json.loads(run.stdout):
        rest = message
        while re.search("⟦[^⟦⟧]*⟧", rest):
            rest = re.sub("⟦[^⟦⟧]*⟧", "", rest)
        bare = [line for line in rest.splitlines() if re.search("[A-Za-z]{3}", line)]
        bare = [line for line in bare if not re.match(r"\s*\w+(Error|Exception|Exit): ", line)]
        assert not bare, (bare, message)


PARTS = mistakes.PARTS
WORDS = {key: text for part in PARTS for key, text in part.DESCRIPTIONS.items()}
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


# (id of a mistake, a case that its description speaks of, in these or other words) → what its
# ways give there, in all exercises that have both: what is wrong, what is right, or both.
GIVES = {
    ("bias_unused", "6 tokens"): {"right"},
    ("bias_unused", "qkv_bias=True"): {"wrong"},
    ("billion_in_float16", "4 tokens"): {"right"},
    ("billion_in_float16", "float16"): {"wrong"},
    ("by_d_in", "3 tokens ask 5"): {"wrong"},
    ("by_d_in", "5 tokens ask 3, all of one size"): {"right"},
    ("coarse_test", "a faint leak of the last token"): {"wrong"},
    ("coarse_test", "a leak in the first token only"): {"right"},
    ("components_written_in", "5 tokens"): {"right"},
    ("components_written_in", "one token of 2 numbers"): {"wrong"},
    ("constant_poked", "a pre-norm layer with no mask"): {"wrong"},
    ("copied_without_t", "3 numbers to 3"): {"wrong"},
    ("count_written_in", "a single word"): {"wrong"},
    ("count_written_in", "more words than dimensions"): {"wrong"},
    ("count_written_in", "shiny and its three words"): {"right"},
    ("diagonal_2", "a new word after 4"): {"right"},
    ("dim_1", "a batch of matrices"): {"wrong"},
    ("dim_1", "a batch"): {"wrong"},
    ("dim_1", "a matrix"): {"right"},
    ("dim_1", "a row of scores"): {"wrong"},
    ("drops_in_use", "p = 0.75"): {"right"},
    ("drops_in_use", "use after eval()"): {"wrong"},
    ("fixed_slopes", "16 heads"): {"wrong"},
    ("fixed_slopes", "8 heads and 5 tokens"): {"right"},
    ("hidden_as_visible", "2 sentences, padded"): {"wrong"},
    ("keeps_p", "p = 0"): {"wrong"},
    ("keeps_p", "p = 0.2"): {"wrong"},
    ("keys_not_turned", "as many tokens as d_k"): {"wrong"},
    ("last_of_equals", "two scores that tie"): {"wrong"},
    ("linear_turned", "6 tokens"): {"wrong"},
    ("linear_turned", "as many numbers out as in"): {"right"},
    ("log_after_softmax", "large logits"): {"wrong"},
    ("low_number", "float16"): {"right", "wrong"},
    ("low_number", "scores far below 0"): {"right", "wrong"},
    ("mask_not_cut", "2 sentences of 5 tokens"): {"wrong"},
    ("mask_not_cut", "as many tokens as context_length"): {"right"},
    ("mask_of_scores", "future scores of exactly 0"): {"right", "wrong"},
    ("mask_of_scores", "past scores of exactly 0"): {"right", "wrong"},
    ("matrices_swapped", "5 tokens ask 3, all of one size"): {"wrong"},
    ("name_unused", "the first layer"): {"right"},
    ("never_shuffled", "causal attention"): {"wrong"},
    ("no_maximum", "large numbers"): {"wrong"},
    ("no_maximum", "scores far below 0"): {"wrong"},
    ("nothing_left", "4 tokens"): {"right"},
    ("nothing_left", "a future score far above"): {"wrong"},
    ("one_maximum", "a matrix"): {"right", "wrong"},
    ("one_maximum", "rows far apart"): {"wrong"},
    ("one_number_only", "a leak from one number to one number"): {"wrong"},
    ("one_sum", "a matrix"): {"wrong"},
    ("out_proj_without_bias", "2 sentences and 3 heads"): {"wrong"},
    ("outputs_not_shuffled", "a layer for each token by itself"): {"wrong"},
    ("over_queries", "a matrix"): {"wrong"},
    ("own_output_watched", "attention with no mask"): {"right"},
    ("own_output_watched", "causal attention"): {"wrong"},
    ("past_hidden", "1 token"): {"right"},
    ("positions_ignored", "5 tokens of 6 numbers"): {"right"},
    ("positions_ignored", "positions in another order"): {"wrong"},
    ("reversed_only", "a ring in which each token looks both ways"): {"wrong"},
    ("rolled_only", "a layer that closes the sentence to a ring"): {"wrong"},
    ("rows_too_short", "scores below 0"): {"right", "wrong"},
    ("shuffled_twice", "self-attention over two tokens"): {"right"},
    ("shuffled_twice", "self-attention"): {"wrong"},
    ("threshold_without_axis", "as many rows as words"): {"wrong"},
    ("ties_kept", "3 queries and 4 keys"): {"right"},
    ("ties_kept", "two scores that tie"): {"wrong"},
    ("tokens_of_batch", "4 tokens"): {"right"},
    ("tokens_of_batch", "a batch"): {"wrong"},
    ("tokens_of_width", "more words than dimensions"): {"wrong"},
    ("tokens_of_width", "shiny and its three words"): {"right"},
    ("too_exact", "self-attention"): {"right", "wrong"},
    ("total_not_grown", "the first token"): {"wrong"},
    ("w_transposed", "as many numbers out as in"): {"wrong"},
    ("window_too_narrow", "a window of 1"): {"wrong"},
    ("wrong_factor", "p = 0"): {"right", "wrong"},
    ("wrong_factor", "p = 0.75"): {"wrong"},
}


def is_unlike(mine, ours):
    """Whether something stops, or numbers are wrong; a remark alone leaves the result right."""
    return mine.trouble or any(
        isinstance(ours.values.get(name), np.ndarray) for name in differing(mine, ours)
    )


@pytest.mark.parametrize("key, says", GIVES)
def test_the_cases_that_a_description_speaks_of_do_not_contradict_it(key, says):
    found = set()
    for exercise in (e for e in EXERCISES.values() if key in e.mistakes):
        for case in (case for case in exercise.all_cases if case.says == says):
            ours = exercise.observe(exercise.right, case, Run(60))
            seen = [exercise.observe(way, case, Run(60)) for way in exercise.mistakes[key].ways]
            found |= {"wrong" if is_unlike(mine, ours) else "right" for mine in seen}
    assert found == GIVES[key, says]


def test_a_case_that_a_description_names_in_its_own_words_is_among_them():
    for exercise in EXERCISES.values():
        for key in exercise.mistakes.keys() & WORDS.keys():
            shows = WORDS[key].shows.lower()
            named = [case.says for case in exercise.all_cases if case.says.lower() in shows]
            assert all((key, says) in GIVES for says in named), (exercise.name, key, named)
