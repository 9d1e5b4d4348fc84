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
    for heads in (1, 2, 3, 8, 12, 16, 25):
        torch.testing.assert_close(taught["alibi_slopes"](heads), positions.alibi_slopes(heads))
