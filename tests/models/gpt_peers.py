"""GPT-2 models of Hugging Face with random weights, with which the tests compare our GPT."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel


def theirs(d_model=8, heads=2, layers=2, vocabulary=11, tied=True, seed=0, positions=9, **config):
    """A GPT2LMHeadModel with random weights everywhere, in double precision and eval mode."""
    config = GPT2Config(
        vocab_size=vocabulary, n_positions=positions, n_embd=d_model, n_head=heads, n_layer=layers,
        tie_word_embeddings=tied, bos_token_id=0, eos_token_id=0, **config,
    )  # fmt: skip
    torch.manual_seed(seed)
    model = GPT2LMHeadModel(config).double().eval()
    for parameter in model.parameters():  # zero biases and norms of 1 would hide omissions
        parameter.data = torch.randn_like(parameter) * 0.5
    return model
