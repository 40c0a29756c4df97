"""Chess in a terminal over the native protocol: PROTOCOL.md is all it knows of the arbiter."""
