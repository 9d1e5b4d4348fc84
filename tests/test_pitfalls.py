"""The catalogue of mistakes: each one is rejected and named, each mend is accepted."""

import inspect
import itertools
import re
import sys
import textwrap
from pathlib import Path

import house_rules as rules
import pytest

from helpers import checking, pitfalls, wrong_layers
from helpers.checking import NOTEBOOKS, check
from helpers.exercises import EXERCISES
from helpers.outcomes import same
from helpers.pitfalls import CATALOGUE, MEND
from helpers.recognising import observed

ROOT = Path(__file__).resolve().parent.parent
EVERY = [(pitfall, name) for pitfall in CATALOGUE for name in pitfall.wrong]
every = pytest.mark.parametrize(
    "pitfall, name", EVERY, ids=[f"{name}-{pitfall.name}" for pitfall, name in EVERY]
)


def test_the_catalogue_covers_every_exercise():
    assert len(CATALOGUE) > 30
    names = [pitfall.name for pitfall in CATALOGUE]
    assert len(set(names)) == len(names)
    assert {name for _, name in EVERY} == set(EXERCISES)
    assert all(len(pitfalls.of(name)) >= 3 for name in EXERCISES)


@every
def test_a_mistake_is_rejected_and_named(pitfall, name):
    for code in pitfall.codes(name):
        result = check(name, code)
        title = name.replace("_", " ")
        assert not result.passed
        assert result.message.startswith(f"{title}: not yet. It looks like: {pitfall.name}\n")
        assert result.pitfall == pitfall.name
        assert f"Try: {pitfall.hint}" in result.message
        assert result.picture is None


@every
def test_the_mended_line_makes_it_right(pitfall, name):
    for code in pitfall.codes(name):
        result = check(name, mended(code, name))
        assert result.passed, result.message


def mended(code, name):
    """The wrong code, with the line above each "# mend:" replaced by what stands there."""
    origin = getattr(code, "mistake", code)
    kept = []
    for line in textwrap.dedent(inspect.getsource(origin)).splitlines():
        if MEND in line:
            before, _, mend = line.partition(MEND)
            kept[-1] = before + mend.strip()
        else:
            kept.append(line)
    space = dict(vars(sys.modules[origin.__module__]))
    exec("\n".join(kept), space)
    new = space[origin.__name__]
    return wrong_layers.made(new, wrong_layers.LAYERS[name]) if origin is not code else new


@pytest.mark.parametrize("name", EXERCISES)
def test_the_inputs_tell_any_two_mistakes_apart(name):
    codes = [(pitfall.name, code) for pitfall in pitfalls.of(name) for code in pitfall.codes(name)]
    for (one, a), (other, b) in itertools.combinations(codes, 2):
        if one != other:
            pairs = zip(observed(name, a), observed(name, b))
            assert not all(same(x, y) for x, y in pairs), f"{one} looks just like {other}"


@every
def test_the_wrong_code_can_be_shown(pitfall, name):
    source, line, mend = pitfall.source(name), pitfall.line(name), pitfall.mend(name)
    assert line in source and MEND not in source
    assert line != mend and not line.startswith("#")


@pytest.mark.parametrize("pitfall", CATALOGUE, ids=lambda pitfall: pitfall.name)
def test_the_words_are_whole_and_give_nothing_away(pitfall):
    for text in (pitfall.symptom, pitfall.hint):
        assert text[-1] in ".?" and "  " not in text
        assert not any(pitfall.mend(name) and pitfall.mend(name) in text for name in pitfall.wrong)
    assert "?" in pitfall.hint  # a question, not an answer


@pytest.mark.parametrize("pitfall", CATALOGUE, ids=lambda pitfall: pitfall.name)
def test_the_section_to_reread_is_there(pitfall):
    notebook, section = pitfall.reread
    text = rules.markdown(rules.read(ROOT / "notebooks" / f"{NOTEBOOKS[notebook]}.ipynb"))
    headings = re.findall(r"^##+ (.+)$", text.replace("`", ""), re.MULTILINE)
    assert any(heading.startswith(section) for heading in headings)


def test_find_by_name():
    assert pitfalls.find("no scale").name == "no scale"
    with pytest.raises(KeyError, match="no pitfall 'none'; there are: scaled, where"):
        pitfalls.find("none")


def test_of_two_mistakes_that_fit_the_one_that_explains_more_is_named():
    """keepdim left out gives an error for most inputs: the one with a result decides."""
    result = checking.check("softmax", pitfalls.find("keepdim left out").codes("softmax")[0])
    assert result.pitfall == "keepdim left out"
