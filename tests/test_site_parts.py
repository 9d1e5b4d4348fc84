"""The parts of `make site`: packages that are not the pinned ones, formulas, sliders in words."""

import re
import tarfile
from importlib.metadata import version
from io import BytesIO

import npm_packages
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook
from npm_packages import SCRIPTS, OutOfReach
from site_html import PageExporter, mathml, what_moves

REQUIRE = SCRIPTS["require.js"]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty folder of packages."""
    monkeypatch.setattr(npm_packages, "KEPT", tmp_path / "npm")
    return tmp_path / "npm"


@pytest.fixture
def changed(tmp_path):
    """A package of the right name with another content."""
    with tarfile.open(tmp_path / "changed.tgz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("package/require.js"), BytesIO())
    return tmp_path / "changed.tgz"


def test_a_changed_package_is_refused_and_not_kept(kept, changed, monkeypatch):
    monkeypatch.setattr(npm_packages, "fetch", lambda package, folder: changed)
    with pytest.raises(ValueError, match="requirejs 2.3.8 is not the package that .* pins"):
        npm_packages.scripts()
    assert list(kept.iterdir()) == []


def test_a_kept_package_that_was_changed_is_refused(kept, changed):
    kept.mkdir()
    changed.rename(kept / "requirejs-2.3.8.tgz")
    with pytest.raises(ValueError, match="Delete the folder build/npm"):
        npm_packages.tarball(REQUIRE)


def test_a_missing_npm_is_named(kept, monkeypatch):
    monkeypatch.setenv("PATH", str(kept))
    with pytest.raises(OutOfReach, match="sudo apt-get install npm"):
        npm_packages.tarball(REQUIRE)


def test_a_registry_out_of_reach_is_named(kept, tmp_path, monkeypatch):
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")  # nobody answers there
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    with pytest.raises(OutOfReach, match=r"npm cannot fetch requirejs@2\.3\.8 \(E\w+\)"):
        npm_packages.tarball(REQUIRE)
    assert list(kept.iterdir()) == []


def test_the_kernels_anywidget_and_that_of_the_pages_are_of_one_series():
    ours, pinned = version("anywidget").split("."), SCRIPTS["anywidget.js"].version.split(".")
    assert ours[:2] == pinned[:2]


# ---------------------------------------------------------------- formulas


def test_formulas_become_mathml():
    prose = "Cheap at `$5`: $a_1$\n\n$$\\frac{1}{2}$$\n\n\\begin{matrix}1\\\\2\\end{matrix}"
    book = new_notebook(cells=[new_markdown_cell(prose)])
    html, _ = PageExporter(template_file="base.html.j2").from_notebook_node(book)
    assert "<code>$5</code>" in html
    assert "<msub><mi>a</mi><mn>1</mn></msub>" in html
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>" in html
    assert html.count("<mtr>") == 2
    assert html.count('display="block"') == 2 and html.count('display="inline"') == 1


def test_names_of_functions_stand_apart():
    assert 'space="0.167em">log</mo>' in mathml(r"w \log w", "inline")
    assert 'space="0.167em">max</mo>' in mathml(r"\max s", "inline")


@pytest.mark.parametrize("latex", [r"\frac{1}{", r"\unheardof{x}", r"a & b"])
def test_a_formula_that_makes_no_mathml_is_named(latex):
    with pytest.raises(ValueError, match=f"formula.*: {re.escape(latex)}$"):
        mathml(latex, "inline")


# ---------------------------------------------------------------- sliders in words


def words(*controls):
    models = {str(i): {"state": control} for i, control in enumerate(controls)}
    models["box"] = {"state": {"children": [f"IPY_MODEL_{name}" for name in models]}}
    return what_moves({"model_id": "box"}, models)


def test_controls_are_told_with_their_range():
    slider = {"description": "t", "value": 0.0, "min": -1.0, "max": 2.0, "readout_format": ".1f"}
    switch = {"description": "mask", "value": True}
    choice = {"description": "query", "_options_labels": ["a", "b", "c"], "index": 0}
    steps = {"description": "step", "_options_labels": [str(i) for i in range(9)], "index": 0}
    text = {"description": "word", "value": "sun"}
    assert words(slider) == "t (−1.0 to 2.0)"
    assert words(slider, switch) == "t (−1.0 to 2.0) and mask (on or off)"
    assert words(choice, steps, text) == "query (a, b or c), step (0 to 8) and word"
    assert words({"value": 1}) == ""
