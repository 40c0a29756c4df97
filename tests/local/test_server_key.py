"""The arbiter's key on disk is made once and private."""

import os
import stat
from pathlib import Path

import pytest

from arbiter.nostr.keys import SecretKey
from server.key import KeyRefused, ServerKey, load_key

_SECRET_HEX = "7f" * 32


def _loaded(run_dir: Path) -> ServerKey:
    return load_key(run_dir / "server.key")


def _refusal(run_dir: Path) -> str:
    with pytest.raises(KeyRefused) as refused:
        _loaded(run_dir)
    return str(refused.value)


def _written(run_dir: Path, text: str, mode: int = 0o600) -> Path:
    path = run_dir / "server.key"
    path.write_text(text, encoding="ascii")
    path.chmod(mode)
    return path


def test_the_first_run_makes_a_private_key_and_the_next_one_uses_it(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        first, second = _loaded(tmp_path), _loaded(tmp_path)
    finally:
        os.umask(umask)
    assert (first.is_new, second.is_new) == (True, False)
    assert first.key == second.key
    assert stat.S_IMODE((tmp_path / "server.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["server.key"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_key_that_others_can_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = _written(tmp_path, _SECRET_HEX, mode)
    assert "chmod 600" in _refusal(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_key_may_be_an_nsec_or_hexadecimal(tmp_path: Path) -> None:
    key = SecretKey.from_hex(_SECRET_HEX)
    _written(tmp_path, key.to_hex() + "\n")
    assert _loaded(tmp_path).key == key
    _written(tmp_path, key.to_nsec())
    assert _loaded(tmp_path).key == key


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_key_is_read_as_windows_writes_files(tmp_path: Path, encoding: str) -> None:
    key = SecretKey.from_hex(_SECRET_HEX)
    path = _written(tmp_path, "")
    path.write_bytes(f"{key.to_nsec()}\r\n".encode(encoding))
    assert _loaded(tmp_path).key == key


@pytest.mark.parametrize("text", ["", "nsec1", _SECRET_HEX[:-1], "00" * 32, "secret words"])
def test_what_is_no_key_is_refused_kept_and_not_shown(tmp_path: Path, text: str) -> None:
    path = _written(tmp_path, text)
    refusal = _refusal(tmp_path)
    assert "holds no key" in refusal
    assert not text or text not in refusal
    assert path.read_text(encoding="ascii") == text
