"""Nostr as values: bytes in, events and messages out. No sockets, no clock, no randomness; chess is
opaque text.
"""
