"""The view of a model's attention: any layer, any head, all of them at a glance."""

import ipywidgets as widgets
import numpy as np

from ..explorer import lifetimes
from ..explorer.controls import Control
from ..pictures import plots
from ..pictures.frames import check_decimals, saying
from ..pictures.text import as_text
from .film import Film
from .looking import check_arguments, named, seen_of
from .maps import layers_of


def many(n, w):
    return f"{n:,} {w}s"


from .tokens import Tokens, segments_of
from .views import InsideView

SAYS = {  # of all heads together, in the order of Layer.maps
    "average": "the average over its heads",
    "maximum": "the largest weight of any head: a row may add up to more than 1",
    "rollout": (
        "rollout (Abnar and Zuidema, 2020): the heads' averages of all layers up to this one, "
        "multiplied, each mixed half and half with the path past the layer. A rough guess of which "
        "tokens reach here: it leaves out the values, the norms and the feed-forward layers"
    ),
}
WIDTHS = {"layer": 24}  # rem, of menus with longer names than others
NOTE = "The text is read by the kernel, once you press Enter."


class Inside(lifetimes.LivingBox):
    """What a model looks at: Inside(model, inputs, tokens), as a cell's last line.

    Every head of every layer as a small picture that opens at a click or Enter; the map that is
    open has the tokens on both sides, and is a table, lines or a picture, as in an Explorer. Besides
    single heads: their average, their maximum, and rollout (Abnar and Zuidema, 2020), for
    self-attention. All maps are sent when the cell runs; moving then needs no kernel.

    model     a torch.nn.Module, run once on `inputs`, in eval mode and without gradients; or what
              `watch` saw; or weights by name: {"layer": (heads, queries, keys)}
    inputs    what the model takes: one input, a tuple, or a dict of those with names
    tokens    the words of the sequence that is shown; (the decoder's words, the encoder's words) of a
              model with two; or either by layer's name, or how it begins: {"encoder": […]}. Without
              any, places from 0
    text, tokenize   in place of inputs and tokens: a text that can be changed on the page, and a
              function of it that returns (inputs, tokens), or (inputs, tokens, segments)
    layers, heads   which are shown, as in `watch`: a name or how it begins, a number from 0, or lists of
              them; all where nothing is said
    segments  which part each token belongs to: ["A", "A", "B"]; two menus then show the weights from
              one part to another alone
    sequence  which of a batch
    view      "lines" to begin with lines where there are at most 16 tokens
    decimals  of the numbers in the cells
    stable    False where numbers differ from machine to machine: keeps them out of the text output

    Up to a million weights are shown as they are; of more, the error is 0.00005 at most.

    Raises ValueError where no attention was seen, the tokens do not fit, or all maps together are
    too large for a page; TypeError where an argument is of the wrong kind.
    """

    def __init__(
        self,
        model,
        inputs=None,
        tokens=None,
        *,
        text=None,
        tokenize=None,
        layers=None,
        heads=None,
        segments=None,
        sequence=0,
        view="table",
        decimals=2,
        stable=True,
    ):
        with saying("Inside"):
            check_decimals(decimals)
            check_arguments(model, inputs, text, tokenize, view)
        self.model, self.decimals, self.stable, self.start_view = model, decimals, stable, view
        self._tokenize = tokenize
        self.sequence, self._picks = sequence, {"layers": layers, "heads": heads}
        self._text = Control("text", text) if text is not None else None
        if self._text:
            self._text.widget.continuous_update = False
            self._text.widget.layout.width = "min(40rem, 100%)"
            self._text.widget.style.description_width = "5ch"
            lifetimes.resume([self._text])
        with saying("Inside"):
            self._look(*(self._read() if self._text else (inputs, tokens, segments)))
        self._chosen = self._choices()
        self.controls = [*([self._text] if self._text else []), *self._chosen]
        lifetimes.resume(self._chosen)
        self.view = InsideView(
            controls=[c.widget for c in self._chosen], spec=self._spec(), frames=self._film.bytes
        )
        if self._text:
            self._text.widget.observe(self._look_again, "value")
        menus = widgets.HBox([c.widget for c in self._chosen])
        menus.add_class("ax-menus")
        text = [self._text.widget] if self._text else []
        parts = [self.view, menus, *(c.widget for c in self.controls)]
        self._begin([*text, menus, self.view], parts)

    # -- what is seen -----------------------------------------------------------------------

    def _read(self):
        """(inputs, tokens, segments) of the text that stands on the page."""
        read = self._tokenize(self._text.value)
        if not isinstance(read, tuple) or len(read) not in (2, 3):
            raise TypeError(
                f"tokenize gave {type(read).__name__}; return (inputs, tokens), or with the part of "
                "each token (inputs, tokens, segments)."
            )
        return read if len(read) == 3 else (*read, None)

    def _look(self, inputs, tokens, segments):
        """See what the model looks at, and make the film of it; ValueError leaves all as it was."""
        tokens = Tokens(tokens)
        parts = segments_of(segments, tokens)
        picks, seen = self._picks, self.model
        if inputs is not None:
            seen = seen_of(self.model, inputs, picks["layers"], picks["heads"])
        film = Film(layers_of(seen, self.sequence, **picks), tokens)
        self._notes = seen.notes().strip() if hasattr(seen, "notes") else ""
        self._film, self._segments = film, parts
        self._names = list(dict.fromkeys(layer.name for layer in film.layers))
        self._steps = max(layer.step for layer in film.layers) + 1
        numbers = sorted({head for layer in film.layers for head in layer.heads})
        rolled = any(not isinstance(layer.rollout, str) for layer in film.layers)
        self._heads = [*numbers, *(what for what in SAYS if what != "rollout" or rolled)]

    def _choices(self):
        """The menus: layer and head, the step where there are several, the parts if there are any."""
        choices = [Control(name, options) for name, options in self._options().items()]
        for choice in choices:
            choice.widget.style.description_width = "5ch"
            choice.widget.layout.width = f"min({WIDTHS.get(choice.name, 10)}rem, 100%)"
        return choices

    def _options(self):
        """What each menu offers, by its name."""
        given = {"layer": self._names, "head": [(str(head), head) for head in self._heads]}
        if self._steps > 1:
            given["step"] = [(str(step + 1), step) for step in range(self._steps)]
        if self._segments:
            parts = ["all", *self._segments["names"]]
            given |= {"from": parts, "to": parts}
        return given

    def _look_again(self, _):
        """Live: what the model looks at in the new text, or why that cannot be seen."""
        try:
            with saying("Inside"):
                self._look(*self._read())
        except Exception as error:  # the model's own, too
            self.view.error = f"This text cannot be shown. {type(error).__name__}: {error}"
            return
        offered = self._options()
        for choice in self._chosen:  # other parts, or more steps
            options = offered.get(choice.name, ["all"])
            if list(choice.widget.options) != list(options):
                choice.widget.options = options
        with self.view.hold_sync():
            self.view.error = ""
            self.view.spec, self.view.frames = self._spec(), self._film.bytes

    # -- the browser ------------------------------------------------------------------------

    def _spec(self):
        grid = [[-1] * self._steps for _ in self._names]
        for i, layer in enumerate(self._film.layers):
            grid[self._names.index(layer.name)][layer.step] = i
        return self._film.spec() | {
            "layers": self._names,
            "heads": self._heads,
            "grid": grid,  # which of the maps a layer has at a step; -1: none
            "says": SAYS,
            "segments": self._segments,
            "controls": {c.name: i for i, c in enumerate(self._chosen)},
            "view": self.start_view,
            "decimals": self.decimals,
            "swept": True,  # the kernel is not asked where the menus stand
            "note": " ".join(x for x in (self._notes, NOTE if self._text else "") if x),
        }

    # -- where there is no browser ----------------------------------------------------------

    @property
    def values(self):
        """Where the menus stand, by name."""
        return {c.name: c.value for c in self.controls}

    def _shown(self):
        """(what it is, Panel, array) of the map that the menus point at; the first where there is none."""
        at = self.values
        found = [
            i
            for i, layer in enumerate(self._film.layers)
            if layer.name == at["layer"] and layer.step == at.get("step", 0)
        ]
        i = found[0] if found else 0
        layer, head = self._film.layers[i], at["head"]
        if head in SAYS and not (head == "rollout" and isinstance(layer.rollout, str)):
            what, index = SAYS[head], len(layer.heads) + list(SAYS).index(head)
        else:
            head = head if head in layer.heads else layer.heads[0]
            what, index = f"head {head}", layer.heads.index(head)
        panel, array = self._film.panel(i, self.start_view), self._film.map(i, index)
        return f"{layer.name}, {what}", *self._cut(panel, array)

    def _cut(self, panel, array):
        """Of the parts that the menus point at alone."""
        kept = []
        for side, labels in (("from", panel.rows), ("to", panel.columns)):
            part, every = self.values.get(side, "all"), range(len(labels))
            fits = self._segments and len(self._segments["of"]) == len(labels)
            if part == "all" or not fits:
                kept.append(list(every))
            else:
                number = self._segments["names"].index(part)
                kept.append([k for k in every if self._segments["of"][k] == number])
        rows, columns = kept
        labels = {
            "rows": [panel.rows[k] for k in rows],
            "columns": [panel.columns[k] for k in columns],
        }
        shape = len(rows), len(columns)
        return type(panel)(**vars(panel) | labels | {"shape": shape}), array[np.ix_(rows, columns)]

    def __repr__(self):
        """The map that is open in words and rounded numbers: the same on every run."""
        what, panel, array = self._shown()
        counts = sorted({len(layer.heads) for layer in self._film.layers})
        *others, most = counts
        heads = "".join(f"{count} or " for count in others) + many(most, "head")
        layers = many(len(self._names), "layer")
        lines = [f"Inside {named(self.model)}: {layers} of {heads}", what]
        if self._notes:
            lines.insert(1, self._notes)
        if self.stable:
            lines.append(as_text(panel, array, self.decimals))
        else:
            lines.append(f"{panel.name}: {' × '.join(map(str, panel.shape))}")
        return "\n".join(lines)

    def _still(self):
        what, panel, array = self._shown()
        note = f"{what.partition(':')[0]}   (run the cell to see the others)"
        return plots.panels([(panel, array)], None, self.decimals, note)
