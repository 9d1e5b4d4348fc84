"""A Result as a card: it says what the text says, and all that a learner wrote stays text."""

import pytest
import torch
from bs4 import BeautifulSoup

from helpers import checks
from helpers.exercises import EXERCISES
from helpers.judge.card import Labelled
from helpers.judge.comparing import some

EVIL = "<script>broken()</script> & \"'"


def shown(result):
    data, about = result._repr_mimebundle_()
    verdict = about["check"]  # as data, for `make progress`
    assert (verdict["right"], verdict["mistake"]) == (result.passed, result.pitfall)
    assert set(data) == {"text/plain", "text/html"} and "<" not in data["text/plain"].split("\n")[0]
    return BeautifulSoup(data["text/html"], "html.parser").select_one(".check")


@pytest.mark.parametrize(
    "answer, state",
    [
        (lambda scores: (scores - scores.max()).exp(), "wrong"),
        (lambda scores: torch.softmax(scores, dim=0), "wrong"),
        (torch.nn.Softmax, "wrong"),
        (lambda scores: print(EVIL) or scores, "wrong"),
        (lambda scores: scores[EVIL], "wrong"),
        (..., "open"),
    ],
)
def test_a_card_says_all_that_the_text_says(answer, state):
    result = checks.softmax(answer)
    card = shown(result)
    assert f"check-{state}" in card["class"] and not card.script
    (head,) = card.select("[role=heading]")
    assert "softmax" in head.text and head.select_one("[aria-hidden]")  # the sign beside its word
    assert all(line in card.text for line in result.lines)
    said = " ".join(result.message.split())
    assert all(" ".join(line.split()) in said for line in result.lines)
    assert (card.img is not None) == (result.picture is not None)


def test_what_it_looks_like_is_the_title_and_what_to_read_again_a_link():
    result = checks.softmax(lambda scores: torch.softmax(scores, dim=0))
    card = shown(result)
    assert result.lines[0] in card.select_one("[role=heading]").text
    # In the same notebook the link has no file name, because learners rename their copies.
    before, _, heading = card.a["href"].partition("#")
    assert not before and heading.replace("-", " ") in card.a.text
    mistake = EXERCISES["multi_head"].mistakes["never_drops"].ways[0]
    assert "04_dropout.ipynb#" in shown(checks.multi_head(mistake)).a["href"]


def test_a_right_answer_counts_what_is_done_but_not_in_the_text(monkeypatch):
    monkeypatch.setattr(checks, "done", set())
    first = checks.scores(lambda query, X: X @ query)
    second = checks.predict("highest score", "shiny")
    counts = [shown(result).find_all("p")[-1].text for result in (first, second)]
    assert "1 of 6" in counts[0] and "2 of 6" in counts[1]
    assert not any("of 6" in repr(result) for result in (first, second))


def test_a_label_is_what_stands_before_the_first_colon():
    assert Labelled("Try: {text}", text="this: that").label == "Try:"
    assert Labelled("{text}", text="this: that").label == ""


def test_of_many_words_the_number_of_those_left_out_is_said():
    assert some("abcde", most=4) == "a, b, c, d and 1 more"
    assert some("abcda", most=4) == "a, b, c, d"
