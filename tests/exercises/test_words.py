"""Everything that a learner reads in a check goes through the catalogue: no bare English is left."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

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
