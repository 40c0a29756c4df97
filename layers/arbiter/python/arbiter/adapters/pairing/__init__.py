"""Pairing engines: libraries behind one port."""
