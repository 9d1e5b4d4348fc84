"""What a watch says: of arguments that it cannot take, of room, and of what it did not see."""

from difflib import get_close_matches
from fnmatch import fnmatchcase

import torch

from .. import _
from .seeing import listed


def checked_limit(limit):
    """The limit, in bytes."""
    hint = _("pass bytes, such as 2e9 for 2 GB")
    if not isinstance(limit, (int, float)) or isinstance(limit, bool):
        kind = type(limit).__name__
        raise TypeError(
            _("watch: limit={limit!r} is a {kind}", limit=limit, kind=kind) + f"; {hint}"
        )
    if not limit > 0:
        raise ValueError(_("watch: limit={limit} leaves no room", limit=limit) + f"; {hint}")
    return limit


def checked_heads(heads):
    """The numbers of heads as a tuple, or None."""
    if heads is None:
        return None
    came, hint = f"watch: heads={heads!r}", _("pass numbers, such as heads=[0, 3], or None for all")
    heads = (heads,) if isinstance(heads, int) else tuple(heads)
    if not heads or not all(type(head) is int for head in heads):
        raise TypeError(f"{came}; {hint}")
    if min(heads) < 0:
        raise ValueError(_("{came}; they count from 0: {hint}", came=came, hint=hint))
    return tuple(sorted(set(heads)))


def checked_layers(layers, names, root):
    """The patterns of names as a tuple, or None; each must fit a name."""
    if layers is None:
        return None
    came = f"watch: layers={layers!r}"
    layers = (layers,) if isinstance(layers, str) else tuple(layers)
    if not layers or not all(isinstance(layer, str) for layer in layers):
        hint = _("pass names, such as layers=['decoder.*'], or None for all")
        raise TypeError(f"{came}; {hint}")
    there = {name: is_attention(module) for module, name in names.items()}
    for pattern in layers:
        if not any(fits(name, pattern) for name in there):
            likely = [name for name, attention in there.items() if attention]
            found = listed(get_close_matches(pattern, there) or likely or list(there)[1:])
            text = _("watch: {root} has no layer {pattern!r}; there is {found}")
            raise ValueError(text.format(root=root, pattern=pattern, found=found))
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


def bytes_in_words(number):
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= unit:
            return f"{number / unit:.1f} {name}"
    return _("{number:.0f} bytes", number=number)


def blind(watch, called):
    """Layers of which nothing was seen though there is attention in them.

    Those in which a watch failed; and, if no layers were picked, those that are attention by their
    name, and ran.
    """
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


def not_seen(watch, names):
    """That of these layers nothing was seen, and what to do."""
    texts = [
        _(
            "a watch could not follow what {name!r} does: {kind}, {error}",
            name=name,
            kind=type(error).__name__,
            error=error,
        )
        for name, error in watch.failed.items()
    ]
    others = [name for name in names if name not in watch.failed]
    if others:
        said = _("of {names} nothing was seen, though they are attention by their name, and ran")
        mixed = any(fits(x.name, name) for x in watch.softmaxes for name in others)
        texts.append(f"{said.format(names=listed(others))}. {between() if mixed else other()}")
    return "; ".join(texts)


def nothing(watch, names):
    """Why a block has seen nothing, and what to do."""
    if names:
        return f"watch: {not_seen(watch, names)}"
    if isinstance(watch.model, torch.jit.ScriptModule):
        made = _("watch: nothing was seen in {root}, which torch.jit made.", root=watch.root)
        return f"{made} {other()}"
    if not watch.ran:
        text = _("watch: nothing was seen: {root} was not called in the block", root=watch.root)
        text += _("; attention was seen in another model") if watch.elsewhere else ""
        return text + _(". Call it there: model(x)")
    where = "" if watch.layers is None else _(" in {names}", names=listed(watch.layers))
    text = _(
        "watch: no attention was seen{where} when {root} ran. Looked for:"
        " scaled_dot_product_attention, nn.MultiheadAttention, and a softmax whose result is"
        " multiplied with the values (matmul, bmm, einsum, or times and sum).",
        where=where,
        root=watch.root,
    )
    if watch.layers is not None:
        return text + _(" Leave out layers= to see where there is some")
    if not watch.softmaxes:
        return f"{text} {other()}"
    ran = _(" A softmax ran in {names}, but no such product of it was seen. ")
    names = listed(dict.fromkeys(x.name for x in watch.softmaxes))
    return text + ran.format(names=names) + between()


def other():
    return _(
        "flex_attention, a kernel of another package or of C++, and what torch.jit made, cannot be"
        " seen: switch to PyTorch's attention (in Hugging Face"
        " model.set_attn_implementation('sdpa')), or pass the module that torch.jit was given"
    )


def between():
    return _(
        "What comes between the two is followed only if it is dropout, a mask, a number that"
        " multiplies or divides, another type or another shape: not heads that are mixed, maps that"
        " are subtracted, or a product that adds something at once (baddbmm)"
    )
