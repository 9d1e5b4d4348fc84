"""How dropout is asked: no two right answers draw the same, so what holds for every draw is measured."""

import numpy as np
import torch

from .. import _
from .comparing import read
from .exercise import Case, Remark, on_tensors_or_arrays, wave

MANY = 30  # draws, of which some show the rarer side of a coin
SURE = 0.05  # shares of many drawn weights are nearer than that to what was asked


def what_dropout_did(whole, dropped, p):
    """{"share dropped", "factor"}, in round numbers: the same for every draw."""
    seen = np.abs(whole) > 1e-6
    gone = seen & (np.abs(dropped) < 1e-6)
    kept = (dropped / np.where(seen, whole, 1.0))[seen & ~gone]
    share = gone.sum() / max(seen.sum(), 1)
    share = next((near for near in (0, p, 1 - p, 1) if abs(share - near) < SURE), round(share, 1))
    middle = float(np.median(kept)) if len(kept) else 0.0
    varies = len(kept) and np.abs(kept - middle).max() > 0.02 * abs(middle)
    came = {
        "share dropped": np.array(share),
        "factor of what is kept": np.array(np.nan if varies else round(middle, 2)),
    }
    if (np.abs(dropped[~seen]) > 1e-3).any():
        came["future_in_training"] = Remark(_("There is weight where it must be 0."))
    for key, axis in (("whole_rows", -1), ("whole_columns", -2)):
        together = (gone | ~seen).all(axis) | ~gone.any(axis)
        if gone.any() and together.all():
            text = _("Whole rows, or whole columns, are dropped together; expected single weights.")
            came[key] = Remark(text)
    return came


def dropout_cases(is_class):
    """The Cases of an exercise that asks for dropout, as a function (weights, p) or a module."""

    def drawn(answer, weights, p):
        drop = answer if not is_class else answer(p).train()
        given = [weights] if is_class else [weights, p]
        before = weights.numpy().copy()
        draws = [_array(on_tensors_or_arrays(drop, given))]
        if draws[0].shape != before.shape or not p:
            return {"weights": draws[0]}
        if _is_whole(draws[0]) and _is_one_coin(drop, before, given[1:]):
            text = _("The whole matrix is dropped, or nothing; expected single weights.")
            return {"one_coin_for_all": Remark(text)}
        again = (
            _array(on_tensors_or_arrays(drop, [torch.tensor(before), *given[1:]]))
            for _i in range(3)
        )
        draws += again
        came = what_dropout_did(before, draws[0], p)
        if np.array_equal(*draws[:2]):
            came["same_draw"] = Remark(_("Two calls draw the same."))
        elif len({(draw == 0).sum() for draw in draws}) == 1 and (draws[0] != 0).any():
            came["exact_share"] = Remark(_("Every draw drops equally many weights."))
        return came

    def in_use(answer, weights, p):
        drop = answer(p).eval()
        came = {"weights": _array(drop(weights.clone()))}
        if not np.array_equal(came["weights"], _array(drop(weights.clone()))):
            text = _("In use, after eval(), two calls with the same input differ.")
            return {"chance_in_use": Remark(text)}
        first, second = (_array(drop.train()(weights.clone())) for _i in range(2))
        if p and np.array_equal(first, second):
            came["drops_no_more"] = Remark(_("After eval() and train(), nothing is dropped."))
        return came

    def gradient(answer, weights, p):
        leaf = weights.requires_grad_()
        try:
            result = answer(p).train()(leaf) if is_class else answer(leaf.clone(), p)
        except (RuntimeError, TypeError):
            return None  # written for arrays
        if not isinstance(result, torch.Tensor):
            return None
        if not result.requires_grad:
            return {"lost_gradient": Remark(_("Training could not get back through it."))}
        return {}

    many, few = wave(60, 50).abs() + 0.1, wave(3, 4).abs() + 0.1
    made = [Case(f"p = {p}", many, p, how=drawn) for p in (0.2, 0.7)]
    made += [Case("p = 0", few, 0.0, how=drawn)]
    made += [Case(_("a single row with p = 0"), few[0], 0.0, how=drawn)]
    if is_class:
        made.append(Case(_("use after eval()"), few, 0.5, how=in_use))
    return [*made, Case(_("the gradient"), few, 0.2, how=gradient)]


def _is_whole(drawn):
    """Whether all weights were dropped, or none."""
    return not drawn.any() or bool((drawn != 0).all())


def _is_one_coin(drop, weights, p):
    """Whether some draws drop everything, all others nothing, and none a part."""
    draws = [_array(on_tensors_or_arrays(drop, [torch.tensor(weights), *p])) for _i in range(MANY)]
    return all(map(_is_whole, draws)) and len({bool(draw.any()) for draw in draws}) == 2


def _array(result):
    return read(result, ("weights",))["weights"]
