"""What a watch says: of arguments that it cannot take, of room, and of what it did not see."""

from difflib import get_close_matches
from fnmatch import fnmatchcase

import torch
from torch import nn

LOOKED_FOR = (
    "scaled_dot_product_attention, flex_attention, nn.MultiheadAttention, and a softmax whose result"
    " is multiplied with the values (matmul, bmm, einsum, or times and sum)"
)
ELSE = (
    "A kernel of another package or of C++, and what torch.jit made, cannot be seen: switch to"
    " PyTorch's attention (in Hugging Face model.set_attn_implementation('sdpa')), or pass the"
    " module that torch.jit was given"
)
BETWEEN = (
    "What comes between the two is followed only if it is dropout, a mask, a number that multiplies"
    " or divides, another type or another shape: not heads that are mixed, or maps that are subtracted"
)


def check_model(model):
    if not isinstance(model, nn.Module):
        came = f"watch: model is a {type(model).__name__}, not a torch.nn.Module"
        raise TypeError(f"{came}; pass the model itself: watch(model)")


def checked_limit(limit):
    """The limit, in bytes."""
    hint = "pass bytes, such as 2e9 for 2 GB"
    if not isinstance(limit, (int, float)) or isinstance(limit, bool):
        raise TypeError(f"watch: limit={limit!r} is a {type(limit).__name__}; {hint}")
    if not limit > 0:
        raise ValueError(f"watch: {limit=} leaves no room; {hint}")
    return limit


def checked_heads(heads):
    """The numbers of heads as a tuple, or None."""
    if heads is None:
        return None
    came, hint = f"watch: heads={heads!r}", "pass numbers, such as heads=[0, 3], or None for all"
    heads = (heads,) if isinstance(heads, int) else tuple(heads)
    if not heads or not all(isinstance(h, int) and not isinstance(h, bool) for h in heads):
        raise TypeError(f"{came}; {hint}")
    if min(heads) < 0:
        raise ValueError(f"{came}; they count from 0: {hint}")
    return tuple(sorted(set(heads)))


def checked_layers(layers, names, root):
    """The patterns of names as a tuple, or None; each must fit a name."""
    if layers is None:
        return None
    came = f"watch: layers={layers!r}"
    layers = (layers,) if isinstance(layers, str) else tuple(layers)
    if not layers or not all(isinstance(layer, str) for layer in layers):
        raise TypeError(f"{came}; pass names, such as layers=['decoder.*'], or None for all")
    there = {name: is_attention(module) for module, name in names.items()}
    for pattern in layers:
        if not any(fits(name, pattern) for name in there):
            alike = get_close_matches(pattern, there)
            likely = [name for name, attention in there.items() if attention]
            hint = listed(alike or likely or list(there)[1:])
            raise ValueError(f"watch: {root} has no layer {pattern!r}; there is {hint}")
    return layers


def fits(name, pattern):
    """Whether a layer, or one that it is inside of, has this name or fits this pattern."""
    parts = name.split(".")
    outer = (".".join(parts[: i + 1]) for i in range(len(parts)))
    return any(one == pattern or fnmatchcase(one, pattern) for one in outer)


def is_attention(module):
    """Whether a layer is attention by its name."""
    name = getattr(module, "original_name", type(module).__name__).lower()
    return "attention" in name or name.endswith("attn")


def many(count, thing):
    """Such as "1 query" or "2 queries"."""
    things = "queries" if thing == "query" else f"{thing}s"
    return f"{count:,} {thing if count == 1 else things}"


def listed(names, most=5):
    names = list(names)
    return ", ".join(map(repr, names[:most])) + (", …" if len(names) > most else "")


def too_large(watch, place, shape, needed):
    batch, heads, queries, keys = shape
    came = f"{batch} × {many(heads, 'head')} × {many(queries, 'query')} × {many(keys, 'key')}"
    before = f", after {_size(watch.used)} of other calls" if watch.used else ""
    return (
        f"watch: the weights of {place.name!r} take {_size(needed)} ({came}){before}; the limit is"
        f" {_size(watch.limit)}. Pick layers (layers={place.name!r}) or heads (heads=0), pass a"
        " smaller batch or fewer tokens, or raise limit=, in bytes"
    )


def _size(number):
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= unit:
            return f"{number / unit:.1f} {name}"
    return f"{number:.0f} bytes"


def blind(watch):
    """Layers of which nothing was seen though there is attention in them.

    Those in which a watch failed; and, if no layers were picked, those that are attention by their
    name, and ran.
    """
    called = {call.name for call in watch.seen.calls}
    names = list(watch.failed)
    if watch.layers is None:
        ran = watch.ran | {  # of these nobody knows whether they ran
            name: module
            for module, name in watch.names.items()
            if isinstance(module, torch.jit.ScriptModule)
        }
        names += [
            name
            for name, module in ran.items()
            if is_attention(module)
            and not (called and name == watch.root)
            and not any(fits(one, name) or fits(name, one) for one in (*called, *watch.failed))
        ]
    return tuple(names)


def not_seen(names, failed):
    """That of these layers nothing was seen, and what to do."""
    texts = [
        f"a watch could not follow what {name!r} does: {type(error).__name__}, {error}"
        for name, error in failed.items()
    ]
    others = [name for name in names if name not in failed]
    if others:
        seen = f"of {listed(others)} nothing was seen, though they are attention by their name"
        texts.append(f"{seen}, and ran. {ELSE}")
    return "; ".join(texts)


def nothing(watch, blind):
    """Why a block has seen nothing, and what to do."""
    if blind:
        return f"watch: {not_seen(blind, watch.failed)}"
    if isinstance(watch.model, torch.jit.ScriptModule):
        return f"watch: nothing was seen in {watch.root}, which torch.jit made. {ELSE}"
    if not watch.ran:
        other = "; attention was seen in another model" if watch.elsewhere else ""
        hint = f"{watch.root} was not called in the block{other}. Call it there: model(x)"
        return f"watch: nothing was seen: {hint}"
    where = "" if watch.layers is None else f" in {listed(watch.layers)}"
    text = f"watch: no attention was seen{where} when {watch.root} ran. Looked for: {LOOKED_FOR}."
    if watch.layers is not None:
        return f"{text} Leave out layers= to see where there is some"
    if watch.softmaxes:
        alone = listed(dict.fromkeys(watch.softmaxes))
        return f"{text} A softmax ran in {alone}, but no such product of it was seen. {BETWEEN}"
    return f"{text} {ELSE}"
