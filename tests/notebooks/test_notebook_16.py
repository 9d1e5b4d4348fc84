"""Notebook 16: the vectors of texts are those that the publishers of its model print."""

import pytest
import torch
from notebook_cells import cell_with, run
from torch import nn

from helpers import checks, exercises
from helpers.models.published import Vectors, minilm


@pytest.fixture(scope="module")
def space():
    """What the notebook needs to make vectors of texts."""
    bert, tokenizer = minilm()
    known = {"torch": torch, "nn": nn, "checks": checks, "exercises": exercises}
    known |= {"bert": bert, "tokenizer": tokenizer, "reader": Vectors(bert)}
    sought = ("def my_mean_vector", "def embed")
    with torch.no_grad():
        return run([cell_with("16", text) for text in sought], **known)


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


@torch.no_grad()
@pytest.mark.parametrize("word, most", [("shiny", "sun"), ("old", "sun"), ("because", "[CLS]")])
def test_the_head_of_the_token_after_looks_at_it_from_most_words_and_not_from_because(
    space, word, most
):
    read = space["tokenizer"].encode(f"Hello {word} sun!")
    weights = space["bert"].encode(torch.tensor([read.ids]), return_weights=True)[2]
    assert read.tokens[weights[1, 0, 8, read.tokens.index(word)].argmax()] == most
