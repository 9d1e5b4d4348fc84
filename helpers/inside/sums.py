"""Weights and values that are multiplied letter by letter: einsum, tensordot, and times and sum.

Their axes stand in any order. Which ones are batch, heads and queries, the letters or the shapes
tell; where they do not, nothing is kept, and the watch says so.
"""

from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase

import torch
from torch import Tensor

from .marks import kept, marked, one_by_one


def multiply(watch, function, args, kwargs, result):
    """Weights times a number or a mask; or weights (…, keys, 1) times values, soon to be summed."""
    one_by_one(watch, function, args, kwargs, result)
    two = (*args, *kwargs.values())[:2]
    for weights, values in (two, two[::-1]):
        mark = marked(watch, weights)
        if mark is None or not mark.whole or weights.shape == result.shape:
            continue
        if mark.axis == -2 and weights.shape[-1] == 1 and weights.dim() == result.dim():
            watch.spread[result] = mark, weights, values


def add_up(watch, function, args, kwargs, result):
    """(weights * values).sum(over the keys): the same as weights @ values."""
    product = args[0] if args else kwargs["input"]
    found = watch.spread.get(product)
    axes = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else None))
    axes = [axes] if isinstance(axes, int) else list(axes or [])
    if found is None or [axis % product.dim() for axis in axes] != [product.dim() - 2]:
        return
    if watch.place() is None:
        return
    mark, weights, values = found
    hidden = None if mark.hidden is None else mark.hidden.squeeze(-1)
    weights, values = weights.squeeze(-1), values.expand_as(product)
    used = result.squeeze(-2) if result.dim() == product.dim() else result
    query = _axis_of_queries(values)

    def rows(x):  # (…, queries, keys) or (…, queries, d_v)
        if x is None:
            return None
        return x.unsqueeze(-2) if query is None else x.movedim(query, -2)

    if query is not None:
        values = values.select(query, 0)
    mark = replace(mark, hidden=rows(hidden))
    kept(watch, mark, rows(weights), values, rows(used), single=query is None)


def _axis_of_queries(values):
    """Which axis of values (…, keys, d_v) is the queries', who share them; None: a single query.

    Raises ValueError if there are several such: heads may share values, and a batch, too.
    """
    sizes, last = values.shape[:-2], values.dim() - 3
    shared = [axis for axis, size in enumerate(sizes) if size > 1 and values.stride(axis) == 0]
    if len(sizes) > 2 and sizes[-1] == 1:  # (batch, heads, a single query, keys, d_v)
        shared.append(last)
    told = len(shared) < 2
    if not shared and len(sizes) > 1:  # shared all the same, if they were repeated
        shared = [
            axis
            for axis, size in enumerate(sizes)
            if size > 1 and bool((values == values.narrow(axis, 0, 1)).all())
        ]
        told = shared in ([], [last])
    if not told:
        raise ValueError(
            f"it multiplies weights with values {tuple(values.shape)} and adds up, and the shapes"
            " do not tell which axis is the queries'; write weights @ values instead"
        )
    return shared[0] if shared else None


def einsum(watch, function, args, kwargs, result):
    """einsum over the keys: brought into the order (…, queries, keys) · (…, keys, d_v)."""
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = operands[0]
    if not isinstance(equation, str) or "->" not in equation or len(operands) != 2:
        return
    terms, out = _spelled_out(equation.replace(" ", ""), operands)
    if not _weighs(watch, terms[0], terms[1], operands[0], out):
        terms, operands = terms[::-1], operands[::-1]
        if not _weighs(watch, terms[0], terms[1], operands[0], out):
            return
    if watch.place() is not None:
        _keep(watch, *terms, out, *operands, result)


def _spelled_out(equation, operands):
    """(the letters of both operands, those of the result), with letters in place of "..."."""
    terms, out = equation.split("->")
    terms = terms.split(",")
    dots = [x.dim() - len(term.replace("...", "")) for term, x in zip(terms, operands)]
    letters = "".join(x for x in ascii_uppercase if x not in equation)[: max(dots)]
    terms = [term.replace("...", letters[len(letters) - n :]) for term, n in zip(terms, dots)]
    return terms, out.replace("...", letters)


def tensordot(watch, function, args, kwargs, result):
    """tensordot over one axis: an einsum."""
    left, right, *dims = (*args, *kwargs.values())
    dims = dims[0] if dims else 2
    if dims == 1:
        dims = [-1], [0]
    if isinstance(dims, int | Tensor) or [len(axes) for axes in dims] != [1, 1]:
        return
    letters = ascii_lowercase[: left.dim() + right.dim()]
    own, other = list(letters[: left.dim()]), list(letters[left.dim() :])
    own[dims[0][0]] = other[dims[1][0]] = "Z"
    out = "".join(x for x in own + other if x != "Z")
    equation = f"{''.join(own)},{''.join(other)}->{out}"
    einsum(watch, function, (equation, left, right), {}, result)


def _weighs(watch, own, other, weights, out):
    """Whether these letters sum values over the keys: (…, query, key) with (…, key, anything).

    Without a letter that the values do not have, there is one query. Of several, one is the
    query's, and the others are heads that share their values.
    """
    mark = marked(watch, weights)
    if mark is None or not mark.whole or mark.axis is None:
        return False
    key = own[mark.axis]
    lonely = [x for x in own if x not in other]
    if key not in other or set(out) != (set(own) | set(other)) - {key}:
        return False
    return bool(_query(watch, own, lonely, weights)) if lonely else not set(other) <= set(own)


def _query(watch, own, lonely, weights):
    """Which of these letters is the query's; "" if that cannot be known.

    Heads share values within a sentence, whose letter comes first, and are not as many as its tokens.
    """
    if len(lonely) < 2:
        return "".join(lonely)
    place = watch.place()
    tokens = set() if place is None or own[0] in lonely else place.lengths()
    found = [x for x in lonely if weights.shape[own.index(x)] in tokens]
    return found[0] if len(found) == 1 else ""


def _keep(watch, own, other, out, weights, values, result):
    mark = marked(watch, weights)
    key = own[mark.axis]
    lonely = [x for x in own if x not in other]
    query = _query(watch, own, lonely, weights)
    sharing = "".join(x for x in lonely if x != query)
    free = "".join(x for x in other if x not in own)
    lead, told = _lead(own, other, out, query, key)

    def turned(x, letters, wanted, rows):
        x = torch.einsum(f"{letters}->{wanted}", x)
        x = x if rows is None else x.reshape(*x.shape[:rows], -1)
        return x if query or letters == other else x.unsqueeze(-2)

    rows = lead + sharing + query + key
    hidden = None if mark.hidden is None else turned(mark.hidden, own, rows, None)
    mark = replace(mark, hidden=hidden)
    weights = turned(weights, own, rows, None)
    values = turned(values, other, lead + key + free, len(lead) + 1)
    values = values[(..., *[None] * len(sharing), slice(None), slice(None))]
    used = turned(result, out, rows[:-1] + free, len(rows) - 1)
    told = told or bool(sharing)
    kept(watch, mark, weights, values, used, told=told, single=not query and not told)


def _lead(own, other, out, query, key):
    """The letters of batch and heads, in this order, and whether the equation told which is which.

    What stands behind the tokens, beside d_v, is heads: bqhd. If all of them stand there, tokens
    come first of all: qbhd.
    """
    lead = [x for x in out if x in own and x in other]
    behind = [
        x
        for x in lead
        if other.index(x) > other.index(key) or query and out.index(x) > out.index(query)
    ]
    if len(lead) > 1 and behind:
        return "".join([x for x in lead if x not in behind] + behind), True
    for term in (own, other):
        if [x for x in term if x in lead] != lead:
            raise ValueError(
                f"it sums {own!r} with {other!r} to {out!r}, and the letters do not tell which of"
                f" {', '.join(lead)} is batch, and which heads; keep them in one order"
            )
    return "".join(lead), False
