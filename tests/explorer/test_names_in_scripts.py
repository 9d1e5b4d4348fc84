"""The scripts are joined into one, so a name of one file must mean the same in all of them."""

import shutil
import subprocess
from pathlib import Path

import pytest
from scripts import Script

from helpers.explorer import browser

FILES = {path.stem: path for path in (Path(browser.__file__).parent / "js").glob("*.js")}
SCRIPTS = {name: Script(path.read_text(encoding="utf-8")) for name, path in FILES.items()}
TOP = {name: file for file, script in SCRIPTS.items() for name in script.top}
PAGE = set(
    "document window globalThis console Math Number String Object Array Map Set WeakMap Symbol "
    "Infinity NaN Promise Float32Array Uint32Array ImageData ResizeObserver MutationObserver "
    "getComputedStyle setTimeout clearTimeout setInterval clearInterval parseInt parseFloat JSON "
    "Boolean location history navigator XMLSerializer Blob URL URLSearchParams Node DOMRect Image "
    "ClipboardItem encodeURIComponent".split()
)  # fmt: skip


@pytest.mark.parametrize("file", SCRIPTS)
def test_every_name_is_declared_or_imported_and_none_is_shadowed(file):
    script = SCRIPTS[file]
    assert script.used - script.top - script.local - script.imports.keys() - PAGE == set()
    assert script.local & TOP.keys() == set(), "a name of the top level of some file"
    assert script.imports.keys() <= script.used, "imported, but not used"
    for name, source in script.imports.items():
        assert name in SCRIPTS[source].exports, f"{source}.js does not export {name}"


def test_no_two_files_declare_the_same_name():
    assert len(TOP) == sum(len(script.top) for script in SCRIPTS.values())


def test_what_is_shadowed_or_undefined_would_be_noticed():
    script = Script(
        'const a = 1;\nfunction f(b) {\n  const a = `${c}`; // d\n  return a + b + "e";\n}\n'
    )
    assert script.top == {"a", "f"} and script.local >= {"a", "b"}
    assert script.used - script.top - script.local == {"c"}


def test_joined_they_are_one_script_without_imports(tmp_path):
    text = browser.MatrixView._esm
    (tmp_path / "joined.mjs").write_text(text, encoding="utf-8")
    assert "\nimport " not in text and "\nexport " in text
    if node := shutil.which("node"):
        subprocess.run([node, "--check", tmp_path / "joined.mjs"], check=True)
        (tmp_path / "package.json").write_text('{"type": "module"}')
        for path in FILES.values():
            shutil.copy(path, tmp_path)
        subprocess.run([node, tmp_path / "view.js"], check=True)  # each import finds its export
