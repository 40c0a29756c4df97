"""Ports on what lives no longer than the process: sockets, subscriptions and counters."""
