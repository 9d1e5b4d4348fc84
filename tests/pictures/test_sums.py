"""The sums behind the cells: which texts are understood, and that no false claim is accepted."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.pictures.sums import check, parse, terms

MATRICES, SCALARS = ["scores", "weights", "X"], ["temperature", "d_k"]
quick = settings(max_examples=60, deadline=None, database=None, derandomize=True)


def parsed(text):
    return parse("weights", text, MATRICES, SCALARS)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("X @ X.T / sqrt(3)", ("dot", "X", "X", True, "3", True)),
        ("weights @ X / sqrt(d_k)", ("dot", "weights", "X", False, "d_k", True)),
        ("softmax(scores / temperature)", ("softmax", "scores", None, False, "temperature", False)),
        ("sum(weights)", ("sum", "weights", None, False, None, False)),
        ("sum(weights.T)", ("sum", "weights", None, True, None, False)),
        ("X - X", ("minus", "X", "X", False, None, False)),
        ("X * weights", ("times", "X", "weights", False, None, False)),
        ("X * d_k / sqrt(3)", ("times", "X", "d_k", False, "3", True)),
    ],
)
def test_what_is_understood(text, expected):
    claim = parsed(text)
    keys = ("kind", "a", "b", "transposed", "divisor", "root", "text")
    assert [claim[key] for key in keys] == [*expected, text]


@pytest.mark.parametrize(
    "text",
    ["", "X @", "X + X", "X - X.T", "sum(X) / 2", "X @ X @ X", "X.T @ X", "softmax(X) @ X",
     "X @ X / sqrt(3", "X @ X / 3)", "X @ X / 3abc", "X @ X / -1", "X @ X / ٣", "X @ X\n"],
)  # fmt: skip
def test_what_is_not_understood(text):
    with pytest.raises(ValueError, match="not understood; write it as") as caught:
        parsed(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["Y @ X", "X @ temperature", "softmax(Y)", "d_k * X", "X - d_k"],
)
def test_only_matrices_are_multiplied(text):
    unknown = next(name for name in ("Y", "d_k", "temperature") if name in text)
    with pytest.raises(ValueError, match=f"names '{unknown}', but it may name: scores, weights, X"):
        parsed(text)


# -- the check ----------------------------------------------------------------------------------


def softmax(row):
    """Softmax in plain Python; NaN stays NaN."""
    powers = [0.0 if math.isnan(x) else math.exp(x) for x in row]
    return [math.nan if math.isnan(x) else p / math.fsum(powers) for x, p in zip(row, powers)]


def dot(a, b):
    """A matrix product in plain Python."""
    columns = list(zip(*b))
    return [[math.fsum(x * y for x, y in zip(row, c)) for c in columns] for row in a]


def accepts(text, matrices, values=None, name="weights"):
    claim = parse(name, text, list(matrices), list(values or {}))
    check(name, claim, {n: np.array(m, float) for n, m in matrices.items()}, values or {})
    return True


def refuses(*args, **kwargs):
    with pytest.raises(ValueError, match="although sums says so: correct the function, or sums"):
        accepts(*args, **kwargs)
    return True


A, B = [[1.0, 2.0], [3.0, -4.0], [0.5, 0.0]], [[1.0, 0.0, 2.0], [-1.0, 0.5, 1.0]]


T, D = 0.7, [[1, 1], [1, 1], [2, 2]]
TRUE = {  # of A, B, C = A, D and t, by plain arithmetic
    "A @ B": dot(A, B),
    "A @ C.T / sqrt(4)": np.array(dot(A, np.transpose(A))) / 2,
    "softmax(A / t)": [softmax([x / T for x in row]) for row in A],
    "A * C / 0.5": 2 * np.square(A),
    "A * t / 2": np.array(A) * T / 2,
    "A - D": [[0, 1], [2, -5], [-1.5, -2]],
    "sum(A)": [[3], [-1], [0.5]],
    "sum(A.T)": [[4.5, -2]],
}


@pytest.mark.parametrize("text", TRUE)
def test_what_is_true_is_accepted_and_refused_if_one_number_is_another(text):
    weights = np.array(TRUE[text], float)
    matrices = {"A": A, "B": B, "C": A, "D": D, "weights": weights}
    assert accepts(text, matrices, {"t": T})
    weights[-1, 0] += 0.01
    assert refuses(text, matrices, {"t": T})


def test_a_masked_cell_is_left_out_of_a_sum():
    assert accepts("sum(A)", {"A": [[0.5, math.nan]], "weights": [[0.5]]})


@pytest.mark.parametrize(
    "text, matrices",
    [
        ("A @ B", {"A": A, "B": A}),  # sizes do not match
        ("A @ B", {"A": A, "B": B}),  # they match, but not the shape of weights
        ("softmax(A)", {"A": B}),
        ("A - C", {"A": A[:2], "C": [[1, 1]]}),  # no sum has one row for all
        ("A @ A.T / 0", {"A": A[:2]}),
    ],
)
@pytest.mark.filterwarnings("error")
def test_false_claims_of_all_kinds_are_refused_in_words(text, matrices):
    assert refuses(text, matrices | {"weights": [[1.0, 2.0], [3.0, 4.0]]})


@quick
@given(
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 3),
    st.sampled_from([-0.01, 0.01, 5.0]),
    st.randoms(use_true_random=False),
)
def test_one_wrong_cell_anywhere_is_enough(heads, n, m, k, error, random):
    a = [[[random.uniform(-2, 2) for _ in range(k)] for _ in range(n)] for _ in range(heads)]
    b = [[random.uniform(-2, 2) for _ in range(m)] for _ in range(k)]
    product = np.array([dot(head, b) if k else [[0.0] * m] * n for head in a])
    matrices = {"A": np.reshape(a, (heads, n, k)), "B": np.reshape(b, (k, m)), "weights": product}
    assert accepts("A @ B", matrices)
    cell = tuple(random.randrange(size) for size in product.shape)
    product[cell] += error
    assert refuses("A @ B", matrices)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("A @ B", [[3, 2], [-4, 1]]),
        ("A @ C.T", [[3, 2], [-4, 2]]),
        ("softmax(A)", [[3], [-4]]),
        ("sum(A)", [[3], [-4]]),
        ("sum(A.T)", [[1], [3], [0.5]]),
        ("A * C", [[3, 1]]),
        ("A - C", [[3, 1]]),
    ],
)
def test_the_terms_behind_a_cell(text, expected):
    matrices = {"A": np.array(A), "B": np.array(B), "C": np.array([[1.0, 1], [1, 1], [2, 2]])}
    row, column = (1, 2) if text in ("A @ B", "A @ C.T") else (1, 0)
    assert terms(parse("", text, list(matrices), []), matrices, row, column) == expected
    matrices["A"][row, 0] = math.nan
    left = terms(parse("", text, list(matrices), []), matrices, row, column)
    assert left == [term for term in expected if term[0] != 3], "a masked cell takes no part"


# -- masked cells are NaN ------------------------------------------------------------------------

NAN = math.nan
SCORES = [[0.3, NAN, NAN], [0.1, 0.9, NAN], [0.4, -0.2, 0.6]]


def test_softmax_over_the_whole_row_is_false_where_some_of_it_is_masked():
    whole = [softmax(row) for row in [[0.3, 0.5, 0.1], [0.1, 0.9, 0.4], [0.4, -0.2, 0.6]]]
    hidden = np.where(np.isnan(SCORES), NAN, whole)
    assert refuses("softmax(scores)", {"scores": SCORES, "weights": hidden})
