"""The README, install.md and teachers.md in other languages: docs/README.es.md and so on, written by
`make translations`."""

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

from helpers.classroom.series import NOTEBOOKS, ROOT
from helpers.classroom.translated import FIRST, NOTE, headings, paragraphs, said, text_in
from tests.tools.house_rules import on_github

README, DOCS = ROOT / "README.md", ROOT / "docs"
GUIDES = (README, DOCS / "install.md", DOCS / "teachers.md")
PLACEHOLDERS = ("this repository", "its folder")  # in a command: git clone <this repository>
LINK = re.compile(r"\[(?P<words>[^]]*)\]\((?!http)(?P<path>[^)#]*)#?(?P<heading>[^)]*)\)")
# Commands that take a language, unless they name one, or open the originals; and the language of
# examples, which is Spanish in the English pages.
MAKE = re.compile(r"\bmake (?:lab|student|progress|site)\b(?! LANGUAGE| NOTEBOOKS)")
MODULE = re.compile(r"-m helpers\.classroom\.(?:lab|student|site)\b(?! --originals)")
FOLDER = re.compile(r"`(my_notebooks|build/site)`")
EXAMPLE = re.compile(r"(LANGUAGE=|--language |my_notebooks/|colab/)es\b")


def english(page: Path) -> str:
    """What is translated of a page: all, or the parts of the README that are for everybody."""
    text = page.read_text(encoding="utf-8")
    if page == README:
        start, _, rest = text.partition("\n## Look inside")
        text = start + re.search(r"\n## For teachers\n\n.*\n", rest)[0]
    return text.strip()


def path_in(language: str, page: Path) -> Path:
    return DOCS / f"{page.stem}.{language}.md"


def write_guides(language: str) -> None:
    """Write docs/README.es.md …: all guides in that language."""
    for page in GUIDES:
        path_in(language, page).write_text(in_language(language, page), encoding="utf-8")


def in_language(language: str, page: Path) -> str:
    """A guide in a language, whose commands open the notebooks in that language, too."""
    title, *rest = paragraphs(english(page))
    noted = "".join([title, "\n\n", said(NOTE, FIRST, language), *rest])
    text = LINK.sub(partial(link_in, language, page), text_in(noted, page.stem, language))
    text = EXAMPLE.sub(rf"\1{language}", text)
    text = FOLDER.sub(rf"`\1/{language}`", text)
    text = MAKE.sub(rf"\g<0> LANGUAGE={language}", text)
    text = MODULE.sub(rf"\g<0> --language {language}", text)
    for words in PLACEHOLDERS:
        text = text.replace(f"<{words}>", f"<{said(words, 'README', language)}>")
    text = re.sub(
        r"```\nsoftmax: .*?\n```", lambda _: f"```\n{sample(language)}\n```", text, flags=re.S
    )
    return text + "\n"


def link_in(language: str, page: Path, link: re.Match) -> str:
    """A link of a guide: to another guide, in the same language; to a notebook, its words alone."""
    words, heading = link["words"], link["heading"]
    target = (page.parent / link["path"]).resolve()
    if target.parent == NOTEBOOKS:  # the English one
        return words
    if target in GUIDES:
        words = words.replace(target.name, path_in(language, target).name)
        ours = headings(english(target), target.stem, language, on_github)
        heading = ours.get(heading, "")
        target = path_in(language, target)
    path = Path(os.path.relpath(target, DOCS)).as_posix()
    return f"[{words}]({path}{heading and '#' + heading})"


def sample(language: str) -> str:
    """What the check that the README shows says in a language."""
    code = """import torch; from helpers import checks; from helpers.judge.check import in_lines
lines = checks.softmax(lambda scores: torch.softmax(scores, dim=0)).message.split("\\n")
print(in_lines("\\n".join(lines[:3])))"""
    env = {**os.environ, "ATTENTION_LANGUAGE": language}
    run = [sys.executable, "-c", code]
    return subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout.strip()
