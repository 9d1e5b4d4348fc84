"""The house rules: every notebook follows them, and a notebook that breaks one gets a message."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers.classroom.series import read
from tests.tools import code_rules, paths, refresh, series_map, word_list
from tests.tools import house_rules as rules


def test_the_documentation_names_every_rule():
    page = series_map.ROOT / "docs" / "maintainers.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert [rule.__doc__ for rule in rules.RULES if rule.__doc__ not in text] == []


INTRODUCTION = """# 7 · Title

**The question:** what is a good notebook?

30 minutes. See [the end](#The-end) and [a page](https://example.org)."""


FOLDED = {"jupyter": {"source_hidden": True}}


def a_good_notebook():
    picture = {"image/png": "iVBORw0KGgo=", "text/plain": "a table of 3 weights"}
    cells = [
        new_markdown_cell(INTRODUCTION),
        new_code_cell("x = 1\nx + 1", execution_count=1),
        new_code_cell("Explorer(draw, sums=sums)", execution_count=2),
        new_markdown_cell("## The end\n\nSee [itself](07_this.ipynb) and `[no](link)`."),
        new_code_cell("print(x)", execution_count=3),
    ]
    cells[1].outputs = [new_output("execute_result", {"text/plain": "2"}, execution_count=1)]
    cells[2].outputs = [new_output("execute_result", picture, execution_count=2)]
    cells[4].outputs = [new_output("stream", name="stdout", text="1\n")]
    return refresh.tidy(new_notebook(cells=cells))


def setting(cell, **changes):
    """A way to break a notebook: change these attributes of one cell."""
    return lambda notebook: notebook.cells[cell].update(changes)


def saying(old, new):
    """A way to break a notebook: change words in its first cell."""
    return setting(0, source=INTRODUCTION.replace(old, new))


def answering(said, argument="says"):
    """A way to break a notebook: the picture below a prediction gives the result away."""

    def change(notebook):
        notebook.cells[3].source += "\n\n**Predict** it:"
        notebook.cells[4].source = f"draw({argument}={said!r})"

    return change


def printing(name, text):
    return setting(4, outputs=[new_output("stream", name=name, text=text)])


def with_core(minutes=16, marked="● · 8 min · core", other=" · core"):
    """A notebook with a core, further sections and exercises; as it is, it breaks no rule."""

    def change(notebook):
        core = f"**Core:** 36 minutes, {minutes} of them for exercises."
        further = "**Further:** [Why?](#Further:-Why?) 6, and the exercises marked *more* 8."
        text = INTRODUCTION.replace("30 minutes.", "26 minutes, and 24 more for the exercises.")
        notebook.cells[0].source = f"{text}\n\n{core} {further}"
        named = ["### Further: Why?"]
        for end in (marked, f"● · 8 min{other}", "● · 8 min · more"):
            named.append(f"### Exercise: x ○○{end}")
        notebook.cells[3].source += "\n\n" + "\n\n".join(named)

    return change


WIDGET_VIEW = {refresh.VIEW: {"model_id": "1"}, "text/plain": "a widget"}
TRACEBACK = new_output("error", ename="ValueError", evalue="no", traceback=[])
NAMELESS = new_output("display_data", {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"})
IGNORED = "# NBVAL_IGNORE_OUTPUT\nx"
BREAKS = [
    (rules.every_cell_has_run_in_order, setting(2, execution_count=None)),
    (rules.every_cell_has_run_in_order, setting(2, execution_count=7)),
    (rules.nothing_failed_or_warned, setting(4, outputs=[TRACEBACK])),
    (rules.nothing_failed_or_warned, printing("stderr", "UserWarning: careful")),
    (rules.left_as_make_refresh_does, lambda notebook: notebook.metadata.update(widgets={})),
    (
        rules.left_as_make_refresh_does,
        setting(4, outputs=[new_output("display_data", WIDGET_VIEW)]),
    ),
    (rules.live_pictures_are_explorers, setting(4, source="from ipywidgets import interact")),
    (rules.live_pictures_are_explorers, setting(4, source="%matplotlib inline\nOutput()")),
    (rules.at_most_one_output_ignored, lambda nb: [c.update(source=IGNORED) for c in nb.cells]),
    (rules.at_most_one_output_ignored, setting(4, metadata={"tags": ["nbval-skip"]})),
    (rules.no_path_of_one_machine, printing("stdout", "saved in /home/ada/x.png")),
    (rules.no_path_of_one_machine, setting(4, source=r"open('C:\data')")),
    (rules.no_semicolon_at_the_end, setting(4, source="draw(x);\n")),
    (rules.pictures_are_told_in_words, setting(4, outputs=[NAMELESS])),
    (rules.pictures_are_told_in_words, setting(3, source="![](picture.png)")),
    (rules.no_picture_answers_a_prediction, answering("Both rise steeply.")),
    (rules.no_picture_answers_a_prediction, answering("One falls, the other not.", "title")),
    (rules.folded_code_begins_with_a_comment, setting(2, metadata=FOLDED)),
    (rules.at_most_two_code_cells_in_a_row, lambda notebook: notebook.cells.pop(3)),
    (rules.has_its_number_in_name_and_title, setting(3, source="# Another")),
    (rules.has_its_number_in_name_and_title, saying("# 7 ·", "# 8 ·")),
    (rules.opens_with_its_question, saying("**The question:** what is", "A question. What is")),
    (rules.opens_with_its_question, saying("\n\n**The", "\n**The")),
    (rules.tells_its_minutes, saying("30 minutes", "Half an hour")),
    (rules.tells_its_minutes, setting(3, source="### Exercise: more ●○○ · 8 min")),
    (rules.names_the_sums_of_an_explorer, setting(2, source="Explorer(draw, X=[1, 2])")),
    (rules.links_lead_somewhere, setting(3, source="[next](02_missing.ipynb)")),
    (rules.links_lead_somewhere, setting(3, source="[up](#Nowhere)")),
    (rules.links_lead_somewhere, setting(3, source='<a href="missing.md">there</a>')),
    (rules.weighs_little, printing("stdout", "1" * 600_000)),
    (paths.core_is_short, saying("30 minutes.", "65 minutes. **Core:** all of it.")),
    (paths.core_is_short, saying("30 minutes.", "30 minutes. **Core:** an hour.")),
    (paths.further_sections_are_listed, setting(3, source="## Further: the end")),
    (paths.further_sections_are_listed, saying("30 minutes.", "30 minutes. **Core:** 20 minutes.")),
    (paths.exercises_are_core_or_more, with_core(marked="● · 8 min · more")),
    (paths.exercises_are_core_or_more, with_core(other="")),
    (paths.exercises_are_core_or_more, with_core(minutes=3)),
    (rules.weighs_little, lambda nb: nb.cells.extend(new_code_cell("1") for _ in range(48))),
]


def test_every_rule_tells_a_broken_notebook_from_a_good_one(tmp_path):
    assert {rule for rule, _ in BREAKS} == set(rules.RULES)
    path = tmp_path / "07_this.ipynb"
    for i, (rule, breaking) in enumerate(BREAKS):
        notebook = a_good_notebook()
        nbformat.write(notebook, path)
        assert list(rules.complaints(path)) == []
        breaking(notebook)
        nbformat.write(notebook, path)
        assert list(rule(read(path), path)) != [], (i, rule.__doc__)


def test_a_core_with_what_is_further_is_no_fault(tmp_path):
    notebook = a_good_notebook()
    with_core()(notebook)
    nbformat.write(notebook, tmp_path / "07_this.ipynb")
    assert list(rules.complaints(tmp_path / "07_this.ipynb")) == []


def test_an_explorer_without_sums_may_be_excused_and_none_is_no_fault(tmp_path):
    notebook = a_good_notebook()
    notebook.cells[2].source = "Explorer(draw)"
    notebook.cells[2].metadata.tags = ["no-sums"]
    assert list(rules.names_the_sums_of_an_explorer(notebook, tmp_path)) == []
    notebook.cells[2] = new_code_cell("print('trained')")
    assert list(rules.names_the_sums_of_an_explorer(notebook, tmp_path)) == []


def test_what_is_no_notebook_is_told_in_words(tmp_path, capsys):
    path = tmp_path / "07_x.ipynb"
    for text in ("", "{", "{}"):
        path.write_text(text)
        (said,) = rules.complaints(path)
        assert said.startswith("it cannot be read as a notebook: "), text
    assert rules.main([str(path)]) > 0
    assert f"07_x.ipynb: {said}" in capsys.readouterr().out


# ---------------------------------------------------------------- the code


@pytest.mark.parametrize(
    "code, count",
    [
        ("text = f\"{', '.join(f'{_(word)}!' for word in words)}\"", 1),
        ("text = f\"{x:{helpers._('wide')}} {plural('one', 'many', 2)}\"", 2),
        ("text = _('{kind}, {size}', kind=f'{kind}')", 0),
    ],
)
def test_a_message_inside_an_f_string_is_told_once(tmp_path, code, count):
    path = tmp_path / "code.py"
    path.write_text(code)
    assert len(list(code_rules.hidden_messages(path))) == count


# ---------------------------------------------------------------- the map

MAP = """| | notebook | you learn | minutes |
|---|---|---|---|
| 6 | [Break it](06_break_it.ipynb) | mistakes | 20 |
"""


def test_a_row_that_is_missing_is_told_and_minutes_are_compared(tmp_path):
    notebook, path, page = a_good_notebook(), tmp_path / "07_this.ipynb", tmp_path / "README.md"
    for told, minutes in {"30 minutes.": "30", "30 minutes, and 20 more for": "30 + 20"}.items():
        notebook.cells[0].source = INTRODUCTION.replace("30 minutes.", told)
        nbformat.write(notebook, path)
        row = f"| 7 | [Title](07_this.ipynb) | … | {minutes} |"
        lacks = f"its map lacks 07_this.ipynb. Add, with what one learns: {row}"
        assert list(series_map.gaps(page, [path], MAP)) == [lacks]
        assert list(series_map.gaps(page, [path], f"{MAP}\n{row}")) == []
        other = f"its map gives 07_this.ipynb 25 minutes; the notebook says {minutes}"
        text = f"{MAP}\n{row.replace(minutes, '25')}"
        assert list(series_map.gaps(page, [path], text)) == [other]


# ---------------------------------------------------------------- the words


def test_the_words_of_all_notebooks_are_one_list_by_alphabet_and_what_is_wrong_is_told(tmp_path):
    start, *others = (tmp_path / f"0{i}_x.ipynb" for i in range(3))

    def write(path, *lines):
        text = "\n".join([word_list.OWN, "", *lines])
        nbformat.write(new_notebook(cells=[new_markdown_cell(text)]), path)

    nbformat.write(new_notebook(cells=[new_markdown_cell("Hello")]), start)
    write(others[0], "- [token](#Words): a word", "- [Bag](#Words): no order")
    write(others[1], "- [key](#A-key): what is looked at")
    assert len([*word_list.gaps(start, others)]) == 1
    listed = word_list.expected(others)
    nbformat.write(new_notebook(cells=[new_markdown_cell(listed)]), start)
    assert list(word_list.gaps(start, others)) == []
    positions = [listed.index(f"[{term}](0") for term in ("Bag", "key", "token")]
    assert positions == sorted(positions)
    assert "- [key](02_x.ipynb#A-key): what is looked at (notebook 2)\n" in listed
    for lines, told in {
        ("- token: a word",): 1,  # no link
        ("- [token](#Words): a word.",): 1,  # ends with a full stop
        (): 2,  # no words; and the list on page 00 has some
        ("- [token](#Words): a word", "- [key](#Words): again"): 2,  # twice; and the list
    }.items():
        write(others[0], *lines)
        assert len([*word_list.gaps(start, others)]) == told, lines
