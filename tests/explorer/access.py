"""For tests of accessibility: the faults that axe-core finds in an Explorer."""

from axe_playwright_python.base import AXE_SCRIPT

# JupyterLab's body has a height of 0 and hides its overflow. A browser applies this to the window
# instead, but axe takes it literally, and would see no text at all. So the body gets a height
# meanwhile.
#
# To judge a part of a page, axe visits all of it, and the notebook's other cells are most of it.
# They are emptied meanwhile, at their old height, which saves more than half of the time.
#
# Sometimes axe says that it cannot tell the contrast, and this counts as a fault. Exceptions are
# single characters, which axe never judges, text at the edge of a scrolled page, half below
# JupyterLab's bars, text that stays in view above what is scrolled (it has a background of its
# own), a dropdown, whose arrow ipywidgets draws as an image behind the text, and the words of a
# drawing, below which axe sees no ground (assert_stands_out measures these). The thin threads of a
# sum are hidden meanwhile, because axe would take their boxes for a ground of the words below.
#
# A browser paints what is rotated, or whose layout is contained, as high as what is positioned. axe
# gives it a lower level, and would take it for covered by its panel. So it is positioned meanwhile.
RUN = """async (boxes, impacts) => {
  const meanwhile = new CSSStyleSheet();
  meanwhile.replaceSync(`body { min-height: 100vh; } .ax-threads { display: none; }
    .ax-caption, .ax-top .ax-token { position: relative; }`);
  document.adoptedStyleSheets.push(meanwhile);
  const others = [...document.querySelectorAll('.jp-Cell, div.cell')]
    .filter(cell => !boxes.some(box => cell.contains(box)))
    .map(cell => [cell, [...cell.childNodes], cell.offsetHeight]);
  for (const [cell, , height] of others) {
    cell.replaceChildren();
    cell.style.height = `${height}px`;
  }
  const offline = { preload: false }; // a page from the disk may not fetch its styles once more
  const { violations, passes, incomplete } = await axe.run({ include: boxes }, offline);
  for (const [cell, content] of others) {
    cell.replaceChildren(...content);
    cell.style.height = '';
  }
  document.adoptedStyleSheets.pop();
  const isContrast = ({ id }) => id === 'color-contrast';
  const checks = node => [...node.any, ...node.all, ...node.none];
  const noText = ['shortTextContent', 'nonBmp', 'elmPartiallyObscured', 'elmPartiallyObscuring'];
  const beyondIt = node => checks(node).some(check => noText.includes(check.data?.messageKey));
  const beyondAxe = node => /^<(select|text|tspan)/.test(node.html);
  const unsure = incomplete.filter(isContrast)
    .map(rule => ({ ...rule, nodes: rule.nodes.filter(n => !beyondIt(n) && !beyondAxe(n)) }));
  const faults = [...violations, ...unsure].filter(rule => impacts.includes(rule.impact))
    .flatMap(({ id, impact, nodes }) => nodes.map(node =>
      `${id} (${impact}): ${node.html} ${checks(node).map(check => check.message).join('; ')}`));
  return [faults, [...violations, ...passes].some(isContrast)];
}"""

ESCAPE = """() => document.querySelectorAll('.ax-view').forEach(view => view
  .querySelector('[tabindex="0"]').dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))"""


IMPACTS = ("minor", "moderate", "serious", "critical")


def violations(boxes, impacts=IMPACTS[2:]):
    """The faults of these impacts that axe-core finds inside `boxes`, a locator of one or many."""
    page = boxes.page
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(AXE_SCRIPT)
    faults, looked_at_text = boxes.evaluate_all(RUN, list(impacts))
    assert looked_at_text, "axe-core saw no text here, so it proves nothing"
    return faults


def set_back(notebook):
    """Restore: nothing pinned or locked, light theme, wide window, no system preferences."""
    notebook.use_theme("JupyterLab Light")
    set_back_page(notebook.page)


def at_start(box):
    """The Explorer, with its sliders and choices at their first values."""
    for handle in box.locator(".noUi-handle").all():
        handle.press("Home")
    for select in box.locator("select").all():
        select.select_option(index=0)
    box.page.evaluate("document.activeElement.blur()")
    return box


def set_back_page(page):
    """Restore the same for a page that follows the system's theme."""
    page.emulate_media(forced_colors="none", color_scheme="light", reduced_motion="no-preference")
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.evaluate(ESCAPE)
    page.mouse.move(2, 2)
