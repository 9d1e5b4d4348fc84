"""The Lines of a verdict: what is right, what is not, how it shows, what to try."""

from .advice import advice
from .lines import Line
from .outcomes import alike, difference

SHOWN = 4  # inputs named in a line
# Notes that may explain an error.
CAUSES = ("shapes", "linear_turned", "even_refused", "all_refused")
VERDICTS = {"leaks", "knows_order"}  # the notes that hold what a learner's test says of a layer


def named(exercise, wording, seen, wrong):
    """Lines on a mistake that was recognised."""
    lines = _where_it_is_right(seen, wrong) if wrong else []  # the numbers may all be right
    if wrong and seen[wrong[0]].trouble:  # its hint says more than what the error means in general
        lines += stopped(exercise, seen[wrong[0]], advised=False)
    lines += [Line("symptom", symptom=wording["symptom"]), Line("hint", hint=wording["hint"])]
    reread = wording.get("reread_in", {}).get(exercise.name, wording.get("reread"))
    if reread is None:
        return lines
    notebook, heading = reread
    return [*lines, Line("reread", notebook=f"{notebook:02}", heading=heading)]


def unnamed(exercise, seen, expected, wrong, shown):
    """Lines on an answer that is wrong in a way nobody foresaw."""
    first = wrong[0]
    of_layers = VERDICTS & expected[first].notes.keys()  # such a test is told of every layer
    lines = [] if of_layers else _where_it_is_right(seen, wrong)
    lines += _how_it_differs(exercise, seen, expected, first)
    if shown != first and "weights" in expected[shown].values and exercise.asks_for == "class":
        lines.append(Line("picture_of_weights"))
    elif shown != first:
        lines.append(Line("picture_of", says=seen[shown].says))
    return lines


def borrowed(exercise, names):
    """A line on what it reads from the notebook: the usual slip where cells share their names."""
    if not names:
        return []
    if renamed := [name for name in names if name in exercise.arguments]:
        if exercise.asks_for == "class":
            return [Line("reads_init", names=renamed, name=renamed[0])]
        return [Line("reads_renamed", names=renamed)]
    if exercise.asks_for == "class":
        return [Line("reads_in_forward", names=names, arguments=list(exercise.forward_gets))]
    return [Line("reads_other", names=names, arguments=list(exercise.arguments))]


def printed(calls):
    """A line on what the learner's code printed."""
    text = calls.printed.replace("\n", "\n    ")
    return [Line("printed", text=text)] if text else []


def stopped(exercise, outcome, advised=True):
    """Lines on an input with which there was no result; advised: and on what its error means."""
    trouble = outcome.trouble
    if trouble.kind == "result":
        if not outcome.given:
            return [Line("no_result", what=trouble.text)]
        return [Line("no_result_with", given=outcome.given, what=trouble.text)]
    slow = trouble.kind == "slow"
    fields = {"given": outcome.given} if outcome.given else {"says": outcome.says}
    fields |= {"where": trouble.where} if trouble.where else {}
    fields |= {"seconds": trouble.text} if slow else {}
    key = ("runs_on" if slow else "stops") + ("_with" if outcome.given else "_for")
    lines = [Line(key + ("_in" if trouble.where else ""), **fields)]
    if not slow:
        lines.append(trouble.text)
        if not trouble.where and "argument" in trouble.text and ".forward()" not in trouble.text:
            lines.append(Line("called_with", arguments=list(exercise.arguments)))
        lines += advice(trouble.text, exercise) if advised else []
    return lines


def _where_it_is_right(seen, wrong):
    right = [s.says for i, s in enumerate(seen) if i not in wrong and not s.skipped]
    # What any answer gets right is no news; the notebook's own example, which comes first, is.
    if len(right) < len(wrong) and 0 in wrong:
        return []
    not_for = [seen[i].says for i in wrong]
    return [Line("right_for", inputs=_some(right)), Line("not_for", inputs=_some(not_for))]


def _some(inputs):
    return inputs[:SHOWN] + ["…"] * (len(inputs) > SHOWN)


def _how_it_differs(exercise, seen, expected, first):
    outcome, wanted = seen[first], expected[first]
    if outcome.trouble:
        causes = [key for key in outcome.notes if key.startswith(CAUSES)]
        notes = [_note(key, outcome, wanted) for key in causes]
        return [*stopped(exercise, outcome), *notes]
    lines = []
    if not alike(outcome, wanted):
        if exercise.asks_for != "number" and outcome.given:
            lines.append(Line("for_given", says=outcome.says, given=outcome.given))
        elif exercise.asks_for != "number":
            lines.append(Line("for_input", says=outcome.says))
        lines += difference(outcome, wanted)
    misshapen = any(line.key == "other_shape" for line in lines)
    pairs = list(zip(seen, expected))[first:]
    off = any(not alike(s, e) for s, e in pairs if not s.skipped and not s.of_gradient)
    told = {"no_mixture"} if misshapen else set()  # no news of what has another shape
    for outcome, wanted in pairs:
        if off and outcome.of_draws:
            continue
        lines += _notes(outcome, wanted, told)
        if off:
            told.add("dtype")  # of an input whose numbers are off too: not the thing to mend first
    return lines


def _notes(outcome, wanted, told):
    """Lines on notes that differ; each kind of note once, and then it is in `told`."""
    lines = []
    for key in [*wanted.notes, *(k for k in outcome.notes if k not in wanted.notes)]:
        mine, right = outcome.notes.get(key), wanted.notes.get(key)
        if mine is None or mine == right or outcome.trouble or outcome.skipped or key in told:
            continue
        told |= {key} - VERDICTS
        if key == "leaks":
            lines.append(Line("leaks_not" if right else "leaks", says=outcome.says))
        elif key == "knows_order":
            said = "knows_order_not" if right else "knows_order"
            lines.append(Line(said, says=outcome.says))
        else:
            lines.append(_note(key, outcome, wanted))
    return lines


def _note(key, outcome, wanted):
    mine, right = outcome.notes.get(key), wanted.notes.get(key)
    if key == "dtype" and mine in ("float", "int"):
        return Line("note_plain_number")
    return Line(f"note_{key}", says=outcome.says, mine=mine, wanted=right)
