"""Judges answers to exercises: run → compare → recognise → say. It knows no exercise.

exercise.py     defines an exercise, and observes what an answer does with one input
layers.py       tests a layer: makes it, fills it with known weights, and runs it
dropping.py     tests dropout by what holds for every random draw
running.py      runs code safely: with a time limit, and with random states restored
cells.py        what is known of other cells: a function from before, a function found right
comparing.py    reads a result, and says how it differs from the expected one
check.py        the verdict: right, or which mistake gives the same results; and its wording
one_change.py   the place where a single change makes a wrong answer right
facts.py        what one case shows at a glance of a wrong answer that no mistake explains
inputs.py       the inputs of a case by name, and the same case with other inputs
smallest.py     the smallest case on which an answer is wrong
written_sums.py  the sum behind one expected number
arrays.py        what is said of a right answer that stops at a tensor
advice.py       sentences on an answer that raised an error or returned nothing
beside.py       draws the result beside the expected one
card.py         a check's result as HTML, shown in place of its text
predictions.py  questions asked before the cell that answers them
learner_progress.py  a learner's progress, and the file that stores it
"""
