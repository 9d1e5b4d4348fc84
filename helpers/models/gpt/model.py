"""The model: a stack of causal blocks that predicts the next token. Taught in notebook 11.

    token and position embeddings → blocks (pre-norm, GELU) → LayerNorm → a logit for each token

With tied weights this is GPT-2: `from_hugging_face` takes over the weights of a `GPT2LMHeadModel`,
and the logits are the same.
"""

import torch
from torch import nn

from ..input_checks import check_ids, check_length
from ..transformer import EncoderLayer, causal_mask
from ..transformer.layers import SMALL_START, through
from .cache import check_cache


class GPT(nn.Module):
    """Token ids → at each position, a logit for every token that may come next.

    vocabulary      how many tokens there are; ids are 0 to vocabulary - 1
    context_length  the most tokens it accepts; each position has a trained vector of its own
    d_model         size of a token's vector
    num_heads       heads of each block, a divisor of d_model
    num_layers      how many blocks
    d_ff            size of the inner layer of feed-forward; None means 4 * d_model
    dropout         share dropped in training, in [0, 1)
    tied            whether the output layer uses the token embeddings as its weights, as in GPT-2
                    and the first Transformer. Tied embeddings are initialised small: a token is
                    most similar to itself, so large ones would predict that each token repeats.
    eps             as in EncoderLayer
    Raises ValueError if num_heads does not divide d_model.
    Source: Radford et al. 2019 (GPT-2), section 2.3; Press and Wolf 2017 (tied weights).
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
        tied=True,
        eps=1e-5,
    ):
        super().__init__()
        self.vocabulary, self.context_length = vocabulary, context_length
        d_ff = 4 * d_model if d_ff is None else d_ff
        self.word = nn.Embedding(vocabulary, d_model)
        self.position = nn.Embedding(context_length, d_model)
        self.dropout = nn.Dropout(dropout)
        # Without an encoder, a decoder layer needs no cross-attention. What is left, self-attention
        # and feed-forward, is an encoder layer with a causal mask.
        block = d_model, num_heads, d_ff, dropout, "gelu_tanh", True, eps
        self.blocks = nn.ModuleList(EncoderLayer(*block) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.out = nn.Linear(d_model, vocabulary, bias=False)
        if tied:
            for vectors in (self.word, self.position):  # larger ones would swamp the tokens
                nn.init.normal_(vectors.weight, std=SMALL_START)
            self.out.weight = self.word.weight  # the same tensor, not a copy of it

    def forward(self, ids, return_weights=False, cache=None, last_only=False):
        """ids (batch, tokens) → logits (batch, tokens, vocabulary).

        cache      a Cache of the tokens before. ids are then only the new tokens, one or several,
                   or, the first time, the whole prompt. Their keys and values are added to the
                   cache. The logits equal those of a pass over all tokens, but no gradient flows
                   through them.
        last_only  logits of the last token alone, (batch, 1, vocabulary), enough to continue a text
        With return_weights: (logits, weights), weights (layers, batch, heads, tokens, all tokens),
        where all tokens are the cached ones and the new ones.
        Raises ValueError if the ids, or the cache, do not fit the model.
        """
        check_ids(self, ids, self.vocabulary)
        check_length(self, ids.shape[1])
        if cache is not None:
            check_cache(self, cache, ids)
        earlier, tokens = 0 if cache is None else cache.length, ids.shape[1]
        # True = hidden. A single new token is the last one and may see all others.
        future = causal_mask(tokens, ids.device, earlier) if tokens > 1 else None
        with torch.set_grad_enabled(torch.is_grad_enabled() and cache is None):
            positions = torch.arange(earlier, earlier + tokens, device=ids.device)
            x = self.dropout(self.word(ids) + self.position(positions))  # (batch, tokens, d_model)
            x, weights = through(self.blocks, x, future, return_weights, cache, not earlier)
            x = x[:, -1:] if last_only else x
            logits = self.out(self.norm(x))  # (batch, tokens, vocabulary)
        if cache is not None:
            cache.length += tokens
        return (logits, weights) if return_weights else logits
