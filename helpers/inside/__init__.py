"""Look inside any PyTorch model: what did each of its attention layers attend to?

    with watch(model) as seen:
        model(x)
    seen.weights["blocks.0.attention"]  # (batch, heads, queries, keys)

    Inside(model, x, tokens)  # and look at them: every layer, every head, in an Explorer

watching.py opens the block. Meanwhile nn.Module.__call__ reports each call of a watched module, so
that the stack of Places always names the layer (calling.py), and a mode intercepts every function
of torch. There are three ways to recognise attention, tried in this order:

1. A call that *is* attention (fused.py): scaled_dot_product_attention. The weights are computed
   again from the arguments of the call. The body of nn.MultiheadAttention runs under the watch, and
   ends up here or at the next way.
2. A product with the result of a *softmax* (written.py). The result of a softmax is marked, and the
   mark follows operations that change entries one by one, or the shape, and nothing else. When a
   marked matrix is multiplied with another one over the axis of the softmax, the two are weights
   and values.
3. Letters: an einsum over that axis states itself which axes are which (also written.py).

Each time, weights times values are compared with what the model went on with. places.py works out
what the axes before (queries, keys) are, from the sizes of the layer's inputs and from the number
of heads that the layer states; last comes the convention that the batch is first. Where this is no
proof, merging.py waits until the model joins the heads of a sequence, and corrects the axes. A
result that still rests on the convention is doubtful, and the doubt is stated wherever weights are
shown. doubts.py states what else the sizes do not show. A map is right, or doubtful, or refused
with a reason, but never wrong without a warning; a case that would take fifty lines is refused.

The model returns what it returns when it is not watched. One case needs care: in eval mode
PyTorch's own encoder has a fast path that sets padded positions to 0, and a watch switches it off.
So the encoder runs once more with that path, and the model goes on with this result.

picking.py says which heads and queries are recorded. seeing.py holds what was seen: Call, Seen, the
check, and messages about what was not seen. joining.py joins the steps of a decoder if their values
show that they share one cache. maps.py turns calls into what a view shows, with the tokens beside a
map, or positions if the tokens are uncertain; layer.py has the maps themselves, any part of a large
one, and rollout. view.py is Inside, patches.py lays weights over a picture, and page.py is the file
of HTML in which it works without a kernel.
"""

from .seeing import Call, Seen
from .view import Inside
from .watching import watch

__all__ = ["Call", "Inside", "Seen", "watch"]
