"""The rules that every notebook follows. `make test` begins with them; they take a second or two:

    python -m tests.tools.house_rules [notebooks/07_my_topic.ipynb ...]

A rule yields what is wrong in a notebook. Its docstring is its line in docs/maintainers.md.
"""

import ast
import copy
import json
import re
import sys
from itertools import groupby
from pathlib import Path

import nbformat

from helpers.classroom.series import ROOT, anchor, first_cell, has_tag, markdown, notebooks, read
from tests.tools import code_rules, course_rules, start_page
from tests.tools.code_rules import tree_of
from tests.tools.refresh import tidy

NOT_SWEPT = {"interact", "interactive", "interactive_output", "interact_manual", "Output"}
MACHINE = re.compile(
    r"(?<![\w.])/(home|root|Users|tmp|work|opt|usr|var|mnt)/|\b[A-Za-z]:\\\w|site-packages"
)
LINK = re.compile(r'\]\(<?([^)\s>]+)|(?:href|src)="([^"]+)"')
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
RULES = list(course_rules.RULES)


def rule(function):
    RULES.append(function)
    return function


@rule
def every_cell_has_run_in_order(notebook, path):
    """every code cell was run, from top to bottom"""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"cells ran as {counts}, not 1, 2, 3 …: make refresh"


@rule
def nothing_failed_or_warned(notebook, path):
    """no cell ends in an error or a warning"""
    for number, output in outputs(notebook):
        if output.output_type == "error":
            yield f"cell [{number}] ends in {output.ename}: {output.evalue}"
        if output.get("name") == "stderr":
            yield f"cell [{number}] warns: {output.text.strip()}"


@rule
def left_as_make_refresh_does(notebook, path):
    """it is left as `make refresh` leaves it"""
    if tidy(copy.deepcopy(notebook)) != notebook:
        yield "metadata or widgets of the last session are in it: make refresh"


@rule
def live_pictures_are_explorers(notebook, path):
    """what moves is an Explorer, not `interact` or `Output`"""
    for cell in code_cells(notebook):
        for name in NOT_SWEPT & set(code_rules.names(tree_of(cell))):
            yield f"cell [{cell.execution_count}] uses {name}, which strict nbval cannot check"


@rule
def at_most_one_output_ignored(notebook, path):
    """nbval may ignore the output of one cell, and skips none"""
    text = "\n".join(cell.source + json.dumps(cell.metadata) for cell in code_cells(notebook))
    if len(re.findall("nbval.ignore.output", text, re.IGNORECASE)) > 1:
        yield "more than one NBVAL_IGNORE_OUTPUT"
    if re.search("nbval.skip", text, re.IGNORECASE):
        yield "a cell is skipped by nbval"


@rule
def no_path_of_one_machine(notebook, path):
    """no path of your own computer, in code, text or output"""
    texts = [cell.source for cell in notebook.cells]
    for _, output in outputs(notebook):
        texts.append(output.get("text", ""))
        texts += [text for kind, text in output.get("data", {}).items() if kind.startswith("text/")]
    for text in texts:
        for found in MACHINE.finditer(text):
            yield f"a path of one machine: …{text[max(0, found.start() - 20) : found.end() + 20]}…"


@rule
def pictures_are_told_in_words(notebook, path):
    """every picture has a description in words (`says=` in `plots`, `![words](…)` in text)"""
    for number, output in outputs(notebook):
        data = output.get("data", {})
        words = data.get("text/plain", "").strip()
        if any(kind.startswith("image/") for kind in data) and (not words or words[0] == "<"):
            yield f"the picture of cell [{number}] has no words beside it"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield from nameless_images(cell.source)


@rule
def folded_code_begins_with_a_comment(notebook, path):
    """folded code begins with a comment that gives nothing away, for JupyterLab shows its first line"""
    for cell in code_cells(notebook):
        folded = cell.metadata.get("jupyter", {}).get("source_hidden")
        if folded and not cell.source.startswith("# "):
            yield f"cell [{cell.execution_count}] is folded, and its first line can be read"


@rule
def at_most_two_code_cells_in_a_row(notebook, path):
    """at most two code cells in a row"""
    for kind, run in groupby(cell.cell_type for cell in notebook.cells):
        length = len(list(run))
        if kind == "code" and length > 2:
            yield f"{length} code cells in a row: say something between them"


@rule
def its_code_is_short(notebook, path):
    """a code cell has at most 15 lines, unless it defines a class or is a solution"""
    for cell in code_cells(notebook):
        long = (count := len(cell.source.splitlines())) > 15 and not has_tag(cell, "solution")
        if long and not any(isinstance(x, ast.ClassDef) for x in tree_of(cell).body):
            yield f"cell [{cell.execution_count}] has {count} lines; 15 are the most"


@rule
def has_its_number_in_name_and_title(notebook, path):
    """the file is `NN_name.ipynb`, and its only title, at the very start, is `# NN · Title`"""
    name = re.fullmatch(r"(\d\d)_[a-z0-9_]+", path.stem)
    if not name:
        yield f"{path.name}: a name like 07_my_topic.ipynb is wanted"
    titles = [line for line in headings(markdown(notebook)) if line.startswith("# ")]
    if len(titles) != 1 or not first_cell(notebook).startswith("# "):
        yield f"one H1, at the very start, is wanted; there are {titles}"
    elif name and int(name[1]) and not titles[0].startswith(f"# {int(name[1])} · "):
        yield f"the title is {titles[0]!r}; with this file's name, # {int(name[1])} · … is wanted"


@rule
def names_the_sums_of_an_explorer(notebook, path):
    """if it has Explorers, at least one names its `sums=` (else its cell has the tag `no-sums`)"""
    cells = [cell for cell in code_cells(notebook) if calls_of_explorer(cell)]
    calls = [call for cell in cells for call in calls_of_explorer(cell)]
    named = any(keyword.arg == "sums" for call in calls for keyword in call.keywords)
    excused = any(has_tag(cell, "no-sums") for cell in cells)
    if cells and not named and not excused:
        yield (
            "no Explorer names its sums: give one `sums=`, so that a click opens the sum behind a"
            ' number; or its cell the tag "no-sums", where none of the numbers is a sum'
        )


@rule
def links_lead_somewhere(notebook, path):
    """links lead to files and headings that exist"""
    yield from dead_links(markdown(notebook), path)


@rule
def weighs_little(notebook, path):
    """it has at most 600 KB, and at most 50 code cells, solutions and checks included"""
    size, count = len(nbformat.writes(notebook).encode()) / 1000, len(code_cells(notebook))
    if size > 600:
        yield f"it has {size:.0f} KB; 600 are the most: draw fewer or smaller pictures"
    if count > 50:
        yield f"it has {count} code cells; 50 are the most: cut, or make two notebooks of it"


def calls_of_explorer(cell):
    calls = (node for node in ast.walk(tree_of(cell)) if isinstance(node, ast.Call))
    return [call for call in calls if getattr(call.func, "id", None) == "Explorer"]


def dead_links(text, path):
    """The links in Markdown at `path` that lead to no file, or to no heading in it."""
    for found in LINK.finditer(without_code(text)):
        name, _, heading = (link := found[1] or found[2]).partition("#")
        if re.match(r"[a-z]+:", link):
            continue  # another host, or a mail address: not under our control
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            yield f"no such file: {link}"
        elif heading and heading not in anchors(target, text if target == path else None):
            yield f"no such heading: {link}"


def nameless_images(text):
    """The images in Markdown without alternative text."""
    text = without_code(text)
    for image in re.findall(r"!\[\s*\]\([^)]*\)", text) + re.findall(r"<img\b[^>]*>", text):
        if image.startswith("!") or not re.search(r'alt="[^"]+"', image):
            yield f"an image without alternative text: {image}"


def anchors(path, text=None):
    """What a link may name after #: JupyterLab's form for a notebook, GitHub's for Markdown."""
    if path.suffix == ".ipynb":
        return {anchor(line) for line in headings(text or markdown(read(path)))}
    return {on_github(line) for line in headings(text or path.read_text(encoding="utf-8"))}


def on_github(heading):
    """The fragment of a link to this heading in a Markdown file."""
    return anchor(re.sub(r"[^\w\s#-]", "", heading).lower())


def headings(text):
    """The headings as links name them: what stands in backticks is part of them, the marks are not."""
    lines = re.findall(r"^#+ .*?(?=\s*$)", FENCED.sub("", text), re.MULTILINE)
    return [line.replace("`", "") for line in lines]


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(notebook):
    """Every output, with the number of its cell."""
    return [(cell.execution_count, out) for cell in code_cells(notebook) for out in cell.outputs]


def complaints(path: Path):
    """The rules that a notebook breaks, in words; an unreadable notebook is a single complaint."""
    try:
        notebook = read(path)
        yield from (complaint for rule in RULES for complaint in rule(notebook, path))
    except Exception as error:
        yield f"it cannot be read as a notebook: {type(error).__name__}: {error}"


def main(names):
    """Print what is wrong in these notebooks, or all, page 00 and the code; return the count."""
    asked = [Path(name).resolve() for name in names] or notebooks()
    found = [(path, text) for path in asked for text in complaints(path)]
    found += start_page.gaps()
    code = [] if names else sorted((ROOT / "helpers").rglob("*.py"))
    found += [(path, text) for path in code for text in code_rules.hidden_messages(path)]
    for path, text in found:
        print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {text}")
    return len(found)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
