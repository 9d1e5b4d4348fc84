"""The whole model: embeddings and positions, an encoder, a decoder, and logits for each token."""

import torch
from torch import nn

from ..input_checks import check_ids
from ..positions import sinusoidal
from .layers import DecoderLayer, EncoderLayer, causal_mask, padding_mask, through


class Transformer(nn.Module):
    """Ids of a source and of a target sentence → logits for each next target token.

    source_vocabulary, target_vocabulary  how many tokens the vocabulary of each language has
    d_model, num_heads, d_ff              sizes of a layer; the defaults are the paper's "base"
    num_layers                            how many in the encoder, and as many in the decoder
    dropout                               of embeddings, weights, parts, and inside feed-forward
    norm_first                            as in EncoderLayer
    Encoder and decoder each end with one more LayerNorm, which the paper lacks and PyTorch has;
    pre-norm needs it.
    Raises ValueError if num_heads does not divide d_model.
    Source: Vaswani et al. 2017, section 3 and figure 1.
    """

    def __init__(
        self,
        source_vocabulary,
        target_vocabulary,
        d_model=512,
        num_heads=8,
        num_layers=6,
        d_ff=2048,
        dropout=0.1,
        norm_first=False,
    ):
        super().__init__()
        sizes = (d_model, num_heads, d_ff, dropout, "relu", norm_first)
        self.d_model = d_model
        self.source_embedding = nn.Embedding(source_vocabulary, d_model)
        self.target_embedding = nn.Embedding(target_vocabulary, d_model)
        self.encoder = nn.ModuleList(EncoderLayer(*sizes) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*sizes) for _ in range(num_layers))
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(d_model, target_vocabulary, bias=False)
        # PyTorch initialises an embedding with standard deviation 1. Multiplied by √d_model, it
        # would swamp the position encoding, whose entries are near 0.7. With a standard deviation
        # of 1/√d_model, the product has 1.
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)

    def forward(
        self, source, target, source_padding=None, target_padding=None, return_weights=False
    ):
        """source, target ids (batch, tokens) → logits (batch, target tokens, target_vocabulary).

        source_padding, target_padding  (batch, tokens), True = padding, which is hidden
        With return_weights: (logits, weights), weights a dict of "encoder", "decoder" and "cross",
        each (layers, batch, heads, queries, keys).
        Raises ValueError if ids or padding do not fit, TypeError if padding holds no booleans.
        """
        if not return_weights:
            memory = self.encode(source, source_padding)
            return self.decode(target, memory, source_padding, target_padding)
        memory, encoder = self.encode(source, source_padding, return_weights=True)
        logits, weights = self.decode(target, memory, source_padding, target_padding, True)
        return logits, {"encoder": encoder, **weights}

    def encode(self, source, source_padding=None, return_weights=False):
        """source ids (batch, tokens) → memory (batch, tokens, d_model).

        With return_weights: (memory, weights), weights (layers, batch, heads, tokens, tokens).
        """
        x = self.embed(source, self.source_embedding)
        mask = None if source_padding is None else padding_mask(source_padding)
        x, weights = through(self.encoder, x, mask, return_weights)
        x = self.encoder_norm(x)
        return (x, weights) if return_weights else x

    def decode(
        self, target, memory, source_padding=None, target_padding=None, return_weights=False
    ):
        """target ids (batch, target tokens), memory (batch, source tokens, d_model) → logits.

        With return_weights: (logits, weights), a dict of "decoder" and "cross", as in forward.
        """
        x = self.embed(target, self.target_embedding)
        mask = causal_mask(target.shape[1], target.device)
        if target_padding is not None:
            mask = mask | padding_mask(target_padding)  # (batch, 1, tokens, tokens)
        memory_mask = None if source_padding is None else padding_mask(source_padding)
        kept = []
        for layer in self.decoder:
            x = layer(x, memory, mask, memory_mask, return_weights)
            if return_weights:
                x, *weights = x
                kept.append(weights)
        logits = self.out(self.decoder_norm(x))  # (batch, target tokens, target_vocabulary)
        if not return_weights:
            return logits
        own, cross = (torch.stack(weights) for weights in zip(*kept))
        return logits, {"decoder": own, "cross": cross}

    def embed(self, ids, embedding):
        """ids (batch, tokens) → (batch, tokens, d_model): embedding · √d_model + position."""
        check_ids(self, ids, embedding.num_embeddings)
        x = embedding(ids) * self.d_model**0.5  # (batch, tokens, d_model)
        return self.dropout(x + sinusoidal(ids.shape[1], self.d_model).to(x))
