"""A mistake is made of edits of the right answer; described_*.py describes it under its id.

    softmax(dim=-1) → softmax(dim=0)        one way to make it, with one edit
    or softmax(dim=-1) → softmax(dim=-2)    another way, with two edits
    scores = keys → scores = queries

A line with an arrow is an edit, `old → new`, where `old` occurs exactly once in the source of the
right answer. A line that begins with "or" starts another way to make the same mistake; all edits
of one way are made together. If nothing follows the arrow, `old` is deleted, and so is its line
if it becomes empty. A line without an arrow continues the `new` above it, and is indented like
the edited line. A long edit is broken before its arrow. If there are several right answers, the
first one that all edits fit is edited.
"""

import functools
import importlib
import inspect
import itertools
import linecache
import re
import sys
import textwrap
from difflib import SequenceMatcher
from pathlib import Path

import torch

FILES = sorted(path.stem for path in Path(__file__).parent.glob("described_*.py"))
PARTS = [importlib.import_module(f".{name}", __package__).DESCRIPTIONS for name in FILES]
DESCRIPTIONS = {key: text for part in PARTS for key, text in part.items()}
SECTIONS = {  # (notebook, heading of a section) → the mistakes that are explained there
    ("01_hello_shiny_sun", "The overflow"): "no_maximum one_maximum",
    ("01_hello_shiny_sun", "Why the exponential?"): "no_exp",
    ("02_trainable_qkv", "Why divide by √d_k?"): "no_scale by_d_k by_d_in by_tokens times_root"
    " by_fixed_number power_first",
    ("03_causal_mask", "Hide the future"): "diagonal_0 diagonal_2 tril_for_triu past_hidden",
    ("03_causal_mask", "Mask before the softmax"): "no_mask scores_times_0 mask_after_softmax",
    ("03_causal_mask", "The layer"): "over_batch batch_turned mask_not_cut plain_tensor"
    " buffer_assigned across_the_batch",
    ("03_causal_mask", "Further: PyTorch has two kinds of mask · 3 min"): "mask_added",
    ("04_dropout", "Why divide by 1 − p"): "not_scaled_up wrong_factor no_brackets renormalised",
    ("04_dropout", "Training and use"): "never_drops drops_in_use",
    ("04_dropout", "After the softmax, not before"): "not_on_weights",
    ("05_multi_head", "The way back"): "not_transposed_back not_contiguous",
    ("05_multi_head", "out_proj: where heads meet"): "no_out_proj out_proj_of_d_in"
    " out_proj_without_bias",
}
SECTION_OF = {key: section for section, keys in SECTIONS.items() for key in keys.split()}
NUMBERS = itertools.count()  # gives each compiled mistake a file name of its own


class Mistake:
    """A mistake in one exercise: its words, and its ways as code, made when asked for."""

    def __init__(self, key, text, forms):
        """text: the ways to make it; forms: the right answers, as functions or classes."""
        self.id, self.forms, self.edits = key, forms, edits(text)
        self.name, self.shows, self.hint, _english = DESCRIPTIONS[key]

    line = property(lambda self: self._lines[0], doc="the lines that make it, the first way")
    corrected = property(lambda self: self._lines[1], doc="the correct lines instead")

    @functools.cached_property
    def ways(self):
        return [compiled(*edited(self.forms, way)) for way in self.edits]

    @functools.cached_property
    def _lines(self):
        form, wrong = edited(self.forms, self.edits[0])
        return changed_lines(source_of(form), wrong)


class General:
    """A mistake in any exercise: something that is done to what comes back, or to what was given."""

    def __init__(self, key, ways):
        self.id, self.ways = key, ways
        self.name, self.shows, self.hint, _english = DESCRIPTIONS[key]


def _of_numbers(change):
    """The same change, of floats alone: in a mask too much is alike by chance."""
    return lambda t: change(t) if t.ndim and t.is_floating_point() else t


def _swapped(i, j):
    return _of_numbers(lambda t: t.transpose(i, j) if t.ndim > max(i, j, -i - 1) else t)


GENERAL = {  # id → wrong changes of a right result
    "lost_gradient": [torch.Tensor.detach],
    "squeezed": [lambda t: t.squeeze(0), torch.Tensor.squeeze],
    "axes_swapped": [_swapped(-1, -2), _swapped(0, 1), _swapped(1, 2)],
    "first_alone": [_of_numbers(lambda t: t[0]), _of_numbers(lambda t: t[:1])],
    "last_round_only": [_of_numbers(lambda t: t[-1]), _of_numbers(lambda t: t[-1:])],
    "softmax_too_many": [_of_numbers(lambda t: t.softmax(-1))],
}


def general(right, count, floats=True):
    """{id: General} of what can go wrong in the exercise with this right answer and so many results.

    floats: whether these are tensors of floats; else only an axis may be missing.
    """
    # The results that are changed: all of them, or only one.
    some = [range(count), *([i] for i in range(count) if count > 1)]
    ways = {
        key: [
            _with(right, functools.partial(_on_parts, change, at)) for at in some for change in made
        ]
        for key, made in GENERAL.items()
        if floats or key == "squeezed"
    }
    orders = [order for order in itertools.permutations(range(count)) if order != (*range(count),)]
    ways["results_swapped"] = [
        _with(right, functools.partial(_reordered, order)) for order in orders
    ]
    ways["in_place"] = [_with(right, list, spoils=way) for way in (_spoil, _write_into)]
    return {key: General(key, made) for key, made in ways.items()}


def _on_parts(change, at, parts):
    return [
        change(part) if i in at and isinstance(part, torch.Tensor) else part
        for i, part in enumerate(parts)
    ]


def _reordered(order, parts):
    return [parts[i] for i in order]


def _with(right, change, spoils=None):
    """The right answer with a change in the list of its results, or one that spoils what it is given."""

    def forward(*given, **named):
        result = (right.forward if isinstance(right, type) else right)(*given, **named)
        several = isinstance(result, tuple)
        made = change(list(result) if several else [result])
        for value in given if spoils else ():
            spoils(value, made[0])
        return tuple(made) if several else made[0]

    if not isinstance(right, type):
        return forward
    return type(right.__name__, (right,), {"forward": forward} if hasattr(right, "forward") else {})


def _spoil(value, _result):
    """Change an argument, unless it is to be trained: then backward would notice."""
    if isinstance(value, torch.nn.Module):
        value.spoiled = True
    elif isinstance(value, list):
        value.append(0)
    elif isinstance(value, torch.Tensor) and not value.requires_grad:
        value.copy_(value == 0)  # changes every number


def _write_into(value, result):
    """Write the result into an argument, which stays as it is if nothing was to be done to it."""
    fits = isinstance(value, torch.Tensor) and getattr(result, "shape", None) == value.shape
    if fits and not value.requires_grad:
        value.copy_(result)


@functools.cache
def source_of(code):
    """How a function or class is written, without its decorator and blank lines."""
    lines = textwrap.dedent(inspect.getsource(code)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(("def ", "class ")))
    return _no_blanks("\n".join(lines[start:]))


def _no_blanks(source):
    return "\n".join(line for line in source.splitlines() if line.strip())


def edits(text):
    """[{old: new} of one way] of all ways that a text holds."""
    ways = []
    for line in re.sub(r"\n\s*→", " →", inspect.cleandoc(text)).split("\n"):
        if not ways or line.startswith("or "):
            ways.append({})
            line = line.removeprefix("or ")
        if "→" in line:
            old, new = map(str.strip, line.split("→"))
            ways[-1][old] = new
        else:
            ways[-1][old] += f"\n{line}"
    return ways


def edited(forms, way):
    """(form, its source with the edits {old: new}): of the first form that all of them fit.

    Raises ValueError if there is none.
    """
    form = next((f for f in forms if all(source_of(f).count(old) == 1 for old in way)), None)
    if form is None:
        raise ValueError(f"these edits do not fit {forms[0].__name__} exactly once: {way}")
    source = source_of(form)
    # From the end, so that an edit does not move what is still to be edited.
    for old in sorted(way, key=source.index, reverse=True):
        before, after = source[: source.index(old)], source[source.index(old) + len(old) :]
        line = before.rpartition("\n")[2]
        indent = line[: len(line) - len(line.lstrip())]
        source = before + way[old].replace("\n", f"\n{indent}") + after
    return form, _no_blanks(source)


def compiled(form, source):
    """The function or class that the source defines, in the module of its right form."""
    space = dict(vars(sys.modules[form.__module__]))
    file, lines = f"<{form.__name__} {next(NUMBERS)}>", source.splitlines(True)
    linecache.cache[file] = (len(source), None, lines, file)  # so that tracebacks show the source
    exec(compile(source, file, "exec"), space)
    return space[form.__name__]


def changed_lines(right, wrong):
    """(the lines of `wrong` that are not in `right`, the lines there instead)."""
    before, after = ([x.strip() for x in text.splitlines()] for text in (right, wrong))
    made, corrected = [], []
    for what, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what != "equal":
            made += after[k:m]
            corrected += before[i:j] or [f"# leave out: {line}" for line in after[k:m]]
    return "\n".join(made), "\n".join(corrected)
