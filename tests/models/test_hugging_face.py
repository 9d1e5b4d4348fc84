"""Which models of Hugging Face can be taken over, and that they stay in training."""

import peers
import pytest
import torch
from torch import nn
from transformers import BertForMaskedLM

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


def test_what_is_none_of_them_is_refused():
    parts = {"gpt": [peers.gpt().transformer], "bert": [peers.bert().bert]}
    parts["bert"].append(BertForMaskedLM(peers.bert().config))  # it lacks one of the two heads
    for kind, models in parts.items():
        for model in [nn.Linear(2, 2), *models]:
            with pytest.raises(TypeError, match="pass a (GPT2LMHeadModel|BertForPreTraining)"):
                MADE[kind][1](model)
