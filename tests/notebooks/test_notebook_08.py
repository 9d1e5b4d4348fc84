"""Notebook 8: the bias that it teaches is that of a published model."""

import torch

from helpers import exercises


def test_the_bias_of_alibi_is_that_of_bloom():
    """Hugging Face's BLOOM has the authors' biases, by key alone; a row is one up to a constant."""
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    for heads in (1, 2, 4, 8, 32, 128):
        theirs = build_alibi_tensor(torch.ones(1, 6), heads, torch.float32)  # (heads, 1, keys)
        ours = exercises.alibi(heads, 6)[:, -1:]  # of the last query
        torch.testing.assert_close(ours - ours[..., :1], theirs)
