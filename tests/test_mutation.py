"""The script that changes the models: it must change them, put all back, and run their tests."""

import ast
import functools
from datetime import date, timedelta

import mutation

TREE = ast.parse((mutation.ROOT / "helpers" / "attention.py").read_text(encoding="utf-8"))
BEFORE = ast.unparse(TREE)


@functools.cache
def every_change():
    return list(mutation.changes(TREE))


def test_the_core_is_changed_in_every_place_that_matters():
    reads = {reads for _, reads, _ in every_change()}
    for change in (
        "scores = query @ key.transpose(-2, -1) * d_k ** 0.5",  # the scale
        "scores = query @ key.transpose(-2, -1) / (d_k * 0.5)",
        "weights = scores.softmax(dim=-2)",  # the axis
        "scores = scores.masked_fill(mask & ~blind, float('inf'))",  # the sign
        "future = torch.triu(torch.ones(context_length, context_length), diagonal=0)",
        "future = torch.tril(torch.ones(context_length, context_length), diagonal=1)",
        "dropout = 0.0 if self.training else self.dropout",
        "return _fused_attention(query, key, value, dropout, is_causal=False)",
        "if d_out % num_heads == 0:",
        "return x",  # the transpose, the view
        "def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=True):",
        "if size < 2:",  # what is refused
    ):
        assert change in reads


def test_each_change_is_one_change_and_is_taken_back():
    lines = BEFORE.splitlines()
    for line, _, source in every_change():
        differ = [a for a, b in zip(lines, source.splitlines()) if a != b]
        assert len(differ) <= 1, f"line {line}: {differ}"
    assert ast.unparse(TREE) == BEFORE


def test_all_that_is_named_is_there():
    for module, tests in mutation.TESTS.items():
        tree = ast.parse((mutation.ROOT / "helpers" / f"{module}.py").read_text(encoding="utf-8"))
        assert next(mutation.changes(tree)), module
        for name in tests:
            assert (mutation.ROOT / "tests" / f"test_{name}.py").exists(), name


def test_in_so_many_weeks_each_change_has_its_turn():
    monday, todo = date(2026, 12, 21), dict.fromkeys("abcdefgh")  # over the end of a year
    weeks = [monday + timedelta(weeks=i) for i in range(mutation.WEEKS)]
    shares = [mutation.this_week(todo, day) for day in weeks]
    assert sorted(sum(map(list, shares), [])) == list(todo)
    assert mutation.this_week(todo, weeks[-1] + timedelta(weeks=1)) == shares[0]


# A run takes half a second, so each of these three looks at several things.
ENDLESS = "while True: pass"


def write_tests(folder, *bodies):
    (folder / "tests").mkdir()
    tests = [f"def test_{i}():\n    {body}\n" for i, body in enumerate(bodies)]
    (folder / "tests" / "test_it.py").write_text("\n".join(tests))


def test_of_a_passing_run_is_told_what_it_imported_from_elsewhere(tmp_path, monkeypatch):
    folder, elsewhere = tmp_path / "copy", tmp_path / "elsewhere"
    folder.mkdir(), elsewhere.mkdir()
    write_tests(folder, "import mine, theirs_alone")
    (folder / "tests" / "mine.py").touch()
    (elsewhere / "theirs_alone.py").touch()
    monkeypatch.syspath_prepend(elsewhere)
    ran = mutation.run(folder, ["it"])
    assert not ran.failed
    assert "theirs_alone" in ran.modules and not {"mine", "test_it"} & set(ran.modules)


def test_what_was_quick_before_comes_first_and_a_failing_test_ends_it(tmp_path):
    write_tests(tmp_path, ENDLESS, "assert False")
    slow, quick = (f"tests/test_it.py::test_{i}" for i in range(2))
    ran = mutation.run(tmp_path, ["it"], before={slow: 9.0, quick: 0.1})
    assert ran.failed and ran.seconds.keys() == {quick}


def test_what_never_ends_is_noticed(tmp_path):
    write_tests(tmp_path, ENDLESS)
    assert mutation.run(tmp_path, ["it"], limit=1).failed
