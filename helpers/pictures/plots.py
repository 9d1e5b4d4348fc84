# ruff: noqa: F401
"""The still pictures, one function for each kind. They show arrays and do no mathematics.

Every function returns a Picture. As the last line of a cell, it shows itself and its text.
"""

from .curves import bars, lines
from .diagrams import flow
from .panels import matrices, panels
from .picture import Picture
