"""Notebook 11: its class behaves like that of helpers."""

import torch
from notebook_cells import run, tagged
from torch import nn

from helpers.models.gpt import GPT
from helpers.models.transformer import EncoderLayer, causal_mask


def test_the_class_taught_is_the_class_in_helpers():
    names = {"torch": torch, "nn": nn, "EncoderLayer": EncoderLayer, "causal_mask": causal_mask}
    scope = run(tagged("11", "gpt-class"), **names)
    for tied in (True, False):
        models = []
        for cls in (scope["GPT"], GPT):
            torch.manual_seed(5)
            models.append(cls(11, 9, 8, 2, 3, d_ff=5, tied=tied))
        taught, kept = models
        assert taught.state_dict().keys() == kept.state_dict().keys()
        for key, value in kept.state_dict().items():
            assert torch.equal(taught.state_dict()[key], value)
        ids = torch.randint(11, (3, 7))
        for mine, its in zip(taught(ids, return_weights=True), kept(ids, return_weights=True)):
            assert torch.allclose(mine, its, atol=1e-6)
        assert torch.allclose(taught(ids), kept(ids), atol=1e-6)
        assert (taught.out.weight is taught.word.weight) == tied
