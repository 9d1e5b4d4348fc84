"""Every position of an Explorer's sliders, computed and checked.

NumPy takes about as long over one small matrix as over a hundred, and an Explorer checks each result in
a dozen ways: so results are collected, and checked many at a time.
"""

import numpy as np

from .sums import holds

MOST = 256  # results that are checked together …
MOST_NUMBERS = 200_000  # … unless they are large


class Sweep:
    """The frames of `count` positions, each checked as Computation.frame checks it.

    One result is checked by itself, then two together, then four: where compute takes its time, a
    mistake is told before many more positions have been tried.
    """

    def __init__(self, computation, count):
        self._computation = computation
        self._frames = np.empty((count, computation.size), np.float32)
        self._done = 0
        most = min(MOST, max(1, MOST_NUMBERS // computation.size))
        self._batch, self._room, self._most = Batch(computation, most), 1, most

    def add(self, values):
        """Compute at these values. Raises as Computation.frame does, for these or earlier values."""
        error = self._error_of(values)
        if error or len(self._batch.values) == self._room:
            self._check()
        if error:
            raise error

    def frames(self):
        """float32, (positions, numbers in a frame)."""
        self._check()
        return self._frames

    def _error_of(self, values):
        try:
            result = self._computation.result(values)
            if not self._batch.take(values, *result):
                self._computation.checked(values, *result)  # says what does not fit
        except (TypeError, ValueError) as error:
            return error
        return None

    def _check(self):
        """Frames of what was collected; the first result that may be wrong is checked alone."""
        if not self._batch.values:
            return
        end = self._done + len(self._batch.values)
        self._frames[self._done : end], passed = self._batch.frames()
        for k in np.flatnonzero(~passed):
            self._frames[self._done + k] = self._computation.checked(*self._batch.result(k))
        self._batch.values.clear()
        self._done, self._room = end, min(2 * self._room, self._most)


class Batch:
    """Results of the same names and sizes, stacked: matrices are (results, heads or 1, rows, columns)."""

    def __init__(self, computation, room):
        self._computation = computation
        panels = computation.panels
        self._shapes = {p.name: p.shape for p in panels}
        self._matrices = {p.name: np.empty((room, *_with_heads(p.shape))) for p in panels}
        self._numbers = {name: np.empty((room, 1, 1, 1)) for name in computation.numbers}
        operands = computation.operands.items()
        self._operands = {n: a.reshape(1, *_with_heads(a.shape)) for n, a in operands}
        self._seen = {p.shape[-2:] for p in panels if p.role != "vectors"}  # what a mask must fit
        self._may_hide = computation.masked is not None and len(self._seen) == 1
        self._hidden = np.zeros((room, 1, *min(self._seen)), bool) if self._may_hide else None
        self.values = []  # one dict for each result

    def take(self, values, matrices, numbers, hidden):
        """Keep a result, if it has the names and sizes of the others: whether it has."""
        if {name: a.shape for name, a in matrices.items()} != self._shapes:
            return False
        if numbers.keys() != self._numbers.keys():
            return False
        if hidden is not None and self._seen - {hidden.shape}:
            return False
        k = len(self.values)
        if self._may_hide:
            self._hidden[k] = False if hidden is None else hidden
        for stacks, one in ((self._matrices, matrices), (self._numbers, numbers)):
            for name, stack in stacks.items():
                stack[k] = one[name]
        self.values.append(values)
        return True

    def result(self, k):
        """(values, matrices, numbers, hidden) of one result, as they were taken."""
        matrices = {name: self._matrices[name][k].reshape(s) for name, s in self._shapes.items()}
        numbers = {name: float(stack[k, 0, 0, 0]) for name, stack in self._numbers.items()}
        return self.values[k], matrices, numbers, self._hidden[k, 0] if self._may_hide else None

    def frames(self):
        """(float32, a row for each result; whether each passes every check)."""
        first = slice(len(self.values))
        hidden = self._hidden[first] if self._may_hide else None
        parts, shown = [], {}
        passed = np.ones(len(self.values), bool)
        with np.errstate(over="ignore"):  # what is too large becomes ∞, and does not pass
            for p in self._computation.panels:
                matrix = self._matrices[p.name][first]
                hides = self._may_hide and p.role != "vectors"
                shown[p.name] = np.where(hidden, np.nan, matrix) if hides else matrix
                parts.append(shown[p.name].astype(np.float32))
                finite = np.isfinite(parts[-1])
                passed &= _all(finite | hidden if hides else finite)
            for stack in self._numbers.values():
                parts.append(stack[first].astype(np.float32))
                passed &= _all(np.isfinite(parts[-1]))
        shown |= self._operands
        for name, claim in self._computation.claims.items():
            passed &= _all(holds(name, claim, shown, self._scalars(claim)))
        return np.concatenate([part.reshape(len(passed), -1) for part in parts], axis=1), passed

    def _scalars(self, claim):
        """The numbers that a claim names, for each result: from compute, or else from a control."""
        first = slice(len(self.values))
        found = {}
        for name in {claim["divisor"]} | ({claim["b"]} - {*self._matrices, *self._operands}):
            if name in self._numbers:
                found[name] = self._numbers[name][first]
            elif name in self.values[0]:
                found[name] = np.reshape([float(v[name]) for v in self.values], (-1, 1, 1, 1))
        return found


def _with_heads(shape):
    return shape if len(shape) == 3 else (1, *shape)


def _all(cells):
    return cells.all(axis=(1, 2, 3))
