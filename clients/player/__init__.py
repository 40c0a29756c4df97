"""A player's side of PROTOCOL.md, for the terminal, the bots and whatever else plays."""
