"""The one picture: three words on their way through two heads of attention, from left to right.

It opens the site and page 00. Its script computes, so that it moves with no kernel; its weights and
its words are here.
"""

from base64 import b64encode
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .. import _
from ..data.sentences import SUNNY, SUNNY_TOKENS
from . import series

# (2 heads, 3 numbers of a word, 2 of a query, key or value), chosen so that the heads disagree:
# sun listens most to shiny in head 1, and to Hello in head 2.
QUERIES = [[[2, 3.5], [-2, -5], [-3, 1]], [[3, -0.5], [4.5, 1.5], [-1.5, 2]]]
KEYS = [[[4.5, -2.5], [5, 3.5], [-4.5, 0]], [[4, 4.5], [5, 4.5], [-5, -3.5]]]
VALUES = [[[-1, 1.5], [-4.5, 4.5], [3, -2]], [[0, 1.5], [2, -4], [-0.5, 1.5]]]
OUT = [[0.6, 0, 0.4], [0, 0.6, 0.5], [0.4, 0, 0.5], [0, 0.5, 0.3]]  # (2 heads · 2, 3)
STILL = series.TEMPLATES / "one_picture.png"  # `make picture` takes it


class OnePicture:
    """The last line of a cell shows it: alive where scripts run, else as a still picture."""

    def _repr_html_(self):
        return html()

    def __repr__(self):
        return words()["alt"]


@cache
def html(paper="") -> str:
    """The picture with its script, which needs nothing beside it; paper: "", "gaps" or "solution"."""
    said = words()
    data = {"tokens": SUNNY_TOKENS, "words": said}
    data["embeddings"] = [[round(x, 2) for x in row] for row in SUNNY.tolist()]
    data["matrices"] = {"q": QUERIES, "k": KEYS, "v": VALUES, "o": OUT}
    png = b64encode(STILL.read_bytes()).decode()
    loader = FileSystemLoader(series.TEMPLATES)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = made.get_template("one_picture.html.j2")
    return template.render(words=said, data=data, png=png, paper=paper)


def words() -> dict:
    """What the picture says; the script fills in the fields."""
    return {
        "alt": _(
            "Attention in one picture: the words Hello, shiny and sun; their queries, keys and values;"
            " scores, mask, weights, context, heads and out"
        ),
        "follow": _("Follow {word}"),
        "replay": _("Replay"),
        "reset": _("Reset"),
        "mask": _("mask"),
        "plus": _("plus"),
        "minus": _("minus"),
        "query": _("query"),
        "key": _("key"),
        "value": _("value"),
        "head": _("head {n}"),
        "number": _("{word}, number {n}"),
        "drag": _("drag, or ↑ ↓"),
        "after": _("{key} comes after {query}: masked"),
        "weight": _("<b>weight</b> of {key} for {query}"),
        "of": {
            "q": _("<b>query</b> of {word}"),
            "k": _("<b>key</b> of {word}"),
            "v": _("<b>value</b> of {word}"),
            "c": _("<b>context</b> of {word}"),
            "o": _("<b>out</b> of {word}"),
        },
        "stages": [
            *(_("words"), _("query · key · value"), _("score"), _("mask")),
            *(_("weights"), _("context"), _("heads"), _("out")),
        ],
        "start": _("<b>Click a word</b> to follow it. Drag a number. Point at any cell."),
        "asks": _('{word} asks: its <b class="q">query</b>.'),
        "meets": _(
            'The <b class="q">query</b> meets each <b class="k">key</b>. How well they match is the'
            " <b>score</b>."
        ),
        "hides": _("The <b>mask</b> hides the words that come after."),
        "itself": _("itself"),
        "shares": _('The scores of the row share out 100 %: the <b class="w">weights</b>.'),
        "opens": _('Each weight opens the pipe of one <b class="v">value</b>.'),
        "mixed": _('Mixed together: the <b class="v">context</b> of {word}.'),
        "alone": _("{word} comes first: behind the mask it can listen only to itself."),
        "listens": _(
            '{word} listens most to <b>{first}</b> in head 1 (<b class="w">{one} %</b>), and to'
            ' <b>{second}</b> in head 2 (<b class="w">{two} %</b>).'
        ),
    }
