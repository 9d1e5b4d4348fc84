"""The pages of `make site` in Firefox, if it is there: every film, and every number on the way."""

import films
import pytest
from firefox import find_firefox, firefox
from site_pages import PAGES, expected, views

pytestmark = [
    pytest.mark.browser,
    pytest.mark.weekly,
    pytest.mark.skipif(not find_firefox(), reason="there is no Firefox on this computer"),
]

ERRORS = "window.errors = []; window.addEventListener('error', e => window.errors.push(e.message));"


@pytest.fixture(scope="module")
def tab():
    with firefox(find_firefox()) as opened:
        opened.before_any_page(films.FAST + "; " + ERRORS)
        yield opened


def each(name, script):
    """A script of films.py, made for Playwright's evaluate_all, on all that bear a name."""
    return f"({script})([...document.querySelectorAll('{name}')])"


@pytest.mark.parametrize("name", PAGES)
def test_films_show_what_python_computed(tab, site, soups, name):
    models = list(views(soups[name]))
    tab.open((site / f"{name}.html").as_uri())
    ready = f"document.querySelectorAll('.ax-view[data-ready=\"true\"]').length === {len(models)}"
    films.until(lambda: tab.evaluate(ready), "an Explorer was not drawn")
    tab.evaluate(each(".ax-control", films.REWIND))
    films.until(lambda: tab.evaluate(each(".ax-control", films.REWOUND)), "no way back")
    tab.evaluate(each(".ax-view", films.NOTE))
    tab.evaluate(each(".ax-control", films.START))
    stopped = films.until(lambda: tab.evaluate(each(".ax-control", films.STOPPED)), "no end")
    assert [film for film, stands, end in stopped if stands != end] == []
    shown = tab.evaluate("[...document.querySelectorAll('.ax-view')].map(view => view.seen)")
    for i, ((spec, buffers), seen) in enumerate(zip(models, shown, strict=True)):
        for frame, texts in seen.items():
            assert texts == expected(spec, buffers, int(frame)), f"Explorer {i}, frame {frame}"
    assert tab.evaluate("window.errors") == []
