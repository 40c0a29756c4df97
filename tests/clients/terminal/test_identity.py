"""Whose key, from where, and who else must not read it."""

import os
import stat
from pathlib import Path

import pytest

from clients.terminal.identity import (
    Identity,
    NoIdentity,
    from_environment,
    from_file,
    from_name,
    key_folder,
)
from tests.builders import ALICE


def released(identity: Identity | NoIdentity) -> Identity:
    """The identity, its lock given up again."""
    assert isinstance(identity, Identity)
    assert identity.lock is not None
    os.close(identity.lock)
    return identity


def test_a_key_is_made_at_first_use_for_its_owner_alone(tmp_path: Path) -> None:
    made = released(from_name("alice", tmp_path / "arbiter"))
    path = tmp_path / "arbiter" / "alice.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_text().startswith("nsec1")
    again = released(from_name("alice", tmp_path / "arbiter"))
    assert again.key.pubkey == made.key.pubkey


def test_a_loose_umask_makes_no_loose_key(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        released(from_name("alice", tmp_path))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "alice.key").stat().st_mode) == 0o600


def test_the_second_terminal_is_the_next_player(tmp_path: Path) -> None:
    first = from_name("player", tmp_path)
    second = from_name("player", tmp_path)
    assert isinstance(first, Identity)
    assert isinstance(second, Identity)
    assert (first.name, first.taken) == ("player", None)
    assert (second.name, second.taken) == ("player-2", "player")
    assert first.key.pubkey != second.key.pubkey
    released(first)
    released(second)
    assert released(from_name("player", tmp_path)).key.pubkey == first.key.pubkey


def test_a_key_file_named_and_in_use_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.key"
    first = from_file(path)
    refused = from_file(path)
    assert isinstance(refused, NoIdentity)
    assert "another terminal" in refused.text
    released(first)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "alice.key"
    path.write_text(ALICE.to_hex())
    path.chmod(mode)
    refused = from_file(path)
    assert isinstance(refused, NoIdentity)
    assert "chmod 600" in refused.text


@pytest.mark.parametrize("secret", [ALICE.to_hex(), ALICE.to_nsec(), f" {ALICE.to_hex()}\n"])
def test_a_key_is_read_as_hex_and_as_nsec(tmp_path: Path, secret: str) -> None:
    path = tmp_path / "alice.key"
    path.write_text(secret)
    path.chmod(0o600)
    assert released(from_file(path)).key == ALICE
    given = from_environment(secret)
    assert isinstance(given, Identity)
    assert given.key == ALICE


@pytest.mark.parametrize("secret", ["garbage", "0" * 64, ALICE.to_nsec()[:-1] + "q", "\xff" * 64])
def test_what_is_no_key_is_refused_without_showing_it(tmp_path: Path, secret: str) -> None:
    path = tmp_path / "alice.key"
    path.write_text(secret)
    path.chmod(0o600)
    for refused in (from_file(path), from_environment(secret)):
        assert isinstance(refused, NoIdentity)
        assert secret not in refused.text
    assert path.read_text() == secret


@pytest.mark.parametrize("name", ["", "../alice", "a/b", ".hidden", "a" * 33, "a b"])
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    assert isinstance(from_name(name, tmp_path), NoIdentity)
    assert list(tmp_path.iterdir()) == []


def test_an_identity_does_not_show_its_key(tmp_path: Path) -> None:
    identity = released(from_name("alice", tmp_path))
    assert identity.key.to_hex() not in repr(identity)
    assert identity.key.to_nsec() not in repr(identity)


def test_keys_lie_where_configuration_lies(tmp_path: Path) -> None:
    assert key_folder({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path / "arbiter"
    assert key_folder({}) == Path.home() / ".config" / "arbiter"
