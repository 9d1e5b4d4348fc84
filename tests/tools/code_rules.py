"""What the code of `helpers` keeps to; `python -m tests.tools.house_rules` tries it with the notebooks."""

import ast
from pathlib import Path

# What takes words for learners, and which of its arguments they are, as Babel wants it told.
CALLS = {"_": None, "plural": (1, 2), "described": None}


def hidden_messages(path: Path):
    """No message stands inside an f-string: Babel finds it there from Python 3.12 on, and not on 3.11.

    Yields a complaint for each that does.
    """
    for string in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(string, ast.FormattedValue):
            for call in calls(string.value):
                if getattr(call.func, "id", getattr(call.func, "attr", None)) in CALLS:
                    yield f"line {call.lineno}: {ast.unparse(call)} stands inside an f-string"


def calls(node):
    """All calls in a piece of syntax, but those in an f-string further inside."""
    if isinstance(node, ast.FormattedValue):
        return
    if isinstance(node, ast.Call):
        yield node
    for part in ast.iter_child_nodes(node):
        yield from calls(part)
