"""BERT: a stack of encoder layers that see both sides, and two heads. As taught in notebook 13.

    token, position and segment embeddings → LayerNorm → layers (post-norm, exact GELU) → two heads:
        a logit for each token at each position: which token is behind a [MASK]?
        a logit for yes and one for no, from the first token's vector: does B continue A?

`from_hugging_face` takes over the weights of a `BertForPreTraining`, and the logits are the same.
Source: Devlin et al. 2018, "BERT: Pre-training of Deep Bidirectional Transformers", section 3.
"""

import torch
from torch import nn
from torch.nn import functional as F

from .input_checks import check_ids, check_length, check_theirs
from .transformer import EncoderLayer, padding_mask
from .transformer.layers import SMALL_START, through


class BERT(nn.Module):
    """Token ids → logits for every token at each position, and two logits for the pair.

    vocabulary      how many tokens there are, special ones included; ids are 0 to vocabulary - 1
    context_length  the most tokens it accepts; each position has a trained vector of its own
    d_model         size of a token's vector
    num_heads       heads of each layer, a divisor of d_model
    num_layers      how many layers
    d_ff            size of the inner layer of feed-forward; None means 4 * d_model
    dropout         share dropped in training, in [0, 1), as in EncoderLayer: also inside
                    feed-forward, where the original BERT drops nothing
    eps             as in EncoderLayer; BERT has 1e-12
    The output layer uses the token embeddings as its weights (tied), which are initialised small:
    see GPT. All other weights have PyTorch's own initialisation.
    Raises ValueError if num_heads does not divide d_model.
    Source: Devlin et al. 2018, section 3 and appendix A; tied weights and the layer before the
    logits are not in the text but in the code published with it.
    """

    def __init__(
        self,
        vocabulary,
        context_length,
        d_model,
        num_heads,
        num_layers,
        d_ff=None,
        dropout=0.0,
        eps=1e-12,
    ):
        super().__init__()
        self.vocabulary, self.context_length = vocabulary, context_length
        d_ff = 4 * d_model if d_ff is None else d_ff
        self.word = nn.Embedding(vocabulary, d_model)
        self.position = nn.Embedding(context_length, d_model)
        self.segment = nn.Embedding(2, d_model)  # A and B of a pair
        for vectors in (self.word, self.position, self.segment):
            nn.init.normal_(vectors.weight, std=SMALL_START)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)
        layer = d_model, num_heads, d_ff, dropout, "gelu", False, eps
        self.layers = nn.ModuleList(EncoderLayer(*layer) for _ in range(num_layers))
        self.pooler = nn.Linear(d_model, d_model)
        self.word_head = WordHead(self.word.weight, eps)
        self.pair_head = nn.Linear(d_model, 2)

    def forward(self, ids, segments=None, padding=None, return_weights=False):
        """ids (batch, tokens) → token logits (batch, tokens, vocabulary), pair logits (batch, 2).

        The arguments and the errors are as in encode.
        With return_weights: (…, …, weights), weights (layers, batch, heads, tokens, tokens).
        """
        vectors, pooled, *weights = self.encode(ids, segments, padding, return_weights)
        return self.word_head(vectors), self.pair_head(pooled), *weights

    def encode(self, ids, segments=None, padding=None, return_weights=False):
        """ids (batch, tokens) → vectors (batch, tokens, d_model), pooled vector (batch, d_model).

        segments  (batch, tokens), 0 for the tokens of A, 1 for those of B; None means all 0
        padding   (batch, tokens), True = padding, which is hidden. Hugging Face's attention_mask
                  is the opposite: padding = attention_mask == 0
        The pooled vector is computed from the first token's vector, so that token should be [CLS].
        With return_weights: (vectors, pooled, weights), (layers, batch, heads, tokens, tokens).
        Raises TypeError if padding holds no booleans, ValueError if ids or padding do not fit.
        """
        check_ids(self, ids, self.vocabulary)
        check_length(self, ids.shape[1])
        segments = torch.zeros_like(ids) if segments is None else segments
        mask = None if padding is None else padding_mask(padding)  # (batch, 1, 1, tokens)
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.word(ids) + self.position(positions) + self.segment(segments)
        x = self.dropout(self.norm(x))  # (batch, tokens, d_model)
        x, weights = through(self.layers, x, mask, return_weights)
        pooled = torch.tanh(self.pooler(x[:, 0]))  # (batch, d_model)
        return (x, pooled, weights) if return_weights else (x, pooled)


class WordHead(nn.Module):
    """Vectors → a logit for each token: one more layer, then the token embeddings, and a bias.

    word_vectors  (vocabulary, d_model), the parameter of the embedding: the same tensor, no copy
    eps           of its LayerNorm
    """

    def __init__(self, word_vectors, eps=1e-12):
        super().__init__()
        vocabulary, d_model = word_vectors.shape
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.out = nn.Linear(d_model, vocabulary)
        self.out.weight = word_vectors
        nn.init.zeros_(self.out.bias)

    def forward(self, x):
        """x (..., d_model) → logits (..., vocabulary)."""
        return self.out(self.norm(F.gelu(self.dense(x))))


def from_hugging_face(model):
    """Our BERT with the weights of a BertForPreTraining: the same logits, and the same mode.

    The dropout inside attention is assumed to be that of the other parts.
    Raises TypeError if the model is not a BertForPreTraining, and ValueError if its config needs
    what our BERT lacks: another activation, a decoder, or an untied output layer.
    """
    check_theirs(model, "BertForPreTraining", "BERT", CONFIG)
    config, theirs = model.config, model.state_dict()
    ours = BERT(
        config.vocab_size,
        config.max_position_embeddings,
        config.hidden_size,
        config.num_attention_heads,
        config.num_hidden_layers,
        d_ff=config.intermediate_size,
        dropout=config.hidden_dropout_prob,
        eps=config.layer_norm_eps,
    ).to(model.cls.seq_relationship.weight)
    weights = {
        name: theirs[published] for name, published in weight_names(config.num_hidden_layers)
    }
    ours.load_state_dict(weights)
    return ours.train(model.training)


CONFIG = {  # the settings that our BERT supports
    "hidden_act": ("gelu", "gelu_python"),  # with the error function, not tanh
    "is_decoder": (False,),
    "add_cross_attention": (False,),
    "position_embedding_type": ("absolute",),
    "tie_word_embeddings": (True,),
    "type_vocab_size": (2,),
}
ENDS = {  # part of ours → part of a BertForPreTraining
    "norm": "bert.embeddings.LayerNorm",
    "pooler": "bert.pooler.dense",
    "word_head.dense": "cls.predictions.transform.dense",
    "word_head.norm": "cls.predictions.transform.LayerNorm",
    "word_head.out": "cls.predictions.decoder",
    "pair_head": "cls.seq_relationship",
}
LAYER = {  # the same, inside a layer
    "attention.W_query": "attention.self.query",
    "attention.W_key": "attention.self.key",
    "attention.W_value": "attention.self.value",
    "attention.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "feed_forward.linear1": "intermediate.dense",
    "feed_forward.linear2": "output.dense",
    "norm2": "output.LayerNorm",
}


def weight_names(num_layers):
    """(name in our BERT, name in a published one) of every weight."""
    for ours, its in {"word": "word", "position": "position", "segment": "token_type"}.items():
        yield f"{ours}.weight", f"bert.embeddings.{its}_embeddings.weight"
    parts = dict(ENDS)
    for i in range(num_layers):
        parts |= {f"layers.{i}.{a}": f"bert.encoder.layer.{i}.{b}" for a, b in LAYER.items()}
    for ours, its in parts.items():
        for kind in ("weight", "bias"):
            yield f"{ours}.{kind}", f"{its}.{kind}"
