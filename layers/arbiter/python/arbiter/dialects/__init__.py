"""Wire ↔ core, pure, one flat file each; none imports another."""
