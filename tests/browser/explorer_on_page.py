"""An Explorer in the browser: its controls, moved by the keyboard, and what it shows."""

import time

# Everything that a learner can see of an Explorer's picture: its numbers, colours and hatching.
LOOK = """view => [...view.querySelectorAll('.ax-cell, .ax-bars th, .ax-number b, .ax-canvas')].map(node =>
  node.tagName === 'CANVAS' ? node.toDataURL()
  : [node.textContent, node.style.backgroundColor, node.classList.contains('ax-masked')]).join('|')"""

STEP = 40  # milliseconds between two looks at the page


class ExplorerOnPage:
    def __init__(self, box):
        self.box, self.view = box, box.locator(".ax-view")
        self.swept = self.view.get_attribute("data-swept") == "true"

    def look(self):
        return self.view.evaluate(LOOK)

    def cell(self, panel, row, column):
        """A cell of the panel with this name."""
        table = self.view.locator(f'table[aria-label="{panel}"]')
        return table.locator(f'[data-row="{row}"][data-column="{column}"]')

    def move_first_slider(self, key):
        self.box.locator(".noUi-handle").first.press(key)

    def moves(self):
        """Whether the picture changes when a control, if any, goes to either end or is switched."""
        before = self.look()
        controls = self.box.locator(".noUi-handle, select, input[type=checkbox]").all()
        for control in controls:
            for key in ("Home", "End", "Space"):
                control.press(key)
                if self.changes_from(before):
                    return True
        return not controls

    def changes_from(self, before, patience=1.0):
        """Whether the picture differs from an earlier look, within some seconds."""
        end = time.monotonic() + patience
        while self.look() == before and time.monotonic() < end:
            time.sleep(STEP / 1000)
        return self.look() != before
