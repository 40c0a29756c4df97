"""DynamoDB. What games, players and ratings are stored as is in ``adapters.items``."""
