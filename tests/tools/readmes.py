"""The README in other languages: docs/README.es.md and so on, written by `make translations`."""

import os
import re
import subprocess
import sys

from helpers.classroom.series import ROOT
from helpers.classroom.translated import FIRST, NOTE, paragraphs, said, text_in

README = ROOT / "README.md"
PLACEHOLDERS = ("this repository", "its folder")  # in a command: git clone <this repository>


def short_readme() -> str:
    """A part of the README: what the series is, how to start, and what a check says."""
    return README.read_text(encoding="utf-8").partition("\n## Look inside")[0]


def write_readme(language: str) -> None:
    """Write docs/README.es.md …: the short README in that language.

    Its commands open the notebooks in that language, so that it does not link to the English ones.
    """
    title, *rest = paragraphs(short_readme())
    text = text_in("".join([title, "\n\n", said(NOTE, FIRST, language), *rest]), "README", language)
    text = re.sub(r"\[([^\]]*)\]\(notebooks/[^)]*\)", r"\1", text)
    text = re.sub(r"(\]\()(?!http|#)", r"\1../", text).replace("../docs/", "")
    text = re.sub(r"\bmake lab\b", f"make lab LANGUAGE={language}", text)
    text = re.sub(r"(-m helpers\.classroom\.lab)\b", rf"\1 --language {language}", text)
    for words in PLACEHOLDERS:
        text = text.replace(f"<{words}>", f"<{said(words, 'README', language)}>")
    text = re.sub(
        r"```\nsoftmax: .*?\n```", lambda _: f"```\n{sample(language)}\n```", text, flags=re.S
    )
    path = ROOT / "docs" / f"README.{language}.md"
    path.write_text(text.strip() + "\n", encoding="utf-8")


def sample(language: str) -> str:
    """What the check that the README shows says in a language."""
    code = """import torch; from helpers import checks; from helpers.judge.check import in_lines
lines = checks.softmax(lambda scores: torch.softmax(scores, dim=0)).message.split("\\n")
print(in_lines("\\n".join(lines[:3])))"""
    env = {**os.environ, "ATTENTION_LANGUAGE": language}
    run = [sys.executable, "-c", code]
    return subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout.strip()
