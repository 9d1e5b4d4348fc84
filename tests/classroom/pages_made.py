"""Notebooks of a few cells, and their pages."""

from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers.classroom import site


def book(*cells):
    return new_notebook(cells=[new_markdown_cell("# Title\n\n**The question:** is it?"), *cells])


def code(source, *outputs, tags=(), **metadata):
    return new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags)} | metadata)


def printed(text):
    return new_output("stream", text=text)


def page_of(tmp_path, made, **settings):
    """The page of one notebook, built with no other notebook."""
    site.make_site(tmp_path / "site", {tmp_path / "x.ipynb": made}, **settings)
    return BeautifulSoup((tmp_path / "site" / "x.html").read_text(), "html.parser")
