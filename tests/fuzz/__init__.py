"""Random input at every entry point, by Hypothesis.

Only a word of ours may come out. `pytest --hypothesis-profile thorough tests/fuzz` tries a thousand
of each. What is found is mended, and becomes a case by name in `tests/hostile`.
"""
