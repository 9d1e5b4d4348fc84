"""Which words stand beside a map: the tokens of its queries and of its keys, or positions."""

from collections.abc import Mapping

from torch import Tensor

from .. import _
from ..pictures.text import readable
from .seeing import listed

SPACES = str.maketrans("Ġ▁", "␣␣")  # how tokenizers write the space before a word


def words_of(tokens, inputs):
    """(words of the decoder, words of the encoder), the same list twice for one sequence; or None.

    Raises TypeError if tokens are not words, ids, two lists of these, or a tokenizer.
    """
    if hasattr(tokens, "convert_ids_to_tokens"):
        tokens = _read(tokens, inputs)
    if tokens is None:
        return None
    if isinstance(tokens, tuple) and len(tokens) == 2 and not isinstance(tokens[0], str | int):
        return tuple(words_of(x, inputs)[0] for x in tokens)
    tokens = tokens.tolist() if hasattr(tokens, "tolist") else tokens
    if isinstance(tokens, str | Mapping) or not hasattr(tokens, "__len__"):
        text = _(
            'tokens={given!r} is not a list of words; write tokens=["Hello", …], or for two sequences'
            " tokens=(the decoder's, the encoder's)."
        )
        raise TypeError(text.format(given=tokens))
    words = [readable(word).translate(SPACES) for word in tokens]
    return words, words


def _read(tokenizer, inputs):
    """The words of the first sequence of each text among the inputs."""
    given = inputs if isinstance(inputs, Mapping) else {"input_ids": inputs}
    names = ("decoder_input_ids", "input_ids")
    ids = [given[name][0].tolist() for name in names if isinstance(given.get(name), Tensor)]
    if not ids:
        text = _("a tokenizer needs inputs with input_ids; give the words: ")
        raise TypeError(text + "tokens=tokenizer.convert_ids_to_tokens(ids)")
    found = tuple(map(tokenizer.convert_ids_to_tokens, ids))
    return found if len(found) > 1 else found[0]


def labels_of(call, words, many):
    """(labels of the queries, of the keys, whether these are positions, as no words are known).

    many   whether its layer was called more than once, so that each call may have a part of them

    Raises ValueError if there are no other calls, and the words do not fit.
    """
    queries, keys = call.weights.shape[2:]
    rows, columns = _two(words, call) if words else (range(queries), range(keys))
    fit = len(rows) == queries, len(columns) == keys
    if not many and not all(fit):
        text = _(
            "'{name}' has {sizes} queries and keys, but {came} tokens were given for them: {some}. Give "
            "the tokens as the model saw them, including special ones such as [CLS]: "
            "tokenizer.convert_ids_to_tokens(ids). If queries and keys differ, give two lists."
        )
        told = {"sizes": f"{queries} × {keys}", "came": f"{len(rows)} × {len(columns)}"}
        raise ValueError(text.format(name=call.name, some=listed(rows), **told))
    rows, columns = rows if fit[0] else range(queries), columns if fit[1] else range(keys)
    return [*map(str, rows)], [*map(str, columns)], not all(fit)


def _two(words, call):
    """(words of the queries, words of the keys) of a call."""
    one, two = words
    queries, keys = call.weights.shape[2:]
    if one is two or call.kind == "cross" or queries != keys:
        return one, two
    mine = [x for x, who in ((one, "decoder"), (two, "encoder")) if who in call.name.lower()]
    if not mine and len(one) != len(two):
        mine = [two if len(two) == keys else one]
    if not mine:
        text = _(
            "'{name}' may belong to either sequence. Pick it alone, layers={name!r}, and give the "
            "tokens of the one that it belongs to."
        )
        raise ValueError(text.format(name=call.name))
    return mine[0], mine[0]
