"""Mistakes as edits of the right answer: each applies exactly once, to the form that it fits."""

import inspect

import pytest

from helpers.exercises.mistakes import WORDS, Made, Mistake, edited, source_of, swap


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


FORMS = [shares, shares_by_hand]


@pytest.mark.parametrize(
    "edit, form, new",
    [
        ("return scores.softmax(dim=0)", shares, ["return scores.softmax(dim=0)"]),
        ("return e / e.sum()", shares_by_hand, ["return e / e.sum()"]),
        ("return 3", shares, ["return 3"]),  # it fits both alike: the first
        (swap("exp", "square"), shares_by_hand, ["e = scores.square()"]),
        (("e = scores", "return e"), shares_by_hand, ["e = scores", "return e"]),
        ("scores -= 1\ne = scores.exp()", shares_by_hand, ["scores -= 1"]),
        (
            swap("y = x * 2", "y = x\ny = y * 3"),
            Layer,
            ["y = x", "y = y * 3"],
        ),  # as deep as the old
        ("x = 5\ny = x", Layer, ["x = 5", "y = x"]),
        (swap("x = x + 1", ""), Layer, []),  # a line with nothing left goes
    ],
)
def test_an_edit_is_made_to_the_form_that_it_fits(edit, form, new):
    chosen, source = edited(FORMS if form is not Layer else [Layer], edit)
    before = source_of(form).splitlines()
    assert chosen is form
    assert [line.strip() for line in source.splitlines() if line not in before] == new
    compile(source, "edited", "exec")  # its lines stand as deep as they must


@pytest.mark.parametrize(
    "edit",
    [
        "nothing = 3",  # no line begins alike
        swap("mean", "sum"),  # not there
        swap("e", "E"),  # in many positions
        ("e = scores", swap("softmax", "sigmoid")),  # one for each form
    ],
)
def test_an_edit_that_does_not_fit_exactly_once(edit):
    with pytest.raises(ValueError, match="fit no form of shares exactly once"):
        edited(FORMS, edit)


def made(given, forms=FORMS):
    """The mistake as an exercise has it, under the words of another."""
    return Made("no_scale", given, forms)


def test_words_belong_to_an_id_and_stand_once(monkeypatch):
    monkeypatch.setattr("helpers.exercises.mistakes.WORDS", {})
    first = Mistake("return scores").called("""
        a
        b
        c d""")
    again = Made("new", [first, "return 3"], [shares])  # another's Mistake brings its ways along
    assert (again.name, again.shows, again.hint) == ("a", "b", "c d")
    assert [way(7) for way in again.ways] == [7, 3]
    with pytest.raises(ValueError, match="the words of 'new' stand twice"):
        Made("new", Mistake("return 3").called("x\ny\nz"), [shares])
    assert "new" not in WORDS


def test_the_lines_and_what_mends_them():
    mistake = made("return scores")
    assert (mistake.line, mistake.mend) == ("return scores", "return scores.softmax(dim=-1)")
    mistake = made(("return e", "e = 2"))  # of several edits, all lines
    assert mistake.line == "e = 2\nreturn e"
    assert mistake.mend.splitlines()[1:] == ["return e / e.sum(dim=-1, keepdim=True)"]
    mistake = made(swap("e = ", "e = 1\ne = "))
    assert (mistake.line, mistake.mend) == ("e = 1", "# leave out: e = 1")


def test_an_error_in_a_mistake_shows_its_line():
    """As for any function: a learner of notebook 6 may well run into one."""
    code = made("return scores.softmax(dim=7, of=3)", [shares]).ways[0]
    assert "of=3" in inspect.getsource(code)
