"""Independent clients, written from the wire pages alone, and checks of their games
(AssertionError).

Invariant: nothing here imports the arbiter's code: a mistake that both share would not show.
"""
