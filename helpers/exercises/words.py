"""The words of the exercises, read from the catalogue: the one place where they stand."""

import tomllib
from pathlib import Path

from ..judge.lines import Words


def read(language):
    """The Words of a language, from its file beside this one."""
    path = Path(__file__).with_name(f"words.{language}.toml")
    return Words(**tomllib.loads(path.read_text(encoding="utf-8")))


WORDS = read("en")
