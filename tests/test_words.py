"""The words of the exercises: all of them are used, and every sentence gets its fields."""

import ast
import string
from pathlib import Path

import pytest
from answers import UNKNOWN

from helpers.exercises import EXERCISES, PREDICTIONS, words
from helpers.exercises.n06_break_it import GUILTY, INNOCENT
from helpers.exercises.words import WORDS
from helpers.judge.lines import Line, Words
from helpers.judge.verdicts import check

HELPERS = Path(words.__file__).parent.parent
FILES = [*(HELPERS / "judge").glob("*.py"), *(HELPERS / "exercises").glob("*.py")]
STOPS = {  # put together in saying.stopped
    f"{verb}_{on}{place}"
    for verb in ("stops", "runs_on")
    for on in ("with", "for")
    for place in ("", "_in")
}


def fields(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def texts(node):
    return {
        n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }


def keys_of(call, function):
    """All keys that a call of Line may have: as they are written, or assigned to the name there."""
    first = call.args[0]
    if not isinstance(first, ast.Name):
        return set() if isinstance(first, (ast.JoinedStr, ast.BinOp)) else texts(first)
    given = [n for n in ast.walk(function) if isinstance(n, (ast.Assign, ast.For))]
    found = set()
    for node in given:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if first.id in [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]:
            found |= texts(node.value if isinstance(node, ast.Assign) else node.iter)
    return found & WORDS.says.keys()


def lines():
    """(key, names of the fields, whether there are more of them) of every Line in the code."""
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
            for call in [n for n in ast.walk(function) if isinstance(n, ast.Call)]:
                if getattr(call.func, "id", "") == "Line":
                    names = {keyword.arg for keyword in call.keywords}
                    for key in keys_of(call, function):
                        yield key, names - {None}, None in names


def notes():
    """The keys of everything that is noted: the first argument of every `outcome.note(…)`."""
    found = set()
    for path in FILES:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(call, ast.Call)
                and getattr(call.func, "attr", "") == "note"
                and call.args
            ):
                found |= texts(call.args[0])
    return found


def test_every_line_has_words_and_gives_them_their_fields():
    found = list(lines())
    assert len(found) > 60
    for key, names, more in found:
        wanted = fields(WORDS.says[key])
        assert names == wanted or (more and names <= wanted), key


def test_every_sentence_is_used():
    noted = {f"note_{key}" for key in notes()}
    charged = {f"charge_{key}" for key in [*GUILTY.values(), *INNOCENT]}
    used = {key for key, _, _ in lines()} | noted | charged | STOPS
    assert used - {"note_leaks", "note_knows_order"} == WORDS.says.keys()


def test_a_note_gets_its_fields():
    for key, template in WORDS.says.items():
        if key.startswith("note_"):
            assert fields(template) <= {"says", "mine", "wanted"}


WORDING = ["name", "symptom", "hint", "reread", "reread_in"]


def test_every_mistake_has_words_and_all_words_are_used():
    used = {key for exercise in EXERCISES.values() for key in exercise.mistakes}
    assert used == WORDS.mistakes.keys()
    for key, wording in WORDS.mistakes.items():
        assert all(key in EXERCISES[name].mistakes for name in wording.get("reread_in", {}))
        assert list(wording) in (WORDING, WORDING[:4], WORDING[:3])  # not all have a section
        assert not fields("".join([wording["name"], wording["symptom"], wording["hint"]]))


def test_a_key_that_stands_in_two_files(tmp_path, monkeypatch):
    folder = tmp_path / "words_xx"
    folder.mkdir()
    (folder / "a.toml").write_text('[mistakes]\none.name = "an"\n')
    (folder / "b.toml").write_text('[mistakes]\none.name = "other"\n')
    monkeypatch.setattr(words, "__file__", str(tmp_path / "words.py"))
    with pytest.raises(ValueError, match="b.toml: one stand in another file"):
        words.read("xx")


def test_a_key_with_no_words():
    with pytest.raises(KeyError, match="greeting"):
        WORDS.text(Line("greeting"))


# ---------------------------------------------------------------- another language

MARKED = Words(
    {key: f"«{template}»" for key, template in WORDS.says.items()},
    {key: {"name": key, "symptom": key, "hint": key, "reread": [1, "x"]} for key in WORDS.mistakes},
)


@pytest.mark.parametrize("name", EXERCISES)
def test_all_that_is_said_comes_from_the_catalogue(name):
    """In another language no word of English is left, and the same is found out."""
    exercise = EXERCISES[name]
    key, (code, *_) = next(iter(exercise.mistakes.items()))
    for answer in (UNKNOWN[name][0], code, exercise.right, ..., "abc", lambda *a: None):
        plain, marked = (check(exercise, answer, language) for language in (WORDS, MARKED))
        assert (plain.passed, plain.pitfall) == (marked.passed, marked.pitfall)
        errors = [line for line in marked.message.split("\n") if not line.startswith("«")]
        assert all("Error: " in line for line in errors)  # what Python said
    assert check(exercise, code, MARKED).pitfall == key
    assert marked.message != plain.message


def test_a_prediction_in_another_language():
    for prediction in PREDICTIONS.values():
        assert prediction.check({}, MARKED).message.startswith("««prediction: ")


def test_no_mistake_is_told_apart_by_its_words():
    """The judge may know an id that it finds by itself, and no name."""
    names = {wording["name"] for wording in WORDS.mistakes.values()}
    for path in (HELPERS / "judge").glob("*.py"):
        found = texts(ast.parse(path.read_text(encoding="utf-8"))) & names
        assert not found, f"{path.name} has {found}"
