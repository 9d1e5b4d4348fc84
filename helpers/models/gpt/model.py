"""The model: a stack of causal blocks that scores every possible next word. Taught in notebook 11.

    word and position vectors → blocks (pre-norm, GELU) → LayerNorm → a score for each word

With tied weights this is GPT-2: `from_hugging_face` takes over the weights of a `GPT2LMHeadModel`,
and the scores are the same.
"""

import torch
from torch import nn

from ..input_checks import check_words
from ..transformer import EncoderLayer, causal_mask
from ..transformer.layers import SMALL_START, through
from .cache import check_cache


class GPT(nn.Module):
    """Word ids in; out comes, at each position, a score for every word that may stand there next.

    vocabulary      how many words there are; ids are 0 to vocabulary - 1
    context_length  the most tokens it takes; each position has a trained vector of its own
    d_model         size of a token's vector
    num_heads       heads of each block, a divisor of d_model
    num_layers      how many blocks
    d_ff            size inside the feed-forward part; 4 * d_model if nothing is said
    dropout         share dropped in training, in [0, 1)
    tied            whether the scores are read off with the word vectors themselves, as in GPT-2
                    and the first Transformer. Tied vectors start small, for a word is nearest to
                    itself: large ones would at first foretell that each word comes again.
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
        # An encoder layer that sees no later token is what is left of a decoder layer when there
        # is no encoder: attention to oneself, and feed-forward.
        block = d_model, num_heads, d_ff, dropout, "gelu_tanh", True, eps
        self.blocks = nn.ModuleList(EncoderLayer(*block) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.out = nn.Linear(d_model, vocabulary, bias=False)
        if tied:
            for vectors in (
                self.word,
                self.position,
            ):  # positions as large as before would drown words
                nn.init.normal_(vectors.weight, std=SMALL_START)
            self.out.weight = self.word.weight  # the same tensor, not a copy of it

    def forward(self, ids, return_weights=False, cache=None, last_only=False):
        """ids (batch, tokens) → scores (batch, tokens, vocabulary).

        cache      a Cache of the tokens before: ids are then the new tokens only, one or several,
                   the first time the whole beginning. Their keys and values are added to it. The
                   scores are those of a pass over all tokens, but no gradient goes through them.
        last_only  scores of the last token alone, (batch, 1, vocabulary): enough to write on
        With return_weights: (scores, weights), weights (layers, batch, heads, tokens, all tokens),
        all tokens those of the cache and the new.
        Raises ValueError if the ids, or the cache, do not fit the model.
        """
        check_words(self, ids, cut=f"ids[:, -{self.context_length}:]")
        if cache is not None:
            check_cache(self, cache, ids)
        earlier, tokens = 0 if cache is None else cache.length, ids.shape[1]
        # True = hidden. The newest token alone may see all there is.
        future = causal_mask(tokens, ids.device, earlier) if tokens > 1 else None
        with torch.set_grad_enabled(torch.is_grad_enabled() and cache is None):
            positions = torch.arange(earlier, earlier + tokens, device=ids.device)
            x = self.dropout(self.word(ids) + self.position(positions))  # (batch, tokens, d_model)
            x, weights = through(self.blocks, x, future, return_weights, cache, not earlier)
            x = x[:, -1:] if last_only else x
            scores = self.out(self.norm(x))  # (batch, tokens, vocabulary)
        if cache is not None:
            cache.length += tokens
        return (scores, weights) if return_weights else scores
