"""A plugin for pytest: after nbval has run a notebook, two questions are asked in the same kernel.

Are attempts judged as they must be? A check must give the same verdict in a test and in a learner's
notebook, where many names are defined by then. A check that looked up names wrongly once blamed
learners for what they had not done. One attempt in twelve is enough to see that; tests/exercises
judges all of them.

And does what the notebook's text claims of its runs hold (tests/notebooks/claims.py)?
"""

from pathlib import Path

import pytest

from tests.notebooks.claims import CLAIMS
from tests.tools.keep_runs import shown_by

EXERCISES = Path(__file__).resolve().parents[1] / "exercises"
JSON = "application/json"
ASK = """
import sys
sys.path.insert(0, {folder!r})
import attempts
from IPython.display import display
wrong = [claim for claim in {claims} if not eval(claim)]
wrong += attempts.judged_otherwise(attempts.judged(attempts.read("{number}")[::12], globals()))
display({{"{json}": wrong}}, raw=True)
"""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item, nextitem):
    """At the notebook's last cell, ask before its kernel stops, and report afterwards."""
    file, wrong = item.parent, []
    is_last = hasattr(item, "test_outputs") and not (nextitem and nextitem.parent is file)
    if is_last:
        number = Path(file.path).name[:2]
        told = {"folder": str(EXERCISES), "claims": CLAIMS.get(number, []), "number": number}
        wrong = shown_by(file.kernel, ASK.format(json=JSON, **told), JSON, seconds=300)
    result = yield
    assert not wrong, f"claims that are false, or attempts judged otherwise: {wrong}"
    return result
