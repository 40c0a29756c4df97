"""A bridge from UCI engines to PROTOCOL.md, as lichess-bot is for lichess."""
