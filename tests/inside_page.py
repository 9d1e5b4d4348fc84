"""Inside in a browser: a page of widgets that are made here, with no kernel, not even to make it; and
what each head must show, worked out from what was sent."""

from pathlib import Path

import nbformat
from ipywidgets.embed import embed_data
from pixels import map_of, text_of
from playwright.sync_api import expect

from helpers.classroom import site

STATE = "application/vnd.jupyter.widget-state+json"


def page_with(folder, *shown):
    """The path of a page that shows these widgets, one below the other."""
    data = embed_data(views=list(shown), drop_defaults=False)
    cells = [
        nbformat.v4.new_code_cell(
            f"# {k}", outputs=[nbformat.v4.new_output("display_data", {site.VIEW: view})]
        )
        for k, view in enumerate(data["view_specs"])
    ]
    title = nbformat.v4.new_markdown_cell("# Inside\n\n**The question:** what is inside?")
    book = nbformat.v4.new_notebook(cells=[title, *cells])
    book.metadata.widgets = {STATE: data["manager_state"]}
    scripts = site.scripts_beside()
    shared = {"run": {}, "scripts": site.BESIDE if scripts else site.PUBLIC}
    path = Path(folder) / "inside.html"
    page = site.page_of(path, book, shared)
    site.write(path.parent, scripts | {path.name: page.encode()})
    return path


def assert_heads_open(box, spec, buffers):
    """The first head, the last and one between open at a click, with their numbers and their words."""
    thumbs = box.locator(".ax-thumb")
    count = thumbs.count()
    for k in sorted({0, count // 2, count - 1}, reverse=True):
        thumbs.nth(k).click()
        at = thumbs.nth(k).evaluate("node => ({ ...node.dataset })")
        layer, head = int(at["map"]), int(at["head"])
        told = spec["maps"][layer]
        expect(box.locator(".ax-says")).to_have_text(f"{told['name']}, head {told['heads'][head]}")
        weights = map_of(spec, buffers["frames"], layer, head)
        if box.locator("table.ax-grid").count():
            numbers = [text_of(x, spec["decimals"]) for x in weights.ravel()]
            expect(box.locator(".ax-cell")).to_have_text(numbers)
            words = spec["groups"][told["group"]]["rows"]
            expect(box.locator("table.ax-grid th[scope=row]")).to_have_text(words)
        else:
            shown = box.locator("canvas.ax-canvas").evaluate("c => [c.height, c.width]")
            assert shown == list(weights.shape)
