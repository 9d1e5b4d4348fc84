"""What a watch says: of arguments that it cannot take, and of what it did not see."""

from difflib import get_close_matches
from fnmatch import fnmatchcase

import torch

from .. import _
from .seeing import listed


def checked_limit(limit):
    """The limit, in bytes."""
    if type(limit) not in (int, float) or not limit > 0:
        kind = ValueError if type(limit) in (int, float) else TypeError
        raise kind(_("watch: limit={x!r} is no size; pass bytes, such as 2e9 for 2 GB", x=limit))
    return limit


def checked_heads(heads):
    """The numbers of heads as a tuple, or None."""
    if heads is None:
        return None
    found = (heads,) if isinstance(heads, int) else tuple(heads)
    if not found or not all(type(head) is int for head in found) or min(found) < 0:
        text = _("watch: heads={x!r}; pass numbers from 0, such as heads=[0, 3], or None for all")
        raise TypeError(text.format(x=heads))
    return tuple(sorted(set(found)))


def checked_layers(layers, names, root):
    """The patterns of names as a tuple, or None; each must fit a name."""
    if layers is None:
        return None
    found = (layers,) if isinstance(layers, str) else tuple(layers)
    if not found or not all(isinstance(layer, str) for layer in found):
        text = _("watch: layers={x!r}; pass names, such as ['decoder.*'], or None for all")
        raise TypeError(text.format(x=layers))
    for pattern in found:
        if not any(fits(name, pattern) for name in names.values()):
            likely = [name for module, name in names.items() if is_attention(module)]
            near = get_close_matches(pattern, names.values()) or likely or list(names.values())[1:]
            text = _("watch: {root} has no layer {pattern!r}; there is {found}")
            raise ValueError(text.format(root=root, pattern=pattern, found=listed(near)))
    return found


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
    name, and ran, or that torch.jit made: of these nobody knows.
    """
    names, known = list(watch.failed), (*called, *watch.failed)
    for module, name in watch.names.items() if watch.layers is None else ():
        ran = name in watch.ran or isinstance(module, torch.jit.ScriptModule)
        if ran and is_attention(module) and not (called and name == watch.root):
            if not any(fits(one, name) or fits(name, one) for one in known):
                names.append(name)
    return tuple(names)


def not_seen(watch, names):
    """That of these layers nothing was seen, and what to do."""
    text = _("a watch could not follow what {name!r} does: {error!r}")
    texts = [text.format(name=name, error=error) for name, error in watch.failed.items()]
    if others := [name for name in names if name not in watch.failed]:
        said = _("of {names} nothing was seen, though they are attention by their name, and ran")
        mixed = any(fits(x.name, name) for x in watch.softmaxes for name in others)
        texts.append(f"{said.format(names=listed(others))}. {between() if mixed else other()}")
    return "; ".join(texts)


def nothing(watch, names):
    """Why a block has seen nothing, and what to do."""
    if names:
        return f"watch: {not_seen(watch, names)}"
    if not watch.ran and not isinstance(watch.model, torch.jit.ScriptModule):
        text = _("watch: {root} was not called in the block", root=watch.root)
        text += _("; attention was seen in another model") if watch.elsewhere else ""
        return text + _(". Call it there: model(x)")
    where = "" if watch.layers is None else _(" in {names}", names=listed(watch.layers))
    text = _("watch: no attention was seen{where} when {root} ran.", where=where, root=watch.root)
    if watch.layers is not None:
        return text + _(" Leave out layers= to see where there is some")
    if not watch.softmaxes:
        return f"{text} {other()}"
    names = listed(dict.fromkeys(x.name for x in watch.softmaxes))
    ran = _(" A softmax ran in {names}, but no such product of it was seen. ", names=names)
    return text + ran + between()


def other():
    return _(
        "flex_attention, a kernel of another package or of C++, and what torch.jit made, cannot be"
        " seen: switch to PyTorch's attention (in Hugging Face"
        " model.set_attn_implementation('sdpa')), or pass the module that torch.jit was given"
    )


def between():
    return _(
        "Between a softmax and its product with the values (matmul, bmm, einsum, or times and sum)"
        " dropout, a mask, a number that multiplies or divides, another type or shape may come: not"
        " heads that are mixed, maps that are subtracted, or a sum at once (baddbmm)"
    )
