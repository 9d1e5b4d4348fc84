"""Asks for a learner's code, runs it, compares, recognises a mistake, and says so.

It is given an exercise with its mistakes, and the words to say it with; it knows none of its own.
"""
