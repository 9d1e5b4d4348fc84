"""Texts from the templates in tests/templates, with what they ask for filled in."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).resolve().parent / "templates"),
    autoescape=select_autoescape(["html.j2"]),
    undefined=StrictUndefined,
    keep_trailing_newline=True,
    trim_blocks=True,
)


def filled(name: str, **known) -> str:
    """The text of a template; in HTML, what is filled in stays text."""
    return TEMPLATES.get_template(name).render(known)
