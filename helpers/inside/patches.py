"""A picture that a model has seen: which keys are its patches, and a query's weights over them."""

import base64
import io
from collections import Counter

import numpy as np
from matplotlib.image import imsave

from .. import _
from ..pictures.frames import to_array
from ..pictures.overlay import GREYS, over_picture
from .seeing import Seen, fits, listed

LUMINANCE = (0.2126, 0.7152, 0.0722)  # of red, green and blue (Rec. 709)


class Patches:
    """The picture, and for each Layer the positions of its patches among the keys.

    picture       as the model saw it: grey (height, width), where a larger value is darker; colours
                  (height, width, 3) or (3, height, width); or an image of Pillow
    shape         (rows, columns) of patches, which the model reads row by row
    image_tokens  positions of the patches among the keys; None: the token that occurs as often as
                  there are patches or, without tokens, all keys, or all but a class token at the
                  beginning

    Raises TypeError or ValueError if picture and shape do not fit.
    """

    def __init__(self, picture, shape, image_tokens=None):
        if picture is None or shape is None:
            raise TypeError(_("picture and patches go together: picture=…, patches=(14, 14)."))
        numbers = isinstance(shape, tuple | list) and [type(n) is int and n > 0 for n in shape]
        if numbers != [True, True]:
            text = _("patches={x!r}; pass (rows, columns) of patches, such as (14, 14).")
            raise TypeError(text.format(x=shape))
        self.shape, self.count = tuple(shape), shape[0] * shape[1]
        self.grey = _grey(picture)
        high, wide = np.divide(self.grey.shape, shape)
        if high != wide or high % 1:
            came, into = (" × ".join(map(str, x)) for x in (self.grey.shape, shape))
            text = _(
                "the picture is {came}, which is not {into} squares; pass it as the model sees it, "
                "resized and cropped, for example pixel_values[0]."
            )
            raise ValueError(text.format(came=came, into=into))
        self.given = image_tokens if image_tokens is None else [int(i) for i in image_tokens]
        if self.given is not None and len(self.given) != self.count:
            text = _("image_tokens has {n} positions, but there are {count} patches.")
            raise ValueError(text.format(n=len(self.given), count=self.count))

    def find(self, layers, seen):
        """Find the patches among the keys of these layers; ValueError if there are none in any."""
        others = _other_orders(seen) if isinstance(seen, Seen) else ()
        found = (() if x.name in others else self._keys(x.columns, x.numbered) for x in layers)
        self.keys = {layer: list(keys) for layer, keys in zip(layers, found)}
        if any(self.keys.values()):
            return
        if skipped := dict.fromkeys(x.name for x in layers if x.name in others):
            text = _(
                "{names} read the picture in windows or blocks, so their keys are not its {count} "
                "patches row by row."
            )
            raise ValueError(text.format(names=listed(skipped), count=self.count))
        sizes = ", ".join(map(str, sorted({len(x.columns) for x in layers})))
        text = _(
            "no layer has keys that are known to be {count} patches; there are {sizes} keys. Give "
            "their positions, such as image_tokens=range(5, {end}), or tokens= with their names."
        )
        raise ValueError(text.format(count=self.count, sizes=sizes, end=5 + self.count))

    def _keys(self, words, numbered):
        if self.given is not None:
            return self.given if max(self.given) < len(words) else ()
        often = [word for word, n in Counter(words).items() if n == self.count > 1]
        if len(often) == 1 and not numbered:
            return [i for i, word in enumerate(words) if word == often[0]]
        more = len(words) - self.count
        if words != [
            str(i) for i in range(len(words))
        ]:  # of a text, which may be as long by chance
            return ()
        return range(more, len(words)) if more in (0, 1) else ()

    @property
    def note(self):
        """What is assumed about the patches."""
        names = dict.fromkeys(layer.name for layer, keys in self.keys.items() if keys)
        text = _("The patches of the picture are taken to be, row by row, keys of {names}")
        first = self.given is None and any(keys[:1] == [1] for keys in self.keys.values())
        text += _(", after a class token.") if first else "."
        return text.format(names=listed(names))

    def spec(self, layers):
        """For the browser: the picture, and the patches of the layer at each setting."""
        file = io.BytesIO()
        imsave(file, self.grey, cmap=GREYS, format="png")
        every = dict.fromkeys(tuple(keys) for keys in self.keys.values() if keys)
        index = {keys: i for i, keys in enumerate(every)}
        return {
            "src": "data:image/png;base64," + base64.b64encode(file.getvalue()).decode(),
            "size": [*self.grey.shape],
            "shape": self.shape,
            "keys": list(every),
            "at": [index.get(tuple(self.keys.get(layer, ())), -1) for layer in layers],
        }

    def over(self, layer, weights, queries, title):
        """A Picture of the weights of these queries, by position or by word; or of one that sees."""
        if layer is None or not self.keys[layer] or weights.shape[1] < len(layer.columns):
            raise ValueError(_("the keys of this map are not the patches of the picture."))
        rows = weights[:, self.keys[layer]]
        if not queries:
            queries = [0 if (rows[0] > 0).any() else len(rows) - 1]
        maps, full = {}, 0.0
        for query in queries:
            i = layer.rows.index(query) if query in layer.rows else query
            if type(i) is not int or not -len(rows) <= i < len(rows):
                text = _("{query!r} is none of the {n} queries; give its position or its word.")
                raise ValueError(text.format(query=query, n=len(rows)))
            name = layer.rows[i]
            name = f"{name} ({i})" if name in maps else name
            maps[name] = np.nan_to_num(rows[i]).reshape(self.shape)
            full = max(full, maps[name].max())
        return over_picture(self.grey, maps, full=full or 1.0, says=title)


def _other_orders(seen):
    """Layers whose keys are only a window of a picture, or its patches block by block."""
    windows = {x.name for x in seen.calls if x.batch and len(x.weights) > x.batch}
    return windows | {x for x in seen.weights if any(fits(x, part) for part in seen.blocks)}


def _grey(picture):
    """The picture as (height, width), where a larger value is darker."""
    if hasattr(picture, "convert"):  # an image of Pillow
        picture = np.asarray(picture.convert("RGB"))
    array = to_array("picture", picture)
    if array.ndim == 3 and array.shape[-1] != 3 and array.shape[0] in (1, 3):
        array = np.moveaxis(array, 0, -1)
    if array.ndim == 3 and array.shape[-1] in (1, 3):
        return -array @ LUMINANCE if array.shape[-1] == 3 else array[..., 0]
    if array.ndim != 2:
        text = _("picture has shape {shape}; pass one picture, (height, width) or with 3 colours.")
        raise ValueError(text.format(shape=array.shape))
    return array
