"""The HTTP API and its pages."""
