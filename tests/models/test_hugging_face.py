"""Our GPT and BERT with the weights of Hugging Face's: the same numbers; others are refused."""

import peers
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.models import bert, gpt

few = settings(max_examples=20, deadline=None, derandomize=True)
SIZES = {
    "heads": st.integers(1, 4),
    "head_dim": st.integers(1, 5),
    "layers": st.integers(1, 3),
    "vocabulary": st.integers(2, 30),
    "batch": st.integers(1, 3),
    "tokens": st.integers(1, 9),
    "seed": st.integers(0, 1000),
}


def close(mine, its, near):
    # The last bits depend on the order of summation; large logits have fewer bits after the point.
    return mine.shape == its.shape and torch.allclose(mine, its, rtol=near, atol=near)


@few
@given(**SIZES, inner=st.sampled_from([None, 7]), eps=st.sampled_from([1e-5, 1e-2]), tied=...)
@torch.no_grad()
def test_logits_and_weights_are_those_of_gpt2(
    heads, head_dim, layers, vocabulary, batch, tokens, seed, inner, eps, tied: bool
):
    config = {"n_inner": inner, "layer_norm_epsilon": eps, "attn_implementation": "eager"}
    model = peers.gpt(heads * head_dim, heads, layers, vocabulary, tied, seed, **config)
    ours, ids = gpt.from_hugging_face(model), torch.randint(vocabulary, (batch, tokens))
    wanted = model(ids, output_attentions=True)
    logits, weights = ours(ids, return_weights=True)
    assert close(logits, wanted.logits, 1e-9) and close(ours(ids), wanted.logits, 1e-9)
    assert close(weights, torch.stack(wanted.attentions), 1e-9)
    assert (ours.out.weight is ours.word.weight) == tied


def their_answers(model, ids, segments, padding):
    """The last vectors, the pooled vector, the token logits, the pair logits, and all weights."""
    mask = None if padding is None else (~padding).long()
    more = {"attention_mask": mask, "token_type_ids": segments}
    whole = model(ids, output_hidden_states=True, output_attentions=True, **more)
    pooled, logits = model.bert(ids, **more).pooler_output, whole.prediction_logits
    weights = torch.stack(whole.attentions)
    return whole.hidden_states[-1], pooled, logits, whole.seq_relationship_logits, weights


@few
@given(
    **SIZES,
    inner=st.sampled_from([5, 16]),
    eps=st.sampled_from([1e-12, 1e-2]),
    told=st.tuples(st.booleans(), st.booleans()),
)
@torch.no_grad()
def test_vectors_logits_and_weights_are_those_of_bert(
    heads, head_dim, layers, vocabulary, batch, tokens, seed, inner, eps, told
):
    config = {"layer_norm_eps": eps, "attn_implementation": "eager"}
    model = peers.bert(heads * head_dim, heads, layers, vocabulary, seed, inner, **config)
    ours, ids = bert.from_hugging_face(model), torch.randint(vocabulary, (batch, tokens))
    padding = torch.arange(tokens) >= torch.randint(1, tokens + 1, (batch, 1))
    segments = torch.randint(2, (batch, tokens))
    shown = ids, segments if told[0] else None, padding if told[1] else None
    found = *ours.encode(*shown), *ours(*shown), ours(*shown, True)[-1]
    for mine, its in zip(found, their_answers(model, *shown), strict=True):
        assert close(mine, its, 1e-11)
    assert ours.word_head.out.weight is ours.word.weight


MADE = {"gpt": (peers.gpt, gpt.from_hugging_face), "bert": (peers.bert, bert.from_hugging_face)}


@pytest.mark.parametrize(
    "kind, dropout", {"gpt": "resid_pdrop", "bert": "hidden_dropout_prob"}.items()
)
def test_a_model_in_training_stays_so_and_drops_as_much(kind, dropout):
    theirs, taken = MADE[kind]
    model = theirs(**{dropout: 0.3})
    assert not taken(model).training
    ours = taken(model.train())
    assert ours.training and ours.dropout.p == 0.3
    ids = torch.zeros(1, 5, dtype=torch.long)
    assert not torch.equal(ours(ids)[0], ours(ids)[0])
    assert torch.equal(ours.eval()(ids)[0], ours(ids)[0])


OTHERS = {
    "gpt": {
        "activation_function": "gelu",
        "add_cross_attention": True,
        "scale_attn_weights": False,
        "scale_attn_by_inverse_layer_idx": True,
    },
    "bert": {
        "hidden_act": "gelu_new",
        "is_decoder": True,
        "position_embedding_type": "relative_key",
        "tie_word_embeddings": False,
    },
}


@pytest.mark.parametrize("kind, name", [(kind, name) for kind in OTHERS for name in OTHERS[kind]])
def test_a_model_of_another_make_is_refused(kind, name):
    theirs, taken = MADE[kind]
    with pytest.raises(ValueError, match="from_hugging_face"):
        taken(theirs(**{name: OTHERS[kind][name]}))
