"""Look inside."""

from .seeing import Call, Seen
from .view import Inside
from .watching import watch

__all__ = ["Call", "Inside", "Seen", "watch"]
