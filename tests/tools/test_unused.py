"""The guard against what serves nobody: what a notebook calls and passes serves somebody."""

import ast

import pytest

from tests.tools import unused

MODULE = """
def inner(x, scale=1.0, mask=None): return x
def outer(x, mask=None, **choices): return inner(x, **choices)
class Layer:
    def __init__(self, size, bias=False): self.size = size
    def forward(self, x, weights=False): return self.kept(x)
    def kept(self, x): return x
    def _hidden(self, x, way=1): return x
def alone(x, *, fast=True): return alone(x)
"""


def found(cell):
    """What serves nobody in this module of helpers, if a notebook has this cell."""
    ours = {"helpers.tools": ast.parse(MODULE)} | {
        f"helpers.{door}": ast.parse("") for door in unused.DOORS
    }
    uses = unused.Uses([*ours.values(), ast.parse(cell)])
    told = [text for one in unused.public(ours) for text in uses.unused(*one)]
    return {name.removeprefix("helpers.tools.").replace(".__init__", "") for name in told}


CELLS = {  # a notebook's only cell → what serves nobody all the same
    "": "outer alone Layer Layer.forward(weights) inner(scale) inner(mask)",
    "outer(1, mask=5); Layer(3); alone(1)": "Layer(bias) Layer.forward(weights) inner(scale) alone(fast)",
    "inner(1, 2); outer(1, None); alone(1, fast=0); Layer(3, True)": "Layer.forward(weights) inner(mask)",
    "f(**{'mask': 0, 'fast': 1, 'weights': 2}); inner(*x); outer; Layer(1, bias=2); alone": "",
}


@pytest.mark.parametrize("cell", CELLS)
def test_what_a_cell_calls_and_passes_serves_somebody_and_nothing_else_does(cell):
    assert found(cell) == {*CELLS[cell].split()}


def test_the_list_excuses_what_it_names_with_a_reason_and_holds_nothing_else(tmp_path):
    path = tmp_path / "list.toml"
    path.write_text('[a]\n"f(x)" = "Why."\n"f(y)" = ""\n"gone" = "Why."')
    told = [line.split()[0] for line in unused.gaps({"a.f(x)", "a.f(y)", "b.g"}, path)]
    assert told == ["a.f(y)", "b.g", "a.gone"]


def test_an_option_is_used_where_a_page_shows_it_beside_its_command():
    tree = ast.parse("add_argument('--language')\nadd_argument('--never-shown')")
    used = {f"helpers.classroom.{name}": tree for name in ("student", "progress")}
    assert [*unused.options(used)] == [
        "helpers.classroom.student: --never-shown",
        "helpers.classroom.progress: --language",
        "helpers.classroom.progress: --never-shown",
    ]


def test_nothing_that_is_public_serves_nobody():
    assert [*unused.gaps(unused.serving_nobody())] == []
