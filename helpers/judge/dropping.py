"""How dropout is asked: no two right answers draw the same, so what holds for every draw is measured."""

import numpy as np

from .. import _
from .comparing import Remark, read
from .exercise import Case, fresh, gradients, on_tensors_or_arrays, wave

DRAWS, DRAWS_OF_A_COIN = 4, 30  # with one coin for all weights, some of 30 show the rarer side


def what_dropout_did(whole, draw, p):
    """{"share dropped", "factor of what is kept"}, in round numbers; and remarks on the draws.

    whole  the weights (..., queries, keys) before
    draw   a function that gives them after dropout, another draw each time
    """
    seen = np.abs(whole) > 1e-6
    draws = [draw() for _i in range(DRAWS)]
    shares = [_gone(seen, dropped).sum() / max(seen.sum(), 1) for dropped in draws]
    if {*shares} <= {0, 1}:
        more = [_gone(seen, draw()).sum() / max(seen.sum(), 1) for _i in range(DRAWS_OF_A_COIN)]
        if {*shares, *more} == {0, 1}:
            text = _("The whole matrix is dropped, or nothing; expected single weights.")
            return {"one_coin_for_all": Remark(text)}
    gone = _gone(seen, draws[0])
    kept = (draws[0] / np.where(seen, whole, 1.0))[seen & ~gone]
    middle = np.median(kept) if len(kept) else 0.0
    varies = len(kept) and np.abs(kept - middle).max() > 0.02 * abs(middle)
    near = [share for share in (0, p, 1 - p, 1) if abs(shares[0] - share) < 0.05]
    came = {
        "share dropped": np.array((near or [round(shares[0], 1)])[0]),
        "factor of what is kept": np.array(np.nan if varies else round(middle, 2)),
    }
    lines = [(gone | ~seen).all(axis) | ~gone.any(axis) for axis in (-1, -2)]  # all gone, or none
    if gone.any() and any(together.all() for together in lines):
        text = _("Whole rows, or whole columns, are dropped together; expected single weights.")
        came["whole_lines"] = Remark(text)
    if np.array_equal(*draws[:2]):
        came["same_draw"] = Remark(_("Two calls draw the same."))
    elif len({*shares}) == 1 and shares[0] < 1:
        came["exact_share"] = Remark(_("Every draw drops equally many weights."))
    return came


def _gone(seen, dropped):
    return seen & (np.abs(dropped) < 1e-6)


def what_eval_did(module, x, name):
    """{name: what comes out after eval()}, unless that is chance; and whether it drops again after."""

    def twice():
        return [read(module(x.clone()), (name,))[name] for _i in range(2)]

    module.eval()
    in_use, again = twice()
    if not np.allclose(in_use, again, equal_nan=True):
        text = _("In use, after eval(), two calls with the same input differ.")
        return {"chance_in_use": Remark(text)}
    came = {name: in_use}
    module.train()
    if np.array_equal(*twice()):
        came["drops_no_more"] = Remark(_("After eval() and train(), nothing is dropped."))
    return came


def dropout_cases(is_class):
    """The Cases of an exercise that asks for dropout, as a function (weights, p) or a module."""

    def asked(answer, weights, p):
        """(function or module, its arguments)."""
        return (answer(p).train(), [weights]) if is_class else (answer, [weights, p])

    def drawn(answer, weights, p):
        drop, given = asked(answer, weights, p)
        whole = weights.numpy().copy()
        first = read(on_tensors_or_arrays(drop, given), ("weights",))  # what it changes, is seen

        def draw():
            result = on_tensors_or_arrays(drop, fresh(given))
            return read(result, ("weights",))["weights"]

        if p == 0 or first["weights"].shape != whole.shape:
            return first
        return what_dropout_did(whole, draw, p)

    def in_use(answer, weights, p):
        return what_eval_did(answer(p), weights, "weights")

    def gradient(answer, weights, p):
        drop, given = asked(answer, weights.requires_grad_(), p)
        came = gradients(drop, fresh(given), {"weights": weights})
        # Its numbers hang on the draw: that there is one is all that can be asked.
        return came and {key: value for key, value in came.items() if isinstance(value, Remark)}

    many, few = wave(60, 50).abs() + 0.1, wave(3, 4).abs() + 0.1
    made = [Case(f"p = {p}", many, p, how=drawn) for p in (0.2, 0.7)]
    made += [Case("p = 0", few, 0.0, how=drawn)]
    made += [Case(_("a single row with p = 0"), few[0], 0.0, how=drawn)]
    if is_class:
        made.append(Case(_("use after eval()"), few, 0.5, how=in_use))
    return [*made, Case(_("the gradient"), few, 0.2, how=gradient)]
