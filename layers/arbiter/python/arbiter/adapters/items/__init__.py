"""How games, players and ratings are stored, whichever database holds them."""
