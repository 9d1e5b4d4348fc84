"""Judges answers to exercises: run → compare → recognise → say. It knows no exercise.

check.py has these steps in their order. What no mistake explains is told by one_change.py, facts.py
and smallest.py; layers.py and dropping.py test what a function's results do not show.
"""
