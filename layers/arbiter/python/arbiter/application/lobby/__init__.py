"""Requests about games to come."""
