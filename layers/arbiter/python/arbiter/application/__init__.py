"""Use cases: load, decide, commit, publish. Depends on ports, never on adapters."""
