"""Notebook 8: its functions and classes behave like those of helpers."""

import ast

import pytest
import torch
from notebook_cells import code_cells

from helpers.models import positions


@pytest.fixture(scope="module")
def taught():
    """All functions and classes of the notebook, and its imports; no other code of it is run."""
    scope = {}
    for cell in code_cells("08"):
        tree = ast.parse(cell.source)
        kinds = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        tree.body = [node for node in tree.body if isinstance(node, kinds)]
        exec(compile(tree, cell.id, "exec"), scope)
    return scope


def test_what_is_taught_is_what_is_in_helpers(taught):
    for length, d in [(1, 2), (7, 6), (300, 64)]:
        torch.testing.assert_close(taught["sinusoidal"](length, d), positions.sinusoidal(length, d))
        torch.testing.assert_close(taught["speeds"](d), positions.speeds(d))
    x, token_positions = torch.rand(2, 3, 5, 8), torch.tensor([3, 0, 40, 7, 7])
    for layout in positions.LAYOUTS:
        ours = positions.rotary(x, token_positions, layout)
        torch.testing.assert_close(
            taught["rotary"](x, token_positions, layout), ours, atol=1e-5, rtol=0
        )


def test_the_slopes_of_alibi_are_those_of_bloom_and_falcon(taught):
    """Hugging Face's BLOOM has the authors' biases, by key; the slopes are derived from them."""
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    for heads in [*range(1, 20), 32, 71, 112]:
        theirs = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]
        torch.testing.assert_close(taught["alibi_slopes"](heads), theirs)
