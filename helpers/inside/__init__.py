"""Look inside any model of torch: what did each attention of it look at?

    with watch(model) as seen:
        model(x)
    seen.weights["blocks.0.attention"]  # (batch, heads, queries, keys)

    Inside(model, x, tokens)  # and look at them: every layer, every head

The model is not changed, and computes what it always computes.

    watching.py  watch: the block, its hooks, and what it says at the end
    seeing.py    Seen and Call: what was seen, and the check of it
    places.py    in which layer a call happens; which dimension is batch, and which is heads
    doubts.py    what of it is not sure: batch or heads, tokens or classes
    fused.py     attention in one call: scaled_dot_product_attention, nn.MultiheadAttention
    asked.py     what such a call asks, and the weights that it gives
    written.py   attention that is written out: softmax, and then a product with the values
    marks.py     the mark of what comes from a softmax; sums.py: einsum, and times and sum
    uncompiled.py   compiled models, while a watch is open
    beside.py    computing beside the model, unseen
    saying.py    what a watch says, of arguments and of what it did not see
    view.py      Inside: the view, a widget; views.py: its part in the browser
    looking.py   what Inside is given, checked; a model, run once
    maps.py      the maps of a view: heads, average, maximum; rollout.py: through all layers
    tokens.py    the words beside a map
    film.py      all maps packed for the browser; js/ and css/ are their part there
"""

from .seeing import Call, Seen
from .view import Inside
from .watching import watch

__all__ = ["Call", "Inside", "Seen", "watch"]
