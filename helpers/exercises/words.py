"""The words of the exercises, read from the catalogue: the one place where they stand.

For another language: a folder beside words_en with the same keys and {fields}, and its name here.
"""

import tomllib
from pathlib import Path

from ..judge.lines import Words


def read(language):
    """The Words of a language, from the files of its folder. ValueError for a key given twice."""
    words = Words()
    for path in sorted(Path(__file__).with_name(f"words_{language}").glob("*.toml")):
        for kind, new in tomllib.loads(path.read_text(encoding="utf-8")).items():
            there = getattr(words, kind)
            if twice := there.keys() & new.keys():
                raise ValueError(
                    f"{path.name}: {', '.join(sorted(twice))} stand in another file, too"
                )
            there |= new
    return words


WORDS = read("en")
