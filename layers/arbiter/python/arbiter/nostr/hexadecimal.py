"""What counts as hexadecimal on the wire: NIP-01's lower case, the whole string, ASCII digits only.

Not `bytes.fromhex`, which takes spaces and upper case (an upper-case pubkey is the same key under
another event id), and not `$`, which takes a trailing newline.
"""

import re
from typing import TypeGuard

_HEX_32_BYTES = re.compile(r"[0-9a-f]{64}")
_HEX_64_BYTES = re.compile(r"[0-9a-f]{128}")


def is_hex_32_bytes(value: object) -> TypeGuard[str]:
    """Whether ``value`` is an id or a key: 64 lower-case hexadecimal characters."""
    return isinstance(value, str) and _HEX_32_BYTES.fullmatch(value) is not None


def is_hex_64_bytes(value: object) -> TypeGuard[str]:
    """Whether ``value`` is a signature: 128 lower-case hexadecimal characters."""
    return isinstance(value, str) and _HEX_64_BYTES.fullmatch(value) is not None
