"""What the browser receives: the frames, a description of them, and the scripts that draw them."""

import re
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import anywidget
import numpy as np
import traitlets
from ipywidgets import widget_serialization

from .. import _
from ..pictures.planes import Curves, plane_of
from ..pictures.roles import DARK_SERIES, DASHES, ROLES, SERIES, closer_end, kind_of, with_scales
from ..pictures.views import VIEWS

HERE = Path(__file__).parent
DOOR = "\nexport default { initialize: begin, render };\n"  # the functions that anywidget calls


class Film:
    """The frames at all settings, in which each matrix has room for its largest size.

    A smaller matrix fills the upper left corner. The rest is NaN, and the labels, which end
    earlier, show that there are no cells.

    frames   (settings, numbers in a frame), float32
    whole    for each number that is no matrix, whether it needs no decimals at any setting
    panels   a Panel for each matrix, at its largest; span and limit cover all settings
    stands   the panels at each setting
    """

    def __init__(self, taken):
        """taken: (panels, row of numbers) at each setting, as Computation.at returns them."""
        self.stands = [panels for panels, row in taken]
        self.panels = [_largest(same) for same in zip(*self.stands)]
        first, row = taken[0]
        numbers = len(row) - sum(p.size for p in first)
        size = sum(p.size for p in self.panels)
        self.frames = np.full((len(taken), size + numbers), np.nan, np.float32)
        for frame, (panels, row) in zip(self.frames, taken):
            places, end = _split(frame, self.panels)
            arrays, end[:] = _split(row, panels)
            for place, array in zip(places, arrays):
                place[..., : array.shape[-2], : array.shape[-1]] = array
        self.whole = (self.frames[:, size:] % 1 == 0).all(axis=0).tolist()
        columns = np.split(self.frames, np.cumsum([p.size for p in self.panels]), axis=1)
        self.panels = with_scales(self.panels, columns[:-1])

    def shown(self, index):
        """([(panel, array), …], other numbers) at one setting, without the unused room."""
        arrays, tail = _split(self.frames[index], self.panels)
        scales = [{"limit": p.limit, "span": p.span} for p in self.panels]
        panels = [replace(p, **x) for p, x in zip(self.stands[index], scales)]
        return [(p, a[..., : p.shape[-2], : p.shape[-1]]) for p, a in zip(panels, arrays)], tail

    def curves(self, i, swept, at):
        """The Curves of the i-th panel over the first swept control that has a scale, or None.

        swept    the swept controls; `at` has the index of the present value of each
        """
        over = chart_over(swept)
        if over is None:
            return None
        counts = [c.count for c in swept]
        frames = np.moveaxis(self.frames.reshape(*counts, -1), over, 0)
        frames = frames[(slice(None), *at[:over], *at[over + 1 :])]
        start = sum(p.size for p in self.panels[:i])
        control = swept[over]
        numbers = frames[:, start : start + self.panels[i].size]
        return Curves(control.widget.description, control.numeric, numbers, at[over])

    def labels(self, i):
        """The labels of the i-th panel: {"rows": lists of labels, "columns": …, "at": …}.

        "at" has (index into rows, index into columns) per setting, or one entry for them all."""
        found = {"rows": {}, "columns": {}}  # lists of labels, each with its index
        at = []
        for panels in self.stands:
            sides = [(lists, tuple(getattr(panels[i], side))) for side, lists in found.items()]
            at.append([lists.setdefault(labels, len(lists)) for lists, labels in sides])
        lists = {side: [list(labels) for labels in found[side]] for side in found}
        return lists | {"at": at if any(map(any, at)) else at[:1]}


def chart_over(swept):
    """The index of the control over which charts are drawn: the first with numbers; or None."""
    is_scale = [bool(c.numeric) and not c.is_switch and c.count > 2 for c in swept]
    return is_scale.index(True) if any(is_scale) else None


def _split(row, panels):
    """(arrays, other numbers) of one row of numbers: views of it, not copies."""
    *parts, tail = np.split(row, np.cumsum([p.size for p in panels]))
    return [part.reshape(p.shape) for part, p in zip(parts, panels)], tail


def _largest(same):
    """The panel at its largest, from the panels at all settings."""
    first = same[0]
    if all(panel is first for panel in same):
        return first
    rows, columns = (max((getattr(p, side) for p in same), key=len) for side in ("rows", "columns"))
    reads = first.reads
    # "the 8 largest, by true" names a series, which may change
    if any(p.reads != reads for p in same):
        by = _(", by {series}", series=first.rows[0])
        reads = reads.removesuffix(by) + _(", by {series}", series=_("the first series"))
    shape = (*first.shape[:-2], len(rows), len(columns))
    large = replace(first, rows=rows, columns=columns, shape=shape, reads=reads)
    # A view that does not fit at one setting, because the matrix is too large, is not offered.
    fit = [v for v in large.in_view("", first.views).views if all(v in p.views for p in same)]
    view = first.view if first.view in fit and all(p.view == first.view for p in same) else fit[0]
    return replace(large, views=tuple(fit), view=view)


def spec_of(computation, film, swept, seen, decimals, overview, hatched, note):
    """The `spec` of MatrixView, which JSON can hold.

    swept    the controls that need no kernel
    seen     the index of the frame that is seen first; if its colours are pale, they get a closer
             limit
    hatched  what a hatched cell is called, if it is not masked
    """
    controls = computation.controls
    names = [c.name for c in swept]
    arrays, _numbers = _split(film.frames[seen], film.panels)
    return {
        "panels": [
            _panel(computation, panel, array, chart_over(swept), hatched) | film.labels(i)
            for i, (panel, array) in enumerate(zip(film.panels, arrays))
        ],
        "numbers": computation.numbers,
        "whole": film.whole,
        "stops": [c.stops for c in swept],
        "traits": [c.trait for c in swept],
        "controls": {name: i for i, name in enumerate(names)},
        "values": [c.numeric for c in swept],
        "names": [c.widget.description for c in swept],
        "over": chart_over(swept),
        "overview": overview and [names.index(name) for name in overview],
        "choices": [c.labels or [str(p) for p in c.positions] for c in swept],
        "sliders": [  # for each slider, the index of its swept control
            names.index(c.name) if c.name in names else -1
            for c in controls
            if "Slider" in c.widget._view_name
        ],
        "operands": {n: a.tolist() for n, a in computation.operands.items()},
        "decimals": decimals,
        "swept": len(swept) == len(controls),
        "series": [SERIES, DARK_SERIES],
        "views": {
            name: {"name": v.name, "icon": v.icon, "axes": v.axes, "point": v.point}
            for name, v in VIEWS.items()
        },
        "dashes": [" ".join(map(str, dashes)) for dashes in DASHES],
        "hatched": hatched or "",
        "note": note,
        "words": words(),
    }


def check_overview(overview, swept):
    """Raise ValueError unless overview is None or names two of the controls that need no kernel."""
    names = [c.name for c in swept]
    if overview and (len(overview) != 2 or not set(overview) <= set(names)):
        text = _("overview={overview!r} does not name two controls that need no kernel;")
        known = _("these are: {names}.", names=", ".join(names) or _("none"))
        raise ValueError(f"{text.format(overview=overview)} {known}")
    return overview


def _panel(computation, p, array, over, hatched):
    role = ROLES[p.role]
    views = [view for view in p.views if view != "chart" or over is not None]
    return {
        "name": p.name,
        "role": p.role,
        "heads": len(p.heads),
        "names": p.heads,
        "tall": p.shape[-2],
        "wide": p.shape[-1],
        "reads": p.reads,
        "keys": p.has_keys and bool(p.reads),
        "low": role.low,
        "high": role.high,
        "dark": role.dark,
        "limit": p.limit,
        "closer": closer_end(p, array),
        "span": list(p.span),
        "picture": p.is_picture,
        "bars": p.bars,
        "view": p.view if p.view in views else views[0],
        "views": views,
        "plane": plane_of(p),
        "kinds": [kind_of(label) or kind_of(p.name) for label in p.rows],
        "kind": kind_of(p.name),
        "masked": (hatched or _("masked")) * (computation.masked is not None and p.has_keys),
        "sum": computation.claims.get(p.name),
    }


def words():
    """All texts of the scripts in the learner's language; the scripts fill in the {fields}."""
    return {
        "masked": _("masked"),
        "how to, overview": _(
            "Each picture has its strongest colour at its own largest number. Click one, "
            "or reach it with Tab and the arrow keys."
        ),
        "overview": _("overview: {rows} down, {columns} across; arrow keys move, Enter opens"),
        "others": _("{n} others"),
        "picture": _("{panel}: {rows} rows, {columns} columns; arrow keys move"),
        "heads shown": _("{panel}: heads that are shown"),
        "views": _("{panel}: views"),
        "show as": _("{panel}: show as {view}"),
        "colours to": _("colours to {end}"),
        "may not look": _("{cell}: masked, so {query} cannot attend to it"),
        "the query": _("the query"),
        "nothing to add": _("{cell} = {x}: there is nothing to sum, because every term is masked"),
        "word": _("word"),
        "key": _("key"),
        "query": _("query"),
        "row": _("row"),
        "smaller": _("{cells}, and {n} smaller"),
        "terms": _("{some} + … {n} terms"),
        "sum": _("sum"),
        "product": _("product"),
        "difference": _("difference"),
        "share": _("share"),
        "close": _("close the sum"),
        "sum behind": _("the sum behind {cell}"),
        "type": _("{name}: type a value"),
        "back": _("{name}: one step back"),
        "on": _("{name}: one step forward"),
        "play": _("play {name}"),
        "pause": _("pause {name}"),
        "still": _("Your system asks for less motion: use the steps beside this button."),
        "copy picture": _("copy as a picture"),
        "picture copied": _("The picture is copied."),
        "picture saved": _("The picture is saved as a file."),
        "svg": _("save as SVG"),
        "png": _("save as PNG"),
        "link": _("copy a link to these settings"),
        "link copied": _("The link is copied."),
        "link above": _("The link is in the address bar."),
        "no kernel": _("No kernel is running that could compute this. Run the cell again."),
    }


def _script():
    """The scripts as one, without the lines by which they import from each other."""
    parts = sorted((HERE / "js").glob("*.js"))
    text = "\n".join(part.read_text(encoding="utf-8") for part in parts)
    return re.sub(r"^import [^;]*;\n|^export ", "", text, flags=re.M) + DOOR


class MatrixView(anywidget.AnyWidget):
    """The picture in the browser. It knows frames and labels, and nothing about attention.

    It follows a slider through the slider's model in the browser. An ipywidgets link would do the
    same, but it would also send each value to the kernel, and JupyterLab redraws its status bar at
    every reply.
    """

    _esm = _script()
    _css = "".join((HERE / f"{name}.css").read_text("utf-8") for name in ("explorer", "views"))
    spec = traitlets.Dict().tag(sync=True)
    frames = traitlets.Bytes().tag(sync=True)  # float32: (settings, numbers in a frame)
    controls = traitlets.List().tag(sync=True, **widget_serialization)  # those that it follows
    at = traitlets.Dict().tag(sync=True)  # the values for which the kernel computes
    error = traitlets.Unicode().tag(sync=True)
    own = traitlets.Unicode().tag(sync=True)  # an id by which the browser finds this model

    def __init__(self, **traits):
        own = uuid4().hex
        super().__init__(own=own, model_id=own, **traits)

    def forget(self):
        """Free the frames, here and in the browser.

        JupyterLab holds on to the model of a closed widget, with its present and its previous
        values. So one change empties the frames, and a second one replaces the previous values.
        """
        self.frames = b""
        self.error = "closed"
