"""Errors as a notebook shows them: the learner's own lines, and then our sentence.

What helpers refuses, it refuses somewhere deep inside. IPython lets a handler show an error; this one
leaves out all lines but the learner's, those of a function that helpers called among them. `%tb` in
the next cell shows everything. Errors that helpers does not raise on purpose stay as they are.
"""

import copy
import site
import sys
import sysconfig
import traceback
from pathlib import Path
from types import TracebackType

HERE = str(Path(__file__).parent)
TOLD = (TypeError, ValueError, KeyError)  # the kinds that helpers raises at a learner

_paths = sysconfig.get_paths()
LIBRARIES = tuple(  # folders of code that is not the learner's
    {str(Path(_paths[k])) for k in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {*site.getsitepackages(), site.getusersitepackages(), HERE}
)


def shorten_tracebacks():
    """From now on; nothing outside IPython, or where something else shows these errors already."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell and not shell.custom_exceptions:
        shell.set_custom_exc(TOLD, _show)


def _show(shell, kind, error, tb, tb_offset=None):
    """IPython's handler: `error` as IPython shows any other, but shortened if it is one of ours."""
    shown, short = (copy.copy(error), _learners_own(error, tb)) if _is_ours(tb) else (error, tb)
    shell.showtraceback((kind, shown, short), tb_offset=tb_offset, running_compiled_code=True)
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, tb  # what %tb shows
    sys.last_exc = error


def _is_ours(tb):
    """Whether the last line of a traceback is a `raise` in helpers."""
    (last,) = traceback.extract_tb(tb, limit=-1)
    return last.filename.startswith(HERE) and last.line.startswith("raise ")


def _learners_own(error, tb):
    """The traceback with the learner's lines alone, from the cell down to where their function failed."""
    first, *inner = _entries(tb)  # the first is IPython's, which leaves it out itself
    if error.__cause__:
        inner += _entries(error.__cause__.__traceback__)
    short = None
    for entry in reversed([first, *filter(_is_learners, inner)]):
        short = TracebackType(short, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return short


def _entries(tb):
    while tb:
        yield tb
        tb = tb.tb_next


def _is_learners(entry):
    return not entry.tb_frame.f_code.co_filename.startswith((*LIBRARIES, "<frozen", "<string>"))
