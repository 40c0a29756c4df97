"""Arbiter: a serverless chess arbiter for Nostr."""

VERSION = "0.1.0"
"""As in pyproject.toml."""
