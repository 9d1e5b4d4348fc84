"""A web page of widgets that are made here: no kernel, not even to make it."""

from pathlib import Path

import make_site
import nbformat
from ipywidgets.embed import embed_data

STATE = "application/vnd.jupyter.widget-state+json"


def page_with(folder, *shown):
    """The path of a page that shows these widgets, one below the other."""
    data = embed_data(views=list(shown), drop_defaults=False)
    cells = [
        nbformat.v4.new_code_cell(
            f"# {k}", outputs=[nbformat.v4.new_output("display_data", {make_site.VIEW: view})]
        )
        for k, view in enumerate(data["view_specs"])
    ]
    title = nbformat.v4.new_markdown_cell("# Inside\n\n**The question:** what is inside?")
    book = nbformat.v4.new_notebook(cells=[title, *cells])
    book.metadata.widgets = {STATE: data["manager_state"]}
    scripts = make_site.scripts_beside()
    shared = {"run": {}, "scripts": make_site.BESIDE if scripts else make_site.PUBLIC}
    path = Path(folder) / "inside.html"
    page = make_site.page_of(path, book, shared)
    make_site.write(path.parent, scripts | {path.name: page.encode()})
    return path
