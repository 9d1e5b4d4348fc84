"""The guard against what serves nobody: it sees what is passed, and is not calmed by what only looks so."""

import ast
import sys
from types import ModuleType

import pytest

from tests.tools import unused
from tests.tools.uses import Uses

MODULE = """
def inner(x, scale=1.0, mask=None): return x
def outer(x, mask=None, **choices): return inner(x, mask=mask, **choices)
def around(x, scale=2.0): return inner(x, scale)
class Layer:
    def __init__(self, size, bias=False): self.size = size
    def forward(self, x, weights=False): return self.kept(x)
    def kept(self, x): return x
    def save(self, path, small=False): return self.save(path)
class Picture:
    def save(self, path, size=3): return path
def alone(x): return alone(x)
"""


def found(monkeypatch, cell):
    """What serves nobody in this module, if a notebook has this cell."""
    made = ModuleType("helpers.made_up")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    exec(compile(MODULE, "made_up.py", "exec"), vars(made))
    names = {name: one for name, one in vars(made).items() if not name.startswith("__")}
    uses = Uses([(made.__name__, ast.parse(MODULE), names), ("01", ast.parse(cell), names)])
    told = {text for name in uses.known for text in uses.unused(name)}
    return {name.removeprefix("helpers.made_up.").replace(".__init__", "") for name in told}


CELLS = {  # a notebook's only cell → what serves somebody because of it
    "inner(1)": "",
    "inner(1, 2)": "inner(scale)",
    "inner(*x)": "inner(scale) inner(mask)",
    "inner(1, **given)\ngiven = {'mask': 0}": "inner(mask)",
    "around(1)": "around",
    "around(1, 5)": "around inner(scale)",
    "outer(1, mask=5)": "outer inner(mask)",
    "layer = Layer(3, bias=True)\nlayer(x, weights=True)": "Layer Layer(bias) Layer.forward(weights)",
    "Layer(3)(x, True)": "Layer",  # nothing says what is called here, and what True stands for
    "x.save('path', small=True)": "Layer.save Picture.save",
    "alone(1)": "alone",
}


@pytest.mark.parametrize("cell", CELLS)
def test_what_a_cell_passes_serves_somebody_and_nothing_else_does(monkeypatch, cell):
    assert found(monkeypatch, "") - found(monkeypatch, cell) == {*CELLS[cell].split()}


def test_what_is_used_without_its_choices_still_has_choices_that_serve_nobody(monkeypatch):
    assert found(monkeypatch, "outer(1)") - found(monkeypatch, "") == {
        "outer(mask)",
        "outer(choices)",
    }
    saved = found(monkeypatch, "x.save('path', small=True)") - found(monkeypatch, "")
    assert saved == {"Picture.save(size)"}


def test_the_list_excuses_what_it_names_with_a_reason_and_holds_nothing_else(tmp_path):
    path = tmp_path / "list.toml"
    path.write_text('[a]\n"f(x)" = "Why."\n"f(y)" = ""\n"gone" = "Why."')
    told = [line.split()[0] for line in unused.gaps({"a.f(x)", "a.f(y)", "b.g"}, path)]
    assert told == ["a.f(y)", "b.g", "a.gone"]


def test_an_option_is_used_where_a_page_shows_it_beside_its_command():
    tree = ast.parse("add_argument('--language')\nadd_argument('--never-shown')")
    used = [("helpers.classroom.student", tree, {})]
    assert [*unused.options(used)] == ["helpers.classroom.student: --never-shown"]
    told = [*unused.options([("helpers.classroom.progress", tree, {})])]
    assert told == [f"helpers.classroom.progress: --{name}" for name in ("language", "never-shown")]


def test_nothing_that_is_public_serves_nobody():
    assert [*unused.gaps(unused.serving_nobody())] == []
