"""A plugin of pytest: where nbval has run a notebook, its attempts are judged in that very kernel.

A check must say the same whether it is called in a test or in the notebook of a learner, who has
defined many names by then. One that read names wrongly once accused learners of what they had not done.
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
display({{"{json}": attempts.judged_otherwise(attempts.read("{number}"), globals())}}, raw=True)
"""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item, nextitem):
    """At a notebook's last cell: asked before its kernel stops, told after that."""
    file, wrong = item.parent, []
    is_last = hasattr(item, "test_outputs") and not (nextitem and nextitem.parent is file)
    number = Path(file.path).name[:2]
    if is_last and (ATTEMPTS / "attempts" / f"{number}.txt").exists():
        code = ASK.format(folder=str(ATTEMPTS), json=JSON, number=number)
        wrong = shown_by(file.kernel, code, JSON, seconds=300)
    result = yield
    assert not wrong, f"{len(wrong)} attempts are judged otherwise in the notebook: {wrong}"
    return result
