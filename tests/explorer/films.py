"""Every slider of a page, played to its end at high speed, and everything it showed on the way."""

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
# What a view shows: its cells and numbers; the length of each bar, as a part of the longest; the
# kind, the word and the width of each shape that is drawn.
STANDS = """view => {
  const all = (node, name) => [...node.querySelectorAll(name)];
  const texts = (node, name) => all(node, name).map(found => found.textContent);
  return {
    cells: texts(view, 'table.ax-grid .ax-cell'),
    numbers: texts(view, '.ax-number b'),
    shapes: all(view, '.ax-drawn [data-shape]:not(.ax-none, .ax-off)').map(shape =>
      [shape.dataset.shape, shape.textContent, Number(shape.getAttribute('stroke-width'))]),
    bars: all(view, '.ax-bars .ax-cell:not(.ax-none)').map(({ style }) =>
      Number(style.getPropertyValue('--ax-part'))),
  };
}"""
# From now on, view.seen[frame] is what it showed at that frame.
NOTE = """views => views.forEach(view => {
  const note = () => view.seen[view.dataset.frame] = (STANDS)(view);
  view.seen = {};
  note();
  new MutationObserver(note).observe(view, { attributeFilter: ['data-frame'] });
})""".replace("STANDS", STANDS)


def play_all(page):
    """Play all films of a page opened with fast=True; returns (name, index, end) of each."""
    films = page.locator(".ax-control")
    films.evaluate_all(REWIND)
    until(lambda: films.evaluate_all(REWOUND), "a film does not go back to its start")
    page.locator(".ax-view").evaluate_all(NOTE)
    films.evaluate_all(START)
    return until(lambda: films.evaluate_all(STOPPED), "a film does not end")


def seen(view):
    """What an Explorer showed at each frame of its films: {frame: what STANDS returned}."""
    return {int(frame): texts for frame, texts in view.evaluate("view => view.seen").items()}


def until(ask, otherwise, seconds=30):
    """The result of `ask`, once it is true."""
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, otherwise
        time.sleep(0.05)
    return answer
