"""Every film of a page, played to its end many times as fast, and all that it showed on the way."""

import time

FAST = (
    "window.setInterval = (setInterval => (act, wait) => setInterval(act, wait / 25))(setInterval)"
)
REWIND = """films => films.forEach(film => film.querySelector('.noUi-handle')
  .dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' })))"""
REWOUND = """films => films.every(film => {
  const handle = film.querySelector('.noUi-handle');
  return handle.ariaValueNow === handle.ariaValueMin; })"""
START = (
    "films => films.forEach(film => film.querySelector('button[aria-label^=\"play \"]').click())"
)
STOPPED = """films =>
 films.every(film => !film.querySelector('button[aria-label^="pause "]')) && films.map(film => {
  const handle = film.querySelector('.noUi-handle');
  return [film.querySelector('.widget-label').textContent,
    ...['now', 'max'].map(part => handle.getAttribute(`aria-value${part}`))];
})"""
# From now on, view.seen[frame] is what stood in its cells and numbers at that frame.
NOTE = """views => views.forEach(view => {
  const texts = name => [...view.querySelectorAll(name)].map(node => node.textContent);
  const note = () => view.seen[view.dataset.frame] =
    { cells: texts('table.ax-grid .ax-cell'), numbers: texts('.ax-number b') };
  view.seen = {};
  note();
  new MutationObserver(note).observe(view, { attributeFilter: ['data-frame'] });
})"""


def play_all(page):
    """Play all films of a page, opened with fast=True: (name, place, end) of each, once all stopped."""
    films = page.locator(".ax-control")
    films.evaluate_all(REWIND)
    until(lambda: films.evaluate_all(REWOUND), "a film does not go back to its start")
    page.locator(".ax-view").evaluate_all(NOTE)
    films.evaluate_all(START)
    return until(lambda: films.evaluate_all(STOPPED), "a film does not end")


def seen(view):
    """What an Explorer showed at each frame of its films: {frame: {"cells": …, "numbers": …}}."""
    return {int(frame): texts for frame, texts in view.evaluate("view => view.seen").items()}


def until(ask, otherwise, seconds=30):
    """What `ask` answers, once it is true."""
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, otherwise
        time.sleep(0.05)
    return answer
