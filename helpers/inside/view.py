"""Inside: what a model attends to, as one Explorer with menus of layers and heads."""

from collections import Counter
from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from .. import _, plural
from ..explorer import Explorer
from ..explorer.widget import FLOAT32, MAX_BYTES, MAX_POSITIONS
from ..pictures.frames import saying
from .maps import SUMMARIES, labels_of, maps_of, words_of
from .seeing import Seen, listed
from .watching import seen_of


@dataclass(frozen=True, eq=False)
class Shown:
    """The maps of one call, by head or summary, and the labels of their rows and columns."""

    maps: dict
    rows: list
    columns: list


class Inside(Explorer):
    """What a model attends to: Inside(model, inputs, tokens), as the last line of a cell.

    Every head of every layer is a small picture, which a click or Enter opens as a table, lines or
    a picture, with their average, their maximum and, for self-attention, rollout. All maps are sent
    when the cell runs, so the menus need no kernel.

    model     a torch.nn.Module, run once on `inputs`, in eval mode and without gradients; or what
              `watch` saw
    inputs    the model's arguments: a single one, a tuple, or a dict by name. Of a batch, the first
              sequence is shown
    tokens    the words of the sequence, or its ids; (the decoder's words, the encoder's words) for
              a model with two sequences, or (of the queries, of the keys). Without words, positions
              from 0. A tokenizer of Hugging Face reads the words of `inputs` by itself
    text, tokenize   instead of inputs and tokens: a text that can be edited on the page, and a
              function of it that returns (inputs, tokens)
    layers    which of the model's, as in `watch`: a name, its beginning, a pattern, or a list
    options   of Explorer: view={"weights": "lines"} to begin with lines, decimals, stable

    Raises ValueError if no attention was seen, the tokens do not fit, or all maps together are too
    large for a page; TypeError if an argument is of the wrong kind.
    """

    def __init__(
        self, model, inputs=None, tokens=None, *, text=None, tokenize=None, layers=None, **options
    ):
        self.model, self.layers, self.tokenize = model, layers, tokenize
        with saying("Inside"):
            if (text is None) != (tokenize is None) or not (text is None or inputs is None):
                raise TypeError(_("give inputs and tokens, or text and tokenize, which makes them"))
            self._look(*((inputs, tokens) if text is None else tokenize(text)))
            controls = self._menus()
        if text is not None:
            typed = widgets.Text(text, continuous_update=False)  # it waits for Enter
            typed.layout.width = "min(40rem, 100%)"
            controls = {"text": typed} | controls
        super().__init__(
            lambda **at: np.nan_to_num(self._at(at).maps[at["head"]], posinf=np.inf),
            lambda **at: self._at(at).columns,
            rows={"weights": lambda **at: self._at(at).rows},
            masked=lambda **at: np.isnan(self._at(at).maps[at["head"]]),
            overview=("layer", "head"),
            **options,
            **controls,
        )
        if text is not None:
            self._parts.append(typed)  # created here, so it is closed with the rest

    def _look(self, inputs, tokens):
        """Watch the model once; a ValueError leaves everything as it was."""
        seen = self.model if inputs is None else seen_of(self.model, inputs, self.layers)
        if not isinstance(seen, Seen) or inputs is None and self.layers is not None:
            text = _("got {kind}; give a model, its inputs and layers=, or what watch saw alone.")
            raise TypeError(text.format(kind=type(seen).__name__))
        seen.check()
        words, turns, layers = words_of(tokens, inputs), Counter(x.name for x in seen.calls), {}
        for call, maps in zip(seen.calls, maps_of(seen.calls)):
            labels = labels_of(call, words, turns[call.name] > 1)
            layers[call.name, call.step] = Shown(maps, *labels)
        maps = len(layers) * max(len(shown.maps) for shown in layers.values())
        size = max(len(shown.rows) * len(shown.columns) for shown in layers.values())
        if maps > MAX_POSITIONS or maps * size * FLOAT32 > MAX_BYTES:
            text = _("{n:,} maps of up to {size:,} weights are too many for a page. Pick layers=.")
            raise ValueError(text.format(n=maps, size=size))
        self._layers, self._notes = layers, []
        if seen.unseen:
            self._notes.append(_("Not all is shown of {names}.", names=listed(seen.unseen)))
        if (most := max(len(call.weights) for call in seen.calls)) > 1:
            self._notes.append(_("Shown is the first of {n} sequences.", n=most))

    def _menus(self):
        """The options of each menu, by its name."""
        heads = {head for shown in self._layers.values() for head in shown.maps}
        heads = [*sorted(heads.difference(SUMMARIES)), *(x for x in SUMMARIES if x in heads)]
        menus = {"layer": list(dict.fromkeys(name for name, step in self._layers))}
        menus["head"] = [(str(head), head) for head in heads]
        if steps := max(step for name, step in self._layers):
            menus["step"] = [(str(step + 1), step) for step in range(steps + 1)]
        return menus

    def _recompute(self, change):
        """Live: show what the model attends to in the new text, or why this cannot be shown."""
        try:
            with saying("Inside"):
                self._look(*self.tokenize(change["new"]))
        except Exception as error:  # also one of the model's own
            text = _("This text cannot be shown. {kind}: {error}")
            self.view.error = text.format(kind=type(error).__name__, error=error)
        else:
            super()._recompute(change)

    def _at(self, at):
        """What is Shown at these values of the menus: if there is no such map, a cell says why."""
        shown, head = self._layers.get((at["layer"], at.get("step", 0))), at["head"]
        if shown is not None and head in shown.maps:
            return shown
        why = _("not called in this step") if shown is None else _("no such map here")
        return Shown({head: np.full((1, 1), np.nan, np.float32)}, [why], ["–"])

    def _title(self):
        """The size, what to know first, and which map is open."""
        layer, head = self.values["layer"], self.values["head"]
        count = plural("{n} layer", "{n} layers", len({name for name, step in self._layers}))
        most = max(sum(type(x) is int for x in shown.maps) for shown in self._layers.values())
        heads, name = plural("{n} head", "{n} heads", most), _("what was seen")
        name = type(self.model).__name__ if callable(self.model) else name
        size = _("Inside {name}: {layers} of {heads}", name=name, layers=count, heads=heads)
        head = _("head {n}", n=head) if type(head) is int else f"{head}: {SUMMARIES[head]}"
        return "\n".join(filter(None, [size, " ".join(self._notes), f"{layer}, {head}"]))

    def _note(self):
        """The note below the view: what to know first, what summaries leave out, what is live."""
        heads = next(c for c in self.controls if c.name == "head").positions
        said = [f"{name}: {text}." for name, text in SUMMARIES.items() if name in heads]
        typed = _("To type a text of your own, run the notebook, and press Enter after the text.")
        return " ".join([*self._notes, *said, *[typed] * bool(self.tokenize)])
