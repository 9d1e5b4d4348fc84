# ruff: noqa: F401
"""The still pictures, one function each. They show arrays and know no maths.

Every function returns a Picture: as a cell's last line it shows itself, with its content as text.
"""

from .curves import bars, lines, plane
from .diagrams import bottleneck, flow, word_order
from .overlay import over_picture
from .panels import matrices, panels
from .picture import Picture
from .timeline import timeline
