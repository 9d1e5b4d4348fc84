"""Predictions and drills that are answered on the page: what the kernel and the page make of them."""

import pytest

from helpers import checks
from helpers.checks import drills
from helpers.exercises import EXERCISES, PREDICTIONS
from helpers.explorer.question import SCRIPT, traits

TEXTS = ["64", " 64. ", "64.4", "75", "1/3", "0,5", "−1", "-1", "1e1", ".5E0", "+2", "five", ""]
TEXTS += ["()", "(2, 3)", "2, 3", "Shiny", '"shiny"', "sun", "0", "99", "NaN", "Infinity", "0x10"]

JUDGED = """async ([script, asked]) => {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const { verdict } = await import(url);
  return asked.map(([told, texts]) => texts.map(text => {
    const { right, say } = verdict(told, text);
    return [right, say];
  }));
}"""


@pytest.fixture(autouse=True)
def a_new_kernel(monkeypatch):
    for name, empty in (("done", set()), ("tried", set()), ("slips", {})):
        monkeypatch.setattr(checks, name, empty)
    monkeypatch.setattr(drills, "drawn", [])


def texts_for(prediction):
    """Answers as they are typed: those of all questions, and those that this one knows."""
    known = [prediction.answer, *(answer for answer, _ in prediction.wrong)]
    return TEXTS + [str(answer) for answer in known] + prediction.choices


@pytest.mark.browser
def test_the_page_judges_as_python_does(browser):
    asked = [*PREDICTIONS.values(), checks.drill(7).prediction]
    given = [(traits(p)["told"], texts_for(p)) for p in asked]
    page = browser.new_page()
    judged = page.evaluate(JUDGED, [SCRIPT, given])
    page.close()
    for prediction, (_told, texts), verdicts in zip(asked, given, judged):
        for text, (right, say) in zip(texts, verdicts):
            result = prediction.check(text)
            assert result.passed == right, (prediction.name, text)
            assert result.message.endswith(say) and say, (prediction.name, text)


def test_an_answer_on_the_page_is_told_to_the_kernel():
    question = checks.predict("a weight that is kept")
    before = repr(question)
    question.answer = "0.3"
    assert checks.tried == {"prediction: a weight that is kept"} and not checks.done
    question.answer = "0.5"
    assert checks.done == {"prediction: a weight that is kept"}
    assert repr(question) == before == question._repr_mimebundle_()[0]["text/plain"]


def test_the_answer_cannot_be_read_in_what_the_page_is_told():
    told = traits(PREDICTIONS["rows 20 and 30"])
    assert "173.79" not in told["told"] and "10 places" not in str(told)


@pytest.mark.parametrize("notebook", range(6, 16))
def test_a_drill_can_be_solved_and_is_the_same_on_every_run(notebook):
    first = checks.drill(notebook)
    asked = first.prediction
    assert len({*asked.words}) == 4 and asked.answer in asked.words
    assert {answer for answer, _ in asked.wrong} == {*asked.words} - {asked.answer}
    assert asked.check(asked.answer).passed
    drills.drawn.clear()
    assert repr(checks.drill(notebook)) == repr(first)
    assert repr(checks.drill(notebook)) != repr(first)  # run again, it asks another one


def test_a_drill_asks_first_about_your_own_slip_and_about_what_you_have_done():
    shares = EXERCISES["masked_weights"].mistakes["over_queries"].ways[0]
    checks.masked_weights(shares)
    checks.masked_weights(EXERCISES["masked_weights"].right)
    checks.scores(EXERCISES["scores"].right)
    for _again in range(4):
        checks.drill(9)
    first, *others = drills.drawn
    assert first == (3, "masked_weights", "over_queries")
    assert {name for _n, name, _m in others} <= {"masked_weights", "scores"}
    assert others[0][0] == 1, "then earlier notebooks"


def test_a_drill_asks_about_another_exercise_if_none_that_is_done_can_be_asked():
    checks.project(EXERCISES["project"].right)  # too large to be read number by number
    assert checks.drill(9).prediction.words
    assert "“dot”" in checks.drill(1).prediction.question
    with pytest.raises(ValueError, match="notebook -1"):
        checks.drill(-1)
