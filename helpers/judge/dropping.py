"""How dropout is asked: no two right answers draw the same, so what holds for every draw is measured."""

import numpy as np

from .. import _
from .comparing import read
from .exercise import Case, Remark, fresh, gradients, on_tensors_or_arrays, wave

DRAWS = 4  # do they differ? Are equally many weights dropped each time?
DRAWS_OF_A_COIN = 30  # of which some show the rarer side
SURE = 0.05  # shares of many drawn weights are nearer than that to what was asked


def what_dropout_did(whole, draws, p):
    """{"share dropped", "factor"}, in round numbers: the same for every draw; and remarks.

    whole  the weights (..., tokens, tokens) before; draws: a list of what came of them
    """
    dropped = draws[0]
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
    lines = [(gone | ~seen).all(axis) | ~gone.any(axis) for axis in (-1, -2)]  # all gone, or none
    if gone.any() and any(together.all() for together in lines):
        text = _("Whole rows, or whole columns, are dropped together; expected single weights.")
        came["whole_lines"] = Remark(text)
    if np.array_equal(*draws[:2]):
        came["same_draw"] = Remark(_("Two calls draw the same."))
    elif len({(draw == 0).sum() for draw in draws}) == 1 and dropped.any():
        came["exact_share"] = Remark(_("Every draw drops equally many weights."))
    return came


def what_eval_did(module, x, name):
    """{name: what comes out after eval()}, unless that is chance; and whether it drops again after."""

    def twice():
        return [read(module(x.clone()), (name,))[name] for _i in range(2)]

    module.eval()
    first, second = twice()
    if not np.allclose(first, second, equal_nan=True):
        text = _("In use, after eval(), two calls with the same input differ.")
        return {"chance_in_use": Remark(text)}
    came = {name: first}
    module.train()
    if np.array_equal(*twice()):
        came["drops_no_more"] = Remark(_("After eval() and train(), nothing is dropped."))
    return came


def dropout_cases(is_class):
    """The Cases of an exercise that asks for dropout, as a function (weights, p) or a module."""

    def drawn(answer, weights, p):
        drop = answer(p).train() if is_class else answer
        given = [weights] if is_class else [weights, p]
        before = weights.numpy().copy()

        def draw():
            result = on_tensors_or_arrays(drop, fresh(given))
            return read(result, ("weights",))["weights"]

        weights_now = read(on_tensors_or_arrays(drop, given), ("weights",))["weights"]
        if weights_now.shape != before.shape or not p:
            return {"weights": weights_now}
        if _is_whole(weights_now) and _is_one_coin([draw() for _i in range(DRAWS_OF_A_COIN)]):
            text = _("The whole matrix is dropped, or nothing; expected single weights.")
            return {"one_coin_for_all": Remark(text)}
        return what_dropout_did(before, [weights_now, *(draw() for _i in range(DRAWS - 1))], p)

    def in_use(answer, weights, p):
        return what_eval_did(answer(p), weights, "weights")

    def gradient(answer, weights, p):
        leaf = weights.requires_grad_()
        drop, given = (answer(p).train(), [leaf]) if is_class else (answer, [leaf, p])
        came = gradients(drop, fresh(given), {"weights": leaf})
        # Its numbers hang on the draw: that there is one is all that can be asked.
        return came and {key: value for key, value in came.items() if isinstance(value, Remark)}

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


def _is_one_coin(draws):
    """Whether some draws drop everything, all others nothing, and none a part."""
    return all(map(_is_whole, draws)) and len({bool(draw.any()) for draw in draws}) == 2
