"""Inside: what a model attends to, as one Explorer with menus of layers and heads."""

import itertools
import math
import sys
from collections.abc import Mapping
from pathlib import Path

import ipywidgets as widgets
import numpy as np

from .. import LANGUAGE, _, plural
from ..explorer import Explorer
from ..explorer.widget import FLOAT32, MAX_BYTES, MAX_POSITIONS
from ..pictures.frames import saying
from .maps import layers_of, words_of
from .page import page
from .patches import Patches
from .picking import SUMMARIES
from .seeing import Seen, listed
from .watching import seen_of

MOST = 512  # tokens on a side of a picture: it has hardly more pixels


def caveats():
    """A note on the summaries of several heads: what each of them shows."""
    return {
        "average": _("the average over its heads"),
        "maximum": _("the largest weight of any head: a row may add up to more than 1"),
        "rollout": _(
            "rollout (Abnar and Zuidema, 2020): the averages of all layers up to this one, multiplied, "
            "each mixed half and half with the path past the layer. A rough guess of which tokens "
            "reach here: it leaves out the values, the norms and the feed-forward layers"
        ),
    }


class Inside(Explorer):
    """What a model attends to: Inside(model, inputs, tokens), as the last line of a cell.

    Every head of every layer is a small picture, which a click or Enter opens. The open map has the
    tokens on both sides, and is a table, lines or a picture, as in any Explorer. Besides single
    heads there are their average, their maximum and, for self-attention, rollout (Abnar and
    Zuidema, 2020). All maps are sent when the cell runs, so the menus need no kernel.

    model     a torch.nn.Module, run once on `inputs`, in eval mode and without gradients; or what
              `watch` saw; or weights by name: {"layer": (heads, queries, keys)}
    inputs    the model's arguments: a single one, a tuple, or a dict by name
    tokens    the words of the sequence; (the decoder's words, the encoder's words) for a model with
              two sequences. Without words, positions from 0. A tokenizer of Hugging Face reads the
              words of `inputs` by itself
    text, tokenize   instead of inputs and tokens: a text that can be edited on the page, and a
              function of it that returns (inputs, tokens)
    layers, heads   which are shown, as in `watch`: a name or its beginning, an index from 0, or
              lists of these; by default all
    sequence  index of the sequence in the batch; None for a menu of all, with a list of tokens each
    picture, patches   a picture among the inputs, and the (rows, columns) of its patches: whichever
              query is chosen, its weights are shown over the picture
    image_tokens   positions of the patches among the keys, if their number does not show them
    view      "lines" to begin with lines if there are at most 16 tokens
    decimals  of the numbers in the cells
    stable    False if numbers differ from machine to machine: the text output leaves them out

    Raises ValueError if no attention was seen, the tokens do not fit, or all maps together are too
    large for a page; TypeError if an argument is of the wrong kind.
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
        sequence=0,
        picture=None,
        patches=None,
        image_tokens=None,
        view="table",
        decimals=2,
        stable=True,
    ):
        self.model, self.tokenize, self.sequence = model, tokenize, sequence
        self.picks = {"layers": layers, "heads": heads}
        self._spans, self._last = {}, (None, None)  # sliders of tokens; the map shown last
        with saying("Inside"):
            _check_arguments(model, inputs, text, tokenize)
            given = picture, patches, image_tokens
            self.patches = None if given == (None,) * 3 else Patches(*given)
            self._text = text
            self._look(*(self._read(text) if text is not None else (inputs, tokens)))
            controls = self._menus()
        if text is not None:
            typed = widgets.Text(
                text, continuous_update=False, layout={"width": "min(40rem, 100%)"}
            )
            controls = {"text": typed} | controls
        super().__init__(
            self._weights,
            lambda **at: self._shown_map(at)[2],
            rows={"weights": lambda **at: self._shown_map(at)[1]},
            masked=lambda **at: np.isnan(self._shown_map(at)[0]),
            view=view,
            overview=("layer", "head"),
            decimals=decimals,
            stable=stable,
            **controls,
        )
        if text is not None:
            self._parts.append(typed)  # created here, so it is closed with the rest
        self._parts += self._spans.values()

    def save(self, path):
        """Save the present map as a picture, by its suffix .svg, .png or .pdf; or all, as .html.

        The page is one file, whose menus need neither a kernel nor a network."""
        if Path(path).suffix.lower() != ".html":
            return super().save(path)
        Path(path).write_text(page(self, self._note(live=False), LANGUAGE), encoding="utf-8")

    def _read(self, text):
        """(inputs, tokens) of the text on the page."""
        read = self.tokenize(text)
        if not isinstance(read, tuple) or len(read) != 2:
            wrong = _("tokenize gave {kind}; return (inputs, tokens).")
            raise TypeError(wrong.format(kind=type(read).__name__))
        return read

    def _look(self, inputs, tokens):
        """Watch the model once; a ValueError leaves everything as it was."""
        seen = self.model
        if inputs is not None:
            seen = seen_of(self.model, inputs, **self.picks)
        layers = layers_of(seen, words_of(tokens, inputs), self.sequence, **self.picks)
        notes = seen.notes().strip() if hasattr(seen, "notes") else ""
        if numbered := {x.name: None for x in layers if x.numbered}:
            text = _(
                "{names}: positions are numbered, because it is not known which of the tokens they are."
            )
            notes = f"{notes} {text.format(names=listed(numbered))}".strip()
        if self.patches:
            self.patches.find(layers, seen)
            notes = f"{notes} {self.patches.note}".strip()
        self._layers, self._notes = {(x.name, x.step, x.sequence): x for x in layers}, notes
        self._last = None, None

    def _menus(self):
        """The options of each menu, by its name; ValueError if they are too many for a page."""
        layers = list(self._layers.values())
        names, steps = list(dict.fromkeys(x.name for x in layers)), max(x.step for x in layers) + 1
        known = dict.fromkeys(head for x in layers for head in x.heads)
        heads = sorted(head for head in known if head not in SUMMARIES)
        picked = [head for head in SUMMARIES if head in known]
        heads += picked or SUMMARIES
        heads += ["rollout"] * any(x.rollout is not None for x in layers)
        menus = {"layer": names, "head": [(str(head), head) for head in heads]}
        if steps > 1:
            menus["step"] = [(str(step + 1), step) for step in range(steps)]
        if self.sequence is None:
            menus["sequence"] = [(str(n), n) for n in dict.fromkeys(x.sequence for x in layers)]
        self._maps = math.prod(map(len, menus.values()))
        if self._maps > MAX_POSITIONS:
            text = _("{n:,} maps would make the page slow. Pick some of the layers or heads: ")
            text += ", ".join(f"{name}=" for name, pick in self.picks.items() if pick is None)
            raise ValueError(text.format(n=self._maps).removesuffix(": ") + ".")
        whole = self._fit()
        if self.patches and not whole:
            text = _(
                "the maps are too large to send each weight, as a picture needs; pick layers=, heads="
            )
            raise ValueError(text)
        if not whole and self.tokenize is None:
            for name, words in (("queries", "rows"), ("keys", "columns")):
                last = max(len(getattr(x, words)) for x in layers) - 1
                span = {"value": (0, last), "max": last, "continuous_update": False}
                self._spans[name] = widgets.IntRangeSlider(**span, layout={"width": "100%"})
        return menus | self._spans

    def _fit(self):
        """Whether all maps can be sent whole; if not, several tokens become one cell."""
        room = MAX_BYTES // FLOAT32 // self._maps
        sizes = [(len(x.rows), len(x.columns)) for x in self._layers.values()]
        whole = all(queries * keys <= room for queries, keys in sizes)
        self._side = max(map(max, sizes)) if whole else min(MOST, math.isqrt(room))
        return whole

    def _sent(self):
        """Also the picture, for the view."""
        sent = super()._sent()
        if self.patches:
            places = itertools.product(*(c.positions for c in self._sweeps))
            names = [c.name for c in self._sweeps]
            layers = [self._layer_at(dict(zip(names, values))) for values in places]
            sent["spec"]["patches"] = self.patches.spec(layers)
        return sent

    def over_picture(self, *queries):
        """A Picture: the weights of these queries, words or positions, in the open map."""
        if not self.patches:
            raise ValueError(_("over_picture needs Inside(…, picture=…, patches=(rows, columns))."))
        at = self.values
        title = f"{at['layer']}, {_in_words(at['head'])}."
        weights, *_words = self._shown_map(at)
        return self.patches.over(self._layer_at(at), weights, queries, title)

    def _recompute(self, change):
        """Live: show what the model attends to in the new text, or why this cannot be shown."""
        if self.tokenize is None:  # other tokens of the same maps
            return super()._recompute(change)
        try:
            with saying("Inside"):
                self._look(*self._read(change["new"]))
                self._fit()
        except Exception as error:  # also one of the model's own
            kind = type(error).__name__
            self.view.error = _(
                "This text cannot be shown. {kind}: {error}", kind=kind, error=error
            )
        else:
            super()._recompute(change)

    def _weights(self, **at):
        return np.nan_to_num(self._shown_map(at)[0])

    def _shown_map(self, at):
        """(weights, NaN where hidden; words of queries; of keys), or one cell with a reason."""
        if self._last[0] == at:  # asked for its words, its hidden cells and its weights
            return self._last[1]
        layer = self._layer_at(at)
        why, found = _("not called in this step"), None
        if layer is not None:
            spans = (at.get(name, (0, sys.maxsize - 1)) for name in ("queries", "keys"))
            spans = [slice(first, last + 1) for first, last in spans]
            found = layer.region(at["head"], *spans, self._side)
            why = _("no {head} here", head=_in_words(at["head"]))
        if found is None:
            found = np.full((1, 1), np.nan, np.float32), [why], ["–"]
        self._last = dict(at), found
        return found

    def _layer_at(self, at):
        """The Layer at these values of the menus; None if it was not called in this step."""
        sequence = at.get("sequence", self.sequence)
        return self._layers.get((at["layer"], at.get("step", 0), sequence))

    def _title(self):
        """The size, what is doubtful, and which map is open."""
        at, layers = self.values, self._layers.values()
        *others, most = sorted({len(x.heads) for x in layers})
        heads = "".join(f"{n} or " for n in others) + plural("{n} head", "{n} heads", most)
        count = plural("{n} layer", "{n} layers", len({x.name for x in layers}))
        name = type(self.model).__name__ if callable(self.model) else _("what was seen")
        head = caveats().get(at["head"], _in_words(at["head"]))
        lines = [_("Inside {name}: {layers} of {heads}", name=name, layers=count, heads=heads)]
        return "\n".join(
            [*lines, *([self._notes] if self._notes else []), f"{at['layer']}, {head}"]
        )

    def _note(self, live=True):
        """The note below the view: what is doubtful, what summaries leave out, what is computed."""
        heads = next(c for c in self.controls if c.name == "head").positions
        said = [self._notes] if self._notes else []
        said += [f"{name}: {text}." for name, text in caveats().items() if name in heads]
        if any(max(len(x.rows), len(x.columns)) > self._side for x in self._layers.values()):
            said.append(_("A cell of a large map shows the largest weight of several tokens."))
        if live and self._spans:
            text = _("The kernel shows up to {n} queries and keys one by one: use the sliders.")
            said.append(text.format(n=self._side))
        if live and self.tokenize:
            said.append(_("The text is read by the kernel, once you press Enter."))
        return " ".join(said)


def _in_words(head):
    return head if isinstance(head, str) else _("head {n}", n=head)


def _check_arguments(model, inputs, text, tokenize):
    """Raise TypeError if the arguments do not go together."""
    runs, wrong = inputs is not None or text is not None, ""
    if (text is None) != (tokenize is None) or text is not None and not isinstance(text, str):
        wrong = _("text and tokenize go together: tokenize(text) returns (inputs, tokens).")
    elif text is not None and inputs is not None:
        wrong = _("got inputs and text; give one of them, for tokenize makes inputs of the text.")
    elif runs != callable(model) or not (runs or isinstance(model, Mapping | Seen)):
        wrong = _("got {kind}; give a model and its inputs, or what watch saw, or weights by name.")
    if wrong:
        raise TypeError(wrong.format(kind=type(model).__name__))
