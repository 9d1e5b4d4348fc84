"""The house rules: every notebook follows them, and a notebook that breaks one gets a message."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers.classroom.series import ROOT, read
from tests.tools import code_rules, refresh
from tests.tools import course_rules as course
from tests.tools import house_rules as rules


def test_the_documentation_names_every_rule():
    text = " ".join((ROOT / "docs" / "maintainers.md").read_text(encoding="utf-8").split())
    told = [" ".join(rule.__doc__.split()) for rule in rules.RULES]
    assert [line for line in told if line not in text] == []


FRONT = """# 7 · Title

**The question:** what is a good notebook?

You make one. See [the end](#The-end) and [a page](https://example.org).

4 minutes, exercises 16 more · after [notebook 6](06_before.ipynb) · *Further* can wait"""
END = """## The end

See [itself](07_this.ipynb) and `[no](link)`.

### Exercise: one ●○○ · 8 min · core

### Exercise: two ●●○ · 4 min · core

### Exercise: three ●●● · 4 min · more

## Recap

**New words:** [good](#The-end), [better](#The-end)

## Further: Why? · 1 min

### Why not?"""
FOLDED = {"jupyter": {"source_hidden": True}}
WHAT_IT_SAYS = {
    "minutes": 4,
    "after": [6],
    "goals": ["write one", "read one", "mend one"],
    "words": [["good", "The end", "as it should be"], ["better", "The end", "more so"]],
}


def a_good_notebook():
    picture = {"image/png": "iVBORw0KGgo=", "text/plain": "a table of 3 weights"}
    cells = [
        new_markdown_cell(FRONT),
        new_code_cell("x = 1\nx + 1", execution_count=1),
        new_code_cell("Explorer(draw, sums=sums)", execution_count=2),
        new_markdown_cell(END),
        new_code_cell("print(x)", execution_count=3),
    ]
    cells[1].outputs = [new_output("execute_result", {"text/plain": "2"}, execution_count=1)]
    cells[2].outputs = [new_output("execute_result", picture, execution_count=2)]
    cells[4].outputs = [new_output("stream", name="stdout", text="1\n")]
    return refresh.tidy(new_notebook(cells=cells, metadata={"course": dict(WHAT_IT_SAYS)}))


def setting(cell, **changes):
    """A way to break a notebook: change these attributes of one cell."""
    return lambda notebook: notebook.cells[cell].update(changes)


def saying(old, new):
    """A way to break a notebook: change words in its first cell."""
    return setting(0, source=FRONT.replace(old, new))


def ending(old, new):
    """A way to break a notebook: change words in its last text."""
    return setting(3, source=END.replace(old, new))


def telling(**changes):
    """A way to break a notebook: change what its metadata say."""
    return lambda notebook: notebook.metadata.course.update(changes)


def printing(name, text):
    return setting(4, outputs=[new_output("stream", name=name, text=text)])


WIDGET_VIEW = {refresh.VIEW: {"model_id": "1"}, "text/plain": "a widget"}
TRACEBACK = new_output("error", ename="ValueError", evalue="no", traceback=[])
NAMELESS = new_output("display_data", {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"})
IGNORED = "# NBVAL_IGNORE_OUTPUT\nx"
BREAKS = [
    (rules.every_cell_has_run_in_order, setting(2, execution_count=None)),
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
    (rules.pictures_are_told_in_words, setting(4, outputs=[NAMELESS])),
    (rules.pictures_are_told_in_words, setting(3, source="![](picture.png)")),
    (rules.folded_code_begins_with_a_comment, setting(2, metadata=FOLDED)),
    (rules.at_most_two_code_cells_in_a_row, lambda notebook: notebook.cells.pop(3)),
    (rules.has_its_number_in_name_and_title, setting(3, source="# Another")),
    (rules.has_its_number_in_name_and_title, saying("# 7 ·", "# 8 ·")),
    (rules.its_code_is_short, setting(4, source="x = 1\n" * 16)),
    (rules.names_the_sums_of_an_explorer, setting(2, source="Explorer(draw, X=[1, 2])")),
    (rules.links_lead_somewhere, setting(3, source="[next](02_missing.ipynb)")),
    (rules.links_lead_somewhere, setting(3, source="[up](#Nowhere)")),
    (rules.links_lead_somewhere, setting(3, source='<a href="missing.md">there</a>')),
    (rules.weighs_little, printing("stdout", "1" * 600_000)),
    (course.tells_its_goals_and_words, lambda notebook: notebook.metadata.pop("course")),
    (course.tells_its_goals_and_words, telling(words=[["good", "The end", "as it should."]])),
    (course.its_front_is_short_and_true, saying("You make one.", "You make one. " * 20)),
    (course.its_front_is_short_and_true, saying("**The question:** w", "A question. W")),
    (course.its_front_is_short_and_true, saying("4 minutes", "Four minutes")),
    (course.its_front_is_short_and_true, telling(minutes=5)),
    (course.its_front_is_short_and_true, saying("16 more", "12 more")),
    (course.its_front_is_short_and_true, saying(" · after [notebook 6](06_before.ipynb)", "")),
    (course.it_moves_on_the_first_screen, setting(1, cell_type="markdown", source="word " * 151)),
    (course.its_minutes_are_counted, telling(minutes=6)),
    (course.its_core_is_short, ending("8 min · core", "58 min · core")),
    (course.its_core_is_short, ending("4 min · core", "4 min · more")),
    (course.its_core_is_short, ending(" · more", "")),
    (course.what_is_further_comes_last, ending("## Recap\n", "## Summary\n")),
    (course.what_is_further_comes_last, ending("## Further: Why?", "## Further: A\n\n" * 3)),
    (course.what_is_further_comes_last, ending(" · 1 min", " · 9 min")),
    (course.tells_its_goals_and_words, ending("**New words:**", "New words:")),
    (course.tells_its_goals_and_words, ending("[good](#The-end), ", "")),
    (rules.weighs_little, lambda nb: nb.cells.extend(new_code_cell("1") for _ in range(48))),
]


def test_every_rule_tells_a_broken_notebook_from_a_good_one(tmp_path):
    assert {rule for rule, _ in BREAKS} == set(rules.RULES)
    path = tmp_path / "07_this.ipynb"
    nbformat.write(new_notebook(), tmp_path / "06_before.ipynb")
    for i, (rule, breaking) in enumerate(BREAKS):
        notebook = a_good_notebook()
        nbformat.write(notebook, path)
        assert list(rules.complaints(path)) == []
        breaking(notebook)
        nbformat.write(notebook, path)
        assert list(rule(read(path), path)) != [], (i, rule.__doc__)


def test_minutes_are_those_of_reading_and_of_code_with_a_step_to_follow():
    steps = ["def f(x):\n    return x", "a = 1\nb = a", "for x in y:\n    x"]
    none = [
        "import torch\nx = 1",
        "print(1)\nprint(2)",
        "def f(x):\n    ...",
        "checks.f(f)\na = 1\nb = 1",
    ]
    text = "word " * 228
    cells = [new_markdown_cell(f"# T\n\n{text}"), *map(new_code_cell, steps + none)]
    solution = new_code_cell(steps[0], metadata={"tags": ["solution"]})
    further = new_markdown_cell(f"## Further: Why?\n\n{text}")
    folded = new_code_cell(steps[0], metadata=FOLDED)
    cells += [solution, folded, further, new_code_cell(steps[1]), new_markdown_cell("### More")]
    counted = course.counted(new_notebook(cells=[*cells, new_markdown_cell("## Recap")]))
    assert [(part.heading, round(part.minutes)) for part in counted] == [
        ("", 7),
        ("Further: Why?", 3),
    ]


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
