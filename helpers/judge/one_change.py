"""Where a single change makes a wrong answer right. The place is told, and not the change.

In the learner's own source, other names, numbers, functions, operators and orders are tried. What
is told is true by construction, because the changed answer gets every case right.
"""

import ast
import functools
import inspect
import linecache
import math
import time
import warnings

from .comparing import same
from .facts import fact
from .running import Run

SECONDS = 0.25  # of processor time for all changes of one answer together
LONGEST = 60  # characters of a place that is quoted
MIXED_UP = [  # words and operators that are easily taken for one another
    "tanh sigmoid relu gelu exp log", "softmax log_softmax", "sum mean max prod", "max min",
    "amax amin", "argmax argmin", "ones zeros eye", "triu tril", "all any", "sqrt square",
    "Add Sub", "Mult Div Pow", "Div FloorDiv Mod", "Mult MatMult", "BitAnd BitOr", "And Or",
    "Lt Gt LtE GtE Eq NotEq", "In NotIn", "Is IsNot", "W_query W_key W_value",
]  # fmt: skip


def one_change(exercise, answer, expected, seen, wrong):
    """[the Fact on the place where one change makes the answer right], or [].

    expected   a function that hands back what the right answer gives for the case of this index
    seen       what the answer gave for the first cases
    wrong      the indices of the cases for which the answer is wrong
    """
    end = time.process_time() + SECONDS
    order = sorted(range(len(exercise.all_cases)), key=lambda i: i not in wrong)

    def is_right(changed, i, run):
        now, before = exercise.observe(changed, exercise.all_cases[i], run), seen[i : i + 1]
        # What runs only in NumPy has no gradient: that is a change too many.
        lost = now.values is None and not (before and before[0].values is None)
        return not lost and same(now, expected(i))

    for told, changed in changes(answer):
        if time.process_time() > end:
            break
        run = Run(SECONDS)  # of its own, since a changed loop may never end
        if all(is_right(changed, i, run) for i in order):
            return [told()]
    return []


def changes(answer):
    """(a function that tells its place, the changed answer) for each change of an answer.

    There is none if its source is not known.
    """
    methods = vars(answer).values() if inspect.isclass(answer) else [answer]
    first = next(filter(inspect.isfunction, methods), None)
    if first is None:
        return
    file, line = first.__code__.co_filename, first.__code__.co_firstlineno
    source = "".join(linecache.getlines(file))
    module = ast.parse(source)
    module.body = [
        node
        for node in module.body
        if getattr(node, "name", "") == answer.__name__ and line <= node.end_lineno
    ][:1]
    for place, put, old, new in sorted(edits(module), key=_rank):
        put(new)
        space = dict(first.__globals__)
        try:
            # Python may warn of a change, such as 1[0], which no learner wrote.
            with warnings.catch_warnings(action="ignore"):
                exec(compile(ast.fix_missing_locations(module), file, "exec"), space)
        finally:
            put(old)
        # To tell the place takes longer than to make the change, and few are told.
        yield functools.partial(_told, place, module, source), space[answer.__name__]


def _rank(edit):
    """The many changes of which few make an answer right are tried last."""
    _place, _put, old, new = edit
    if isinstance(old, ast.Name):
        return 1 + isinstance(new, ast.Name)
    return isinstance(old, ast.Call) and isinstance(new, ast.BinOp)


def _told(place, module, source):
    """The Fact that one change is enough here; a place is quoted as it stands, if it is short.

    If the same text stands twice in its line, what surrounds it is quoted, too.
    """
    line = source.splitlines()[place.lineno - 1]
    around = [n for n in ast.walk(module) if hasattr(n, "lineno") and place in ast.walk(n)]
    texts = sorted((ast.get_source_segment(source, n).split("\n")[0] for n in around), key=len)
    text = next((t for t in texts if line.count(t) == 1), texts[0])
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return fact("one change", line=place.lineno, text=text)


def edits(module):
    """(its place, a function that puts a node there, the old node, the new one) of each change."""
    every = [*ast.walk(module)]
    names = {n.id for n in every if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    names |= {n.arg for n in every if isinstance(n, ast.arg)}
    for parent in every:
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                whole = functools.partial(setattr, parent, field)
                if value and isinstance(value[0], ast.stmt):
                    yield from ((*edit[:1], whole, value, edit[1]) for edit in of_lines(value))
                spots = [
                    (node, functools.partial(value.__setitem__, i)) for i, node in enumerate(value)
                ]
            else:
                spots = [(value, functools.partial(setattr, parent, field))]
            for node, put in spots:
                whole = isinstance(parent, ast.Subscript) and field == "value"
                place = parent if whole or not isinstance(node, (ast.expr, ast.stmt)) else node
                if hasattr(place, "lineno"):
                    for new in others(node, names):
                        yield place, put, node, new


def of_lines(lines):
    """(a line, all lines with another order, one left out, or the last one returned)."""
    for i, line in enumerate(lines):
        if isinstance(line, ast.FunctionDef):  # without it, what a class inherits would run
            continue
        yield line, [*lines[:i], ast.Pass(), *lines[i + 1 :]]
        if i:
            yield line, [*lines[: i - 1], line, lines[i - 1], *lines[i + 1 :]]
    if isinstance(lines[-1], ast.Expr):
        yield lines[-1], [*lines[:-1], ast.Return(lines[-1].value)]


def others(node, names):
    """Other nodes that may stand where this one stands."""
    word = getattr(node, "attr", "") or type(node).__name__
    groups = [group.split() for group in MIXED_UP]
    mixed = dict.fromkeys(w for group in groups if word in group for w in group if w != word)
    one = ast.Constant(1)
    match node:
        case ast.operator() | ast.cmpop() | ast.boolop():
            yield from (getattr(ast, w)() for w in mixed)
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int(n)):
            yield from (ast.Constant(m) for m in {n + 1: 0, n - 1: 0, -n: 0, 0: 0, -2: 0} if m != n)
            yield ast.Constant(0.5)
        case ast.Constant(value=float(n)):
            known = [m for m in (math.e, math.pi) if abs(m - n) < 0.01]  # 2.718 has too few digits
            yield from (ast.Constant(m) for m in (*known, 1 - n, -n, 1e-3 * n, 1e-6 * n))
        case ast.Attribute(value=owner):
            yield from (ast.Attribute(owner, w, node.ctx) for w in mixed)
        case ast.Name(ctx=ast.Load()) if node.id in names:
            yield ast.BinOp(node, ast.Add(), one)
            yield ast.BinOp(node, ast.Sub(), one)
            yield from (ast.Name(w, node.ctx) for w in sorted(names) if w != node.id)
        case ast.BinOp(left=a, right=b):
            yield from (a, b)
            yield ast.BinOp(b, node.op, a)
            if isinstance(node.op, ast.MatMult):
                yield ast.BinOp(_of(a, "mT"), node.op, b)
                yield ast.BinOp(a, node.op, _of(b, "mT"))
            yield ast.Call(_of(node, "abs"), [], [])
        case ast.Compare(left=ast.BinOp(a, ast.BitAnd() | ast.BitOr() as op, b)):
            yield ast.BinOp(a, op, ast.Compare(b, node.ops, node.comparators))  # a & (b < c)
        case ast.UnaryOp(operand=a):
            yield a
        case ast.Call(func=f, args=given, keywords=named):
            yield from given
            if isinstance(f, ast.Attribute):
                yield f.value
            for i in range(len(named)):
                yield ast.Call(f, given, named[:i] + named[i + 1 :])
            for i in range(1, len(given)):
                turned = [*given[: i - 1], given[i], given[i - 1], *given[i + 1 :]]
                yield ast.Call(f, turned, named)
            yield ast.BinOp(node, ast.Sub(), one)
        case ast.Slice():
            for a, b in ((None, node.upper), (node.lower, None), (node.upper, node.lower)):
                yield ast.Slice(a, b, node.step)


def _of(node, name):
    return ast.Attribute(node, name, ast.Load())
