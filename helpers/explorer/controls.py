"""The Explorer's sliders: from what a notebook writes to ipywidgets, and the positions each can take."""

import inspect
import math

import ipywidgets as widgets
from ipywidgets.widgets.interaction import interactive
from ipywidgets.widgets.widget_description import DescriptionWidget
from ipywidgets.widgets.widget_selection import _Selection

MAX_POSITIONS = 5_000  # more positions than this, of one slider or of all together, are not swept


def match_names(compute, names, title=None):
    """Raise TypeError unless `compute` can be called with exactly these argument names."""
    if not callable(compute) or isinstance(compute, type):
        is_class = isinstance(compute, type)
        got = f"the class {compute.__name__}" if is_class else type(compute).__name__
        advice = "an object made from it" if is_class else "the name of one, without brackets"
        raise TypeError(f"Explorer: expected a function, got {got}; give {advice}.")
    title = title or name_of(compute)
    kinds = inspect.Parameter
    try:
        parameters = inspect.signature(compute).parameters.values()
    except ValueError as error:  # some that are written in C do not say
        raise TypeError(
            f"Explorer: {title} does not say what arguments it takes; wrap it in a function of your own."
        ) from error
    named = {
        p.name: p for p in parameters if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
    }
    takes_any = any(p.kind is kinds.VAR_KEYWORD for p in parameters)
    required = [p for p in parameters if p.default is p.empty]
    for p in required:
        if p.kind is kinds.POSITIONAL_ONLY:
            raise TypeError(
                f"Explorer: {title} takes '{p.name}' without its name; take out the / among its arguments."
            )
    stray = [name for name in names if name not in named and not takes_any]
    if stray:
        takes = ", ".join(named) or "nothing"
        raise TypeError(f"Explorer: {title} takes no argument '{stray[0]}'; it takes: {takes}.")
    missing = [p.name for p in required if p.name in named and p.name not in names]
    if missing:
        raise TypeError(
            f"Explorer: {title} needs '{missing[0]}', and no control gives it. "
            f"Add one, such as {missing[0]}=(0.0, 1.0, 0.1)."
        )


def default_of(compute, name):
    """The default that compute gives its argument `name` (inspect's `empty` where it has none)."""
    parameter = inspect.signature(compute).parameters.get(name)
    return parameter.default if parameter else inspect.Parameter.empty


def name_of(compute):
    """What to call a function in a message."""
    compute = getattr(compute, "func", compute)  # what a functools.partial calls
    return getattr(compute, "__name__", type(compute).__name__)


class Control:
    """One named widget, with the positions it can take.

    count       how many; None where the input is free
    positions   all of them, in order; None where it is free or there are more than MAX_POSITIONS

    Raises TypeError for what is neither a widget with a value nor an abbreviation of one.
    """

    def __init__(self, name, given, default=inspect.Parameter.empty):
        self.name = name
        self.is_ours = not isinstance(given, widgets.Widget)
        self.widget = self._widget(name, given, default)
        self.is_selection = isinstance(self.widget, _Selection)
        self.is_switch = isinstance(self.widget, (widgets.Checkbox, widgets.ToggleButton))
        self.slides = isinstance(
            self.widget, (widgets.IntSlider, widgets.FloatSlider, widgets.SelectionSlider)
        )
        self.trait = "index" if self.is_selection else "value"
        self.count = self._count()
        few = self.count is not None and self.count <= MAX_POSITIONS
        self.positions = [self._at(i) for i in range(self.count)] if few else None
        self._snap()
        self._start = getattr(self.widget, self.trait)
        if isinstance(self.widget, DescriptionWidget):
            self.widget.description = self.widget.description or name.replace("_", " ")
            self.widget.style.description_width = "initial"

    @staticmethod
    def _widget(name, given, default):
        if isinstance(given, (widgets.Widget, widgets.fixed)):
            if isinstance(given, widgets.fixed) or not hasattr(given, "value"):
                raise TypeError(
                    f"Explorer: the control '{name}' is of type {type(given).__name__}, "
                    "which has no value to move."
                )
            return given
        _check_step(name, given)
        try:
            widget = interactive.widget_from_abbrev(given, default)
        except (ValueError, TypeError, OverflowError) as error:
            raise TypeError(
                f"Explorer: the control {name}={given!r} makes no slider: {error}."
            ) from error
        if widget is None:
            raise TypeError(
                f"Explorer: the control {name}={given!r} is not understood. "
                "Give (lowest, highest, step), a list of choices, True or False, or an ipywidget."
            )
        if isinstance(widget, (widgets.IntSlider, widgets.FloatSlider)):
            widget.layout.width = "min(26rem, 100%)"
        if isinstance(widget, widgets.FloatSlider):
            widget.readout_format = f".{_decimals(widget.step, widget.min)}f"
        return widget

    def _count(self):
        w = self.widget
        if self.is_selection:
            if not w._options_full:
                raise TypeError(f"Explorer: the control '{self.name}' has no choices.")
            return len(w._options_full)
        if self.is_switch:
            return 2
        if isinstance(w, (widgets.IntSlider, widgets.FloatSlider)):
            if not math.isfinite(w.max - w.min):
                raise TypeError(
                    f"Explorer: the control '{self.name}' runs from {w.min} to {w.max}."
                )
            if w.step and w.step > 0:
                return int((w.max - w.min) / w.step + 1e-6) + 1
        return None

    def _at(self, i):
        """The i-th position; rounded to the step, so that 0.1 + 2 * 0.1 is 0.3, not 0.30000000000000004."""
        w = self.widget
        if self.is_selection:
            return w._options_full[i][1]
        if self.is_switch:
            return bool(i)
        if isinstance(w, widgets.IntSlider):
            return w.min + i * w.step
        return round(w.min + i * w.step, _decimals(w.step, w.min)) + 0.0  # + 0.0 mends -0.0

    def _snap(self):
        """Move the widget to the nearest of its own positions, and end its range at the last."""
        if self.is_selection:
            self.widget.index = self.position
        elif self.count:
            self.widget.value = self.value
            if self.count > 1 and not self.is_switch:
                self.widget.max = self._at(self.count - 1)  # or the handle could go past it

    def is_like(self, other):
        """Whether both were asked for in the same words, and start at the same place."""
        return self._asked() == other._asked()

    def _asked(self):
        labels = [label for label, _ in self.widget._options_full] if self.is_selection else None
        return self.name, type(self.widget), self.count, self.stops, labels, self._start

    def resume(self, other):
        """Go where a control like this one stands."""
        if self.is_ours:
            setattr(self.widget, self.trait, getattr(other.widget, self.trait))

    def sample(self, n):
        """Some n positions, from the first to the last; none where the input is free."""
        n = min(n, self.count or 0)
        return [self._at(i * (self.count - 1) // max(1, n - 1)) for i in range(n)]

    @property
    def numeric(self):
        """The positions as numbers for sums such as "scores / temperature"; None if they are words."""
        try:
            numbers = [float(p) for p in self.positions]
        except (TypeError, ValueError):
            return None
        return numbers if all(map(math.isfinite, numbers)) else None

    @property
    def is_number(self):
        """Whether a sum may divide by it."""
        return self.numeric is not None if self.positions else isinstance(self.value, (int, float))

    @property
    def value(self):
        """What compute is called with."""
        return self.widget.value if self.count is None else self._at(self.position)

    @property
    def position(self):
        """The index, among the positions, of where the widget stands."""
        w = self.widget
        if self.is_selection:
            return w.index or 0
        if self.is_switch:
            return int(w.value)
        return min(max(round((w.value - w.min) / w.step), 0), self.count - 1)

    @property
    def stops(self):
        """The positions as the browser sees them: numbers, or the index of a choice; [] if free."""
        if self.positions is None:
            return []
        return (
            list(range(len(self.positions)))
            if self.is_selection
            else [float(p) for p in self.positions]
        )

    def said(self, value):
        """A value as messages show it: as in code, or the label of a choice such as a function."""
        if self.is_selection and type(value) not in (str, bool, int, float):
            return next(
                (label for label, v in self.widget._options_full if v is value), repr(value)
            )
        return repr(value)


def _check_step(name, given):
    """TypeError where (lowest, highest, step) never gets anywhere; ipywidgets takes a step of 0."""
    step = given[2] if isinstance(given, tuple) and len(given) == 3 else None
    if isinstance(step, (int, float)) and step <= 0:
        such = 1 if all(isinstance(number, int) for number in given) else 0.1
        raise TypeError(
            f"Explorer: the control {name}={given!r} has step {step}; "
            f"give a step above 0, such as {such}."
        )


def _decimals(*numbers):
    """How many decimals it takes to write these: 0.05 → 2."""
    return max(len(f"{x:.10f}".rstrip("0").partition(".")[2]) for x in numbers)
