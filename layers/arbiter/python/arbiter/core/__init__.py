"""Chess games, clocks, pairing and ratings as pure functions of values. No I/O, no clock, no
chance.
"""
