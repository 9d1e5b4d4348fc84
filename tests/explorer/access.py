"""For the tests of access: what axe-core finds at fault in an Explorer."""

from axe_playwright_python.base import AXE_SCRIPT

# JupyterLab's body is 0 pixels high and hides what overflows it. A browser does that to the window
# instead; axe takes it at its word, and would look at no text at all. So it gets a height meanwhile.
#
# Axe visits the whole page to judge a part of it, and the notebook's other cells are most of that:
# they are emptied meanwhile, each as high as it was, which takes more than half of the time away.
#
# Of contrast, axe says at times that it cannot tell: that counts as a fault, but for single characters,
# which it never judges, for text at the edge of a scrolled page, half under JupyterLab's bars, for text
# that stays in view and lies over what is scrolled (it has a ground of its own), and for a dropdown, whose
# arrow ipywidgets draws as an image behind the text.
RUN = """async (box, impacts) => {
  const { style } = document.body;
  style.minHeight = '100vh';
  const others = [...document.querySelectorAll('.jp-Cell, div.cell')].filter(cell => !cell.contains(box))
    .map(cell => [cell, [...cell.childNodes], cell.offsetHeight]);
  for (const [cell, , height] of others) {
    cell.replaceChildren();
    cell.style.height = `${height}px`;
  }
  const offline = { preload: false }; // a page from the disk may not fetch its styles once more
  const { violations, passes, incomplete } = await axe.run(box, offline);
  for (const [cell, content] of others) {
    cell.replaceChildren(...content);
    cell.style.height = '';
  }
  style.minHeight = '';
  const isContrast = ({ id }) => id === 'color-contrast';
  const checks = node => [...node.any, ...node.all, ...node.none];
  const noText = ['shortTextContent', 'nonBmp', 'elmPartiallyObscured', 'elmPartiallyObscuring'];
  const beyondIt = node => checks(node).some(check => noText.includes(check.data?.messageKey));
  const isSelect = node => node.html.startsWith('<select');
  const unsure = incomplete.filter(isContrast)
    .map(rule => ({ ...rule, nodes: rule.nodes.filter(n => !beyondIt(n) && !isSelect(n)) }));
  const faults = [...violations, ...unsure].filter(rule => impacts.includes(rule.impact))
    .flatMap(({ id, impact, nodes }) => nodes.map(node =>
      `${id} (${impact}): ${node.html} ${checks(node).map(check => check.message).join('; ')}`));
  return [faults, [...violations, ...passes].some(isContrast)];
}"""

ESCAPE = """() => document.querySelectorAll('.ax-view').forEach(view => view
  .querySelector('[tabindex="0"]').dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))"""


def violations(box, impacts=("serious", "critical")):
    """Each fault that axe-core finds inside `box` and holds to be of these impacts."""
    page = box.page
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(AXE_SCRIPT)
    faults, looked_at_text = box.evaluate(RUN, list(impacts))
    assert looked_at_text, "axe-core saw no text here, so it proves nothing"
    return faults


def set_back(notebook):
    """Nothing pinned or locked, the light theme, a wide window, no wishes of the system."""
    notebook.use_theme("JupyterLab Light")
    set_back_page(notebook.page)


def at_start(box):
    """The Explorer, its sliders and choices at their first positions."""
    for handle in box.locator(".noUi-handle").all():
        handle.press("Home")
    for select in box.locator("select").all():
        select.select_option(index=0)
    box.page.evaluate("document.activeElement.blur()")
    return box


def set_back_page(page):
    """The same of a page that follows the system's theme."""
    page.emulate_media(forced_colors="none", color_scheme="light", reduced_motion="no-preference")
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.evaluate(ESCAPE)
    page.mouse.move(2, 2)
