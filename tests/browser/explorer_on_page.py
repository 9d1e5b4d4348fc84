"""An Explorer in the browser: its controls, moved by the keyboard, and what it shows."""

import functools
import time

# Everything that a learner can see of an Explorer's picture: its numbers, colours and hatching.
LOOK = """view => [...view.querySelectorAll('.ax-cell, .ax-word, .ax-number b, .ax-canvas')].map(node =>
  node.tagName === 'CANVAS' ? node.toDataURL()
  : [node.textContent, node.style.backgroundColor, node.classList.contains('ax-masked')]).join('|')"""

STEP = 40  # milliseconds between two looks at the page


class ExplorerOnPage:
    def __init__(self, box):
        self.box, self.view = box, box.locator(".ax-view")
        self.swept = self.view.get_attribute("data-swept") == "true"

    def look(self):
        return self.view.evaluate(LOOK)

    def controls(self):
        """(description, function that moves it by one step) for each control."""
        moves = {
            ".widget-slider .noUi-handle": self._press_slider,
            ".widget-checkbox input": self._press_space,
            ".widget-dropdown select": self._choose_next,
            ".widget-text input": self._type,
        }
        for selector, move in moves.items():
            found = self.box.locator(selector)
            for i in range(found.count()):
                yield f"{selector} {i}", functools.partial(move, found.nth(i))

    def cell(self, panel, row, column):
        """A cell of the panel with this name."""
        table = self.view.locator(f'table[aria-label="{panel}"]')
        return table.locator(f'[data-row="{row}"][data-column="{column}"]')

    def move_first_slider(self, key):
        self.box.locator(".noUi-handle").first.press(key)

    def changes_from(self, before, patience=5.0):
        """Whether the picture differs from an earlier look, within a few seconds."""
        end = time.monotonic() + patience
        while self.look() == before and time.monotonic() < end:
            time.sleep(STEP / 1000)
        return self.look() != before

    def changes(self, move, tries=12, patience=1.5):
        """Whether the picture looks different within a few moves of one control."""
        before = self.look()
        for _ in range(tries):
            move()
            if self.changes_from(before, STEP / 1000 if self.swept else patience):
                return True
        return False

    @staticmethod
    def _press_slider(handle):
        at_end = handle.get_attribute("aria-valuenow") == handle.get_attribute("aria-valuemax")
        handle.press("Home" if at_end else "ArrowRight")

    @staticmethod
    def _press_space(box):
        box.press("Space")

    @staticmethod
    def _choose_next(select):
        index = select.evaluate("s => (s.selectedIndex + 1) % s.options.length")
        select.select_option(index=index)

    @staticmethod
    def _type(box):
        """Repeat the last word, since a text box may refuse words that its vocabulary lacks."""
        box.press("End")
        box.press_sequentially(f" {box.input_value().split()[-1]}")
        box.press("Enter")
