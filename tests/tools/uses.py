"""Who uses what: read from the sources, which are not run.

A call counts for what its name leads to, else for every method of that name; `layer(x, mask=m)`,
where nothing says what `layer` is, for every `forward` with such names. What helpers only hands on
(`inner(mask=mask)`) counts if somebody passes it to the outer function, and `**choices` counts for
all names that are keys or arguments in the same file.
"""

import ast
import functools
import inspect
from collections import defaultdict

signature = functools.cache(inspect.signature)


class Uses:
    """Who mentions what in some sources, and who passes what to whom.

    sources  [(name, syntax tree, {name: what it stands for there}), …]
    """

    def __init__(self, sources):
        found = [one for _name, _tree, names in sources for one in names.values()]
        found += [part for one in found if inspect.isclass(one) for part in vars(one).values()]
        self.known = {full(one): plain(one) for one in found if full(one)}
        self.mentioned = defaultdict(set)  # full name, or a name after a dot → where
        self.passed = defaultdict(set)  # (function, argument) → {None, (outer function, argument)}
        self.methods = defaultdict(set)
        for name, one in self.known.items():
            if "." in one.__qualname__:
                self.methods[one.__name__].add(name)
        for name, tree, self.names in sources:
            self.keys = {
                getattr(key, "value", None) for d in each(tree, ast.Dict) for key in d.keys
            }
            self.keys |= {keyword.arg for keyword in each(tree, ast.keyword)}
            self._read(tree, name, None)

    def _read(self, node, outer, of_class):
        inner = f"{outer}.{getattr(node, 'name', '')}"
        if inner in self.known:
            outer = inner
            of_class = self.known[inner] if isinstance(node, ast.ClassDef) else of_class
        if isinstance(node, (ast.Name, ast.Attribute)):
            self.mentioned[full(self._means(node, of_class)) or last(node)].add(outer)
        for name, given in self._calls(node, of_class) if isinstance(node, ast.Call) else ():
            for argument, value in given.items():
                own = getattr(value, "id", None) in optional(self.known.get(outer))
                self.passed[name, argument].add((outer, value.id) if own else None)
        for part in ast.iter_child_nodes(node):
            self._read(part, outer, of_class)

    def _means(self, node, of_class):
        """The object that an expression names, in a method of this class; None if not known."""
        if isinstance(node, ast.Attribute):
            return getattr(self._means(node.value, of_class), node.attr, None)
        return of_class if last(node) == "self" else self.names.get(last(node))

    def _calls(self, call, of_class):
        """(function, {argument: what is passed}) of all that a call may mean."""
        found = self._means(call.func, of_class)
        names = {full(found.__init__ if inspect.isclass(found) else found)}
        if found is None:
            names = self.methods[last(call.func)] if isinstance(call.func, ast.Attribute) else set()
        if found is None and not names:
            names, call = self.methods["forward"], ast.Call(call.func, [], call.keywords)
        for one in names & self.known.keys():
            yield one, bound(self.known[one], call, self.keys)

    def is_passed(self, way, seen=()):
        others = self.passed[way] - {*seen, way}
        return any(one is None or self.is_passed(one, (*seen, way)) for one in others)

    def unused(self, name):
        """The function of this full name, if nobody uses it, or else its arguments of that kind."""
        one, end = self.known[name], name.rpartition(".")[2]
        where = self.mentioned[name] | self.mentioned[end if name in self.methods[end] else name]
        own = {x for x in where if x.endswith(f".{end}") or x.startswith(f"{name}.")}
        if end not in ("__init__", "forward") and where == own:
            yield name
        elif (
            inspect.isfunction(one) and one.__code__.co_filename != "<string>"
        ):  # a dataclass's own
            yield from (f"{name}({x})" for x in optional(one) if not self.is_passed((name, x)))


def each(tree, kind):
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def last(node):
    """The name of an expression; of several with dots, the last."""
    return getattr(node, "attr", getattr(node, "id", ""))


def plain(one):
    """The function behind a property or a decorator; anything else as it is."""
    one = one.fget if isinstance(one, property) else getattr(one, "func", one)
    return inspect.unwrap(one) if inspect.isfunction(one) else one


def full(one):
    """The name of a function or class of helpers, such as "helpers.tools.steps"; else ""."""
    one = plain(one)
    ours = inspect.isfunction(one) or inspect.isclass(one)
    ours = ours and one.__module__.startswith("helpers.")
    return f"{one.__module__}.{one.__qualname__}" if ours else ""


def optional(function):
    given = signature(function).parameters.values() if inspect.isfunction(function) else ()
    return [p.name for p in given if p.default is not p.empty or p.kind == p.VAR_KEYWORD]


def bound(function, call, keys):
    """{argument: what a call passes}; empty if the call does not fit."""
    takes = signature(function)
    given = [None] if "self" in takes.parameters else []
    room = sum(p.kind == p.POSITIONAL_OR_KEYWORD for p in takes.parameters.values())
    for value in call.args:
        given += [value] * (room - len(given)) if isinstance(value, ast.Starred) else [value]
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if spread := named.pop(None, None):
        named = dict.fromkeys(keys & takes.parameters.keys() - {"self"}, spread) | named
    try:
        return takes.bind_partial(*given, **named).arguments
    except TypeError:
        return {}
