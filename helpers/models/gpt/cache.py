"""The KV cache: the keys and values of the tokens so far. As taught in notebook 12.

No token sees a later one, so its key and value in each layer do not depend on how the text goes on.
They can therefore be computed once and cached.
"""

from ... import _
from ..input_checks import check_length


class Cache:
    """The keys and values of one text, or of a batch of texts that grow together.

        cache = Cache()
        logits = model(prompt, cache=cache)    # fills the cache
        logits = model(new_ids, cache=cache)   # new tokens only; they see all cached tokens

    length          how many tokens are cached, and so the position of the next token
    keys, values    a list over the layers, each (batch, heads, length, head_dim)
    Each text needs a cache of its own, or `reset()` in between. No gradient flows through a cache.
    """

    def __init__(self):
        self.reset()

    def reset(self):
        """Forget the text."""
        self.length = 0
        self._keys, self._values = {}, {}  # layer → (batch, heads, room, head_dim)

    @property
    def keys(self):
        return self._held(self._keys)

    @property
    def values(self):
        return self._held(self._values)

    def extend(self, layer, key, value):
        """Append the keys and values of new tokens to the cached ones, and return all of them.

        layer       index of the layer, from 0
        key, value  (batch, heads, new tokens, head_dim)
        Returns keys, values (batch, heads, length + new tokens, head_dim). `length` does not change
        here: the model advances it when every layer is done, so that a pass that stops half-way
        leaves the cache as it was.
        """
        return self._put(self._keys, layer, key), self._put(self._values, layer, value)

    def _put(self, store, layer, new):
        end = self.length + new.shape[2]
        room = store.get(layer)
        if room is None or room.shape[2] < end:
            # Twice what is needed, so that most tokens find room and the cache is seldom copied.
            larger = new.new_empty(*new.shape[:2], 2 * end, new.shape[3])
            if room is not None:
                larger[:, :, : self.length] = room[:, :, : self.length]
            room = store[layer] = larger
        room[:, :, self.length : end] = new
        return room[:, :, :end]

    def _held(self, store):
        return [room[:, :, : self.length] for room in store.values()] if self.length else []


def check_cache(model, cache, ids):
    """Raise ValueError unless ids (batch, new tokens) of a GPT can continue the text in cache."""
    check_length(model, cache.length + ids.shape[1])
    if cache.length == 0:
        cache.reset()  # an interrupted first pass may have left keys behind
        return
    attention = model.blocks[0].attention
    ours = (len(model.blocks), len(ids), attention.num_heads, attention.d_model)
    batch, heads, _tokens, head_dim = cache.keys[0].shape
    held = (len(cache.keys), batch, heads, heads * head_dim)
    if held != ours:
        text = _(
            "GPT: the cache holds (layers, batch, heads, d_model) = {held}, not {ours}; "
            "each text needs a cache of its own: Cache(), or cache.reset()"
        )
        raise ValueError(text.format(held=held, ours=ours))
