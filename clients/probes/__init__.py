"""Independent clients, written from the wire pages alone, and checks of their games, for tests/e2e
and `make rehearse`. A failed check is an AssertionError.

Invariant: nothing here imports the arbiter's code, its tests or the programs that run it, since a
mistake that both sides share would show in neither.
"""
