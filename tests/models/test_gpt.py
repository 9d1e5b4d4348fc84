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
def test_scores_and_weights_are_those_of_gpt2(
    heads, head_dim, layers, vocabulary, batch, tokens, inner, eps, tied, seed
):
    config = {"n_inner": inner, "layer_norm_epsilon": eps, "attn_implementation": "eager"}
    model = theirs(heads * head_dim, heads, layers, vocabulary, tied, seed, **config)
    ours = from_hugging_face(model)
    ids = torch.randint(vocabulary, (batch, tokens))
    with torch.no_grad():
        wanted = model(ids, output_attentions=True)
        scores, (again, weights) = ours(ids), ours(ids, return_weights=True)
    attentions = torch.stack(wanted.attentions)
    for mine, its in ((scores, wanted.logits), (again, wanted.logits), (weights, attentions)):
        # The last bits depend on the order of summation; large logits have fewer bits after the
        # point.
        assert mine.shape == its.shape and torch.allclose(mine, its, rtol=1e-9, atol=1e-9)
    assert (ours.out.weight is ours.word.weight) == tied


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
