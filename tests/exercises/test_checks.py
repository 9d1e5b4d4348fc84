"""Over all exercises: what is right is accepted, what is wrong is not, mistakes are named."""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from helpers import checks, exercises
from helpers.exercises import EXERCISES, NOTEBOOKS, descriptions
from helpers.exercises.mistakes import DESCRIPTIONS, PARTS
from helpers.judge.check import check as judge

ROOT = Path(__file__).resolve().parents[2]
in_each = pytest.mark.parametrize("name", EXERCISES)  # all its data in one test: it is quick


def check(name, answer):
    return getattr(checks, name)(answer)


@in_each
def test_every_mistake_is_rejected_and_named_and_every_right_form_is_accepted(name):
    exercise = EXERCISES[name]
    assert len(exercise.mistakes) >= 3
    for mistake in exercise.mistakes.values():
        assert all(check(name, form).passed for form in mistake.forms)
        for way in mistake.ways:
            result = check(name, way)
            assert not result.passed and result.pitfall == mistake.id, (mistake.id, result)
            assert mistake.name in result.message and mistake.hint in result.message
        assert mistake.line and mistake.line != mistake.corrected, mistake.id
        assert not any(mistake.corrected in text for text in (mistake.shows, mistake.hint))


def test_every_description_is_of_a_mistake_and_has_a_name_of_its_own():
    used = {key for exercise in EXERCISES.values() for key in exercise.mistakes | exercise.general}
    assert used == DESCRIPTIONS.keys()
    assert len({text.name for text in DESCRIPTIONS.values()}) == sum(map(len, PARTS))


@cache
def sources(number):
    """(the type of a cell, its text) of each cell of a notebook."""
    path = ROOT / "notebooks" / f"{NOTEBOOKS[number].file}.ipynb"
    return [(c["cell_type"], "".join(c["source"])) for c in json.loads(path.read_text())["cells"]]


def headings(number):
    return [
        (position, heading)
        for position, (kind, text) in enumerate(sources(number))
        for heading in re.findall(r"^#+ (.+)$", text.replace("`", ""), re.M)
        if kind == "markdown"
    ]


@in_each
def test_the_section_to_reread_stands_above_the_exercise(name):
    """What comes further down a learner has not read yet, and it may give the answer away."""
    (own,) = [n for n, book in NOTEBOOKS.items() if name in book.exercises]
    asked = [i for i, (_kind, text) in enumerate(sources(own)) if f"checks.{name}(" in text]
    assert asked, f"notebook {own:02} has no cell with checks.{name}("
    exercise = EXERCISES[name]
    assert exercise.reread[0] == NOTEBOOKS[own].file
    assert exercise.reread_on.keys() <= DESCRIPTIONS.keys()
    for file, section in [exercise.reread, *exercise.reread_on.values()]:
        number = int(file[:2])
        found = [position for position, heading in headings(number) if heading == section]
        assert found and file == NOTEBOOKS[number].file, f"{file} has no section {section!r}"
        assert (number, found[0]) < (own, asked[0]), section


@pytest.mark.parametrize(
    "name, mistake, number, section",
    [
        ("softmax", "not_divided", 1, "Step 2: from scores to attention weights"),
        ("causal_dropout", "mask_added", 3, "Further: PyTorch has two kinds of mask · 3 min"),
        # The path "One day" comes to heads without notebook 4.
        ("multi_head", "never_drops", 4, "Training and use"),
        ("multi_head", "not_transposed_back", 5, "The way back"),
    ],
)
def test_a_mistake_sends_the_learner_to_where_it_is_explained(name, mistake, number, section):
    said = check(name, EXERCISES[name].mistakes[mistake].ways[0]).lines[-1]
    assert said == f"Read again: notebook {number:02}, “{section}”"


def test_in_a_case_that_is_cut_from_a_wrong_one_not_its_size_is_to_blame():
    code = EXERCISES["my_watch"].mistakes["name_unused"].ways[0]
    right, wrong = check("my_watch", code).lines[1:3]
    assert "the second layer of two" in wrong and "a batch of one" not in right + wrong


class Stubborn:
    """Raises at everything."""

    def __getattr__(self, name):
        raise RuntimeError("no")

    def __array__(self, *arguments, **named):
        raise ZeroDivisionError("no array")


ODD = [
    "abc", b"abc", {"weights": 1}, {1, 2}, [[1, 2], [3]], [], [[]], object(), 1j, torch.tensor(1j),
    np.array(["a"]), len, nn.Linear, True, 3, torch.ones(0), torch.ones(1, 1, 1, 1, 1, 1),
    float("inf"), torch.full((4,), torch.inf), [None], (x for x in "ab"), Stubborn(), "…" * 10_000,
    torch.ones(4).to_sparse(), [torch.ones(4)] * 2, np.datetime64("2020"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["softmax", "self_attention", "dropout", "leak_test", "project"])
def test_whatever_comes_back_something_sensible_is_said(name):
    for odd in ODD:
        result = check(name, lambda *arguments, odd=odd: odd)
        assert not result.passed and len(result.message) < 1500, odd
        assert "could not be checked" not in result.message, odd
        assert result.picture is None or result.picture.text


def test_what_is_no_answer_at_all():
    for name, answer, said in (
        ("softmax", torch.ones(3), "Pass the function itself"),
        ("softmax", nn.Softmax, "of type Softmax"),
        ("dropout_module", nn.Dropout(0.5), "Pass the class itself"),
        ("gpt2_parameters", "2,362,368", "leave out the quotation marks"),
        ("gpt2_parameters", (2, 362, 368), "without commas"),
        ("context", lambda X, weights: weights @ X, "in another order"),
    ):
        result = check(name, answer)
        assert not result.passed and said in result.message

    def stub(scores): ...

    with torch.device("meta"):
        assert "default device is meta" in check("softmax", lambda scores: scores).message
    assert not check("softmax", Stubborn()).passed

    for nothing in (None, ..., stub):
        assert not check("softmax", nothing).attempted


def test_what_is_async_is_told_and_leaves_nothing_unawaited(recwarn):
    async def answer(scores):
        return scores.softmax(dim=-1)

    class Layer(nn.Module):
        async def forward(self, x):
            return x

    for name, code in (("softmax", answer), ("causal_attention", Layer)):
        assert "without async" in check(name, code).message
    assert not [w for w in recwarn if w.category is RuntimeWarning]


def test_an_error_of_topk_is_not_taken_for_one_of_an_index():
    said = check("top_k", lambda logits, k: logits.topk(99).values).message
    assert "index k out of range" in said and "topk(k)" in said and "0 to n - 1" not in said


def test_a_result_is_true_if_the_answer_is_right_whatever_name_it_is_passed_under():
    right, wrong = check("scores", lambda query, X: X @ query), check("scores", lambda query, X: X)
    assert right and not wrong and not check("scores", None)
    assert checks.predict("highest score", "shiny") and not checks.predict("highest score", "sun")
    assert checks.scores(answer=lambda query, X: X @ query).passed
    assert checks.predict("highest score", answer="shiny").passed
    assert "2 came" in checks.scores(lambda query, X: X @ query, verbose=True).message


def test_a_remark_alone_makes_no_case_wrong():
    result = check("leak_test", EXERCISES["leak_test"].mistakes["one_position"].ways[0])
    (wrong,) = [line for line in result.lines if line.startswith("Not for")]
    assert "causal attention" not in wrong and "a leak in the first token only" in wrong


def test_a_few_whole_numbers_are_shown_as_they_are():
    for ids in ([1, 4, 2], torch.tensor([1, 4, 2, 0, 0])):
        message = check("greedy_decoding", lambda *arguments, ids=ids: ids).message
        assert str(list(map(int, ids))) in message and "expected [1, 4, 4, 2]" in message


def test_what_is_read_from_the_notebook_is_named_after_a_mistake_that_is_recognised():
    cells = {"X": torch.ones(3, 4), "mask": torch.ones(2), "torch": torch}
    code = "def answer(query, matrix):\n    inner = lambda: X\n    return {result}"
    for result, pitfall, borrowed in [
        ("inner() @ query", None, True),
        ("(matrix * query, X)[0]", "not_added_up", True),
        ("torch.ones(2) @ query.mask", None, False),  # an attribute is not the notebook's mask
    ]:
        exec(
            code.format(result=result).replace("lambda: X", "lambda: X" if borrowed else "0"), cells
        )
        said = check("scores", cells["answer"])
        assert said.pitfall == pitfall, (result, said)
        assert ("from the notebook" in said.message) == borrowed, (result, said)


def test_an_exercise_comes_through_all_doors():
    for name in EXERCISES:
        assert getattr(checks, name).__doc__ == EXERCISES[name].asks
        assert getattr(exercises, name) is EXERCISES[name].right and name in dir(checks)
    for door in (checks, exercises):
        with pytest.raises(AttributeError, match="'sofmax'; there are: dot, scores, "):
            door.sofmax  # noqa: B018


def test_the_exercise_that_the_guide_shows_how_to_add(tmp_path, monkeypatch):
    guides = "\n".join(p.read_text("utf-8") for p in (*ROOT.glob("docs/*.md"), ROOT / "README.md"))
    blocks = re.findall(r"```python\n(.+?)```", guides, re.S)
    (shown,) = [block for block in blocks if "@notebook" in block]
    (new,) = [block for block in blocks if "described(" in block]
    described = {"described": descriptions.described}
    for key, description in eval(f"{{{new}}}", described).items():
        monkeypatch.setitem(DESCRIPTIONS, key, description)
    source = "from helpers.exercises.notebook import Notebook\n"
    source += "from helpers.judge.exercise import Case, wave\n"
    (tmp_path / "n09_try.py").write_text(f"{source}notebook = Notebook('a.n09_try')\n{shown}")
    monkeypatch.syspath_prepend(tmp_path)
    space = __import__("n09_try")
    (exercise,) = space.notebook.exercises.values()
    assert judge(exercise, exercise.right).passed
    for key, mistake in exercise.mistakes.items():
        assert judge(exercise, mistake.ways[0]).pitfall == key
