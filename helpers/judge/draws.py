"""Dropout, whose numbers are drawn: no two right answers draw the same, so what holds for every draw
is noted and compared."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from .exercise import Exercise, wave
from .lines import Line
from .outcomes import Outcome
from .running import Trouble, asks_a_method

SHARES = (0.2, 0.7)  # not 0.5, where kept and dropped could be mixed up
DRAWS = 4  # of one function or module: not two of them drop equally many of so many weights

UNITS = {"whole_rows", "whole_columns", "whole_matrix"}


def note_dropout(outcome, weights, dropped, p):
    """Note in round numbers what became of the weights: the same for every draw."""
    seen = weights.abs() > 1e-6
    gone = seen & (dropped.abs() < 1e-6)
    kept = (dropped / torch.where(seen, weights, 1.0))[seen & ~gone]
    share = gone.sum().item() / seen.sum().item()
    share = next((near for near in (0, p, 1 - p, 1) if abs(share - near) < 0.05), round(share, 1))
    outcome.note("share_dropped", round(share, 2))
    if kept.isnan().any():
        outcome.note("factor", "nan")
    elif len(kept) and (kept - kept.median()).abs().max() > 0.02 * kept.median().abs():
        sums = dropped.sum(-1)
        even = torch.allclose(sums, torch.ones_like(sums), atol=1e-3)
        outcome.note("factor", Line("varying_of_sum_1" if even else "varying"))
    else:
        outcome.note("factor", round(kept.median().item(), 2) if len(kept) else 0)


def note_mode(outcome, candidate):
    """Note it where the mode is wrong, and a method is taken for it: `if self.train:`."""
    if isinstance(candidate, type) and asks_a_method(candidate):
        outcome.note("mode_is_method")


def note_no_more(outcome, module, x, calls):
    """Note it where a module drops in training, but no more once it has been in use; then eval()."""
    differ = []
    for mode in (True, False, True):
        module.train(mode)
        one, other = (calls(module, x.clone(), seed=seed)[0] for seed in (0, 1))
        tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
        differ.append(tensors and not torch.equal(one, other))
    if differ[0] and not differ[2]:
        outcome.note("drops_no_more")
    module.eval()


@dataclass(eq=False, kw_only=True)
class DropoutExercise(Exercise):
    """Ask for dropout, as a function of (weights, p) or as a module made with p."""

    def observe(self, candidate, calls):
        """An Outcome for each share, for p = 0, for a single row, and one for the gradient."""
        weights = wave(60, 50).abs() + 0.1
        seen = []
        for p in SHARES:
            seen.append(self._drawn(candidate, weights, p, calls))
            if seen[0].trouble:
                return seen
        seen.append(self._unchanged("p = 0", candidate, weights[:3, :4], 0.0, calls))
        seen.append(self._unchanged(Line("a_row"), candidate, weights[0, :4], 0.0, calls))
        if self.asks_for == "class":
            says = Line("after_eval")
            use = self._unchanged(says, candidate, weights[:3, :4], 0.5, calls, "eval")
            seen.append(use)
        seen.append(self._gradient(candidate, weights, calls))
        return seen

    def _made(self, candidate, p, calls, mode="train"):
        """(what is called with weights, trouble): the function with its p, or a module."""
        if self.asks_for == "function":
            return lambda weights: candidate(weights, p), None
        module, trouble = calls(candidate, p)
        if not trouble and not isinstance(module, nn.Module):
            trouble = Trouble("result", Line("no_module"))
        if trouble:
            return None, trouble
        getattr(module, mode)()
        return module, None

    def _drawn(self, candidate, weights, p, calls):
        outcome = Outcome(f"p = {p}", f"weights {tuple(weights.shape)}, p={p}")
        drop, outcome.trouble = self._made(candidate, p, calls)
        drawn = []
        for seed in range(DRAWS) if drop else ():
            given = weights.clone()
            result, outcome.trouble = calls(drop, given, seed=seed)
            if not torch.equal(given, weights):
                outcome.note("in_place", ["weights"])
            if outcome.trouble or outcome.read(result, ("weights",)).trouble:
                return outcome
            drawn.append(outcome.values.pop("weights"))
        if outcome.trouble:
            return outcome
        if drawn[0].ndim == 2:
            outcome.shown = {"weights": drawn[0][:5, :5]}
        if all(map(_is_whole, drawn)) and self._one_coin(drop, weights, calls, drawn):
            outcome.note("whole_matrix")
            return outcome
        if drawn[0].shape != tuple(weights.shape):
            outcome.note("shape", drawn[0].shape)
            return outcome
        dropped = torch.tensor(drawn[0])
        note_dropout(outcome, weights.double(), dropped, p)
        _note_unit(outcome, dropped == 0)
        if np.array_equal(*drawn[:2]):
            outcome.note("same_draw")
        elif not UNITS & outcome.notes.keys() and _always_as_many(drawn):
            outcome.note("exact_share")
        if outcome.notes["share_dropped"] == 0:
            note_mode(outcome, candidate)
        return outcome

    def _one_coin(self, drop, weights, calls, first):
        """Whether some draws drop everything, all others nothing, and none a part."""
        drawn = [calls(drop, weights.clone(), seed=seed)[0] for seed in range(DRAWS, 32)]
        read = [Outcome("").read(result, ("weights",)).values.get("weights") for result in drawn]
        read += first
        if any(array is None or not _is_whole(array) for array in read):
            return False
        return len({bool(array.any()) for array in read}) == 2

    def _unchanged(self, says, candidate, weights, p, calls, mode="train"):
        """Nothing is dropped here: the weights come back as they went in."""
        outcome = Outcome(says, f"weights {tuple(weights.shape)}, p={p}")
        drop, outcome.trouble = self._made(candidate, p, calls, mode)
        if outcome.trouble:
            return outcome
        if mode == "eval":
            note_no_more(outcome, drop, weights, calls)
        results = [calls(drop, weights.clone(), seed=seed) for seed in (0, 1)]
        outcome.trouble = results[0][1] or results[1][1]
        if outcome.trouble or outcome.read(results[0][0], ("weights",)).trouble:
            return outcome
        again = Outcome("").read(results[1][0], ("weights",))
        if not again.trouble and not outcome.agrees(again):
            outcome.note("chance_in_use")
            outcome.values = {}
            note_mode(outcome, candidate)
        return outcome

    def _gradient(self, candidate, weights, calls):
        outcome = Outcome(Line("the_gradient"), of_gradient=True)
        leaf = weights.clone().requires_grad_()
        drop, trouble = self._made(candidate, 0.2, calls)
        result, trouble = calls(drop, leaf.clone()) if drop else (None, trouble)
        if trouble and "numpy" not in str(trouble.text).lower():
            outcome.trouble = trouble
        elif isinstance(result, torch.Tensor) and not result.requires_grad:
            outcome.note("lost_gradient")
        outcome.skipped = bool(trouble) and not outcome.trouble
        return outcome


def _is_whole(drawn):
    """Whether all weights were dropped, or none."""
    return not drawn.any() or (drawn != 0).all()


def _always_as_many(drawn):
    """Whether every draw drops equally many weights: by chance once in 100,000 checks."""
    return drawn[0].all() == 0 and len({(draw == 0).sum() for draw in drawn}) == 1


def _note_unit(outcome, gone):
    """Note it where a draw decides on more than single weights."""
    if gone.all() or not gone.any():
        return  # nothing to see: other notes say so
    by_row = (gone.all(-1) | (~gone).all(-1)).all()
    by_column = (gone.all(-2) | (~gone).all(-2)).all()
    if by_row and by_column:
        outcome.note("whole_matrix")
    elif by_row:
        outcome.note("whole_rows")
    elif by_column:
        outcome.note("whole_columns")
