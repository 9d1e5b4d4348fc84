"""Our BERT compared with BertForPreTraining; its number of parameters; what it must not see."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from peers import bert as theirs

from helpers.models.bert import BERT, from_hugging_face

few = settings(max_examples=20, deadline=None, derandomize=True)


def inputs(batch, tokens, vocabulary=11, seed=0):
    """ids, segments, and padding that leaves at least the first token of each sentence."""
    torch.manual_seed(seed)
    ids = torch.randint(vocabulary, (batch, tokens))
    lengths = torch.randint(1, tokens + 1, (batch, 1))
    return ids, torch.randint(2, (batch, tokens)), torch.arange(tokens) >= lengths


def their_answers(model, ids, segments, padding):
    """The last vectors, the pooled vector, the token logits, the pair logits, and all weights."""
    mask = None if padding is None else (~padding).long()
    more = {"attention_mask": mask, "token_type_ids": segments}
    whole = model(ids, output_hidden_states=True, output_attentions=True, **more)
    pooled, logits = model.bert(ids, **more).pooler_output, whole.prediction_logits
    weights = torch.stack(whole.attentions)
    return whole.hidden_states[-1], pooled, logits, whole.seq_relationship_logits, weights


def our_answers(model, *given):
    return *model.encode(*given), *model(*given), model(*given, True)[-1]


def close(mine, its):
    # The last bits depend on the order of summation; large logits have fewer bits after the
    # point.
    return mine.shape == its.shape and torch.allclose(mine, its, rtol=1e-11, atol=1e-11)


@few
@given(
    heads=st.integers(1, 4),
    head_dim=st.integers(1, 5),
    layers=st.integers(1, 3),
    vocabulary=st.integers(2, 30),
    batch=st.integers(1, 3),
    tokens=st.integers(1, 9),
    inner=st.sampled_from([5, 16]),
    eps=st.sampled_from([1e-12, 1e-2]),
    seed=st.integers(0, 1000),
    told=st.tuples(st.booleans(), st.booleans()),
)
def test_vectors_scores_and_weights_are_those_of_bert(
    heads, head_dim, layers, vocabulary, batch, tokens, inner, eps, seed, told
):
    config = {"layer_norm_eps": eps, "attn_implementation": "eager"}
    model = theirs(heads * head_dim, heads, layers, vocabulary, seed, inner, **config)
    ours = from_hugging_face(model)
    ids, parts, padding = inputs(batch, tokens, vocabulary, seed)
    given = ids, parts if told[0] else None, padding if told[1] else None
    with torch.no_grad():
        pairs = zip(our_answers(ours, *given), their_answers(model, *given), strict=True)
        assert all(close(mine, its) for mine, its in pairs)
    assert ours.word_head.out.weight is ours.word.weight


# --- The model ---


def small(**options):
    torch.manual_seed(0)
    return BERT(11, 9, 8, 2, 2, **options).eval()


@pytest.mark.parametrize(
    "given, kind, says",
    [
        ((torch.tensor([1, 2]),), ValueError, "(2,)"),
        ((torch.zeros(1, 10).long(),), ValueError, "context_length=9"),
        ((torch.tensor([[10, 11]]),), ValueError, "from 10 to 11"),
        ((torch.tensor([[1, 2]]), None, torch.tensor([[0, 1]])), TypeError, "int64"),
        ((torch.tensor([[1, 2]]), None, torch.tensor([[True] * 3])), ValueError, "(1, 1, 1, 3)"),
    ],
)
def test_wrong_input_is_refused_with_what_came(given, kind, says):
    with pytest.raises(kind) as error:
        small()(*given)
    assert says in str(error.value)
