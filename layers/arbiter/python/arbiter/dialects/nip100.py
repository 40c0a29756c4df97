"""The NIP-100 draft: kinds 5000-5003, spoken on a socket to our own gateway."""

NAME = "nip100"
SEARCH = 5000
MOVE = 5001
OFFER = 5002
RESIGN = 5003
