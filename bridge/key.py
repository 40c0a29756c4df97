"""The key that the bridge signs its letters with; the arbiter accepts letters of this key only."""

from pathlib import Path

from local.server_key import KeyRefused, ServerKey, load_key

__all__ = ["KeyRefused", "load_bridge_key"]


def load_bridge_key(directory: Path) -> ServerKey | KeyRefused:
    """Read the bridge's key, making folder and key where they are missing."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return load_key(directory / "bridge.key")
