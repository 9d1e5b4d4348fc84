"""How frames travel to the browser: numbers that are read as float32, pictures as float16."""

import numpy as np

TABLE_SIDE, TABLE_CELLS = 16, 600  # past this, a matrix is a picture without numbers in its cells


def is_picture(panel):
    """Whether a panel has too many cells for a number in each."""
    return max(panel.shape[-2:]) > TABLE_SIDE or panel.size > TABLE_CELLS


class Packing:
    """Frames, each a float32 row of all panels and then the numbers, as two buffers and back.

    frames     float32, (positions, …): the panels shown as tables, then the numbers
    pictures   float16, (positions, …): the panels shown as pictures; its 3 digits are more than an
               eye can tell in a colour. float32 where a number is past float16's range, or live.
    """

    def __init__(self, panels, numbers, live=False):
        parts = [np.full(panel.size, is_picture(panel)) for panel in panels]
        self.drawn = np.concatenate([*parts, np.zeros(len(numbers), bool)])
        self.drawn_as = np.float32 if live else np.float16

    @property
    def frame_bytes(self):
        """What one frame weighs in the browser."""
        return int(np.where(self.drawn, 2, 4).sum())

    def pack(self, frames):
        """{"frames": bytes, "pictures": bytes} of (positions, numbers in a frame)."""
        pictures = frames[:, self.drawn]
        if np.nanmax(np.abs(pictures), initial=0) > np.finfo(self.drawn_as).max:
            self.drawn_as = np.float32
        return {
            "frames": frames[:, ~self.drawn].tobytes(),
            "pictures": pictures.astype(self.drawn_as).tobytes(),
        }

    def unpack(self, frames, pictures, index):
        """The frame at `index`, from the two buffers: float32."""
        frame = np.empty(self.drawn.size, np.float32)
        frame[~self.drawn] = _row(frames, np.float32, index, (~self.drawn).sum())
        frame[self.drawn] = _row(pictures, self.drawn_as, index, self.drawn.sum())
        return frame


def _row(buffer, dtype, index, width):
    return np.frombuffer(buffer, dtype)[index * width : (index + 1) * width]
