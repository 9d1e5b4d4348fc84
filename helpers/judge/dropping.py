"""Tests dropout by what holds for every draw, because no two right answers draw alike."""

import numpy as np

from .. import _
from .comparing import Remark, read
from .exercise import Case, fresh, gradients, on_tensors_or_arrays, wave
from .running import WrongKind

# 30 samples are enough that an answer which drops all weights or none, with one draw for the
# whole matrix, shows its rarer outcome at least once.
DRAWS = 30


def what_dropout_did(whole, draw, p):
    """{what: number} of properties that every draw shares, in every right answer.

    whole  the weights (..., queries, keys) before dropout
    draw   a function that returns them after dropout, with a new draw each time
    """
    seen, draws = np.abs(whole) > 1e-6, [draw() for _i in range(DRAWS)]
    if lost := int((~np.isfinite(draws[0])).sum()):  # of these, nothing can be measured
        text = _("With dropout, {count} of {size} weights are not finite.")
        return {"not finite": Remark(text.format(count=lost, size=draws[0].size))}
    gone = [seen & (np.abs(dropped) < 1e-6) for dropped in draws]
    shares = [lost.sum() / seen.sum() for lost in gone]
    if {*shares} == {0, 1}:
        text = _("The whole matrix is dropped, or nothing; expected a draw for each weight.")
        return {"one_coin_for_all": Remark(text)}
    mean = np.mean(shares)
    share = mean if round(mean, 1) in (0, 1) else round(mean, 1)  # 0 is said only of exactly 0
    kept = (draws[0] / np.where(seen, whole, 1.0))[seen & ~gone[0]]
    factor = np.median(kept) if len(kept) else 0.0
    varies = np.abs(kept - factor).max(initial=0) > 0.02 * abs(factor)
    # Weights are dropped together along an axis if each line along it is dropped or kept whole.
    lines = [(gone[0] | ~seen).all(axis) | ~gone[0].any(axis) for axis in (-1, -2)]
    differ = len({dropped.tobytes() for dropped in draws})
    likely = np.array([p, 1 - p])  # one draw alone may lie further off than many
    near = likely[abs(mean - likely) < (0.025 if differ > 1 else 0.075)]
    came = {
        _("share of weights dropped"): near[0] if len(near) else share,
        _("factor of the weights that are kept"): np.nan if varies else round(factor, 2),
        _("number of axes along which weights go together"): sum(map(np.all, lines))
        * gone[0].any(),
        _("number of different draws"): min(differ, 2),
        _("number of different shares in many draws"): min(len({*shares}), 2),
    }
    if varies or abs(factor - 1 / (1 - p)) > 0.02:  # measure more, to tell mistakes apart
        one = [np.concatenate([d.sum(axis).ravel() for d in draws]) for axis in (-1, None)]
        alike = [round(s[0], 3) if np.ptp(s) < 1e-3 * abs(s[0]) else np.nan for s in one]
        came[_("sum of a row")], came[_("sum of all")] = alike
        came[_("smallest of all")] = round(float(min(d.min() for d in draws)), 2)
        came[_("largest of all")] = round(float(max(d.max() for d in draws)), 1)
    return {what: np.array(number) for what, number in came.items()}


def what_eval_did(module, x, name):
    """{name: the output after eval()}; a remark if it is random, or train() has no effect."""

    def twice():
        return [read(module(x.clone()), (name,))[name] for _i in range(2)]

    module.eval()
    in_use, again = twice()
    if not np.allclose(in_use, again, equal_nan=True):
        text = _("After eval(), two calls with the same input differ.")
        return {"probability_in_use": Remark(text)}
    came = {name: in_use}
    module.train()
    if np.array_equal(*twice()):
        text = _("After eval(), and then train() again, nothing is dropped.")
        came["drops_no_more"] = Remark(text)
    return came


def dropout_cases(is_class):
    """The Cases of an exercise on dropout, written as a function (weights, p) or a module."""

    def asked(answer, weights, p):
        """(the function or module, its arguments)"""
        return (answer(p).train(), [weights]) if is_class else (answer, [weights, p])

    def drawn(answer, weights, p):
        (drop, given), whole = asked(answer, weights, p), weights.numpy().copy()

        def draw(given):
            return read(on_tensors_or_arrays(drop, given), ("weights",))["weights"]

        kept, first = fresh(given), draw(given)  # on the originals, so that changes show
        if p == 0:
            return {"weights": first}
        if first.shape != whole.shape:
            shapes = {"shape": first.shape, "wanted": whole.shape}
            raise WrongKind(_("weights has shape {shape}; expected {wanted}.", **shapes))
        return what_dropout_did(whole, lambda: draw(fresh(kept)), p)

    def in_use(answer, weights, p):
        return what_eval_did(answer(p), weights, "weights")

    def gradient(answer, weights, p):
        drop, given = asked(answer, weights.requires_grad_(), p)
        came = gradients(drop, fresh(given), {"weights": weights})
        # Its numbers depend on the draw, so only its existence can be tested.
        return came and {key: value for key, value in came.items() if isinstance(value, Remark)}

    many, few = (0.1 + 0.8 * wave(*shape).abs() for shape in ((20, 15), (3, 4)))
    made = [Case(f"p = {p}", many, p, how=drawn) for p in (0.2, 0.75)]
    made += [Case("p = 0", few, 0.0, how=drawn)]
    made += [Case(_("a single row with p = 0"), few[0], 0.0, how=drawn)]
    if is_class:
        made.append(Case(_("use after eval()"), few, 0.2, how=in_use))
    made.append(Case(_("the gradient"), few, 0.2, how=gradient))
    for case in made:
        case.names = ("weights", "p")
    return made
