"""Our BERT compared with BertForPreTraining; its number of parameters; what it must not see."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from transformers import BertConfig, BertForMaskedLM, BertForPreTraining

from helpers.models.bert import BERT, from_hugging_face

few = settings(max_examples=20, deadline=None, derandomize=True)


def theirs(d_model=8, heads=2, layers=2, vocabulary=11, seed=0, inner=12, **config):
    """A BertForPreTraining with random weights everywhere, in double precision and eval mode."""
    config = BertConfig(
        vocab_size=vocabulary, max_position_embeddings=9, hidden_size=d_model,
        num_attention_heads=heads, num_hidden_layers=layers, intermediate_size=inner, **config,
    )  # fmt: skip
    torch.manual_seed(seed)
    model = BertForPreTraining(config).double().eval()
    for parameter in model.parameters():  # zero biases and norms of 1 would hide omissions
        parameter.data = torch.randn_like(parameter) * 0.5
    return model


def inputs(batch, tokens, vocabulary=11, segments=2, seed=0):
    """ids, segments, and padding that leaves at least the first token of each sentence."""
    torch.manual_seed(seed)
    ids = torch.randint(vocabulary, (batch, tokens))
    lengths = torch.randint(1, tokens + 1, (batch, 1))
    return ids, torch.randint(segments, (batch, tokens)), torch.arange(tokens) >= lengths


def their_answers(model, ids, segments=None, padding=None, **options):
    """The last vectors, the pooled vector, the token logits and the pair logits."""
    mask = None if padding is None else (~padding).long()
    more = {"attention_mask": mask, "token_type_ids": segments, **options}
    whole = model(ids, output_hidden_states=True, **more)
    pooled = model.bert(ids, **more).pooler_output
    return whole.hidden_states[-1], pooled, whole.prediction_logits, whole.seq_relationship_logits


def our_answers(model, ids, segments=None, padding=None):
    return *model.encode(ids, segments, padding), *model(ids, segments, padding)


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
    segments=st.integers(1, 3),
    batch=st.integers(1, 3),
    tokens=st.integers(1, 9),
    inner=st.sampled_from([5, 16]),
    eps=st.sampled_from([1e-12, 1e-2]),
    seed=st.integers(0, 1000),
    told=st.tuples(st.booleans(), st.booleans()),
)
def test_vectors_and_scores_are_those_of_bert(
    heads, head_dim, layers, vocabulary, segments, batch, tokens, inner, eps, seed, told
):
    config = {"type_vocab_size": segments, "layer_norm_eps": eps}
    model = theirs(heads * head_dim, heads, layers, vocabulary, seed, inner, **config)
    ours = from_hugging_face(model)
    ids, parts, padding = inputs(batch, tokens, vocabulary, segments, seed)
    given = ids, parts if told[0] else None, padding if told[1] else None
    with torch.no_grad():
        pairs = zip(our_answers(ours, *given), their_answers(model, *given), strict=True)
        assert all(close(mine, its) for mine, its in pairs)
    assert ours.word_head.out.weight is ours.word.weight


def test_weights_of_every_head_and_layer_are_those_of_bert():
    model = theirs(12, heads=3, attn_implementation="eager")
    ids, segments, padding = inputs(2, 7)
    with torch.no_grad():
        *_, weights = from_hugging_face(model)(ids, segments, padding, True)
        mask = (~padding).long()
        wanted = model(ids, attention_mask=mask, token_type_ids=segments, output_attentions=True)
    assert weights.shape == (2, 2, 3, 7, 7)
    assert close(weights, torch.stack(wanted.attentions))


def test_a_model_in_training_stays_so_and_drops_as_much():
    model = theirs(hidden_dropout_prob=0.3)
    assert not from_hugging_face(model).training
    ours = from_hugging_face(model.train())
    assert ours.training and ours.dropout.p == 0.3
    ids = torch.zeros(1, 5, dtype=torch.long)
    assert not torch.equal(ours(ids)[0], ours(ids)[0])
    assert torch.equal(ours.eval()(ids)[0], ours(ids)[0])


@pytest.mark.parametrize(
    "config",
    [
        {"hidden_act": "gelu_new"},
        {"is_decoder": True},
        {"position_embedding_type": "relative_key"},
        {"tie_word_embeddings": False},
    ],
    ids=str,
)
def test_a_model_of_another_make_is_refused(config):
    with pytest.raises(ValueError):
        from_hugging_face(theirs(**config))


def test_what_has_not_both_heads_of_bert_is_refused():
    model = theirs()
    for part in (nn.Linear(2, 2), model.bert, BertForMaskedLM(model.config)):
        with pytest.raises(TypeError, match="pass a BertForPreTraining"):
            from_hugging_face(part)


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
