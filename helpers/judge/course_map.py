"""Draws the map of the series: which notebooks each one needs, and how much of each is done."""

import textwrap
from html import escape

from .. import title_of

# notebook: (column, row, the notebooks that it needs, which its first cell names too)
STOPS = {
    1: (0, 1, ()),
    2: (1, 1, (1,)),
    3: (2, 1, (2,)),
    4: (3, 0, (3,)),
    5: (3, 1, (3,)),
    6: (4, 0, (4, 5)),
    7: (4, 3, (5,)),
    8: (4, 2, (5,)),
    9: (5, 2, (5, 8)),
    10: (6, 3, (7, 9)),
    11: (6, 1, (9,)),
    12: (7, 0, (11,)),
    13: (6, 2, (9,)),
    14: (7, 1, (11,)),
    15: (8, 0, (12,)),
    16: (8, 2, (13, 14)),
}
WIDTH, HEIGHT, RADIUS = 76, 74, 15
ALL = 9 * WIDTH, 4 * HEIGHT
STYLE = """
.check-map { position: relative; fill: none; stroke: currentColor; font-size: 11px; }
.check-map svg { display: block; width: 100%; }
.check-map path { opacity: .35; }
.check-map circle { fill: var(--jp-layout-color0, Canvas); }
.check-map .done { fill: none; stroke: #0a7d4f; stroke-width: 4; }
.check-map text { fill: currentColor; stroke: none; text-anchor: middle; }
.check-map a { position: absolute; width: 10%; height: 18%; translate: -50% 0; }
.check-map + ul li { grid-template-columns: 8.5em minmax(0, 1fr); }
"""


def drawn(files, done):
    """The map as SVG, with a link over each stop.

    The links are HTML, because JupyterLab cannot rewrite a link inside an SVG, and reports an error.

    files  number → the file name of the notebook, without .ipynb
    done   number → the fraction of its exercises that is done, for notebooks that have exercises
    """
    titles = {number: title_of(file[3:]) for number, file in files.items()}
    lines = [_line(STOPS[before], STOPS[n]) for n in files for before in STOPS[n][2]]
    stops = [_stop(number, title, done.get(number, 0)) for number, title in titles.items()]
    links = [_link(number, file, titles[number]) for number, file in files.items()]
    size = "0 0 {} {}".format(*ALL)
    picture = f'<svg viewBox="{size}" aria-hidden="true">{"".join(lines + stops)}</svg>'
    style = f"<style>{' '.join(STYLE.split())}</style>"
    return f'{style}<div class="check-map">{picture}{"".join(links)}</div>'


def _line(one, other):
    (x1, y1), (x2, y2) = _centre(*one[:2]), _centre(*other[:2])
    return f'<path d="M{x1} {y1}L{x2} {y2}"/>'


def _centre(column, row):
    return column * WIDTH + WIDTH // 2, row * HEIGHT + RADIUS + 4


def _link(number, file, title):
    x, y = _centre(*STOPS[number][:2])
    place = f"left: {100 * x / ALL[0]:.2f}%; top: {100 * (y - RADIUS) / ALL[1]:.2f}%"
    return f'<a href="{file}.ipynb" style="{place}" aria-label="{number:02} {escape(title)}"></a>'


def _stop(number, title, done):
    x, y = _centre(*STOPS[number][:2])
    words = [
        f'<text x="{x}" y="{y + 28 + 12 * i}">{escape(line)}</text>'
        for i, line in enumerate(textwrap.wrap(title, 12, break_long_words=False))
    ]
    around = f'<circle cx="{x}" cy="{y}" r="{RADIUS}"/>'
    # With each exercise that is done, the ring around the stop grows.
    turn = f'transform="rotate(-90 {x} {y})"'  # so that the ring begins at the top
    part = f'<circle class="done" cx="{x}" cy="{y}" r="{RADIUS}" pathLength="100"'
    ring = f'{part} stroke-dasharray="{100 * done:.0f} 100" {turn}/>' if done else ""
    sign = f'<text x="{x}" y="{y + 5}">{"✓" if done == 1 else number}</text>'
    return f"{around}{ring}{sign}{''.join(words)}"
