"""Which tokens stand beside a map: those of its queries, and those of its keys."""

from collections.abc import Mapping

import numpy as np

from ..pictures.text import readable
from .maps import CROSS, begins, some


def many(n, w):
    return f"{n:,} {w}s"


ADVICE = (
    "Give the tokens as the model saw them, with special ones such as [CLS]: "
    "of a tokenizer, tokenizer.convert_ids_to_tokens(ids)."
)


class Tokens:
    """Tokens of one sequence, of two, or by layer.

    given   a list of words; (the decoder's words, the encoder's words); or a dict by layer's name, or
            how the name begins, of a list or of (queries' words, keys' words); None: places, from 0

    Raises TypeError for anything else.
    """

    def __init__(self, given):
        self.given = given
        if isinstance(given, Mapping):
            self.given = {str(name): self._pair(x) for name, x in given.items()}
        elif given is not None:
            self.given = self._pair(given)

    @property
    def single(self):
        """The words, where there is one list of them for queries and keys; else None."""
        is_pair = isinstance(self.given, tuple)
        return self.given[0] if is_pair and self.given[0] is self.given[1] else None

    @staticmethod
    def _pair(given):
        if isinstance(given, tuple) and len(given) == 2 and not isinstance(given[0], (str, int)):
            return _words(given[0]), _words(given[1])
        words = _words(given)
        return words, words

    def beside(self, layer, steps):
        """(words of the queries, words of the keys) of a Layer.

        steps   how many queries each call of the same layer had, where there were several

        Raises ValueError where their number does not fit, or both of two sequences would.
        """
        queries, keys = layer.average.shape
        if self.given is None:
            places = [str(i) for i in range(max(queries, keys))]
            return places[:queries], places[:keys]
        down, across = self._two(layer)
        if layer.by_steps:
            own = self.single is not None or not _is_cross(layer)
            start = max(0, keys - queries) if own else _start(steps, layer.step)  # cached
            down = down[start : start + queries]
            across = across[:keys] if own else across
        for words, count, what in ((down, queries, "query"), (across, keys, "key")):
            if len(words) != count:
                raise ValueError(
                    f"'{layer.name}' has {many(count, what)}, but {many(len(words), 'token')} came for "
                    f"that ({some(words)}). {ADVICE}{self._if_cross(layer)}"
                )
        return down, across

    def _if_cross(self, layer):
        if not _is_cross(layer) or self.single is None:
            return ""
        return " It looks at other tokens than its own: tokens=(the decoder's, the encoder's)."

    def _two(self, layer):
        given = self.given
        if isinstance(given, dict):
            starts = [start for start in given if begins(layer.name, start)]
            if not starts:
                raise ValueError(
                    f"tokens has none for '{layer.name}'; it has them for: {some(list(given))}."
                )
            down, across = given[max(starts, key=len)]
            return (down, across) if _is_cross(layer) else (down, down)
        if _is_cross(layer) or self.single is not None:
            return given
        words = self._own(layer, *given)
        return words, words

    @staticmethod
    def _own(layer, decoder, encoder):
        """Whose words a layer of self-attention has, of a model with two sequences."""
        count = layer.average.shape[1]
        if len(decoder) != len(encoder):
            return encoder if len(encoder) == count else decoder
        for word, tokens in (("decoder", decoder), ("encoder", encoder)):
            if word in layer.name.lower():
                return tokens
        looks_back = np.isnan(layer.average[np.triu_indices(count, 1)]).all() and count > 1
        if looks_back:
            return decoder
        raise ValueError(
            f"'{layer.name}' may belong to either sequence, as both have {count} tokens. Say which: "
            f"tokens={{{layer.name!r}: […], …}}."
        )


def _start(steps, step):
    """Which token is the first query of a step: 0, or with a cache the one after all that went before."""
    grows = step and steps[step] > steps[step - 1]
    return 0 if grows or not step or steps[step] == max(steps) > 1 else sum(steps[:step])


def _is_cross(layer):
    """Whether its keys are of another sequence; a guess by its sizes where this is not known."""
    queries, keys = layer.average.shape
    return layer.kind == CROSS or (layer.kind is None and queries != keys)


def _words(given):
    if isinstance(given, str) or not hasattr(given, "__len__"):
        raise TypeError(
            f'tokens={given!r} is not a list of words; write tokens=["Hello", …], or for two '
            "sequences tokens=(the decoder's, the encoder's)."
        )
    return [readable(word) for word in given]


def segments_of(given, tokens):
    """{"names": each once, "of": which one each token is in}, or None where nothing is given.

    Raises ValueError unless there is a segment for each token of one sequence.
    """
    if given is None:
        return None
    words = tokens.single
    if words is None:
        raise ValueError("segments are those of one sequence; give its tokens as one list.")
    labels = [readable(label) for label in given]
    if len(labels) != len(words):
        raise ValueError(
            f"segments has {len(labels)} entries, but there are {len(words)} tokens; write one for "
            'each, such as segments=["A", "A", "B"].'
        )
    names = list(dict.fromkeys(labels))
    return {"names": names, "of": [names.index(label) for label in labels]}
