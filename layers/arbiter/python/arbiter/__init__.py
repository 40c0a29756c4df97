"""Arbiter: a serverless chess arbiter for Nostr."""

VERSION = "0.2.0"
"""As in pyproject.toml."""
