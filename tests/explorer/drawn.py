"""Small Explorers, one of each view that is drawn from shapes."""

import numpy as np
import torch
from swept import WORDS

from helpers.explorer import Explorer
from helpers.pictures import ideas, stories
from helpers.pictures.drawings import arrows

FUTURE = np.triu(np.ones((3, 3)), 1)


def softmax(x):
    powers = np.exp(x)
    return powers / powers.sum(-1, keepdims=True)


def weights(sharp, mask=True):
    scores = sharp * np.sin(np.arange(18)).reshape(2, 3, 3)
    return {"weights": softmax(np.where(FUTURE * mask, -np.inf, scores))}


def growing(step):
    return {"weights": softmax(np.cos(np.arange(3 * step)).reshape(step, 3))}


def planes(turn):
    angles = turn + np.arange(4).reshape(2, 2)
    return {"clocks": np.stack([np.cos(angles), np.sin(angles)], axis=-1)}


def close(turn):
    angles = turn + np.array([0, 0.1, 0.2, 3, 3.1])
    return {"context": np.stack([np.cos(angles), np.sin(angles)], axis=-1)}


def summed(sharp):
    shares = softmax(sharp * np.sin(np.arange(9)).reshape(3, 3))
    return {"weights": shares, "context": shares @ np.array([[1, 0.5], [-0.5, 1], [0, -1]])}


def beam(width, step):
    found = [["she"], ["she likes", "she really"], ["she likes this", "she really"]][step - 1]
    shares = {"she": 0.9, "she likes": 0.5, "she really": 0.4, "she likes this": 0.45}
    lost = ["she really"] if width == 1 and step > 1 else []
    kept = [[shares[path] * ((path in lost) == is_lost) for path in found] for is_lost in (0, 1)]
    return {"probabilities": kept}


def paths(width, step):
    return [["she"], ["she likes", "she really"], ["she likes this", "she really"]][step - 1]


def copied(position):
    asked = np.zeros((6, 6))
    asked[position, position - 2] = 0.9
    return {"weights": [np.eye(6, k=-1), asked]}  # each letter notes the one before it


def cached(step):
    return {"with": 2 * np.eye(3), "without": 2 * np.tril(np.ones((3, 3)))}


def tiled(tile):
    highest, sums = [1, 1, 3, 3], [[0, 0, 1.1], [1.1, 0.15, 1.2]]
    return {"scores": [[1, -1, 3, 1.5], highest], "carried": [sums[tile - 1]]}


def outside(tile):
    tile_of = np.arange(4) // 2
    return [tile_of != tile - 1, tile_of >= tile]


def tiles(**view):
    rows = {"scores": ["score", "maximum"], "carried": ["sum"]}
    look = {"rows": rows, "columns": {"carried": ["a", "b", "c"]}, "view": view}
    return Explorer(tiled, list("abcd"), masked=outside, tile=(1, 2), **look)


def masked(sharp, mask):
    return FUTURE * mask


X = np.array([[1, 0.5], [-0.5, 1], [0, -1]])
DRAWN = {
    "arcs": lambda: Explorer(
        weights, WORDS, view={"weights": "arcs"}, masked=masked, sharp=(0.5, 2.0), mask=True
    ),
    "above the limit": lambda: Explorer(
        weights, WORDS, view={"weights": "lines"}, masked=masked, limits={"weights": 0.3},
        sharp=(0.5, 2.0), mask=True,
    ),
    "lines": lambda: Explorer(
        growing, WORDS, rows={"weights": lambda step: ["c", "a", "b"][:step]},
        view={"weights": "lines"}, step=(1, 3),
    ),
    "planes": lambda: Explorer(planes, ["query", "key"], view={"clocks": arrows}, turn=(0.0, 6.0, 0.5)),
    "arrows": lambda: Explorer(
        summed, WORDS, view={"context": arrows}, operands={"X": X}, sums={"context": "weights @ X"},
        sharp=(0.5, 2.0),
    ),
    "close": lambda: Explorer(
        close, ["Feige", "gap", "ver", "Apfel", "fig"], view={"context": arrows},
        columns={"context": ["sin", "cos"]}, turn=(0.0, 6.0, 0.5),
    ),
    "chart": lambda: Explorer(
        lambda rate, decay: {"loss": (rate - 1) ** 2 + decay}, ["run"], view={"loss": ideas.chart},
        rate=(0.0, 2.0, 0.25), decay=(0.0, 1.0, 0.5),
    ),
    "tree": lambda: Explorer(
        beam, paths, rows={"probabilities": ["kept", "dropped"]}, view={"probabilities": stories.tree},
        width=(1, 2), step=(1, 3),
    ),
    "induction": lambda: Explorer(
        copied, list("abcabc"), masked=np.triu(np.ones((6, 6)), 1), view={"weights": stories.induction},
        position=(3, 5),
    ),
    "cache": lambda: Explorer(
        cached, WORDS, masked=lambda step: FUTURE + (np.arange(3)[:, None] >= step), step=(1, 3),
        view=dict.fromkeys(("with", "without"), stories.piles),
        roles=dict.fromkeys(("with", "without"), "scores"),
    ),
    "window": lambda: tiles(scores=stories.window),
    "gauges": lambda: tiles(carried=stories.gauges),
    "dial": lambda: Explorer(planes, ["before", "now"], view={"clocks": stories.dial}, turn=(0.0, 6.0, 0.5)),
    "sentence": lambda: Explorer(
        lambda length, mask: {"weights": weights(1, mask)["weights"][0, :length, :length]},
        lambda length: WORDS[:length], masked=lambda length, mask: masked(1, mask)[:length, :length],
        view={"weights": ideas.sentence}, length=(1, 3), mask=True,
    ),
    "beams": lambda: Explorer(
        lambda sharp: {"weights": softmax(sharp * np.sin(np.arange(8))).reshape(2, 1, 4)},
        ["red", "box", "blue", "?"], view={"weights": ideas.beams}, sharp=(0.0, 4.0),
    ),
    "bottleneck": lambda: Explorer(
        lambda word: {"weights": np.eye(3)[:, [word]] * np.ones(3)}, WORDS, word=(0, 2),
        view={"weights": ideas.bottleneck},
    ),
    "in plane": lambda: Explorer(
        lambda right, up, other: {"weights": softmax(X @ [right, up])}, WORDS, rows="gap",
        view={"weights": ideas.in_plane(torch.tensor(X), ["right", "up"], mean="mean")},
        right=(-1.0, 1.0, 0.5), up=(-1.0, 1.0, 0.5), other=[1, 2],
    ),
    "trails": lambda: Explorer(
        planes, ["a · b", "c · d"], head_names={"clocks": ["queries", "keys"]},
        view={"clocks": ideas.trails}, turn=(0.0, 6.0, 0.5),
    ),
    "one bar": lambda: Explorer(
        lambda sharp: {"weights": softmax(sharp * np.arange(3))}, WORDS,
        view={"weights": ideas.one_bar}, sharp=(0.0, 9.0),
    ),
    "patches": lambda: Explorer(
        lambda sharp: {"weights": softmax(sharp * np.sin(np.arange(8))).reshape(2, 2, 2)}, ["1", "2"],
        view={"weights": ideas.over(torch.eye(4))}, sharp=(0.0, 4.0),
    ),
}  # fmt: skip
STRETCHED = ["arcs", "above the limit", "chart", "lines", "tree"]
STRETCHED += ["beams", "induction", "cache", "window"]
