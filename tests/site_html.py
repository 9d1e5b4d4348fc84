"""What a page of the site does without scripts: formulas as MathML, and what a slider would move."""

import re

from jinja2 import pass_context
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

NOT_UNDERSTOOD = re.compile(r">(\\[a-zA-Z]+|&)<")  # latex2mathml lets through what it does not know
FUNCTION = re.compile(r"<m([io])>([a-z]{2,})</m\1>")  # log, max


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
        raise ValueError(
            f"This formula makes no MathML ({type(error).__name__}): {latex}"
        ) from None
    unknown = NOT_UNDERSTOOD.search(markup)
    if unknown:
        raise ValueError(f"latex2mathml does not know {unknown[1]} in this formula: {latex}")
    # The space that LaTeX leaves around the name of a function.
    return FUNCTION.sub(r'<mo lspace="0.167em" rspace="0.167em">\2</mo>', markup)


class PageExporter(HTMLExporter):
    def default_filters(self):
        yield from super().default_filters()
        yield "what_moves", what_moves

    @pass_context
    def markdown2html(self, context, source):
        attachments = context.get("cell", {}).get("attachments", {})
        renderer = Formulas(escape=False, attachments=attachments, exclude_anchor_links=True)
        return MarkdownWithMath(renderer=renderer).render(source)


# ---------------------------------------------------------------- what a slider would move


def what_moves(view: dict, models: dict) -> str:
    """The controls of a widget in words: "temperature (0.02 to 2.00) and mask (on or off)".

    view      what a cell's output has of the widget
    models    the state of all widgets of the notebook, by their id
    """
    states = [models[name]["state"] for name in inside(models, view["model_id"])]
    return listed([told(state) for state in states if state.get("description")], "and")


def inside(models: dict, name: str):
    """The id of a widget, and of all that it holds."""
    yield name
    for child in models[name]["state"].get("children", []):
        yield from inside(models, child.removeprefix("IPY_MODEL_"))


def told(control: dict) -> str:
    """One control and its range."""
    choices = control.get("_options_labels")
    if choices:
        some = listed(choices, "or") if len(choices) <= 6 else f"{choices[0]} to {choices[-1]}"
    elif isinstance(control.get("value"), bool):
        some = "on or off"
    elif "max" in control:
        some = f"{number(control['min'], control)} to {number(control['max'], control)}"
    else:
        return control["description"]
    return f"{control['description']} ({some})"


def number(value: float, control: dict) -> str:
    return format(value, control["readout_format"]).replace("-", "−")


def listed(words, last: str) -> str:
    *most, end = words or [""]
    return f"{', '.join(most)} {last} {end}" if most else end
