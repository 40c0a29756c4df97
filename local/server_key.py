"""The key of a run, in its folder."""

from pathlib import Path

from server.key import KeyRefused, ServerKey, load_key

__all__ = ["KeyRefused", "ServerKey", "load_key", "load_server_key"]

_NAME = "server.key"


def load_server_key(run_dir: Path) -> ServerKey | KeyRefused:
    """Read the run's key, making one on the first run."""
    return load_key(run_dir / _NAME)
