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


def test_all_nineteen_rows_are_here() -> None:
    assert [row["index"] for row in ROWS] == [str(index) for index in range(19)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['index']} {row['comment']}")
def test_a_row_verifies_or_fails_as_published(row: dict[str, str]) -> None:
    assert _verifies(row) == (row["verification result"] == "TRUE")


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["secret key"]], ids=lambda row: row["index"]
)
def test_a_secret_key_has_the_published_public_key(row: dict[str, str]) -> None:
    key = SecretKey.from_hex(row["secret key"].lower())

    assert key.pubkey == row["public key"].lower()


@pytest.mark.parametrize("row", ROWS[:4], ids=lambda row: row["index"])
def test_signing_with_the_published_randomness_gives_the_published_signature(
    row: dict[str, str],
) -> None:
    key = PrivateKey(_bytes(row, "secret key"))

    signature = key.sign_schnorr(_bytes(row, "message"), _bytes(row, "aux_rand"))

    assert signature == _bytes(row, "signature")


def test_our_own_signature_is_the_published_one_where_the_randomness_is_zero() -> None:
    row = ROWS[0]
    assert _bytes(row, "aux_rand") == bytes(32)

    signature = SecretKey.from_hex(row["secret key"].lower()).sign_bytes(_bytes(row, "message"))

    assert signature == _bytes(row, "signature")


@pytest.mark.parametrize("row", ROWS[15:], ids=lambda row: row["index"])
def test_a_message_that_is_no_digest_is_not_signed(row: dict[str, str]) -> None:
    key = SecretKey.from_hex(row["secret key"].lower())

    with pytest.raises(ValueError, match="32 bytes"):
        key.sign_bytes(_bytes(row, "message"))
