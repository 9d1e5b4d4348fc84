"""Look inside any model of torch: what did each attention of it look at?

    with watch(model) as seen:
        model(x)
    seen.weights["blocks.0.attention"]  # (batch, heads, queries, keys)

    Inside(model, x, tokens)  # and look at them: every layer, every head, in an Explorer

watching.py opens the block: around the forward of each module stands a function that keeps a stack of
places, so that each call has the name of its layer, and a mode sees every function of torch. Then there
are three ways of seeing, in this order:

1. A call that *is* attention (fused.py): scaled_dot_product_attention. The weights are computed once more
   from what the call was given. The body of nn.MultiheadAttention runs under the watch, and comes here,
   too, or to the next.
2. A product with what a *softmax* gave (written.py). The result of a softmax is marked; the mark follows
   what changes numbers one by one, or the shape, and nothing else. Where a marked matrix meets another in
   a product over the axis of the softmax, these are weights and values. So it is in the sum over the keys
   of weights times values.
3. Letters: an einsum over that axis says itself which axes are which (written.py, too).

Each time weights times values are compared with what the model went on with. What the axes before
(queries, keys) are, places.py tells: from the sizes of what the layer was called with, then from the
number of heads that the layer names, and then by custom, batch first. Custom is a doubt, and doubts are
said wherever weights are shown. A map is right, or doubted, or refused in one sentence, never wrong with
nothing said; what costs fifty lines is refused.

The model gives what it gives unwatched. One case needs care: in eval mode PyTorch's own encoder has a fast
path that sets padded places to 0, and a watch switches it off; so where a mask came, it is computed once
more, with that path, and the model goes on with this.

seeing.py holds what was seen: Call, Seen, the check, the steps of a decoder with a cache, joined where
their values show that it is one cache; and what was not seen, in words. maps.py makes of calls what a view
shows: the words beside a map, places where these are not sure, rollout. view.py is Inside.
"""

from .seeing import Call, Seen
from .view import Inside
from .watching import watch

__all__ = ["Call", "Inside", "Seen", "watch"]
