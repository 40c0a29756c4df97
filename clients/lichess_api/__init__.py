"""lichess's Board and Bot API on this machine, for programs that speak it: `arbiter lichess`."""
