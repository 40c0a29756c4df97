"""Public keys that stand for players without one."""

import pytest
from coincurve import PublicKeyXOnly
from hypothesis import given
from hypothesis import strategies as st

from arbiter.nostr.keys import placeholder_key

ONE, OTHER = "00" * 32, "11" * 32


"""secp256k1 is y² = x³ + 7 over the integers modulo this."""


@pytest.mark.parametrize(
    ("server", "dialect", "name", "pubkey"),
    [
        (ONE, "rest", "a", "18bef6820cac3daa48344c87a01a2a9078a4879ee34570fd21615f5236b22e76"),
        (ONE, "rest", "", "7c46cfcc993a1cb5ca568842548a391b402278b424f4e1dc90913f7161b5cac1"),
        (OTHER, "rest", "a", "232ca6ee4d91bb09ffad761196f0be97baf51a815fe846015c260c64962e4c4e"),
        (ONE, "ssb", "a", "b01affcf6c674ea5d0514b8c8c7478080013aa137272fd86895787edbf69d829"),
        (ONE, "rest", "é🦄", "42799005e7459da81f174f46842ea85fd4358f42ec00cdd5ca63f16360616f4b"),
    ],
)
def test_a_placeholder_key_never_changes(server: str, dialect: str, name: str, pubkey: str) -> None:
    """A changed one would make a stranger of every player there was."""
    assert placeholder_key(server, dialect, name) == pubkey


@given(st.binary(min_size=32, max_size=32), st.text(), st.text())
def test_a_placeholder_is_a_public_key(server: bytes, dialect: str, name: str) -> None:
    pubkey = placeholder_key(server.hex(), dialect, name)

    assert PublicKeyXOnly(bytes.fromhex(pubkey)).format().hex() == pubkey


def test_no_two_players_share_a_placeholder() -> None:
    names = [("rest", "a"), ("res", "ta"), ("resta", ""), ("", "resta"), ("rest", "A")]
    pubkeys = {placeholder_key(server, *name) for server in (ONE, OTHER) for name in names}

    assert len(pubkeys) == 2 * len(names)
