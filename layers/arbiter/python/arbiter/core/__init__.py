"""Chess games, clocks, pairing and ratings as pure functions: no I/O, no clock, no chance."""
