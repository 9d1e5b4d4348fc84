"""The maps of a call, with their words: each head, the average and the maximum of all, and rollout.

A map is an array (queries, keys) in float32, NaN where a mask hides the key.
"""

import re
from collections import Counter
from collections.abc import Mapping

import numpy as np
from torch import Tensor

from .. import _
from ..pictures.text import readable
from .seeing import listed

SUMMARIES = {  # and what to know of each
    "average": _("over all heads of its layer"),
    "maximum": _("the largest weight of any head: a row may add up to more than 1"),
    "rollout": _(
        "Abnar and Zuidema (2020): the averages of all layers up to this one, multiplied, each mixed "
        "half and half with the path past the layer. A rough guess of which tokens reach here: it "
        "leaves out the values, the norms and the feed-forward layers"
    ),
}
SPACES = str.maketrans("Ġ▁", "␣␣")  # how tokenizers write the space before a word


def maps_of(calls):
    """{head or summary: map} for each of these calls, of the first sequence of its batch.

    Rollout (Abnar and Zuidema, 2020, section 3) is the product of (W + I) / 2, where I stands for
    the residual connection, over layers of self-attention whose names differ only in numbers.
    """
    stacks = [(re.sub(r"\d+", "*", x.name), x.step, x.weights.shape[2:]) for x in calls]
    count, below, found = Counter(stacks), {}, []
    for call, stack in zip(calls, stacks):
        weights = call.weights[0].float().numpy(force=True)
        weights = np.nan_to_num(weights, nan=np.inf, posinf=np.inf)  # NaN means hidden
        hidden = weights < 0 if call.hidden is None else call.hidden[0].numpy(force=True)
        seen = np.where(hidden, 0, weights)
        every = hidden.all(axis=0)  # a key that any head sees is not hidden in a summary
        maps = dict(enumerate(np.where(hidden, np.nan, weights)))
        maps["average"] = np.where(every, np.nan, seen.mean(axis=0))
        maps["maximum"] = np.where(every, np.nan, seen.max(axis=0))
        if call.kind != "cross" and len(every) == every.shape[1] and count[stack] > 1:
            mixed = seen.mean(axis=0) + np.eye(len(every))
            mixed /= mixed.sum(axis=1, keepdims=True)  # by 2; a query without keys has its own half
            below[stack] = mixed @ below.get(stack, np.eye(len(every)))
            maps["rollout"] = np.where(below[stack] > 0, below[stack], np.nan).astype(np.float32)
        found.append(maps)
    return found


def words_of(tokens, inputs):
    """(words of the decoder, words of the encoder), the same list twice for one sequence; or None.

    Raises TypeError if tokens are not words, ids, two lists of these, or a tokenizer.
    """
    if hasattr(tokens, "convert_ids_to_tokens"):
        given = inputs if isinstance(inputs, Mapping) else {"input_ids": inputs}
        ids = [given.get(name) for name in ("decoder_input_ids", "input_ids")]
        words = [tokens.convert_ids_to_tokens(x[0].tolist()) for x in ids if isinstance(x, Tensor)]
        tokens = tuple(words) if len(words) == 2 else words[0] if words else []
    if tokens is None:
        return None
    if isinstance(tokens, tuple) and len(tokens) == 2 and not isinstance(tokens[0], str | int):
        return tuple(words_of(x, inputs)[0] for x in tokens)
    tokens = tokens.tolist() if hasattr(tokens, "tolist") else tokens
    if isinstance(tokens, str | Mapping) or not hasattr(tokens, "__len__"):
        text = _("tokens={given!r} is no list of words; write tokens=['Hello', …], or two lists")
        raise TypeError(text.format(given=tokens))
    words = [readable(word).translate(SPACES) for word in tokens]
    return words, words


def labels_of(call, words, several):
    """(labels of the queries, of the keys): words, or positions where no words are known.

    several   whether its layer was called more than once, so that each call may have a part of them

    Raises ValueError if there are no other calls, and the words do not fit.
    """
    queries, keys = call.weights.shape[2:]
    rows, columns = words or (range(queries), range(keys))
    if (
        words and rows is not columns and call.kind != "cross" and queries == keys
    ):  # both are of one sequence
        name = call.name.lower() if call.kind == "self" else ""
        if "decoder" in name:
            columns = rows
        elif "encoder" in name:
            rows = columns
        elif len(rows) != len(columns):
            rows = columns = columns if len(columns) == keys else rows
        else:
            text = _("'{name}' may be of either sequence: pick it alone, with its tokens alone")
            raise ValueError(text.format(name=call.name))
    fit = len(rows) == queries, len(columns) == keys
    if not several and not all(fit):
        text = _(
            "'{name}' has {sizes} queries and keys, but {came} tokens were given for them: {some}. Give "
            "all that the model saw, special ones such as [CLS] as well; or two lists, if they differ."
        )
        told = {"sizes": f"{queries} × {keys}", "came": f"{len(rows)} × {len(columns)}"}
        raise ValueError(text.format(name=call.name, some=listed(rows), **told))
    rows, columns = rows if fit[0] else range(queries), columns if fit[1] else range(keys)
    return [*map(str, rows)], [*map(str, columns)]
