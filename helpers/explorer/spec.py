"""What the browser is told of an Explorer, apart from its numbers: labels, roles, colours, controls."""

import math

from ..pictures.offers import offers
from ..pictures.roles import DASHES, ROLES, SERIES


def spec_of(computation, film, here, controls, swept, decimals):
    """The `spec` of MatrixView: what JSON can hold.

    here    the index, in the film, of the frame that is seen first
    """
    found = offers(film.panels, film.frames, film.frames[here], swept)
    given = zip(film.panels, found, film.labels())
    return {
        "panels": [_panel(computation, *panel) for panel in given],
        "numbers": computation.numbers,
        "stops": [c.stops for c in controls] if swept else [],
        "traits": [c.trait for c in controls] if swept else [],
        "controls": {c.name: i for i, c in enumerate(controls)} if swept else {},
        "values": [c.numeric for c in controls] if swept else [],
        "sliders": sum("Slider" in c.widget._view_name for c in controls),
        "operands": {n: a.tolist() for n, a in computation.operands.items()},
        "decimals": decimals,
        "swept": swept,
        "series": SERIES,
        "dashes": [" ".join(map(str, dashes)) for dashes in DASHES],
        "note": "" if swept else _note(controls),
    }


def _panel(computation, p, offer, moving):
    role = ROLES[p.role]
    return {
        "name": p.name,
        "role": p.role,
        "heads": p.shape[0] if len(p.shape) == 3 else 0,
        "rows": p.rows,
        "columns": p.columns,
        "moving": moving,
        "reads": p.reads,
        "low": role.low,
        "high": role.high,
        "limit": p.limit,
        "offer": offer,
        "picture": p.is_picture,
        "bars": p.bars,
        "view": p.view,
        "lines": p.can_be_lines,
        "masked": computation.masked is not None and p.has_keys,
        "sum": computation.claims.get(p.name),
    }


def _note(controls):
    if any(c.count is None for c in controls):
        return "Computed in the kernel as you type or move."
    count = math.prod(c.count for c in controls)
    return f"{count:,} positions are too many to try beforehand: each is computed as you get there."
