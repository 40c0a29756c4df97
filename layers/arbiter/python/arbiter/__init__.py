"""Arbiter: a serverless chess arbiter for Nostr."""
