"""What is folded on a page, and what is left out of it."""

from bs4 import BeautifulSoup
from nbformat.v4 import new_markdown_cell, new_output
from pages_made import book, code, page_of, printed

from helpers.classroom.pages import VIEW, page


def test_a_prediction_is_asked_on_the_page_and_its_solution_left_out():
    widget = {VIEW: {"model_id": "1"}, "text/plain": "What comes?"}
    asked = code('checks.predict("first")', new_output("display_data", widget))
    answer = code('# Solution\nchecks.predict("first", 1)', printed("correct"), tags=["solution"])
    comes_out = [new_markdown_cell("**Predict** what comes."), code("1 + 1", printed("2"))]
    made = page(book(asked, answer, *comes_out), "x")
    soup = BeautifulSoup(made.cells[1].outputs[0].data["text/html"], "html.parser")
    assert soup.select_one(".asked .still pre").text == "What comes?"
    assert [cell.source for cell in made.cells if cell.cell_type == "code"] == [
        asked.source,
        *["1 + 1"] * 2,  # its code, and in a fold its output
    ]


def test_a_fold_holds_what_comes_out_and_the_prose_that_tells_it(tmp_path):
    texts = ["**Predict** what comes.", "It is two.\n\n## Next\n\nNow three.", "And so on."]
    answer = "<details><summary>Answer</summary>\n\nFour.\n</details>\n\nSee:"
    predict, told, more, answer = map(new_markdown_cell, [*texts, answer])
    made = book(predict, code("1 + 1", printed("2")), told, more, answer, code("4", printed("4")))
    soup = page_of(tmp_path, made)
    folds = [fold.get_text(" ", strip=True) for fold in soup.select("details")]
    assert folds == ["What comes out 2 It is two.", "Answer Four. See: 4 4"]
    shown = soup.select("article div.cell:not(details *)")
    assert [cell.get_text(strip=True) for cell in shown] == ["1 + 1"]
    assert "Now three. And so on." in soup.article.get_text(" ", strip=True)


def test_the_mark_of_a_cell_for_its_tests_is_not_shown():
    marked = code("# NBVAL_IGNORE_OUTPUT (counts change)\n1 + 1", printed("2"))
    assert page(book(code("0"), marked), "x").cells[-1].source == "1 + 1"


def test_check_hint_and_solution_are_folded_and_what_is_only_for_running_is_left_out(tmp_path):
    """Left out are cells with the tag "run", sentences marked so, and the learner's progress."""
    check, progress = code("checks.scores(f)", printed("no")), code("checks.progress(1)")
    hint = new_markdown_cell("<details><summary>Hint</summary>\n\nTry.\n</details>")
    solution = code("# Solution\nf = sum", tags=["solution"])
    run, also = new_markdown_cell("Click here.", metadata={"tags": ["run"]}), "What is done?"
    text = new_markdown_cell('Three cells. <span class="run">Run them.</span>')
    ask = new_markdown_cell("Write f.")
    cells = (text, run, ask, check, hint, solution, new_markdown_cell(also), progress)
    soup = page_of(tmp_path, book(*cells))
    titles = [fold.summary.get_text(" ", strip=True) for fold in soup.select("details")]
    assert [title.split()[0] for title in titles] == ["Check", "Hint", "Solution"]
    shown = [x.get_text(" ", strip=True) for x in soup.select("article p:not(.note, details *)")]
    assert shown == ["The question: is it?", "Three cells.", "Write f."]
