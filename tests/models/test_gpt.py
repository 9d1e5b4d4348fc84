"""Our GPT compared with GPT2LMHeadModel; its number of parameters; what it must not see."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from peers import gpt as theirs

from helpers.models.gpt import GPT, from_hugging_face

few = settings(max_examples=20, deadline=None, derandomize=True)


@few
@given(
    heads=st.integers(1, 4),
    head_dim=st.integers(1, 5),
    layers=st.integers(1, 3),
    vocabulary=st.integers(2, 30),
    batch=st.integers(1, 3),
    tokens=st.integers(1, 9),
    inner=st.sampled_from([None, 7]),
    eps=st.sampled_from([1e-5, 1e-2]),
    tied=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_scores_are_those_of_gpt2(
    heads, head_dim, layers, vocabulary, batch, tokens, inner, eps, tied, seed
):
    config = {"n_inner": inner, "layer_norm_epsilon": eps}
    model = theirs(heads * head_dim, heads, layers, vocabulary, tied, seed, **config)
    ours = from_hugging_face(model)
    ids = torch.randint(vocabulary, (batch, tokens))
    with torch.no_grad():
        scores, wanted = ours(ids), model(ids).logits
    assert scores.shape == wanted.shape
    # The last bits depend on the order of summation; large logits have fewer bits after the
    # point.
    assert torch.allclose(scores, wanted, rtol=1e-9, atol=1e-9)
    assert (ours.out.weight is ours.word.weight) == tied


def test_weights_of_every_head_and_layer_are_those_of_gpt2():
    model = theirs(12, heads=3, layers=2, attn_implementation="eager")
    ids = torch.randint(11, (2, 7))
    with torch.no_grad():
        _, weights = from_hugging_face(model)(ids, return_weights=True)
        wanted = model(ids, output_attentions=True)
    assert weights.shape == (2, 2, 3, 7, 7)
    assert torch.allclose(weights, torch.stack(wanted.attentions), atol=1e-12)


# --- The model ---


def small(**options):
    torch.manual_seed(0)
    return GPT(11, 9, 8, 2, 2, **options).eval()


@pytest.mark.parametrize(
    "ids, parts",
    [
        (torch.tensor([1, 2]), ["(2,)", "(batch, tokens)"]),
        (torch.zeros(1, 0).long(), ["(1, 0)"]),
        (torch.zeros(1, 10).long(), ["10 tokens", "context_length=9"]),
        (torch.tensor([[1, 11]]), ["from 1 to 11", "(0 to 10)"]),
    ],
)
def test_wrong_ids_are_refused_with_what_came(ids, parts):
    with pytest.raises(ValueError) as error:
        small()(ids)
    assert all(part in str(error.value) for part in parts), error.value
