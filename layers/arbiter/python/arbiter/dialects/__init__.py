"""Dialects: pure codecs between a wire format and the core. None imports another."""
