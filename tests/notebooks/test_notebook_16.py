"""Notebook 16: its functions, and what it says of merges and padding."""

import math
from collections import Counter

import pytest
import torch
from notebook_cells import cell_with, run

from helpers import checks, exercises
from helpers.models.published import minilm
from helpers.pictures import plots


@pytest.fixture(scope="module")
def space():
    """What the notebook defines, up to its search, without its Explorers and large pictures."""
    import torch.nn as nn

    bert, tokenizer = minilm()
    known = {"torch": torch, "nn": nn, "math": math, "Counter": Counter, "checks": checks}
    known |= {"exercises": exercises, "plots": plots, "bert": bert, "tokenizer": tokenizer}
    known |= {"Inside": lambda *a, **k: None, "Explorer": lambda *a, **k: None}
    sought = ("def my_merge_once", "def learn_merges", "def cut_up", "class Vectors", "def look")
    sought += ("def my_prefers", "def right_in", "def my_mean_vector", "def embed")
    with torch.no_grad():
        return run([cell_with("16", text) for text in sought], **known)


def test_merges_lose_no_letter_and_the_most_frequent_pair_comes_first(space):
    subwords, merges, history = space["learn_merges"](Counter({"abab": 3, "abc": 2, "cab": 1}))
    # The letters are those of the stories, and the pair (a, b) occurs 3 · 2 + 2 + 1 = 9 times.
    assert subwords[merges[0][0]] + subwords[merges[0][1]] == "ab"
    for cut in history:
        assert all("".join(subwords[i] for i in ids) == word for word, ids in cut.items())
    assert all(len(ids) == 1 for ids in history[-1].values())


def test_any_word_of_known_letters_is_cut_into_known_subwords(space):
    for word in ("sunshine", "rainbow", "t", "has", "zebra"[1:]):
        pieces = space["cut_up"](word)
        assert "".join(pieces) == word and set(pieces) <= set(space["subwords"])
    assert space["cut_up"]("has") == ["has"]  # a word of the stories is whole


@torch.no_grad()
def test_the_vector_of_a_text_does_not_depend_on_what_stands_beside_it(space):
    texts = ["Go", "The bird did not cross the street.", "Hello shiny sun!"]
    together = space["embed"](texts, size=3)
    alone = torch.cat([space["embed"]([text]) for text in texts])
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-5)
    torch.testing.assert_close(together.norm(dim=1), torch.ones(3))


@torch.no_grad()
def test_cosines_are_those_that_the_publishers_print(space):
    # The first example in the documentation of Sentence Transformers, which uses this model.
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = space["embed"](texts)
    printed = torch.tensor([[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]])
    torch.testing.assert_close(vectors @ vectors.T, printed, rtol=0, atol=6e-5)
