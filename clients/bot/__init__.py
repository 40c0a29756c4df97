"""A bridge from UCI engines to PROTOCOL.md, as lichess-bot is for lichess.

The session is pure: `reduce(session, input, now)` returns the next session and its effects.
"""
