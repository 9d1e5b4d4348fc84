"""What runs in the browser: the matrices, and the buttons that play a slider like a film."""

from pathlib import Path

import anywidget
import traitlets

HERE = Path(__file__).parent
STYLES = ("explorer_grids.css", "explorer.css")
MATRICES = (
    "explorer.js",
    "explorer_page.js",
    "explorer_tables.js",
    "explorer_ink.js",
    "explorer_pictures.js",
    "explorer_readout.js",
    "explorer_sums.js",
)


def _joined(names):
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)


class MatrixView(anywidget.AnyWidget):
    """The picture in the browser. It knows frames and labels, and nothing of attention."""

    # One script and one style sheet for the browser, in several files for people.
    _esm = _joined(MATRICES)
    _css = _joined(STYLES)
    spec = traitlets.Dict().tag(sync=True)
    frames = traitlets.Bytes().tag(sync=True)  # float32: (positions, numbers of a frame)
    pictures = traitlets.Bytes().tag(sync=True)  # as spec["drawn_as"]: (positions, pixels)
    at = traitlets.Dict().tag(sync=True)  # where the controls stand, if the kernel computes
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, n_links, **kwargs):
        # One synced trait for each control, for jsdlink to write to without asking the kernel.
        self.add_traits(**{f"at_{i}": traitlets.Any(0).tag(sync=True) for i in range(n_links)})
        super().__init__(**kwargs)

    def forget(self):
        """Let go of the frames, here and in the browser.

        JupyterLab keeps the model of a closed widget, with its values and those before its last
        change: hence a change that empties them, and one more.
        """
        with self.hold_sync():
            self.frames = self.pictures = b""
        self.error = "closed"


class Player(anywidget.AnyWidget):
    """Buttons beside a slider: one step back, play or pause, one step on. Styled by MatrixView."""

    _esm = HERE / "player.js"
    name = traitlets.Unicode().tag(sync=True)
    stops = traitlets.List().tag(sync=True)  # every position, as the slider's trait has it
    at = traitlets.Any(0).tag(sync=True)  # linked to the slider, in the browser
