"""Every port on state over one SQLite file, for an arbiter that is one process."""
