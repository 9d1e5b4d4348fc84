"""Formulas as MathML, which browsers draw by themselves: no script, no fonts from a host."""

import re

from latex2mathml.converter import convert

NOT_UNDERSTOOD = re.compile(r">(\\[a-zA-Z]+|&)<")  # latex2mathml lets through what it does not know
FUNCTION = re.compile(r"<m([io])>([a-z]{2,})</m\1>")  # log, max


def mathml(latex: str, display: str = "inline") -> str:
    """A formula as MathML; ValueError, naming it, if it cannot be had.

    display   "inline", or "block" for one that has its own line
    """
    try:
        markup = convert(latex, display=display)
    except Exception as error:  # latex2mathml's errors have no common parent
        kind = type(error).__name__
        raise ValueError(f"This formula makes no MathML ({kind}): {latex}") from None
    if unknown := NOT_UNDERSTOOD.search(markup):
        raise ValueError(f"latex2mathml does not know {unknown[1]} in this formula: {latex}")
    # The space that LaTeX leaves around the name of a function.
    return FUNCTION.sub(r'<mo lspace="0.167em" rspace="0.167em">\2</mo>', markup)


def setup(app) -> dict:
    """Sphinx calls it: an extension whose formulas, `html_math_renderer = "mathml"`, are ours."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}


def inline(writer, node) -> None:
    _write(writer, mathml(node.astext()))


def block(writer, node) -> None:
    _write(writer, f'<div class="formula">{mathml(node.astext(), "block")}</div>')


def _write(writer, markup: str) -> None:
    from docutils.nodes import SkipNode  # comes with Sphinx, which slides do not need

    writer.body.append(markup)
    raise SkipNode
