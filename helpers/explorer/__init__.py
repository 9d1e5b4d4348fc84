"""The one live widget: sliders over matrices that the learner's own function computes."""

from .browser import MatrixView
from .widget import Explorer

__all__ = ["Explorer", "MatrixView"]
