"""Look inside a PyTorch model: what did each of its attention layers attend to?

    with watch(model) as seen:
        model(x)
    seen.weights["blocks.0.attention"]  # (batch, heads, queries, keys)

    Inside(model, x, tokens)  # and look at them: every layer, every head, in an Explorer

watching.py knows which layer is running, and intercepts the functions of torch in functions.py;
places.py knows which axis is which. What is known is recorded, and compared with what the model
went on with; what is not is refused: the layer is named, and nothing of it is shown.
"""

from .seeing import Call, Seen
from .view import Inside
from .watching import watch

__all__ = ["Call", "Inside", "Seen", "watch"]
