"""The scripts are joined into one: each imports only from those before it, and all that it uses."""

import re

import pytest

from helpers.explorer import browser

FILES = (browser.HERE / "js").glob("*.js")
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in FILES}
DECLARED = r"(?:async )?(?:const|let|function) (\w+)"
EXPORTS = {
    name: file
    for file, text in TEXTS.items()
    for name in re.findall(rf"^export {DECLARED}", text, re.M)
}


def names_in(text):
    """The words of a script that may stand for something: no texts, comments or properties."""
    text = re.sub(r'^import [^;]*;|(?<!\\)//.*$|"(?:\\.|[^"\\\n])*"', "", text, flags=re.M)
    return set(re.findall(r"(?<![\w.$])(?:\.\.\.)?(\w+)(?!\w|:)", text))


@pytest.mark.parametrize("file", TEXTS)
def test_a_file_imports_all_that_it_uses_of_others_and_nothing_else(file):
    lines = re.findall(r'^import \{ (.*) \} from "\./(\w+)\.js";$', TEXTS[file], re.M)
    imported = {name: source for names, source in lines for name in names.split(", ")}
    used = names_in(TEXTS[file]) & EXPORTS.keys()
    assert imported == {name: EXPORTS[name] for name in used if EXPORTS[name] != file}
    before = browser.SCRIPTS[: browser.SCRIPTS.index(file)]
    assert {*imported.values()} <= {*before}
