"""First attempts at the exercises, as beginners make them; a file for each notebook.

    # scores                what follows are attempts at this exercise
    gives_none              X @ query
    other_shape             total = 0
                            …                   further lines of the same attempt

On the left stands what must be said: "correct", the id of a mistake, or the key of a sentence, all in
words_en/ of the exercises. On the right stands what is under the def; of a class all of it, the first time, and
then what is changed in it: `dim=-1 -> dim=0`.
"""

from pathlib import Path

MARGIN = 24


def read():
    """(exercise, what must be said, code) of every attempt; a changed class as a whole."""
    found = []
    for path in sorted(Path(__file__).parent.glob("*.txt")):
        exercise, lines = "", path.read_text(encoding="utf-8").splitlines()
        for line in lines:
            if line.startswith("# "):
                exercise = line[2:]
            elif line[:1].strip():
                found.append((exercise, line[:MARGIN].strip(), [line[MARGIN:]]))
            elif found:
                found[-1][2].append(line[MARGIN:])
    whole = {}  # exercise → the class that later attempts change
    for exercise, said, code in found:
        text = "\n".join(code).rstrip("\n")
        if text.startswith("class "):
            whole[exercise] = text
        elif exercise in whole:
            text = changed(whole[exercise], code)
        yield exercise, said, text


def changed(source, changes):
    """The source with each `old -> new` made in it."""
    for change in filter(None, changes):
        old, new = (change + " ").split(" -> ")
        assert old in source, old
        source = source.replace(old, new.removesuffix(" "))
    return source
