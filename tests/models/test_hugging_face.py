"""Which models of Hugging Face can be taken over, and that they stay in training."""

import peers
import pytest
import torch

from helpers.models import bert, gpt

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


@pytest.mark.parametrize(
    "kind, name, value",
    [
        ("gpt", "activation_function", "gelu"),
        ("gpt", "add_cross_attention", True),
        ("gpt", "scale_attn_weights", False),
        ("gpt", "scale_attn_by_inverse_layer_idx", True),
        ("bert", "hidden_act", "gelu_new"),
        ("bert", "is_decoder", True),
        ("bert", "position_embedding_type", "relative_key"),
        ("bert", "tie_word_embeddings", False),
    ],
)
def test_a_model_of_another_make_is_refused(kind, name, value):
    theirs, taken = MADE[kind]
    with pytest.raises(ValueError, match="from_hugging_face"):
        taken(theirs(**{name: value}))
