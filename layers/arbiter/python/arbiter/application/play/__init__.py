"""One command or timer applied to one game."""
