"""NIP-19 keys in bech32 (BIP-173) and games of kind 30, ``jester1...``, in bech32m (BIP-350), for
screens.

Invariant: decoding returns None for anything else, and no error shows its input, perhaps a secret.
"""

from arbiter.nostr.event import is_hex_32_bytes

_CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_CHECKSUM_CHARS = 6
_BECH32, _BECH32M = 1, 0x2BC830A3
# 32 bytes are 256 bits: 52 words of five bits, the last four bits being padding.
_KEY_WORDS = 52
_KIND_BYTES = 4
_MAX_CHARS = 1_000


def encode_npub(pubkey: str) -> str:
    return _encode("npub", pubkey)


def encode_nsec(seckey: str) -> str:
    """The nsec of a secret key in hex. Raises ValueError, which does not show it."""
    return _encode("nsec", seckey)


def decode_npub(text: str) -> str | None:
    return _decode("npub", text)


def pubkey_in(text: str) -> str | None:
    """The key in hex of an npub, 64 hex digits or a ``nostr:`` URI (NIP-21); or None."""
    bare = text.strip().removeprefix("nostr:")
    return bare.lower() if is_hex_32_bytes(bare.lower()) else decode_npub(bare)


def decode_nsec(text: str) -> str | None:
    return _decode("nsec", text)


def encode_jester(start: str) -> str:
    """The name of a game of kind 30, of its start's id in hex. Raises ValueError."""
    return _encode("jester", start)


def decode_jester(text: str) -> str | None:
    return _decode("jester", text)


def decode_note(text: str) -> str | None:
    """The event id (64 hex digits) of a ``note``; None if the text is none."""
    return _decode("note", text)


def decode_naddr(text: str) -> tuple[int, str, str] | None:
    """Kind, author (hex) and ``d`` of an ``naddr``; None if the text is none."""
    octets = _octets_of("naddr", text.strip().removeprefix("nostr:"))
    parts: dict[int, bytes] = {}
    while octets:
        # TLV: a type, a length, and so many bytes. Of one type the first counts.
        kind, length = octets[0], octets[1] if len(octets) > 1 else 0
        if len(octets) < 2 + length:
            return None
        parts.setdefault(kind, octets[2 : 2 + length])
        octets = octets[2 + length :]
    author, number = parts.get(2, b"").hex(), parts.get(3, b"")
    if not is_hex_32_bytes(author) or len(number) != _KIND_BYTES or 0 not in parts:
        return None
    return int.from_bytes(number, "big"), author, parts[0].decode("utf-8", "replace")


def _octets_of(prefix: str, text: str) -> bytes:
    """The bytes in a bech32 text of any length up to a thousand; none of another."""
    head, _, tail = text.lower().rpartition("1")
    if not text.isascii() or text not in (text.lower(), text.upper()) or len(text) > _MAX_CHARS:
        return b""
    if head != prefix or any(char not in _CHARSET for char in tail):
        return b""
    words = [_CHARSET.index(char) for char in tail]
    body, checksum = words[:-_CHECKSUM_CHARS], words[-_CHECKSUM_CHARS:]
    if checksum != _checksum(prefix, body):
        return b""
    number = 0
    for word in body:
        number = number << 5 | word
    spare = 5 * len(body) % 8
    return (number >> spare).to_bytes(5 * len(body) // 8, "big")


def _encode(prefix: str, key: str) -> str:
    if not is_hex_32_bytes(key):
        raise ValueError("a key or an id is 64 lower-case hexadecimal characters")
    words = _regrouped(bytes.fromhex(key))
    return prefix + "1" + "".join(_CHARSET[word] for word in words + _checksum(prefix, words))


def _decode(prefix: str, text: str) -> str | None:
    # ASCII first: the lower case of the Kelvin sign (U+212A) is a plain k.
    if not text.isascii() or len(text) != len(prefix) + 1 + _KEY_WORDS + _CHECKSUM_CHARS:
        return None
    # BIP-173: "Decoders MUST NOT accept strings where some characters are uppercase and some are
    # lowercase (such strings are referred to as mixed case strings)."
    if text not in (text.lower(), text.upper()):
        return None
    head, _, tail = text.lower().partition("1")
    if head != prefix or any(char not in _CHARSET for char in tail):
        return None
    words = [_CHARSET.index(char) for char in tail]
    body, checksum = words[:_KEY_WORDS], words[_KEY_WORDS:]
    return _key_of(body) if checksum == _checksum(prefix, body) else None


def _key_of(words: list[int]) -> str | None:
    number = 0
    for word in words:
        number = number << 5 | word
    # Accepting non-zero padding would give one key sixteen spellings.
    if number & 0b1111:
        return None
    return (number >> 4).to_bytes(32, "big").hex()


def _regrouped(key: bytes) -> list[int]:
    padded = int.from_bytes(key, "big") << 4
    return [padded >> 5 * position & 31 for position in reversed(range(_KEY_WORDS))]


def _checksum(prefix: str, words: list[int]) -> list[int]:
    expanded = [ord(char) >> 5 for char in prefix] + [0] + [ord(char) & 31 for char in prefix]
    kind = _BECH32M if prefix == "jester" else _BECH32
    remainder = _polymod([*expanded, *words, *[0] * _CHECKSUM_CHARS]) ^ kind
    return [remainder >> 5 * position & 31 for position in reversed(range(_CHECKSUM_CHARS))]


def _polymod(words: list[int]) -> int:
    remainder = 1
    for word in words:
        top = remainder >> 25
        remainder = (remainder & 0x1FFFFFF) << 5 ^ word
        for bit, generator in enumerate(_GENERATOR):
            if top >> bit & 1:
                remainder ^= generator
    return remainder
