"""Apply one command: load, decide, commit, say so. Knows ports, never what is behind them."""
