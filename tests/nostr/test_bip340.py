"""The published vectors of BIP-340, all nineteen, by the very calls that events go through."""

import csv
from pathlib import Path

import pytest

from arbiter.nostr.keys import SecretKey

with (Path(__file__).parent / "vectors" / "bip340.csv").open(newline="") as _file:
    ROWS = list(csv.DictReader(_file))


def _bytes(row: dict[str, str], column: str) -> bytes:
    return bytes.fromhex(row[column])


def test_keys_and_signatures_are_the_published_ones() -> None:
    assert len(ROWS) == 19
    for row in ROWS[:4] + ROWS[15:]:
        assert SecretKey.from_hex(row["secret key"].lower()).pubkey == row["public key"].lower()
    # Ours is made with randomness of zeros, as the first is.
    ours = SecretKey.from_hex(ROWS[0]["secret key"].lower()).sign_bytes(_bytes(ROWS[0], "message"))
    assert ours == _bytes(ROWS[0], "signature")


def test_a_message_that_is_no_digest_is_not_signed() -> None:
    for row in ROWS[15:]:
        key = SecretKey.from_hex(row["secret key"].lower())
        with pytest.raises(ValueError, match="32 bytes"):
            key.sign_bytes(_bytes(row, "message"))
