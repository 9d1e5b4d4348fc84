"""Changes the models in helpers/ in one place at a time, and sees whether their tests notice.

    python tests/mutation.py [module, such as gpt/cache] [part of a line, such as "triu"]

Every operator, constant, condition and method call outside the error messages is changed in turn,
in a copy. Prints each change that no test notices, then the figures. Linux and macOS: it forks.
"""

import ast
import contextlib
import gc
import os
import shutil
import signal
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import pytest
import torch
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent
INSIDE = ["inside", "inside_written", "inside_axes", "inside_doubts", "inside_fused"]
# What is changed, and the tests that should notice, the quick and likely ones first.
TESTS = {
    "attention": ["attention", "attention_errors", "attention_parity"],
    "positions": ["positions"],
    "transformer/masks": ["transformer"],
    "transformer/layers": ["transformer", "transformer_errors"],
    "transformer/model": ["transformer", "transformer_errors"],
    "transformer/decoding": ["transformer_writing"],
    "gpt/model": ["gpt"],
    "gpt/hugging_face": ["gpt"],
    "gpt/cache": ["cache"],
    "gpt/filters": ["writing"],
    "gpt/sampling": ["writing", "cache"],
    "bert": ["bert"],
    **{f"inside/{name}": INSIDE for name in ("watching", "seeing", "asked", "fused")},
    "inside/written": ["inside_written", "inside_axes", "inside"],
    "inside/doubts": ["inside_doubts", "inside_axes"],
    "inside/marks": ["inside_written", "inside_axes", "inside_doubts"],
    "inside/sums": ["inside_axes", "inside_written"],
    "inside/places": ["inside_axes", "inside_written", "inside", "inside_fused"],
    "inside/saying": ["inside", "inside_axes"],
    "inside/maps": ["inside_maps", "inside_view"],
    "inside/rollout": ["inside_maps", "inside_view"],
    **{f"inside/{name}": ["inside_view"] for name in ("film", "tokens", "view")},
}
SLOW = "compile or keras"  # tried on what survives the others, where there are such tests
WITH_SLOW = ("attention", "inside/watching")
OTHERS = (  # of what the tests import: once, not in each fork
    "transformers.models",
    "torch.nn.attention.bias",
    "torch.nn.attention.flex_attention",
    "anyio",
    "coverage",
    "matplotlib.pyplot",
    "anywidget",
    "IPython",
    "jupyter_client",
    "nbformat",
    "playwright.sync_api",
    "xdist.scheduler",
)
SECONDS = 300  # for one run of the tests
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
    """(line, how it reads after the change, source) for each change of the core, one at a time."""
    for definition in tree.body:
        if getattr(definition, "name", "_check").startswith("_check"):
            continue  # imports and error messages
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
        yield line, ast.unparse(enclosing(tree, line)).split("\n")[0], ast.unparse(tree)
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


def first_line(statement):
    """Where it begins, with its decorators."""
    return min(node.lineno for node in (statement, *getattr(statement, "decorator_list", [])))


# ---------------------------------------------------------------- running the tests


def noticed(module, source, whole):
    """Whether any test of a module fails on this source of it, in a copy of the folder `whole`."""
    with tempfile.TemporaryDirectory() as folder:
        folder = shutil.copytree(whole, Path(folder) / "copy")
        (folder / "helpers" / f"{module}.py").write_text(source, encoding="utf-8")
        return any_fails(module, folder)


def any_fails(module, folder):
    """Whether any test of a module fails on what is in the folder."""
    tests = [f"test_{name}.py" for name in TESTS[module]]
    if fails(folder, tests, f"not ({SLOW})"):
        return True
    return module in WITH_SLOW and fails(folder, tests, SLOW)


def fails(folder, tests, which):
    """Whether these tests fail in the folder; they run in a fork, with all imports done."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.chdir(folder)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1), os.dup2(silent, 2)
        sys.path.insert(0, str(folder))
        settings.load_profile("mutation")
        options = ["-x", "-q", "--tb=no", "--assert=plain", "-p", "no:cacheprovider", "-k", which]
        options += ["-m", "not weekly and not browser", "--rootdir", str(folder)]
        done = int(pytest.main([*options, *(str(folder / "tests" / name) for name in tests)]))
        os._exit(0 if done == pytest.ExitCode.NO_TESTS_COLLECTED else done)
    return os.waitpid(child, 0)[1] != 0


def sources(module, part=""):
    """{changed source: (line, how it reads)} of a module; two ways to the same source count once."""
    tree = ast.parse((ROOT / "helpers" / f"{module}.py").read_text(encoding="utf-8"))
    whole = ast.unparse(tree)
    return {
        source: (line, reads)
        for line, reads, source in changes(tree)
        if source != whole and part in reads
    }


def try_all(module, part, pool, whole):
    """Print which changes of a module survive, then the figures; `whole` is a copy to copy."""
    todo = sources(module, part)
    if pool.submit(any_fails, module, whole).result():  # and leaves its bytecode there
        sys.exit(f"{module}: the tests fail as it is: nothing can be learned from changing it.")
    killed, tried = 0, pool.map(noticed, repeat(module), todo, repeat(whole))
    for (line, reads), dead in zip(todo.values(), tried):
        killed += dead
        if not dead:
            print(f"{module} survives, line {line}: {reads}", flush=True)
    print(f"{module}: {len(todo)} changes, {killed} noticed, {len(todo) - killed} survive")


def main(module="", part=""):
    if module and module not in TESTS:
        sys.exit(f"{module!r} is not one of {', '.join(TESTS)}.")
    for name in OTHERS:
        with contextlib.suppress(ImportError):
            import_module(name)
    gc.freeze()  # a fork need not look through them
    torch.set_num_threads(1)
    with (
        tempfile.TemporaryDirectory() as whole,
        ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool,
    ):
        for name in ("helpers", "tests"):
            ignored = shutil.ignore_patterns("__pycache__", "*.ipynb")
            shutil.copytree(ROOT / name, Path(whole) / name, ignore=ignored)
        for name in [module] if module else TESTS:
            try_all(name, part, pool, Path(whole))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
