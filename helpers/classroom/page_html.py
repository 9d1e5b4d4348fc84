"""A notebook as HTML that needs no host: its formulas are MathML, its links lead to pages."""

import re

from jinja2 import pass_context
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from .series import TEMPLATES

SITE_TITLE = "How attention works"
NOT_UNDERSTOOD = re.compile(r">(\\[a-zA-Z]+|&)<")  # latex2mathml lets through what it does not know
FUNCTION = re.compile(r"<m([io])>([a-z]{2,})</m\1>")  # log, max


def export(template: str, notebook, resources: dict, **settings) -> str:
    """The notebook as HTML, by one of our templates; its links lead to pages."""
    exporter = PageExporter(
        template_file=f"{template}.html.j2",
        extra_template_paths=[str(TEMPLATES)],
        exclude_anchor_links=True,
        **settings,
    )
    html, _ = exporter.from_notebook_node(notebook, {"site_title": SITE_TITLE} | resources)
    html = html.replace(' tabindex="0"', "")  # nbconvert makes a stop for Tab of every cell
    return re.sub(r'(href="[\w.-]+)\.ipynb(?=["#])', r"\1.html", html)


class PageExporter(HTMLExporter):
    @pass_context
    def markdown2html(self, context, source):
        attachments = context.get("cell", {}).get("attachments", {})
        renderer = Formulas(escape=False, attachments=attachments, exclude_anchor_links=True)
        return MarkdownWithMath(renderer=renderer).render(source)


class Formulas(IPythonRenderer):
    """Markdown as nbconvert has it, with MathML, which browsers draw by themselves, for LaTeX."""

    def inline_math(self, body):
        return mathml(body, "inline")

    def block_math(self, body):
        return mathml(body, "block")

    def latex_environment(self, name, body):
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", "block")


def mathml(latex: str, display: str) -> str:
    """A formula as MathML; ValueError, naming it, if it cannot be had."""
    try:
        markup = convert(latex, display=display)
    except Exception as error:  # latex2mathml's errors have no common parent
        kind = type(error).__name__
        raise ValueError(f"This formula makes no MathML ({kind}): {latex}") from None
    if unknown := NOT_UNDERSTOOD.search(markup):
        raise ValueError(f"latex2mathml does not know {unknown[1]} in this formula: {latex}")
    # The space that LaTeX leaves around the name of a function.
    return FUNCTION.sub(r'<mo lspace="0.167em" rspace="0.167em">\2</mo>', markup)
