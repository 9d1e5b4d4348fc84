"""What every notebook keeps to. A rule takes a notebook and its path, and yields complaints."""

import ast
import copy
import json
import re
from itertools import groupby
from pathlib import Path

import nbformat
from IPython.core.inputtransformer2 import TransformerManager
from refresh import tidy

NOT_SWEPT = {"interact", "interactive", "interactive_output", "interact_manual", "Output"}
MACHINE = re.compile(
    r"(?<![\w.])/(home|root|Users|tmp|work|opt|usr|var|mnt)/|\b[A-Za-z]:\\\w|site-packages"
)
LINK = re.compile(r'\]\(<?([^)\s>]+)|(?:href|src)="([^"]+)"')


def every_cell_has_run_in_order(notebook, path):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"cells ran as {counts}, not 1, 2, 3 …: make refresh"


def nothing_failed_or_warned(notebook, path):
    for number, output in outputs(notebook):
        if output.output_type == "error":
            yield f"cell [{number}] ends in {output.ename}: {output.evalue}"
        if output.get("name") == "stderr":
            yield f"cell [{number}] warns: {output.text.strip()}"


def left_as_make_refresh_does(notebook, path):
    if tidy(copy.deepcopy(notebook)) != notebook:
        yield "metadata or widgets of the last session are in it: make refresh"


def live_pictures_are_explorers(notebook, path):
    for cell in code_cells(notebook):
        tree = ast.parse(TransformerManager().transform_cell(cell.source))
        for name in NOT_SWEPT & set(names(tree)):
            yield f"cell [{cell.execution_count}] uses {name}, which strict nbval cannot check"


def at_most_one_output_ignored(notebook, path):
    text = "\n".join(cell.source + json.dumps(cell.metadata) for cell in code_cells(notebook))
    if len(re.findall("nbval.ignore.output", text, re.IGNORECASE)) > 1:
        yield "more than one NBVAL_IGNORE_OUTPUT"
    if re.search("nbval.skip", text, re.IGNORECASE):
        yield "a cell is skipped by nbval"


def no_path_of_one_machine(notebook, path):
    texts = [cell.source for cell in notebook.cells]
    for _, output in outputs(notebook):
        texts.append(output.get("text", ""))
        texts += [text for kind, text in output.get("data", {}).items() if kind.startswith("text/")]
    for text in texts:
        for found in MACHINE.finditer(text):
            yield f"a path of one machine: …{text[max(0, found.start() - 20) : found.end() + 20]}…"


def no_semicolon_at_the_end(notebook, path):
    for cell in code_cells(notebook):
        if cell.source.rstrip().endswith(";"):
            yield f"cell [{cell.execution_count}] ends in ';', which hides nothing from nbval"


def pictures_are_told_in_words(notebook, path):
    for number, output in outputs(notebook):
        data = output.get("data", {})
        words = data.get("text/plain", "").strip()
        if any(kind.startswith("image/") for kind in data) and (not words or words[0] == "<"):
            yield f"the picture of cell [{number}] has no words beside it"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield from nameless_images(cell.source)


def at_most_two_code_cells_in_a_row(notebook, path):
    for kind, run in groupby(cell.cell_type for cell in notebook.cells):
        length = len(list(run))
        if kind == "code" and length > 2:
            yield f"{length} code cells in a row: say something between them"


def starts_with_its_only_title(notebook, path):
    titles = [line for line in headings(markdown(notebook)) if line.startswith("# ")]
    if len(titles) != 1 or not notebook.cells[0].source.startswith("# "):
        yield f"one H1, at the very start, is wanted; there are {titles}"


def links_lead_somewhere(notebook, path):
    yield from dead_links(markdown(notebook), path)


RULES = [
    every_cell_has_run_in_order,
    nothing_failed_or_warned,
    left_as_make_refresh_does,
    live_pictures_are_explorers,
    at_most_one_output_ignored,
    no_path_of_one_machine,
    no_semicolon_at_the_end,
    pictures_are_told_in_words,
    at_most_two_code_cells_in_a_row,
    starts_with_its_only_title,
    links_lead_somewhere,
]


def dead_links(text, path):
    """The links in markdown at `path` that lead to no file, or to no heading in it."""
    for found in LINK.finditer(without_code(text)):
        link = found[1] or found[2]
        name, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue  # another host, or a mail address: not ours to promise
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            yield f"no such file: {link}"
        elif anchor and anchor not in anchors(target, text if target == path else None):
            yield f"no such heading: {link}"


def nameless_images(text):
    """The images in markdown that have no alternative text."""
    text = without_code(text)
    for image in re.findall(r"!\[\s*\]\([^)]*\)", text) + re.findall(r"<img\b[^>]*>", text):
        if image.startswith("!") or not re.search(r'alt="[^"]+"', image):
            yield f"an image without alternative text: {image}"


def anchors(path, text=None):
    """What a link may name after #: JupyterLab's form for a notebook, GitHub's for markdown."""
    if path.suffix == ".ipynb":
        text = text or markdown(nbformat.read(path, as_version=4))
        return {re.sub(r"^#+ ", "", line).replace(" ", "-") for line in headings(text)}
    text = re.sub(r"[^\w\s#-]", "", text or path.read_text(encoding="utf-8")).lower()
    return {re.sub(r"^#+ ", "", line).replace(" ", "-") for line in headings(text)}


def headings(text):
    return re.findall(r"^#+ .*?(?=\s*$)", without_code(text), re.MULTILINE)


def without_code(text):
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def markdown(notebook):
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(notebook):
    """Every output, with the number of its cell."""
    return [
        (cell.execution_count, output) for cell in code_cells(notebook) for output in cell.outputs
    ]


def names(tree):
    """All names that a piece of Python uses: plain, after a dot, or imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]


def read(path: Path):
    return nbformat.read(path, as_version=4)
