"""One check for each exercise: `checks.softmax(my_softmax)` as a cell's last line.

A check tells what is right, what is not, which known mistake it looks like, and what to try. It
returns a Result (`.passed`, `.message`), shows it, and never raises, whatever your code does.

    checks.progress()          what is done in this notebook, and what is open
    checks.progress(1).done    the same as lists of names (.done, .open), of notebook 1
    checks.progress(1).says    what each check and each prediction tried said last, by its name
"""

import linecache
import sys

from .checking import NOTEBOOKS, Result, check
from .exercises import ORDER
from .predictions import PREDICTIONS

_results = {}  # name → whether it has been right once; kept as long as the kernel runs
_said = {}  # name → the last message of its check
_right = []  # the functions and classes that a check found correct


def _note(result):
    if result.attempted and not _in_solution_cell():
        _results[result.name] = _results.get(result.name, False) or result.passed
        _said[result.name] = result.message
    return result


def _check(name, candidate):
    result = _note(check(name, candidate))
    if result.passed:
        _right.append(candidate)
    return result


def _in_solution_cell():
    """Whether the call comes from one of the notebook's own solutions: no progress of yours."""
    frame = sys._getframe()
    while frame:
        if linecache.getline(frame.f_code.co_filename, 1).startswith("# Solution"):
            return True
        frame = frame.f_back
    return False


def yours(function, otherwise):
    """Your function if a check has found it correct, `otherwise` the solution: for the pictures."""
    return function if any(function is right for right in _right) else otherwise


# ---------------------------------------------------------------- notebook 1


def scores(function=None):
    """scores(query, X): the dot product of a query (d,) with every row of X (tokens, d)."""
    return _check("scores", function)


def softmax(function=None):
    """softmax(scores): shares over the last axis, of a row, a matrix or a batch; any size of score."""
    return _check("softmax", function)


def context(function=None):
    """context(weights, X): the sum of the rows of X, each times its weight (tokens,)."""
    return _check("context", function)


def self_attention(function=None):
    """self_attention(X): (weights, context) of all tokens at once, from plain dot products."""
    return _check("self_attention", function)


# ---------------------------------------------------------------- notebook 2


def project(function=None):
    """project(x, W_query, W_key, W_value): (queries, keys, values), each W (d_in, d_out)."""
    return _check("project", function)


def scaled_weights(function=None):
    """scaled_weights(queries, keys): softmax(Q Kᵀ / √d_k), both (tokens, d_k)."""
    return _check("scaled_weights", function)


def self_attention_module(cls=None):
    """A class (d_in, d_out, qkv_bias=False) with W_query, W_key, W_value; x (tokens, d_in)."""
    return _check("self_attention_module", cls)


def copy_weights(function=None):
    """copy_weights(from_parameters, to_linear): three nn.Parameters into three nn.Linear."""
    return _check("copy_weights", function)


# ---------------------------------------------------------------- notebook 3


def causal_mask(function=None):
    """causal_mask(tokens): True and False (tokens, tokens), True = hidden."""
    return _check("causal_mask", function)


def masked_weights(function=None):
    """masked_weights(scores): causal weights of scores (..., tokens, tokens)."""
    return _check("masked_weights", function)


def causal_attention(cls=None):
    """A class (d_in, d_out, context_length, dropout, qkv_bias=False); x (batch, tokens, d_in)."""
    return _check("causal_attention", cls)


def leak_test(function=None):
    """leak_test(layer, x): True if any output of the layer moves with a later token."""
    return _check("leak_test", function)


# ---------------------------------------------------------------- notebook 4


def dropout(function=None):
    """dropout(weights, p): each weight 0 with chance p, the others scaled by 1 / (1 - p)."""
    return _check("dropout", function)


def dropout_module(cls=None):
    """A class (p), an nn.Module: dropout in training, nothing after eval()."""
    return _check("dropout_module", cls)


def causal_dropout(cls=None):
    """The class of causal_attention, with dropout on its weights in training."""
    return _check("causal_dropout", cls)


# ---------------------------------------------------------------- notebook 5


def split_heads(function=None):
    """split_heads(x, num_heads): (batch, tokens, d) to (batch, heads, tokens, head_dim)."""
    return _check("split_heads", function)


def merge_heads(function=None):
    """merge_heads(x): (batch, heads, tokens, head_dim) to (batch, tokens, d)."""
    return _check("merge_heads", function)


def multi_head(cls=None):
    """A class (d_in, d_out, context_length, dropout, num_heads, qkv_bias=False), with out_proj."""
    return _check("multi_head", cls)


def gpt2_parameters(number=None):
    """How many numbers are trained in the attention of one block of GPT-2 small?"""
    return _check("gpt2_parameters", number)


def torch_heads(function=None):
    """torch_heads(layer, x): causal (context, weights of each head) from an nn.MultiheadAttention."""
    return _check("torch_heads", function)


# ---------------------------------------------------------------- predictions and progress


def predict(name=None, *answer):
    """predict("highest score", "sun"): is the prediction right? With ... it is not made yet.

    Several numbers may come as they are, or in brackets: predict("shape", 2, 3).
    """
    answer = answer[0] if len(answer) == 1 else answer or None
    prediction = next((p for p in PREDICTIONS if p.name == name), None)
    if prediction is None:
        known = ", ".join(f'"{p.name}"' for p in PREDICTIONS)
        return Result(str(name), f"There is no prediction {name!r}. There are: {known}.")
    title = f"prediction: {name}"
    if answer is None or answer is ...:
        return Result(title, f"{title}: not attempted yet", attempted=False)
    passed, say = prediction.verdict(answer)
    verdict = "correct" if passed else "not yet"
    return _note(Result(title, f"{title}: {verdict}. {say}", passed))


class Progress:
    """How far you are in some notebooks; as a cell's last line it shows it.

    done   the names of the exercises and predictions that have been right once
    open   the names of all others, tried or not
    says   {name: what its check said last}, of those that were tried
    """

    def __init__(self, notebooks):
        self.notebooks = {
            n: [name for name in _titles() if _titles()[name] == n] for n in notebooks
        }
        names = [name for titles in self.notebooks.values() for name in titles]
        self.done = [name for name in names if _results.get(name)]
        self.open = [name for name in names if not _results.get(name)]
        self.says = {name: _said[name] for name in names if name in _results}

    def __repr__(self):
        lines = []
        for notebook, names in self.notebooks.items():
            count = sum(name in self.done for name in names)
            lines.append(f"Notebook {NOTEBOOKS[notebook][:2]}: {count} of {len(names)} done")
            lines += [f"  {_state(name):<5}  {name.replace('_', ' ')}" for name in names]
        return "\n".join(lines) or "Nothing tried yet: run a check, then ask again."


def _titles():
    """Exercise → notebook, predictions included, in the order of the notebooks."""
    found = {name: notebook for notebook, names in ORDER.items() for name in names}
    found |= {f"prediction: {p.name}": p.notebook for p in PREDICTIONS}
    return found


def _state(name):
    return {True: "done", False: "tried", None: "open"}[_results.get(name)]


def progress(notebook=None):
    """What is done and what is open: in the notebooks tried since the kernel started, or in one."""
    if notebook is not None:
        return Progress([notebook] if notebook in NOTEBOOKS else [])
    return Progress(sorted({_titles()[name] for name in _results if name in _titles()}))
