"""Our own relay: what a client's frame is answered with, and who is told what the arbiter says."""
