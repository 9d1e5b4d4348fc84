"""Models of Hugging Face with random weights, with which the tests compare ours."""

import torch
from oracles import unlike_the_start
from transformers import BertConfig, BertForPreTraining, GPT2Config, GPT2LMHeadModel


def gpt(d_model=8, heads=2, layers=2, vocabulary=11, tied=True, seed=0, positions=9, **config):
    """A GPT2LMHeadModel with random weights everywhere, in double precision and eval mode."""
    config = GPT2Config(
        vocab_size=vocabulary, n_positions=positions, n_embd=d_model, n_head=heads, n_layer=layers,
        tie_word_embeddings=tied, bos_token_id=0, eos_token_id=0, **config,
    )  # fmt: skip
    torch.manual_seed(seed)
    return unlike_the_start(GPT2LMHeadModel(config).double().eval())


def bert(d_model=8, heads=2, layers=2, vocabulary=11, seed=0, inner=12, **config):
    """A BertForPreTraining, in the same way."""
    config = BertConfig(
        vocab_size=vocabulary, max_position_embeddings=9, hidden_size=d_model,
        num_attention_heads=heads, num_hidden_layers=layers, intermediate_size=inner, **config,
    )  # fmt: skip
    torch.manual_seed(seed)
    return unlike_the_start(BertForPreTraining(config).double().eval())
