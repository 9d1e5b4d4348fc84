"""Look inside a PyTorch model: what did each of its attention layers attend to?

    with watch(model) as seen:
        model(x)
    seen.weights["blocks.0.attention"]  # (batch, heads, queries, keys)

    Inside(model, x, tokens)  # and look at them: every layer, every head, in an Explorer

watching.py opens the block. Meanwhile nn.Module.__call__ tells which layer is running, and a mode
intercepts each function of torch. Attention is recognised in two ways. fused.py has functions that
*are* attention, scaled_dot_product_attention and that of nn.MultiheadAttention; their weights are
computed again from queries, keys and masks. marks.py follows the result of each softmax, and when
it is multiplied with other numbers over the axis of the softmax, these are weights and values. Each
time, weights times values are compared with what the model went on with.

places.py works out which axis is batch, heads, queries and keys, from what the layer states and
from the sizes of its inputs. What is known is recorded; what is not is refused: the layer is named,
and nothing of it is shown. seeing.py holds what was seen, words.py the tokens beside it, rollout.py
the summary over layers, and view.py is Inside.
"""

from .seeing import Call, Seen
from .view import Inside
from .watching import watch

__all__ = ["Call", "Inside", "Seen", "watch"]
