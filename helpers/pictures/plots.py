"""The static pictures, one function each. They show arrays and know no maths.

Every function returns a Picture: as a cell's last line it shows itself, with its content as text.
"""

from .curves import bars, lines, plane
from .diagrams import bottleneck, flow, word_order
from .grids import matrices, panels
from .overlay import over_picture
from .picture import Picture
from .years import timeline

__all__ = [
    "Picture",
    "bars",
    "bottleneck",
    "flow",
    "lines",
    "matrices",
    "over_picture",
    "panels",
    "plane",
    "timeline",
    "word_order",
]
