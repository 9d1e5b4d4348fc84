"""How code is read by the house rules, and a rule for the code of `helpers`."""

import ast
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

# Functions that take messages for learners, and which arguments these are, in Babel's form.
CALLS = {"_": None, "plural": (1, 2), "described": None}


def hidden_messages(path: Path):
    """No message may be inside an f-string: Babel finds it there on Python 3.12, but not on 3.11.

    Yields a complaint for each message that is.
    """
    strings = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    inside = [node for x in strings if isinstance(x, ast.JoinedStr) for node in ast.walk(x)]
    for call in dict.fromkeys(node for node in inside if isinstance(node, ast.Call)):
        if getattr(call.func, "id", getattr(call.func, "attr", None)) in CALLS:
            yield f"line {call.lineno}: {ast.unparse(call)} stands inside an f-string"


def tree_of(cell):
    """The syntax tree of a code cell without IPython's own commands; empty if it is not Python."""
    try:
        return ast.parse(TransformerManager().transform_cell(cell.source))
    except SyntaxError:  # the cell's own output reports it
        return ast.parse("")


def names(tree):
    """All names that a piece of Python uses: plain, after a dot, or imported."""
    for node in ast.walk(tree):
        name = getattr(node, "id", getattr(node, "attr", getattr(node, "name", None)))
        if isinstance(name, str):
            yield name.rpartition(".")[2]
