"""Look inside a PyTorch model: what did each of its attention layers attend to?

    with watch(model) as seen:
        model(x)
    seen.weights["blocks.0.attention"]  # (batch, heads, queries, keys)

    Inside(model, x, tokens)  # and look at them: every layer, every head, in an Explorer

While the block of watching.py is open, nn.Module.__call__ tells which layer is running, and a mode
intercepts each function of torch. fused.py has functions that *are* attention; marks.py follows the
result of each softmax until it is multiplied with the values. places.py works out which axis is
which, from what layers state and are called with. What is known is recorded, and compared with what
the model went on with; what is not is refused: the layer is named, and nothing of it is shown.
"""

from .seeing import Call, Seen
from .view import Inside
from .watching import watch

__all__ = ["Call", "Inside", "Seen", "watch"]
