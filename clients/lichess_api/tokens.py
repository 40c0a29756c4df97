"""Tokens: a word for each key, kept in a file for its owner alone."""

import json
import os
import secrets
from pathlib import Path

TOKEN_BYTES = 20


def token_of(path: Path, pubkey: str, *, is_bot: bool) -> str:
    """The token of this key as a bot or as a board, made on first use.

    Raises:
        OSError: if the file cannot be read or written.
        ValueError: if it holds something else.
    """
    kind = "bot" if is_bot else "board"
    tokens = _read(path)
    name = f"{kind}:{pubkey}"
    if name not in tokens:
        tokens[name] = f"arb_{secrets.token_hex(TOKEN_BYTES)}"
        _write(path, tokens)
    return tokens[name]


def _read(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise ValueError(f"{path} holds no tokens: move it away")
    return found


def _write(path: Path, tokens: dict[str, str]) -> None:
    """Replace the file as a whole."""
    written = path.with_suffix(".new")
    written.unlink(missing_ok=True)
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(tokens, file, indent=1)
    written.replace(path)
