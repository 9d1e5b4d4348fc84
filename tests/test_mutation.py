"""The script that changes the attention layers: it must change them, and put all back."""

import ast
import functools

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


def test_a_failing_test_is_noticed_and_a_passing_one_is_not(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    for body, fails in (("assert True", False), ("assert False", True), ("import nothing", True)):
        (folder / "test_it.py").write_text(f"def test_it():\n    {body}\n")
        assert mutation.fails(tmp_path, ["test_it.py"], "it") is fails
