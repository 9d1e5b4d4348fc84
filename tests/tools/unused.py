"""What serves nobody: functions, arguments, views, roles, kinds of fact and options of commands that
are public in helpers, and that no notebook and no command for teachers uses.

    python -m tests.tools.unused

Names are all that counts: a function is used where its name stands outside its own code, and an
argument where a call passes one of this name, or where a call of a function of that name passes as
many. What is there on purpose stands in unused_on_purpose.toml, with the reason.
"""

import ast
import importlib
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

from helpers.classroom.series import ROOT, notebooks, read
from tests.tools.code_rules import tree_of
from tests.tools.house_rules import code_cells

LIST = Path(__file__).with_name("unused_on_purpose.toml")
PUBLIC = r"helpers\.(models|data|tools|checks|exercises\.(pitfalls|n06_break_it))\b"
DOORS = ("explorer", "inside", "pictures.plots")  # what these import is public, too
TABLES = {
    "helpers.pictures.views": "VIEWS",
    "helpers.pictures.roles": "ROLES",
    "helpers.judge.facts": "FACTS",
}
PAGES = ("Makefile", "README.md", "docs/*.md", "binder/postBuild", ".devcontainer/*")


def modules():
    """{name: syntax tree} of the modules of helpers."""
    paths = sorted((ROOT / "helpers").rglob("*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    trees = [ast.parse(path.read_text("utf-8")) for path in paths]
    return {name.removesuffix(".__init__"): tree for name, tree in zip(names, trees)}


def books():
    """A syntax tree of the code of each notebook."""
    for path in notebooks():
        cells = [tree_of(cell) for cell in code_cells(read(path))]
        yield ast.Module([node for cell in cells for node in cell.body], [])


def public(ours):
    """(full name, syntax tree) of all functions and methods that notebooks may call."""
    doors = [ours[f"helpers.{door}"] for door in DOORS]
    shown = {x.name for door in doors for line in each(door, ast.ImportFrom) for x in line.names}
    for module, tree in ours.items():
        for node in filter(is_public, tree.body):
            if re.match(PUBLIC, module) or node.name in shown:
                yield f"{module}.{node.name}", node
                for part in filter(is_public, node.body if isinstance(node, ast.ClassDef) else []):
                    yield f"{module}.{node.name}.{part.name}", part


def is_public(node):
    name = getattr(node, "name", "_")
    return isinstance(node, ast.FunctionDef | ast.ClassDef) and (
        name == "__init__" or not name.startswith("_")
    )


class Uses:
    """What some syntax trees mention, and what their calls pass."""

    def __init__(self, trees):
        self.mentioned, self.passed, self.given = Counter(), set(), Counter()
        for tree in trees:
            self.mentioned += mentions(tree)
            # What a call passes as **choices has its names in some dict.
            for made in each(tree, ast.Dict):
                self.passed |= {getattr(key, "value", None) for key in made.keys}
            for call in each(tree, ast.Call):
                self.passed |= {keyword.arg for keyword in call.keywords}
                several = any(isinstance(value, ast.Starred) for value in call.args)
                name, count = last(call.func), 99 if several else len(call.args)
                self.given[name] = max(self.given[name], count)

    def unused(self, name, node):
        """The name of a function or class that nobody uses, or else its arguments of that kind."""
        called = name.removesuffix(".__init__").rpartition(".")[2]
        if self.mentioned[called] == mentions(node)[called] and called != "forward":
            yield name
        elif isinstance(node, ast.FunctionDef):
            takes = [x.arg for x in node.args.args if x.arg != "self"]
            there = self.given[called]
            left = takes[max(there, len(takes) - len(node.args.defaults)) :]
            alone = [x.arg for x, has in zip(node.args.kwonlyargs, node.args.kw_defaults) if has]
            yield from (f"{name}({x})" for x in left + alone if x not in self.passed)


def mentions(tree):
    """How often each name stands in a syntax tree, by itself or after a dot."""
    return Counter(map(last, [*each(tree, ast.Name), *each(tree, ast.Attribute)]))


def each(tree, kind):
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def last(node):
    """The name of an expression; of several with dots, the last."""
    return getattr(node, "attr", getattr(node, "id", ""))


def keys(ours, theirs):
    """The rows of the tables that no notebook names, and the kinds of fact that nothing tells."""
    judge = [tree for name, tree in ours.items() if name.startswith("helpers.judge")]
    told = Counter(x.value for tree in judge for x in each(tree, ast.Constant))
    said = {x.value for tree in theirs for x in each(tree, ast.Constant)}
    said |= {kind for kind, times in told.items() if times > 1}  # once it stands in the table
    for module, table in TABLES.items():
        rows = getattr(importlib.import_module(module), table)
        yield from (f"{module}: {row}" for row in rows if row not in said)


def options(ours):
    """The options of commands that no page shows, and lists of notebooks that no page gives."""
    text = "\n".join(path.read_text("utf-8") for page in PAGES for path in sorted(ROOT.glob(page)))
    for name, value in re.findall(r"^(\w+) \??= ?(.*)$", text, re.MULTILINE):
        text = text.replace(f"$({name})", value)  # a variable of the Makefile
    for module, tree in ours.items():
        for call in each(tree, ast.Call):
            if last(call.func) == "add_argument":
                name, how = call.args[0].value, {keyword.arg for keyword in call.keywords}
                shown = name if name[0] == "-" else r"\.ipynb" if "nargs" in how else ""
                if not re.search(rf"{re.escape(module)}\b[^\n`]*{shown}", text):
                    yield f"{module}: {name}"


def serving_nobody():
    """All of these, each under its name without "helpers"."""
    ours, theirs = modules(), [*books()]
    uses = Uses([*ours.values(), *theirs])
    found = [text for one in public(ours) for text in uses.unused(*one)]
    found += [*keys(ours, theirs), *options(ours)]
    return {name.removeprefix("helpers.").replace(".__init__", "") for name in found}


def gaps(found, path=LIST):
    """What serves nobody and is not on the list, and what is on it and serves somebody, or is gone."""
    rooms = tomllib.loads(path.read_text("utf-8"))
    listed = {f"{room}.{name}" for room, lines in rooms.items() for name in lines if lines[name]}
    for name in sorted(found - listed):
        yield f"{name} serves nobody: take it out, or say in {path.name} why it is there"
    for name in sorted(listed - found):
        yield f"{name} is used, or gone: take its line out of {path.name}"


if __name__ == "__main__":
    sys.exit("\n".join(gaps(serving_nobody())) or None)
