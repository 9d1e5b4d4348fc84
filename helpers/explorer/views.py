"""What runs in the browser: the matrices, and the buttons that play a slider like a film.

Both hear of a slider from its model in the browser. A link would do the same, but send all that it
copies to the kernel too, and JupyterLab redraws its status at every answer.
"""

from pathlib import Path
from uuid import uuid4

import anywidget
import traitlets
from ipywidgets import widget_serialization

HERE = Path(__file__).parent
STYLES = ("css/grids.css", "css/bars.css", "css/lines.css", "css/explorer.css", "css/buttons.css")
DRAWN = (
    "view page tables bars lines pictures numbers sizes scales readout sums drawing files".split()
)
PARTS = [*DRAWN, "saving", "listening"]
SCRIPTS = [f"js/{part}.js" for part in PARTS]
DOOR = "\nexport default { initialize: begin, render };\n"  # what the browser calls


def joined(names, folder=HERE):
    """The text of several files as one."""
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


class MatrixView(anywidget.AnyWidget):
    """The picture in the browser. It knows frames and labels, and nothing of attention."""

    # One script and one style sheet for the browser, in several files for people.
    _esm = joined(SCRIPTS) + DOOR
    _css = joined(STYLES)
    spec = traitlets.Dict().tag(sync=True)
    frames = traitlets.Bytes().tag(sync=True)  # float32: (positions, numbers of a frame)
    controls = traitlets.List().tag(sync=True, **widget_serialization)  # which it follows
    at = traitlets.Dict().tag(sync=True)  # where the controls stand, if the kernel computes
    error = traitlets.Unicode().tag(sync=True)
    own = traitlets.Unicode().tag(sync=True)  # the id by which the browser finds its model

    def __init__(self, **traits):
        own = uuid4().hex
        super().__init__(own=own, model_id=own, **traits)

    def forget(self):
        """Let go of the frames, here and in the browser.

        JupyterLab keeps the model of a closed widget, with its values and those before its last
        change: hence a change that empties them, and one more.
        """
        self.frames = b""
        self.error = "closed"


class Player(anywidget.AnyWidget):
    """Buttons beside a slider: one step back, play or pause, one step on. Styled by MatrixView."""

    _esm = HERE / "js" / "player.js"
    name = traitlets.Unicode().tag(sync=True)
    stops = traitlets.List().tag(sync=True)  # every position, as the slider's trait has it
    controls = traitlets.List().tag(sync=True, **widget_serialization)  # the one slider
    trait_moved = traitlets.Unicode("value").tag(sync=True)  # what it moves there
