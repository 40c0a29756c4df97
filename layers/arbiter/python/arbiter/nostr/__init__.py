"""Nostr as values: bytes in, events and messages out. No sockets, no clock, no chance, no chess."""
