"""Formulas as MathML, which browsers display by themselves, without scripts or remote fonts."""

import re

from docutils.nodes import SkipNode
from docutils.utils.math import latex2mathml

BIG = re.compile(r"\\([bB]ig+)\b")  # docutils knows only \Bigl and \Bigr
FUNCTION = re.compile(r"<mi>([a-z]{2,})</mi>")  # log: LaTeX leaves a space around it


def mathml(latex: str, block: bool = False) -> str:
    """A formula as MathML, in a line of its own if `block`; ValueError, naming it, on failure."""
    try:
        markup = latex2mathml.tex2mathml(BIG.sub(r"\\\1l", latex), as_block=block)
    except Exception as error:  # a stray & raises AttributeError there
        raise ValueError(f"This formula makes no MathML ({error}): {latex}") from None
    return FUNCTION.sub(r'<mo lspace="0.167em" rspace="0.167em">\1</mo>', markup)


def setup(app) -> dict:
    """Called by Sphinx: makes `html_math_renderer = "mathml"` use these formulas."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}


def inline(writer, node) -> None:
    writer.body.append(mathml(node.astext()))
    raise SkipNode


def block(writer, node) -> None:
    writer.body.append(f'<div class="formula">{mathml(node.astext(), block=True)}</div>')
    raise SkipNode
