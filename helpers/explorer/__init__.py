"""The Explorer, the one live widget: sliders over matrices that the learner's function computes.

Beside it, question.py holds a question that is answered on the page.
"""

from .widget import Explorer

__all__ = ["Explorer"]
