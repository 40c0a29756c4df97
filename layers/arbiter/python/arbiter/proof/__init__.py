"""A game proven by what its players signed: its transcript, and the check of one."""
