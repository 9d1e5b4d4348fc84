"""Our BERT against BertForPreTraining, with random weights; the numbers it learns; what it must not see."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from transformers import BertConfig, BertForMaskedLM, BertForPreTraining

from helpers.models.bert import BERT, WordHead, from_hugging_face

few = settings(max_examples=20, deadline=None, derandomize=True)


def theirs(d_model=8, heads=2, layers=2, vocabulary=11, seed=0, inner=12, **config):
    """A BertForPreTraining with random weights everywhere, in double precision, not in training."""
    config = BertConfig(
        vocab_size=vocabulary, max_position_embeddings=9, hidden_size=d_model,
        num_attention_heads=heads, num_hidden_layers=layers, intermediate_size=inner, **config,
    )  # fmt: skip
    torch.manual_seed(seed)
    model = BertForPreTraining(config).double().eval()
    for parameter in model.parameters():  # biases of 0 and norms of 1 would hide what is forgotten
        parameter.data = torch.randn_like(parameter) * 0.5
    return model


def inputs(batch, tokens, vocabulary=11, segments=2, seed=0):
    """ids, segments, and padding that leaves the first token of each sentence at least."""
    torch.manual_seed(seed)
    ids = torch.randint(vocabulary, (batch, tokens))
    lengths = torch.randint(1, tokens + 1, (batch, 1))
    return ids, torch.randint(segments, (batch, tokens)), torch.arange(tokens) >= lengths


def their_answers(model, ids, segments=None, padding=None, **options):
    """Last vectors, pooled answer, scores of words, scores of the pair."""
    mask = None if padding is None else (~padding).long()
    more = {"attention_mask": mask, "token_type_ids": segments, **options}
    whole = model(ids, output_hidden_states=True, **more)
    pooled = model.bert(ids, **more).pooler_output
    return whole.hidden_states[-1], pooled, whole.prediction_logits, whole.seq_relationship_logits


def our_answers(model, ids, segments=None, padding=None):
    return *model.encode(ids, segments, padding), *model(ids, segments, padding)


def close(mine, its):
    # The last bits differ with the order of sums; large scores have fewer bits behind the point.
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


def by_our_names(gradients, layers):
    """The gradients of a BertForPreTraining, by the names of our weights: a second, short table."""
    short = [
        ("bert.embeddings.LayerNorm", "norm"), ("bert.embeddings.word_embeddings", "word"),
        ("bert.embeddings.position_embeddings", "place"),
        ("bert.embeddings.token_type_embeddings", "segment"),
        ("bert.encoder.layer", "layers"), ("attention.self.", "attention.W_"),
        ("attention.output.dense", "attention.out_proj"), ("attention.output.LayerNorm", "norm1"),
        ("intermediate.dense", "feed_forward.linear1"), ("output.dense", "feed_forward.linear2"),
        ("output.LayerNorm", "norm2"), ("bert.pooler.dense", "pooler"),
        ("cls.predictions.transform.dense", "word_head.dense"),
        ("cls.predictions.transform.LayerNorm", "word_head.norm"),
        ("cls.predictions.decoder", "word_head.out"), ("cls.predictions.bias", "word_head.out.bias"),
        ("cls.seq_relationship", "pair_head"),
    ]  # fmt: skip
    named = {}
    for name, gradient in gradients.items():
        for its, ours in short:
            name = name.replace(its, ours)
        named[name] = gradient
    return named


@pytest.mark.parametrize("d_model, heads, layers", [(6, 1, 1), (12, 4, 3)])
def test_both_losses_and_every_gradient_are_those_of_bert(d_model, heads, layers):
    # By itself, that class keeps the vector of word 0 out of the training, as one that only fills up.
    model = theirs(d_model, heads, layers, pad_token_id=None)
    ours = from_hugging_face(model)
    ids, segments, padding = inputs(4, 9)
    labels = ids.masked_fill(torch.rand(ids.shape) < 0.5, -100).masked_fill(padding, -100)
    follows = torch.tensor([0, 1, 1, 0])
    scores, pair = ours(ids, segments, padding)
    loss = F.cross_entropy(scores.flatten(0, 1), labels.flatten()) + F.cross_entropy(pair, follows)
    told = {"labels": labels, "next_sentence_label": follows, "token_type_ids": segments}
    wanted = model(ids, attention_mask=(~padding).long(), **told).loss
    assert close(loss, wanted)
    loss.backward()
    wanted.backward()
    mine = {name: weight.grad for name, weight in ours.named_parameters()}
    its = by_our_names({name: weight.grad for name, weight in model.named_parameters()}, layers)
    assert mine.keys() == its.keys()
    assert all(close(mine[name], its[name]) for name in mine)
    assert all(
        gradient.abs().sum() > 0 for name, gradient in mine.items() if "W_key.bias" not in name
    )


def test_weights_of_every_head_and_layer_are_those_of_bert():
    model = theirs(12, heads=3, attn_implementation="eager")
    ids, segments, padding = inputs(2, 7)
    with torch.no_grad():
        scores, pair, weights = from_hugging_face(model)(ids, segments, padding, True)
        mask = (~padding).long()
        wanted = model(ids, attention_mask=mask, token_type_ids=segments, output_attentions=True)
    assert weights.shape == (2, 2, 3, 7, 7)
    assert close(weights, torch.stack(wanted.attentions))
    assert close(scores, wanted.prediction_logits) and close(pair, wanted.seq_relationship_logits)


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


# --- Parameters ---


def count(module):
    return sum(p.numel() for p in module.parameters())


SIZES = {  # d_model, heads, layers → numbers to learn: with both heads, with the pooler alone
    "base": (768, 12, 12, 110_106_428, 109_482_240),
    "large": (1024, 16, 24, 336_226_108, 335_141_888),
}


def test_bert_has_as_many_numbers_as_published():
    for d_model, heads, layers, whole, pooled in SIZES.values():
        with torch.device("meta"):
            model = BERT(30_522, 512, d_model, heads, layers)
        heads_alone = count(model.word_head) - model.word.weight.numel() + count(model.pair_head)
        assert (count(model), count(model) - heads_alone) == (whole, pooled)


def test_it_works_on_the_meta_device():
    with torch.device("meta"):
        ids = torch.zeros(2, 9, dtype=torch.long)
        scores, pair, weights = BERT(100, 9, 8, 2, 1)(ids, ids, ids == 0, return_weights=True)
    assert scores.shape == (2, 9, 100) and pair.shape == (2, 2)
    assert weights.shape == (1, 2, 2, 9, 9)


# --- The model ---


def small(**options):
    torch.manual_seed(0)
    return BERT(11, 9, 8, 2, 2, **options).eval()


def test_padding_changes_nothing_for_the_words_that_are_there():
    model, (ids, segments, _) = small().double(), inputs(3, 9)
    padding = (torch.arange(9) >= 5).expand(3, 9)
    short = *model.encode(ids[:, :5], segments[:, :5]), *model(ids[:, :5], segments[:, :5])
    for filling in (ids, (ids + 1) % 11):  # whatever it is filled up with
        filling = torch.where(padding, filling, ids)
        vectors, pooled, scores, pair = our_answers(model, filling, segments, padding)
        long = vectors[:, :5], pooled, scores[:, :5], pair
        assert all(close(a, b) for a, b in zip(long, short, strict=True))
    assert not close(model(ids, segments)[0][:, :5], short[2])  # not hidden, it would tell


def test_every_score_moves_with_every_word_on_either_side():
    model, ids = small().double(), inputs(1, 9)[0]
    before = model(ids)[0]
    for t in range(9):
        poked = ids.clone()
        poked[:, t] = (poked[:, t] + 1) % 11
        assert ((model(poked)[0] - before).abs().amax(dim=-1) > 1e-9).all()


def test_order_and_segments_are_told():
    model, (ids, _, _) = small(), inputs(2, 9)
    ids[:, :2] = torch.tensor([1, 2])
    swapped = ids[:, [1, 0, *range(2, 9)]]
    assert not torch.allclose(model(ids)[0][:, 5], model(swapped)[0][:, 5], atol=1e-6)
    zeros = torch.zeros_like(ids)
    assert torch.equal(model(ids)[0], model(ids, zeros)[0])  # nothing said: all are of A
    assert not torch.allclose(model(ids)[1], model(ids, zeros + 1)[1], atol=1e-6)


def test_with_and_without_weights_the_answers_are_the_same():
    model, given = small(), inputs(3, 6)
    *answers, weights = model(*given, return_weights=True)
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(answers, model(*given), strict=True))
    *_, same = model.encode(*given, return_weights=True)
    assert torch.equal(weights, same)
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3, 2, 6))
    hidden = given[2][None, :, None, None, :].expand_as(weights)
    assert (weights[hidden] == 0).all() and (weights[~hidden] > 0).all()


def test_tied_is_one_tensor_and_is_saved_and_moved_so():
    model = small()
    assert model.word_head.out.weight is model.word.weight
    assert model.double().word_head.out.weight is model.word.weight
    again = small()
    again.load_state_dict(model.state_dict())
    assert torch.equal(again.double()(torch.tensor([[1, 2]]))[0], model(torch.tensor([[1, 2]]))[0])


def test_what_is_not_said_is_as_in_bert():
    model, wanted = small(), BertConfig().layer_norm_eps
    norms = [part for part in model.modules() if isinstance(part, nn.LayerNorm)]
    assert len(norms) == 6 and all(norm.eps == wanted for norm in norms)
    assert WordHead(model.word.weight).norm.eps == wanted
    assert (model.word_head.out.bias == 0).all()  # no word is likelier by itself
    assert torch.equal(
        model.train()(torch.tensor([[1, 2]]))[0], model.eval()(torch.tensor([[1, 2]]))[0]
    )  # dropout is to be asked for


def test_it_starts_near_to_chance():
    ids = torch.randint(11, (16, 9))
    scores, pair = small()(ids)
    loss = F.cross_entropy(scores.flatten(0, 1), ids.flatten())
    assert abs(loss.item() - torch.tensor(11.0).log().item()) < 0.5
    assert abs(F.cross_entropy(pair, ids[:, 0] % 2).item() - torch.tensor(2.0).log().item()) < 0.5


@pytest.mark.parametrize(
    "given, kind, says",
    [
        ((torch.tensor([1, 2]),), ValueError, "(2,)"),
        ((torch.zeros(1, 10).long(),), ValueError, "ids[:, :9]"),
        ((torch.tensor([[10, 11]]),), ValueError, "from 10 to 11"),
        ((torch.tensor([[1, 2]]), None, torch.tensor([[0, 1]])), TypeError, "int64"),
        ((torch.tensor([[1, 2]]), None, torch.tensor([False, True])), ValueError, "(2,)"),
    ],
)
def test_wrong_input_is_refused_with_what_came(given, kind, says):
    with pytest.raises(kind) as error:
        small()(*given)
    assert says in str(error.value)
