"""The Explorer's controls: turns what a notebook writes into ipywidgets, with all their values."""

import inspect
import math
import re

import ipywidgets as widgets
from ipywidgets.widgets.interaction import interactive
from ipywidgets.widgets.widget_description import DescriptionWidget
from ipywidgets.widgets.widget_selection import _Selection

from .. import _

MAX_POSITIONS = 5_000  # settings of a slider, or of all controls together: each is computed
SLIDERS = (widgets.IntSlider, widgets.FloatSlider)


def match_names(compute, names, title=None):
    """Raise TypeError unless `compute` can be called with exactly these argument names."""
    if not callable(compute) or isinstance(compute, type):
        is_class = isinstance(compute, type)
        given = _("the class {name}", name=compute.__name__) if is_class else type(compute).__name__
        came = _("expected a function, got {given};", given=given)
        advice = _("give the name of one, without brackets, or an object made from a class.")
        raise TypeError(f"{came} {advice}")
    title = title or name_of(compute)
    parameters = inspect.signature(compute).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    takes = [p.name for p in named]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    stray = [name for name in names if name not in takes and not takes_any]
    if stray:
        told = {"title": title, "name": stray[0], "takes": ", ".join(takes) or _("nothing")}
        raise TypeError(_("{title} takes no argument '{name}'; it takes: {takes}.", **told))
    missing = [p.name for p in named if p.default is p.empty and p.name not in names]
    if missing:
        text = _("{title} needs '{name}', but no control sets it. Add one, such as {example}.")
        example = f"{missing[0]}=(0.0, 1.0, 0.1)"
        raise TypeError(text.format(title=title, name=missing[0], example=example))


def default_of(compute, name):
    """The default value of compute's argument `name`, or inspect's `empty` if it has none."""
    parameter = inspect.signature(compute).parameters.get(name)
    return parameter.default if parameter else inspect.Parameter.empty


def name_of(compute):
    """The name of a function in messages."""
    compute = getattr(compute, "func", compute)  # the function inside a functools.partial
    return getattr(compute, "__name__", type(compute).__name__)


class Control:
    """One named widget, with the values that it can have.

    positions   all of them, in order; None if the input is free
    count       how many; None if the input is free

    Raises TypeError unless it gets a widget, or an abbreviation of one; ValueError if it has more
    than MAX_POSITIONS values.
    """

    def __init__(self, name, given, default=inspect.Parameter.empty):
        self.name = name
        self.is_ours = not isinstance(given, widgets.Widget)
        self.widget = w = _widget(name, given, default)
        self.is_choice = isinstance(w, _Selection)
        self.is_switch = isinstance(w, widgets.Checkbox)
        self.trait = "index" if self.is_choice else "value"
        self.positions = self._positions()
        self.count = None if self.positions is None else len(self.positions)
        self._snap()
        if isinstance(w, DescriptionWidget):
            w.description = w.description or re.sub(r"(?<=\w\w)_", " ", name)  # d_k stays
            if w.has_trait("tooltip"):  # ipywidgets 8 would write "null"; 7 shows the description
                w.tooltip = w.tooltip or w.description

    def _positions(self):
        w = self.widget
        if self.is_choice:
            if not w._options_full:
                raise TypeError(_("the control '{name}' has no choices.", name=self.name))
            return [value for label, value in w._options_full]
        if self.is_switch:
            return [False, True]
        if not isinstance(w, SLIDERS) or not w.step:
            return None
        count = int((w.max - w.min) / w.step + 1e-6) + 1
        if count > MAX_POSITIONS:
            text = _("the control '{name}' has {n:,} settings; give it larger steps.")
            raise ValueError(text.format(name=self.name, n=count))
        if isinstance(w, widgets.IntSlider):
            return [w.min + i * w.step for i in range(count)]
        # 0.1 + 2 * 0.1 becomes 0.3, not 0.30000000000000004, and + 0.0 turns -0.0 into 0.0.
        decimals = _decimals(w.step, w.min)
        return [round(w.min + i * w.step, decimals) + 0.0 for i in range(count)]

    def _snap(self):
        """Move the widget to the nearest of its own values, and end its range at the last."""
        if self.is_choice:
            self.widget.index = self.position
        elif self.count:
            self.widget.value = self.value
            if self.count > 1 and not self.is_switch:
                self.widget.max = self.positions[-1]  # else the handle could go further

    @property
    def labels(self):
        """The label of each value of a choice; None for other controls."""
        return [label for label, value in self.widget._options_full] if self.is_choice else None

    @property
    def numeric(self):
        """The values as numbers, for sums such as "scores / temperature".

        None for words, and for what is typed, which only the kernel knows.
        """
        try:
            numbers = [float(p) for p in self.positions]
        except (TypeError, ValueError):
            return None
        return numbers if all(map(math.isfinite, numbers)) else None

    @property
    def value(self):
        """The value with which compute is called."""
        return self.widget.value if self.count is None else self.positions[self.position]

    @property
    def position(self):
        """The index of the widget's value among all its values."""
        w = self.widget
        if self.is_choice:
            return w.index or 0
        if self.is_switch:
            return int(w.value)
        return min(max(round((w.value - w.min) / w.step), 0), self.count - 1)

    @property
    def stops(self):
        """The values as the browser has them: numbers, or the indices of a choice."""
        return list(range(self.count)) if self.is_choice else [float(p) for p in self.positions]


def align_names(controls):
    """Give the names of all controls the same width, so that the sliders are aligned."""
    named = [c.widget for c in controls if isinstance(c.widget, DescriptionWidget)]
    longest = max((len(w.description) for w in named), default=0)
    for widget in named:
        widget.style.description_width = f"{min(longest, 23) + 1}ch"  # longer names are cut


def _widget(name, given, default):
    """The given widget, or the one that ipywidgets makes from an abbreviation."""
    try:
        widget = interactive.widget_from_abbrev(given, default)
    except (ValueError, TypeError, OverflowError) as error:
        told = {"name": name, "given": given, "error": error}
        raise TypeError(
            _("the control {name}={given!r} cannot be made into a slider: {error}.", **told)
        ) from error
    has_end = not isinstance(widget, SLIDERS) or math.isfinite(widget.max - widget.min)
    if widget is None or not has_end:
        came = _("the control {name}={given!r} is not understood.", name=name, given=given)
        wanted = _(
            "Give (lowest, highest, step), a list of choices, True or False, or an ipywidget."
        )
        raise TypeError(f"{came} {wanted}")
    if widget is given:
        return widget
    if isinstance(widget, SLIDERS):
        widget.layout.width = "100%"  # shared with the buttons beside it
    if isinstance(widget, widgets.Checkbox):
        widget.indent = False  # aligned with the panels
    if isinstance(widget, widgets.FloatSlider):
        widget.readout_format = f".{_decimals(widget.step, widget.min)}f"
    return widget


def _decimals(*numbers):
    """The number of decimals that writing all these numbers takes: 0.05 → 2."""
    return max(len(f"{x:.10f}".rstrip("0").partition(".")[2]) for x in numbers)
