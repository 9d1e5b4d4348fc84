"""Judges answers to exercises: run → compare → recognise → relate → say. It knows no exercise.

exercise.py     what an exercise is, and how an answer is run with one input: what is seen
layers.py       how a layer is asked: made, filled with known weights, run
dropping.py     how dropout is asked: what holds for every draw
running.py      runs code so that it harms nothing: a time limit, random states put back
comparing.py    reads what came back; says how it differs from what was expected
check.py        the verdict: right; or which mistake does the very same; and the words for it
relations.py    facts about a wrong answer that no mistake explains: its numbers and the right ones
trials.py       … that show when it runs again with other inputs
inputs.py       the inputs of a case by name, and the case with others
smallest.py     the smallest case on which an answer is wrong
written_sums.py the sum behind one expected number
advice.py       sentences on an answer that stopped
beside.py       draws what came back beside what was expected
card.py         what a check found as HTML, beside its text
predictions.py  questions asked before the cell that answers them
learner_progress.py  how far a learner is, and the file that remembers it
"""
