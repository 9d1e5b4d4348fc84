"""The catalogue of mistakes: each is rejected and named, each right form is accepted."""

import functools
import inspect
import itertools
import linecache
import re
from pathlib import Path

import pytest

from helpers import checks
from helpers.exercises import EXERCISES, NOTEBOOKS, pitfalls
from helpers.exercises.edits import source_of
from helpers.exercises.pitfalls import CATALOGUE
from helpers.judge.outcomes import same
from helpers.judge.recognising import observed
from tests.tools import house_rules as rules

ROOT = Path(__file__).resolve().parent.parent
EVERY = [(pitfalls.find(key), name) for name, e in EXERCISES.items() for key in e.mistakes]
every = pytest.mark.parametrize(
    "pitfall, name", EVERY, ids=[f"{name}-{pitfall.id}" for pitfall, name in EVERY]
)

in_each = pytest.mark.parametrize("name", EXERCISES)  # all its mistakes in one test: they are quick


def mistakes_of(name):
    return [pitfall for pitfall, exercise in EVERY if exercise == name]


def check(name, answer):
    return getattr(checks, name)(answer)


def test_the_catalogue_covers_every_exercise():
    assert len(CATALOGUE) > 30
    names = [pitfall.name for pitfall in CATALOGUE]
    assert len(set(names)) == len(names)
    assert all(len(pitfalls.of(name)) >= 3 for name in EXERCISES)


@every
def test_a_mistake_is_rejected_and_named(pitfall, name):
    for code in EXERCISES[name].mistakes[pitfall.id]:
        result = check(name, code)
        title = name.replace("_", " ")
        assert not result.passed
        assert result.message.startswith(f"{title}: not yet. It looks like: {pitfall.name}\n")
        assert result.pitfall == pitfall.id
        assert f"Try: {pitfall.hint}" in result.message
        assert result.picture is None
        again = "notebook {:02}, “{}”".format(*pitfall.place(name)) if pitfall.notebook else ""
        assert again in result.message.split("\n")[-1]
        assert pitfall.notebook or "Read again" not in result.message


@pytest.mark.parametrize("name", EXERCISES)
def test_what_the_mistakes_are_edits_of_is_right(name):
    for form in EXERCISES[name].mistakes.forms:
        assert check(name, form).passed


def stripped(source):
    return sorted(line.strip() for line in source.splitlines() if line.strip())


@in_each
def test_the_mended_lines_make_it_right(name):
    """Without the lines of the mistake, and with those that mend it, it is a right form."""
    forms = [stripped(source_of(form)) for form in EXERCISES[name].mistakes.forms]
    for pitfall in mistakes_of(name):
        mend = [x for x in pitfall.mend(name).splitlines() if not x.startswith("# leave out")]
        lines = stripped(written(pitfall.code(name)))
        for line in pitfall.line(name).splitlines():
            assert line in lines, pitfall.id
            lines.remove(line)
        assert sorted(lines + mend) in forms, pitfall.id


@in_each
def test_a_line_to_be_left_out_is_one_of_the_mistake(name):
    for pitfall in mistakes_of(name):
        said = [x for x in pitfall.mend(name).splitlines() if x.startswith("# leave out: ")]
        lines = pitfall.line(name).splitlines()
        assert all(x.removeprefix("# leave out: ") in lines for x in said), pitfall.id


@pytest.mark.parametrize("name", EXERCISES)
def test_the_inputs_tell_any_two_mistakes_apart(name):
    exercise = EXERCISES[name]
    codes = [(key, code) for key, ways in exercise.mistakes.items() for code in ways]
    for (one, a), (other, b) in itertools.combinations(codes, 2):
        if one != other:
            pairs = zip(observed(exercise, a), observed(exercise, b))
            assert not all(same(x, y) for x, y in pairs), f"{one} looks just like {other}"


def written(code):
    """The code of a mistake, as a traceback shows it."""
    parts = vars(code).values() if inspect.isclass(code) else [code]
    function = next(filter(inspect.isfunction, parts))
    return "".join(linecache.getlines(function.__code__.co_filename))


@in_each
def test_the_wrong_code_can_be_shown(name):
    for pitfall in mistakes_of(name):
        line, code = pitfall.line(name), written(pitfall.code(name))
        assert all(part in code for part in line.splitlines()), pitfall.id
        assert line and line != pitfall.mend(name) and not line.startswith("#"), pitfall.id


@pytest.mark.parametrize("pitfall", CATALOGUE, ids=lambda pitfall: pitfall.id)
def test_the_words_are_whole_and_give_nothing_away(pitfall):
    mends = [pitfall.mend(name) for found, name in EVERY if found is pitfall]
    for text in (pitfall.symptom, pitfall.hint):
        assert text[-1] in ".?" and "  " not in text
        assert not any(mend and mend in text for mend in mends)
    assert "?" in pitfall.hint  # a question, not an answer


@functools.cache
def cells_of(number):
    return rules.read(ROOT / "notebooks" / f"{NOTEBOOKS[number].file}.ipynb")["cells"]


def place_of(pitfall, name):
    """(notebook, number of the cell) of the section to read again."""
    notebook, section = pitfall.place(name)
    found = [
        place
        for place, cell in enumerate(cells_of(notebook))
        if cell["cell_type"] == "markdown"
        for heading in re.findall(r"^##+ (.+)$", cell.source.replace("`", ""), re.MULTILINE)
        if heading.startswith(section)
    ]
    assert found, f"{pitfall.id}: notebook {notebook} has no section {section!r}"
    return notebook, found[0]


@in_each
def test_the_section_to_reread_stands_above_the_exercise(name):
    """What comes further down a learner has not read yet, and it may give the answer away."""
    (number,) = [n for n, book in NOTEBOOKS.items() if name in book.exercises]
    calls = [i for i, cell in enumerate(cells_of(number)) if f"checks.{name}(" in cell.source]
    for pitfall in filter(lambda pitfall: pitfall.notebook, mistakes_of(name)):
        assert place_of(pitfall, name) < (number, calls[0]), pitfall.id


@pytest.mark.parametrize(
    "exercise, key, section",
    [
        ("scores", "not_added_up", "Step 1: attention scores"),
        ("context", "not_added_up", "Step 3: the context vector"),
        ("context", "returned_at_once", "Step 3: the context vector"),
        ("softmax", "no_keepdim", "Exercise: a stable softmax"),
        ("copy_weights", "shares_memory", "Exercise: copy weights"),
        ("copy_weights", "one_copied_to_all", "Exercise: copy weights"),
        ("causal_mask", "zero_times_infinity", "Hide the future"),
        ("masked_weights", "zero_times_infinity", "Way 2: add −∞"),
        ("causal_attention", "mask_convention", "Hide the future"),
        ("multi_head", "mask_convention", "PyTorch says it in two ways"),
    ],
)
def test_the_section_to_reread_is_the_one_that_tells(exercise, key, section):
    message = check(exercise, pitfalls.find(key).code(exercise)).message
    assert f"“{section}" in message.split("\n")[-1]


def test_find_by_id():
    assert pitfalls.find("no_scale").name == "no scale"
    with pytest.raises(KeyError, match="no pitfall 'no scale'; there are: scaled_too_early, "):
        pitfalls.find("no scale")


def test_of_two_mistakes_that_fit_the_one_that_explains_more_is_named():
    """keepdim left out gives an error for most inputs: the one with a result decides."""
    result = checks.softmax(pitfalls.find("no_keepdim").code("softmax"))
    assert result.pitfall == "no_keepdim"


def test_a_mistake_of_another_exercise():
    said = "'no scale' is no mistake of masked_weights; it is one of: scaled_weights, "
    for ask in ("code", "line", "mend"):
        with pytest.raises(KeyError, match=said):
            getattr(pitfalls.find("no_scale"), ask)("masked_weights")


def test_the_line_without_keepdim_is_shown():
    assert ".sum(dim=-1)" in pitfalls.find("no_keepdim").line("masked_weights")
