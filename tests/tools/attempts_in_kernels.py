"""A plugin for pytest: after nbval has run a notebook, attempts are judged in the same kernel.

A check must give the same verdict in a test and in a learner's notebook, where many names are
defined by then. A check that looked up names wrongly once blamed learners for what they had not
done. One attempt in twelve is enough to see that; tests/exercises judges all of them.
"""

from pathlib import Path

import pytest

from tests.tools.keep_runs import shown_by

ATTEMPTS = Path(__file__).resolve().parents[1] / "exercises"
JSON = "application/json"
ASK = """
import sys
sys.path.insert(0, {folder!r})
import attempts
from IPython.display import display
display({{"{json}": attempts.judged_otherwise(attempts.read("{number}")[::12], globals())}}, raw=True)
"""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item, nextitem):
    """At the notebook's last cell, judge before its kernel stops, and report afterwards."""
    file, wrong = item.parent, []
    is_last = hasattr(item, "test_outputs") and not (nextitem and nextitem.parent is file)
    number = Path(file.path).name[:2]
    if is_last and (ATTEMPTS / "attempts" / f"{number}.txt").exists():
        code = ASK.format(folder=str(ATTEMPTS), json=JSON, number=number)
        wrong = shown_by(file.kernel, code, JSON, seconds=300)
    result = yield
    assert not wrong, f"{len(wrong)} attempts are judged otherwise in the notebook: {wrong}"
    return result
