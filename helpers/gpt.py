"""GPT: a stack of causal blocks that scores every possible next word. As taught in notebook 11.

    word and place vectors → blocks (pre-norm, GELU) → LayerNorm → a score for each word

With tied weights this is GPT-2: `from_hugging_face` takes over the weights of a `GPT2LMHeadModel`,
and the scores are the same.
Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3.
"""

import torch
from torch import nn

from .attention import _check_dropout, _check_sizes
from .transformer import EncoderLayer, causal_mask
from .transformer.model import check_ids

SMALL_START = 0.02  # GPT-2's: the standard deviation of its weights before training


class GPT(nn.Module):
    """Word ids in; out comes, at each place, a score for every word that may stand there next.

    vocabulary      how many words there are; ids are 0 to vocabulary - 1
    context_length  the most tokens it takes; each place has a trained vector of its own
    d_model         size of a token's vector
    num_heads       heads of each block, a divisor of d_model
    num_layers      how many blocks
    d_ff            size inside the feed-forward part; 4 * d_model if nothing is said
    dropout         share dropped in training, in [0, 1)
    tied            whether the scores are read off with the word vectors themselves, as in GPT-2
                    and the first Transformer. Tied vectors start small, for a word is nearest to
                    itself: large ones would at first foretell that each word comes again.
    qkv_bias, eps   as in EncoderLayer
    Raises TypeError or ValueError if a size is below 1, num_heads does not divide d_model, or
    dropout is outside [0, 1).
    Source: Radford et al. 2019, section 2.3; Press and Wolf 2017 (tied weights).
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
        qkv_bias=True,
        eps=1e-5,
    ):
        super().__init__()
        _check_sizes(self, vocabulary=vocabulary, context_length=context_length)
        _check_sizes(self, d_model=d_model, num_layers=num_layers)
        _check_dropout(type(self).__name__, dropout)
        self.vocabulary, self.context_length = vocabulary, context_length
        d_ff = 4 * d_model if d_ff is None else d_ff
        self.word = nn.Embedding(vocabulary, d_model)
        self.place = nn.Embedding(context_length, d_model)
        self.dropout = nn.Dropout(dropout)
        # An encoder layer that sees no later token is what is left of a decoder layer when there
        # is no encoder: attention to oneself, and feed-forward.
        block = d_model, num_heads, d_ff, dropout, "gelu_tanh", True, eps, qkv_bias
        self.blocks = nn.ModuleList(EncoderLayer(*block) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.out = nn.Linear(d_model, vocabulary, bias=False)
        if tied:
            for vectors in (self.word, self.place):  # places as large as before would drown words
                nn.init.normal_(vectors.weight, std=SMALL_START)
            self.out.weight = self.word.weight  # the same tensor, not a copy of it

    @property
    def tied(self):
        """Whether words go in and come out through the same weights."""
        return self.out.weight is self.word.weight

    def forward(self, ids, return_weights=False):
        """ids (batch, tokens) → scores (batch, tokens, vocabulary).

        With return_weights: (scores, weights), weights (layers, batch, heads, tokens, tokens).
        Raises TypeError if ids are not whole numbers, ValueError if their shape, number or size
        does not fit.
        """
        self._check_ids(ids)
        tokens = ids.shape[1]
        places = torch.arange(tokens, device=ids.device)
        x = self.dropout(self.word(ids) + self.place(places))  # (batch, tokens, d_model)
        future = causal_mask(tokens, device=ids.device)  # True = hidden
        looks = []
        for block in self.blocks:
            if return_weights:
                x, weights = block(x, future, return_weights=True)
                looks.append(weights)  # (batch, heads, tokens, tokens)
            else:
                x = block(x, future)
        scores = self.out(self.norm(x))  # (batch, tokens, vocabulary)
        return (scores, torch.stack(looks)) if return_weights else scores

    def _check_ids(self, ids):
        name = f"{type(self).__name__}: ids"
        check_ids(name, ids)
        if ids.shape[1] > self.context_length:
            most = f"at most context_length={self.context_length} fit"
            hint = f"keep the last ones: ids[:, -{self.context_length}:]"
            raise ValueError(f"{name} have {ids.shape[1]} tokens; {most}: {hint}")
        if not ids.is_meta and not 0 <= ids.min() <= ids.max() < self.vocabulary:
            came = f"{name} go from {ids.min()} to {ids.max()}"
            raise ValueError(
                f"{came}; with vocabulary={self.vocabulary} they are 0 to vocabulary - 1"
            )


def from_hugging_face(model):
    """Our GPT with the weights of a GPT2LMHeadModel: the same scores, training or not is kept.

    The model of Hugging Face keeps query, key and value in one matrix, and its matrices are of a
    class Conv1D, which has them as (in, out), where nn.Linear has (out, in): each is turned.
    Its dropout inside attention and of the embeddings is taken to be that of its other parts.
    Raises TypeError if the model is no GPT2LMHeadModel, ValueError if its config asks for what our
    GPT has not: another activation, cross-attention, or scores scaled in another way.
    """
    config = getattr(model, "config", None)
    if not hasattr(model, "lm_head") or getattr(config, "model_type", None) != "gpt2":
        came = f"from_hugging_face: model is a {type(model).__name__}"
        raise TypeError(f"{came}; pass a GPT2LMHeadModel, which scores the next word")
    _check_config(config)
    theirs = model.state_dict()
    ours = GPT(
        config.vocab_size,
        config.n_positions,
        config.n_embd,
        config.n_head,
        config.n_layer,
        d_ff=config.n_inner,
        dropout=config.resid_pdrop,
        tied=model.lm_head.weight is model.transformer.wte.weight,
        eps=config.layer_norm_epsilon,
    ).to(model.lm_head.weight)
    weights = {
        "word.weight": theirs["transformer.wte.weight"],
        "place.weight": theirs["transformer.wpe.weight"],
        "norm.weight": theirs["transformer.ln_f.weight"],
        "norm.bias": theirs["transformer.ln_f.bias"],
        "out.weight": theirs["lm_head.weight"],
    }
    for i in range(config.n_layer):
        weights |= _block(f"blocks.{i}", f"transformer.h.{i}", theirs)
    ours.load_state_dict(weights)
    return ours.train(model.training)


def _block(ours, its, theirs):
    """The weights of a block by our names."""
    weights = {}
    for kind in ("weight", "bias"):
        # (in, out) → (out, in); t() leaves a bias, of one dimension, as it is.
        turned = {
            name: theirs[f"{its}.{name}.{kind}"].t()
            for name in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
        }
        query, key, value = turned["attn.c_attn"].chunk(3)
        weights |= {
            f"{ours}.norm1.{kind}": theirs[f"{its}.ln_1.{kind}"],
            f"{ours}.attention.W_query.{kind}": query,
            f"{ours}.attention.W_key.{kind}": key,
            f"{ours}.attention.W_value.{kind}": value,
            f"{ours}.attention.out_proj.{kind}": turned["attn.c_proj"],
            f"{ours}.norm2.{kind}": theirs[f"{its}.ln_2.{kind}"],
            f"{ours}.feed_forward.linear1.{kind}": turned["mlp.c_fc"],
            f"{ours}.feed_forward.linear2.{kind}": turned["mlp.c_proj"],
        }
    return weights


def _check_config(config):
    wanted = {
        "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
        "add_cross_attention": (False,),
        "scale_attn_weights": (True,),
        "scale_attn_by_inverse_layer_idx": (False,),
    }
    for name, right in wanted.items():
        if getattr(config, name) not in right:
            came = f"from_hugging_face: the config has {name}={getattr(config, name)!r}"
            raise ValueError(f"{came}; our GPT is GPT-2's, with {name}={right[0]!r}")
