"""What is public and serves nobody: functions, arguments, views, roles, facts, options of commands.

    python -m tests.tools.unused

Each of them appears in a notebook's cell or in a teacher's command, or helpers itself needs it, or a
line of unused_on_purpose.toml says why it is there. Tests, and examples in docs, do not count.
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
from tests.tools.uses import Uses, each, full, last

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
    """(name, syntax tree, names) of each module of helpers."""
    for path in sorted((ROOT / "helpers").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield name, ast.parse(path.read_text("utf-8")), vars(importlib.import_module(name))


def books():
    """The same of each notebook; of its code, only the imports are run."""
    for path in notebooks():
        cells = [tree_of(cell) for cell in code_cells(read(path))]
        tree, names = ast.Module([node for cell in cells for node in cell.body], []), {}
        for node in [*each(tree, ast.Import), *each(tree, ast.ImportFrom)]:
            exec(ast.unparse(node), names)
        yield path.stem, tree, names


def public(uses):
    """The full names of all functions and methods that notebooks may call."""
    doors = [vars(importlib.import_module(f"helpers.{door}")).values() for door in DOORS]
    shown = {full(one) for door in doors for one in door}
    for name in sorted(uses.known):
        hidden = "._" in name.replace(".__init__", "")
        if not hidden and (re.match(PUBLIC, name) or {name, name.rpartition(".")[0]} & shown):
            yield name


def keys(ours, theirs):
    """The rows of the tables that no notebook names, and the kinds of fact that nothing tells."""
    judge = [tree for name, tree, _ in ours if name.startswith("helpers.judge")]
    told = Counter(x.value for tree in judge for x in each(tree, ast.Constant))
    said = {x.value for _, tree, _ in theirs for x in each(tree, ast.Constant)}
    said |= {kind for kind, times in told.items() if times > 1}  # once it stands in the table
    for module, table in TABLES.items():
        rows = getattr(importlib.import_module(module), table)
        yield from (f"{module}: {row}" for row in rows if row not in said)


def options(ours):
    """The options of commands that no page shows, and lists of notebooks that no page gives."""
    text = "\n".join(path.read_text("utf-8") for page in PAGES for path in sorted(ROOT.glob(page)))
    for name, value in re.findall(r"^(\w+) \??= ?(.*)$", text, re.MULTILINE):
        text = text.replace(f"$({name})", value)  # a variable of the Makefile
    for module, tree, _ in ours:
        for call in each(tree, ast.Call):
            if last(call.func) == "add_argument":
                name, how = call.args[0].value, {keyword.arg for keyword in call.keywords}
                shown = name if name[0] == "-" else r"\.ipynb" if "nargs" in how else ""
                if not re.search(rf"{re.escape(module)}\b[^\n`]*{shown}", text):
                    yield f"{module}: {name}"


def serving_nobody():
    """All of these, each under its name without "helpers"."""
    ours, theirs = [*modules()], [*books()]
    uses = Uses([*ours, *theirs])
    found = [text for name in public(uses) for text in uses.unused(name)]
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
