"""Nostr as values: bytes in, events out. No sockets, clock or chance; chess is opaque text."""
