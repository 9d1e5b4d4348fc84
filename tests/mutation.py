"""Changes the models in helpers/ in one place at a time, and sees whether their tests notice.

    python tests/mutation.py [module, such as gpt/cache] [part of a line, such as "triu"]

Every operator, constant, condition and method call is changed in turn, in a copy: all of the module
that is named, or a third of each module, another third each week. Prints each change that no test
notices, then the figures. Linux and macOS: it forks.

Some survive by right, as they say the same: another tolerance, dim=1 of two dimensions for dim=-1,
an earlier exit, any block where all are alike, the device where there is only one.
"""

import ast
import contextlib
import gc
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter, namedtuple
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import pytest
import torch
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent
INSIDE = ["watch", "faults", "written", "axes", "doubts", "fused"]
# What is changed, and the tests that should notice.
TESTS = {
    "attention": ["attention", "attention_errors", "attention_parity"],
    "positions": ["positions"],
    "transformer/words": ["gpt", "bert", "transformer_errors"],
    "transformer/masks": ["transformer", "transformer_errors", "cache"],
    "transformer/layers": ["transformer", "transformer_errors"],
    "transformer/model": ["transformer", "transformer_errors"],
    "transformer/decoding": ["transformer_writing", "transformer_errors"],
    "gpt/model": ["gpt", "cache"],
    "gpt/hugging_face": ["gpt"],
    "gpt/cache": ["cache"],
    "gpt/filters": ["writing"],
    "gpt/sampling": ["writing", "cache"],
    "bert": ["bert"],
    **{f"inside/{name}": INSIDE for name in ("watching", "seeing", "places", "fused", "written")},
    **{f"inside/{name}": ["inside_view", "faults"] for name in ("maps", "view")},
}
SECONDS = 300  # for one run of the tests
CORES = 2
WEEKS = 3  # all changes take two and a half hours of a core
# One failing example is enough: no search for the smallest.
settings.register_profile("mutation", phases=[Phase.explicit, Phase.generate])

OPERATORS = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.Add],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.MatMult: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
NAMES = {"triu": "tril", "all": "any", "softmax": "log_softmax", "register_buffer": "__setattr__"}


def changes(tree):
    """(line, how it reads after the change, source) for each change, one at a time."""
    for definition in tree.body:
        if not hasattr(definition, "name"):
            continue  # imports and tables
        for parent in ast.walk(definition):
            for name, value in ast.iter_fields(parent):
                places = range(len(value)) if isinstance(value, list) else [None]
                for i in places:
                    node = value if i is None else value[i]
                    if isinstance(node, ast.AST) and not is_docstring(parent, node):
                        yield from changed(tree, parent, name, i, node)


def changed(tree, parent, name, i, node):
    """The changes that put something else in the place of a node."""
    for other in variants(parent, node):
        put(parent, name, i, other)
        line = getattr(node, "lineno", getattr(parent, "lineno", 0))
        yield line, first_line_of(enclosing(tree, line)), ast.unparse(tree)
        put(parent, name, i, node)


def put(parent, name, i, node):
    if i is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[i] = node


def variants(parent, node):
    """What can stand in the place of a node."""
    yield from (other() for other in OPERATORS.get(type(node), []))
    if isinstance(node, ast.Constant) and not isinstance(parent, ast.JoinedStr):
        yield from (ast.Constant(value) for value in other_values(node.value))
    if isinstance(node, ast.UnaryOp):
        yield node.operand
    if isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    if isinstance(parent, ast.If) and node is parent.test:
        yield ast.UnaryOp(ast.Not(), node)
    if isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], node.ctx)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        of_module = isinstance(node.func.value, ast.Name) and node.func.value.id in (
            "torch",
            "nn",
            "F",
        )
        if not of_module and not isinstance(node.func.value, ast.Call | ast.Constant):
            yield node.func.value  # the method is not called


def other_values(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, float):
        return [value + 0.5]
    return ["inf"] if value == "-inf" else []


def is_docstring(parent, node):
    return isinstance(parent, ast.Expr) and isinstance(node, ast.Constant)


def enclosing(tree, line):
    """The innermost statement that holds a line."""
    holding = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and first_line(node) <= line <= node.end_lineno
    ]
    return max(holding, key=lambda node: node.lineno)


def first_line_of(statement):
    """How its first line reads: of a function its own, not that of a decorator."""
    decorators = len(getattr(statement, "decorator_list", []))
    return ast.unparse(statement).split("\n")[decorators]


def first_line(statement):
    """Where it begins, with its decorators."""
    return min(node.lineno for node in (statement, *getattr(statement, "decorator_list", [])))


# ---------------------------------------------------------------- running the tests


class Order:
    """Has pytest run first what was quickest before, and notes how long each test takes."""

    def __init__(self, before):
        self.before, self.seconds = before, Counter()

    def pytest_collection_modifyitems(self, items):
        items.sort(key=lambda test: self.before.get(test.nodeid, 0))

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration


Run = namedtuple("Run", "failed cpu seconds modules")


def run(folder, tests, before=None, limit=SECONDS):
    """Run tests of a folder in a fork: whether one failed, CPU seconds, those of each, imports."""
    gc.freeze()  # or the fork would go through all there is, looking for garbage
    child = os.fork()
    if child == 0:
        done = 1
        try:
            signal.alarm(SECONDS)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            done = run_here(folder, tests, before or {})
        finally:
            os._exit(done)
    gc.unfreeze()
    _, status, used = os.wait4(child, 0)
    told = folder / "run.json"
    seconds, modules = json.loads(told.read_text()) if told.exists() else ({}, [])
    return Run(status != 0, used.ru_utime + used.ru_stime, seconds, modules)


def run_here(folder, tests, before):
    """Run tests of a folder in this process, silently, and leave a note of the run in the folder."""
    os.chdir(folder)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1), os.dup2(silent, 2)
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    settings.load_profile("mutation")
    options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    options += ["-m", "not weekly and not browser"]
    order, paths = Order(before), [str(folder / "tests" / f"test_{name}.py") for name in tests]
    done = pytest.main([*options, *paths], plugins=[order])
    (folder / "run.json").write_text(json.dumps([order.seconds, elsewhere(folder)]))
    return int(done)


def elsewhere(folder):
    """The modules imported so far that do not lie in the folder, in the order of their imports."""
    files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    return [name for name, file in files.items() if not str(file).startswith(str(folder))]


def run_changed(module, source, before=None, limit=SECONDS):
    """Run the tests of a module with this source of it, in a copy of helpers and tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for part in ("helpers", "tests"):
            ignored = shutil.ignore_patterns("__pycache__", "*.ipynb")
            shutil.copytree(ROOT / part, folder / part, ignore=ignored)
        (folder / "notebooks").symlink_to(ROOT / "notebooks")
        (folder / "helpers" / f"{module}.py").write_text(source, encoding="utf-8")
        return run(folder, TESTS[module], before, limit)


def noticed(module, source, before, limit):
    """Whether any test of a module fails on this source of it."""
    return run_changed(module, source, before, limit).failed


def as_it_is(module):
    """A run of the tests of a module that nothing changed. What they import is imported here, too:
    in a fork it is there, and need not be imported for each change."""
    ran = run_changed(module, (ROOT / "helpers" / f"{module}.py").read_text(encoding="utf-8"))
    if ran.failed:
        sys.exit(f"{module}: the tests fail as it is: nothing can be learned from changing it.")
    for name in ran.modules:
        if not name.startswith("keras"):  # asks on import which library it is to count on
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    return ran


def sources(module, part=""):
    """{changed source: (line, how it reads)} of a module; two ways to the same source count once."""
    tree = ast.parse((ROOT / "helpers" / f"{module}.py").read_text(encoding="utf-8"))
    whole = ast.unparse(tree)
    return {
        source: (line, reads)
        for line, reads, source in changes(tree)
        if source != whole and part in reads
    }


def this_week(todo, day):
    """One of WEEKS shares of the changes: so many weeks later, all have had their turn."""
    return dict(list(todo.items())[day.toordinal() // 7 % WEEKS :: WEEKS])


def try_all(module, todo):
    """Print which of these changes of a module survive, then the figures."""
    ran = as_it_is(module)
    killed, limit = 0, 5 + int(2 * ran.cpu)
    with ProcessPoolExecutor(CORES, mp_context=get_context("fork")) as pool:
        dead = pool.map(noticed, repeat(module), todo, repeat(ran.seconds), repeat(limit))
        for (line, reads), is_dead in zip(todo.values(), dead):
            killed += is_dead
            if not is_dead:
                print(f"{module} survives, line {line}: {reads}", flush=True)
    print(f"{module}: {len(todo)} changes, {killed} noticed, {len(todo) - killed} survive")


def main(module="", part=""):
    if module and module not in TESTS:
        sys.exit(f"{module!r} is not one of {', '.join(TESTS)}.")
    torch.set_num_threads(1)
    for name in [module] if module else TESTS:
        todo = sources(name, part)
        try_all(name, todo if module else this_week(todo, date.today()))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
