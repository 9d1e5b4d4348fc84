"""Mistakes as edits of the right answer: each stands there exactly once."""

import inspect

import pytest

from helpers.exercises.mistakes import Mistake, edited, edits, source_of


def shares(scores):
    """By library."""
    return scores.softmax(dim=-1)


def shares_by_hand(scores):
    e = scores.exp()

    return e / e.sum(dim=-1, keepdim=True)


class Layer:
    def forward(self, x):
        x = x + 1
        y = x * 2
        return y


FORMS = [shares, shares_by_hand, Layer]


@pytest.mark.parametrize(
    "text, form, new",
    [
        ("dim=-1 → dim=0", shares, ["return scores.softmax(dim=0)"]),
        ("scores → 2 * scores", shares_by_hand, None),  # in its def, too: in no form just once
        ("mean → sum", shares, None),  # in no form at all
        ("e = scores → e = 2\nsoftmax → sigmoid", shares, None),  # one for each form
        ("return → return 2 *", shares, ["return 2 * scores.softmax(dim=-1)"]),  # the first of three
        ("e = scores →\n/ e. → / scores.", shares_by_hand, None),  # what is left makes no sense
        ("e = scores. → e = 2 ** scores.\n/ e.sum → / e.mean", shares_by_hand,
         ["e = 2 ** scores.exp()", "return e / e.mean(dim=-1, keepdim=True)"]),
        ("y = x * 2\n    → y = x\ny = y * 3", Layer, ["y = x", "y = y * 3"]),  # as deep as the old
        ("return y → if y:\n    return x\nreturn y", Layer, ["if y:", "return x"]),
        ("x = x + 1 →", Layer, []),  # a line with nothing left goes
        ("x + 1 → x * 2\nx * 2 → x + 1", Layer, ["x = x * 2", "y = x + 1"]),  # both at once
    ],
)  # fmt: skip
def test_edits_are_made_to_the_first_form_that_they_fit(text, form, new):
    (way,) = edits(text)
    if new is None:
        with pytest.raises((ValueError, SyntaxError)):
            compile(edited(FORMS, way)[1], "edited", "exec")
        return
    chosen, source = edited(FORMS, way)
    before = source_of(form).splitlines()
    assert chosen is form
    assert [line.strip() for line in source.splitlines() if line not in before] == new
    compile(source, "edited", "exec")  # its lines stand as deep as they must


def test_another_way_begins_with_or():
    text = """a → b
        c → d
            e
        or f
            → g"""
    assert edits(text) == [{"a": "b", "c": "d\n    e"}, {"f": "g"}]


def test_what_it_is_called_is_found_by_its_id():
    mistake = Mistake("no_scale", "scores.softmax(dim=-1) → scores", [shares])
    assert mistake.name == "no scale" and mistake.hint.endswith("?")
    assert [way(7) for way in mistake.ways] == [7]
    with pytest.raises(KeyError, match="no_such_mistake"):
        Mistake("no_such_mistake", "scores.softmax(dim=-1) → scores", [shares])


def test_the_lines_and_the_correct_ones_instead():
    mistake = Mistake("no_scale", ".softmax(dim=-1) →", FORMS)
    assert (mistake.line, mistake.corrected) == ("return scores", "return scores.softmax(dim=-1)")
    mistake = Mistake("no_scale", "e = scores.exp() → e = 2\nreturn e / → return", [shares_by_hand])
    assert mistake.line == "e = 2\nreturn e.sum(dim=-1, keepdim=True)"
    assert mistake.corrected.splitlines()[1:] == ["return e / e.sum(dim=-1, keepdim=True)"]
    mistake = Mistake("no_scale", "e = → e = 1\ne =", [shares_by_hand])
    assert (mistake.line, mistake.corrected) == ("e = 1", "# leave out: e = 1")


def test_an_error_in_a_mistake_shows_its_line():
    """As for any function: a learner of notebook 6 may well run into one."""
    code = Mistake("no_scale", "dim=-1 → dim=7, of=3", [shares]).ways[0]
    assert "of=3" in inspect.getsource(code)
