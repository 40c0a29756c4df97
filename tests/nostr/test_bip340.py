"""The published vectors of BIP-340, all nineteen, by the very calls that events go through."""

import csv
from pathlib import Path

import pytest
from coincurve import PrivateKey, PublicKeyXOnly

from arbiter.nostr.keys import SecretKey

with (Path(__file__).parent / "vectors" / "bip340.csv").open(newline="") as _file:
    ROWS = list(csv.DictReader(_file))


def _bytes(row: dict[str, str], column: str) -> bytes:
    return bytes.fromhex(row[column])


def _verifies(row: dict[str, str]) -> bool:
    try:
        pubkey = PublicKeyXOnly(_bytes(row, "public key"))
    except ValueError:
        return False
    return pubkey.verify(_bytes(row, "signature"), _bytes(row, "message"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['index']} {row['comment']}")
def test_a_row_verifies_or_fails_as_published(row: dict[str, str]) -> None:
    assert len(ROWS) == 19
    assert _verifies(row) == (row["verification result"] == "TRUE")


def test_keys_and_signatures_are_the_published_ones() -> None:
    for row in ROWS[:4] + ROWS[15:]:
        assert SecretKey.from_hex(row["secret key"].lower()).pubkey == row["public key"].lower()
    for row in ROWS[:4]:
        key = PrivateKey(_bytes(row, "secret key"))
        made = key.sign_schnorr(_bytes(row, "message"), _bytes(row, "aux_rand"))
        assert made == _bytes(row, "signature")
    # Ours is made with randomness of zeros, as the first is.
    ours = SecretKey.from_hex(ROWS[0]["secret key"].lower()).sign_bytes(_bytes(ROWS[0], "message"))
    assert ours == _bytes(ROWS[0], "signature")


@pytest.mark.parametrize("row", ROWS[15:], ids=lambda row: row["index"])
def test_a_message_that_is_no_digest_is_not_signed(row: dict[str, str]) -> None:
    key = SecretKey.from_hex(row["secret key"].lower())

    with pytest.raises(ValueError, match="32 bytes"):
        key.sign_bytes(_bytes(row, "message"))
