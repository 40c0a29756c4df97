"""The choice of the key, its source, and that no other user can read it."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from clients.terminal.identity import (
    Identity,
    from_environment,
    from_file,
    from_name,
    key_folder,
)
from tests.builders import ALICE


@contextmanager
def held(found: Identity) -> Iterator[Identity]:
    """The identity, whose lock is given up at the end of the block."""
    assert found.lock is not None
    yield found
    os.close(found.lock)


def a_key_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "alice.key"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_key_is_made_at_first_use_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "arbiter" / "alice.key"
    before = os.umask(0)
    try:
        with held(from_name("alice", path.parent)) as made:
            assert path.read_text() == made.key.to_nsec() + "\n"
            assert made.key.to_hex() not in repr(made)
            assert made.key.to_nsec() not in repr(made)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with held(from_name("alice", path.parent)) as again:
        assert again.key == made.key


def test_the_second_terminal_is_the_next_player(tmp_path: Path) -> None:
    with held(from_name("player", tmp_path)) as first, held(from_name("player", tmp_path)) as other:
        assert (first.name, first.taken) == ("player", None)
        assert (other.name, other.taken) == ("player-2", "player")
        assert first.key.pubkey != other.key.pubkey
        with pytest.raises(ValueError, match="another terminal"):
            from_file(tmp_path / "player.key")
    with held(from_name("player", tmp_path)) as again:
        assert again.key == first.key


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = a_key_file(tmp_path, ALICE.to_hex(), mode)
    for refused in (partial(from_file, path), partial(from_name, "alice", tmp_path)):
        with pytest.raises(ValueError, match="chmod 600"):
            refused()


def test_a_key_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot open"):
        from_file(tmp_path)


@pytest.mark.parametrize("secret", [ALICE.to_hex(), ALICE.to_nsec(), f" {ALICE.to_hex()}\n"])
def test_a_key_is_read_as_hex_and_as_nsec(tmp_path: Path, secret: str) -> None:
    with held(from_file(a_key_file(tmp_path, secret))) as found:
        assert found.key == ALICE
    given = from_environment(secret)
    assert given.key == ALICE


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_key_is_read_as_windows_writes_files(tmp_path: Path, encoding: str) -> None:
    path = a_key_file(tmp_path, "")
    path.write_bytes(f"{ALICE.to_nsec()}\r\n".encode(encoding))
    with held(from_file(path)) as found:
        assert found.key == ALICE


@pytest.mark.parametrize("secret", ["garbage", "0" * 64, ALICE.to_nsec()[:-1] + "q", "\xff" * 64])
def test_what_is_no_key_is_refused_without_showing_it(tmp_path: Path, secret: str) -> None:
    path = a_key_file(tmp_path, secret)
    for read in (partial(from_file, path), partial(from_environment, secret)):
        with pytest.raises(ValueError, match="64 hexadecimal") as refused:
            read()
        assert secret not in str(refused.value)
    assert path.read_text() == secret


@pytest.mark.parametrize("name", ["", "../alice", "a/b", ".hidden", "a" * 33, "a b"])
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="PLAYER is a name"):
        from_name(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_keys_are_in_the_folder_for_configuration(tmp_path: Path) -> None:
    assert key_folder({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path / "arbiter"
    assert key_folder({}) == Path.home() / ".config" / "arbiter"
