"""Independent clients, written from the wire pages alone, and what must be true of their games.

The law: nothing here imports the arbiter's own code, its tests or the programs that run it. So it
can be believed when an arbiter is played on from outside, by tests/e2e and by `make rehearse`; a
mistake that both sides share would show in neither. What is not as it must be is an AssertionError.
"""
