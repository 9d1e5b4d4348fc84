"""What the browser receives: the frames, a description of them, and the scripts that draw them."""

import re
from pathlib import Path
from uuid import uuid4

import anywidget
import numpy as np
import traitlets
from ipywidgets import widget_serialization

from .. import _
from ..pictures.roles import DARK_SERIES, DASHES, ROLES, SERIES, kind_of
from .scenes import Scenes

HERE = Path(__file__).parent
SCRIPTS = (  # of js/, in layers: each file imports only from those before it
    "elements film keys "  # nodes of the page and their texts, what the frames hold, keys
    "colours pointing strip sums readout "
    "table picture shapes "  # the kinds of figure
    "overview views panel "
    "threads share sliders saving view"  # all that stands around the panels
).split()
DOOR = "\nexport default { initialize: begin, render };\n"  # the functions that anywidget calls


def sent(computation, film, *, decimals, overview, hatched, note):
    """What a MatrixView receives: {"spec", which JSON can hold, "frames", "moves"}.

    decimals   of the numbers in the cells
    overview   the names of two of the swept controls, or None
    hatched    what a hatched cell is called, if it is not masked
    note       the line below the view
    """
    scenes = Scenes(film, decimals)
    controls, swept = computation.controls, film.swept
    names = [c.name for c in swept]
    spec = {
        "panels": [
            _panel(computation, film, hatched, panel) | film.labels(i) | {"scenes": scenes.of(i)}
            for i, panel in enumerate(film.panels)
        ],
        "moves": len(scenes.moves),  # known once all panels have their scenes
        "numbers": computation.numbers,
        "whole": film.whole,
        "stops": [c.stops for c in swept],
        "traits": [c.trait for c in swept],
        "controls": {name: i for i, name in enumerate(names)},
        "values": [c.numeric for c in swept],
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
        "series": [f"light-dark({light}, {dark})" for light, dark in zip(SERIES, DARK_SERIES)],
        "views": {
            name: {"name": v.name, "axes": v.axes, "heads": v.heads}
            for panel in film.panels
            for name, v in panel.looks().items()
        },
        "dashes": [" ".join(map(str, dashes)) for dashes in DASHES],
        "hatched": hatched or "",
        "note": note,
        "words": words(),
    }
    moves = np.frombuffer(b"".join(scenes.moves), np.float32).reshape(-1, len(film.frames)).T
    return {"spec": spec, "frames": film.frames.tobytes(), "moves": moves.tobytes()}


def check_overview(overview, swept):
    """Raise ValueError unless overview is None or names two of the controls that need no kernel."""
    names = [c.name for c in swept]
    if overview and (len(overview) != 2 or not set(overview) <= set(names)):
        text = _("overview={overview!r} does not name two controls that need no kernel;")
        known = _("these are: {names}.", names=", ".join(names) or _("none"))
        raise ValueError(f"{text.format(overview=overview)} {known}")
    return overview


def _panel(computation, film, hatched, p):
    role = ROLES[p.role]
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
        "span": list(p.span),
        "picture": p.is_picture,
        "rest": p.has_others,
        "view": p.view,
        "views": p.views,
        "kind": kind_of(p.name),
        "masked": (hatched or _("masked")) if film.hides and p.has_keys else "",
        "sum": computation.claims.get(p.name),
    }


def words():
    """All texts of the scripts in the learner's language; the scripts fill in the {fields}."""
    return {
        "masked": _("masked"),
        "how to": _(
            "Point at a number or a word, tap it, or reach it with Tab and the arrow keys."
        ),
        "how to, overview": _(
            "Each picture has its strongest colour at its own largest number. Click one, "
            "or reach it with Tab and the arrow keys."
        ),
        "overview": _("overview: {rows} down, {columns} across; arrow keys move, Enter opens"),
        "picture": _("{panel}: {rows} rows, {columns} columns; arrow keys move"),
        "views": _("{panel}: views"),
        "show as": _("{panel}: show as {view}"),
        "may not look": _("{cell}: masked, so {query} cannot attend to it"),
        "the query": _("the query"),
        "nothing to add": _("{cell} = {x}: there is nothing to sum, because every term is masked"),
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
        "play": _("play {name}"),
        "pause": _("pause {name}"),
        "offers": _("link, frame, picture"),
        "link": _("copy a link to this"),
        "frame": _("copy the line for a frame"),
        "still picture": _("picture"),
        "copied": _("It is copied."),
        "no kernel": _("No kernel is running that could compute this. Run the cell again."),
    }


def joined(names):
    """Scripts of js/ as one, without the lines by which they import from each other."""
    text = "\n".join((HERE / "js" / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return re.sub(r"^import [^;]*;\n|^export ", "", text, flags=re.M)


class MatrixView(anywidget.AnyWidget):
    """The picture in the browser. It knows frames and labels, and nothing about attention.

    It follows a slider through the slider's model in the browser. An ipywidgets link would do the
    same, but it would also send each value to the kernel, and JupyterLab redraws its status bar at
    every reply.
    """

    _esm = joined(SCRIPTS) + DOOR
    _css = "".join((HERE / f"{name}.css").read_text("utf-8") for name in ("explorer", "views"))
    spec = traitlets.Dict().tag(sync=True)
    frames = traitlets.Bytes().tag(sync=True)  # float32: (settings, numbers in a frame)
    moves = traitlets.Bytes().tag(sync=True)  # float32: (settings, numbers of shapes; see Scenes)
    controls = traitlets.List().tag(sync=True, **widget_serialization)  # those that it follows
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
        self.frames = self.moves = b""
        self.error = "closed"
