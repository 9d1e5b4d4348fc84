"""The rows of `make bench`: what was measured, its figure, its bar, and whether it holds."""

from dataclasses import asdict, dataclass
from statistics import median, quantiles

HEAD = ("what", "size", "median", "95 %", "worst", "unit", "bar")
FORM = "{:<50}{:<16}{:>9}{:>9}{:>9} {:<5} {:<24}{}"


@dataclass(frozen=True)
class Row:
    """One line of the table; `met` is None where there is no bar."""

    what: str
    size: str
    figure: float  # the median, where it was measured more than once
    unit: str
    p95: float | None = None
    worst: float | None = None
    bar: str = ""
    met: bool | None = None

    def __str__(self):
        mark = {None: "", True: "✓", False: "✗"}[self.met]
        figures = [short(x) for x in (self.figure, self.p95, self.worst)]
        return FORM.format(self.what, self.size, *figures, self.unit, self.bar, mark).rstrip()


def single(what, size, figure, unit, at_most=None):
    """A row of one figure, and its bar."""
    bar = "" if at_most is None else f"≤ {short(at_most)}"
    return Row(
        what, size, figure, unit, bar=bar, met=None if at_most is None else figure <= at_most
    )


def timed(what, size, ms, at_most=None, p95_at_most=None):
    """A row of milliseconds: median, 95th percentile, worst; bars on the first two."""
    row = Row(what, size, median(ms), "ms", percentile_95(ms), max(ms))
    bars = [(row.figure, at_most, "≤ {}"), (row.p95, p95_at_most, "95 % ≤ {}")]
    bars = [(x, bar, text) for x, bar, text in bars if bar is not None]
    text = ", ".join(text.format(short(bar)) for _, bar, text in bars)
    return Row(
        **asdict(row) | {"bar": text, "met": all(x <= b for x, b, _ in bars) if bars else None}
    )


def percentile_95(values):
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def short(x):
    """Three or four digits that matter; nothing for None."""
    if x is None:
        return ""
    size = abs(x)
    return f"{x:,.0f}" if size >= 100 else f"{x:.1f}" if size >= 10 else f"{x:.3g}"


def heading():
    return FORM.format(*HEAD, "")
