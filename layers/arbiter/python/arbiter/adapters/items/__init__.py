"""The items of games, players and ratings, in whichever database."""
