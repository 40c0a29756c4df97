"""Games out of a file. ``log.json`` was signed by ssb-keys 8.5.0: Sue's game with Tom, in which she
tried an illegal move, and one that was not accepted; in no order, between other messages.
"""

import base64
import gzip
import io
import json
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path
from random import Random
from typing import Any

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.dialects.arbiter_events import note_event
from arbiter.nostr.event import VerifiedEvent, event_from_json, verify
from bridge.archive import archived, main
from bridge.log_file import NoLog, Refused, message_of, values
from bridge.peer_log import Message
from tests.builders import ALICE

LOG = Path(__file__).parent / "log.json"


def entries() -> list[dict[str, Any]]:
    return [*values(LOG.read_text(encoding="utf-8"))]


def an_entry(kind: str, **wanted: object) -> dict[str, Any]:
    """The one message of this type, with these things in its content."""
    (found,) = [
        entry
        for entry in entries()
        if (content := entry["value"]["content"])["type"] == kind
        and all(content.get(name) == value for name, value in wanted.items())
    ]
    return found


def messages() -> list[Message]:
    found = [message_of(entry, at) for at, entry in enumerate(entries())]
    return [message for message in found if isinstance(message, Message)]


def test_a_log_becomes_pgn_that_any_program_reads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--from-log", str(LOG)]) == 0

    said = capsys.readouterr()
    game = chess.pgn.read_game(io.StringIO(said.out))
    assert game is not None
    assert [move.uci() for move in game.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    assert game.headers["Result"] == "0-1"
    assert game.headers["White"].endswith(".ed25519")
    assert "illegal-move" in said.err
    assert "1 games" in said.err


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_a_file_does_not_matter(seed: int) -> None:
    shuffled = messages()
    Random(seed).shuffle(shuffled)

    assert [*archived(shuffled, ALICE)] == [*archived(messages(), ALICE)]


def test_the_note_for_nostr_is_signed_and_names_the_game(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text(ALICE.to_hex(), encoding="ascii")

    assert main(["--from-log", str(LOG), "--to", str(tmp_path), "--sign-with", str(key)]) == 0

    event = event_from_json(json.loads((tmp_path / "0001.kind-64.json").read_text()))
    assert isinstance(event, object)
    verified = verify(event)  # type: ignore[arg-type]
    assert isinstance(verified, VerifiedEvent)
    assert verified.kind == 64
    assert verified.pubkey == ALICE.pubkey
    assert (tmp_path / "0001.pgn").read_text().endswith("Qh4# 0-1\n\n")


@pytest.mark.parametrize("timestamp", [-1e300, 1e300])
def test_a_date_beyond_all_time_is_the_first_or_the_last(timestamp: float) -> None:
    (one,) = archived([replace(it, timestamp=timestamp) for it in messages()], ALICE)

    assert len(one.game.moves) == 4
    assert ALICE.sign(note_event(one.game, ALICE.pubkey)).kind == 64


NO_KEY = base64.b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        ("key", f"%{NO_KEY}.sha256"),
        ("key", None),
        ("value author", f"@{NO_KEY}.ed25519"),
        ("value signature", None),
        ("value sequence", True),
        ("value content dest", "e4"),
        ("value content root", 7),
    ],
)
def test_a_message_that_its_author_did_not_sign_is_left_out(where: str, wrong: object) -> None:
    entry = an_entry("chess_move", ply=2)
    assert isinstance(message_of(entry, 0), Message)

    *path, last = where.split()
    spoilt = reduce(getitem, path, entry)
    del spoilt[last]
    spoilt |= {} if wrong is None else {last: wrong}

    assert isinstance(message_of(entry, 0), Refused)


def test_a_changed_message_is_left_out_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoilt = LOG.read_text(encoding="utf-8").replace('"orig": "e7"', '"orig": "d7"')
    spoilt = spoilt.replace('"orig":"e7"', '"orig":"d7"')
    file = tmp_path / "log.json"
    file.write_text(spoilt, encoding="utf-8")

    assert main(["--from-log", str(file)]) == 0

    said = capsys.readouterr()
    assert "its key is not its hash" in said.err
    assert '[PlyCount "1"]' in said.out


def test_letters_of_every_alphabet_are_hashed_as_ssb_hashes_them() -> None:
    assert isinstance(message_of(an_entry("chess_chat"), 0), Message)


def test_other_messages_are_skipped() -> None:
    assert message_of(an_entry("post"), 0) is None
    private = an_entry("post")
    private["value"]["content"] = "AAAA.box"
    assert message_of(private, 0) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_log_is_read_in_every_encoding_of_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str, end: str
) -> None:
    file = tmp_path / "log.json"
    text = LOG.read_text(encoding="utf-8").replace("\n", end)
    file.write_bytes(text.encode(encoding))

    assert main(["--from-log", str(file)]) == 0

    said = capsys.readouterr()
    assert "Qh4# 0-1" in said.out
    assert "0 left out" in said.err


@pytest.mark.parametrize("content", [b"", b"\r\n\n", b"\xef\xbb\xbf", b"\xff\xfe", b"[]", b"{}"])
def test_a_log_without_games_says_so_and_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    file = tmp_path / "log.json"
    file.write_bytes(content)

    assert main(["--from-log", str(file)]) == 1

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith(f"{file}: there are no games in it\n")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"a": 1}\n{"b', "line 2 begins no JSON value"),
        (gzip.compress(b"{}", mtime=0), "line 1 is no text in utf-8"),
        ('"é"\n"é"'.encode("latin-1"), "line 1 is no text in utf-8"),
        ('"a"\n"b"'.encode("utf-16")[:-1], "line 2 is no text in utf-16"),
        ("[1, 2".encode("utf-16"), "line 1 begins no JSON value"),
    ],
)
def test_the_place_where_a_file_ceases_to_be_a_log_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, told: str
) -> None:
    file = tmp_path / "log.json"
    file.write_bytes(content)

    assert main(["--from-log", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"{file}: {told}")


def test_a_file_of_no_use_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = tmp_path / "key"
    key.write_text("no key", encoding="utf-16")
    for more in (["--sign-with", str(key)], ["--sign-with", str(tmp_path)], ["--to", str(key)]):
        assert main(["--from-log", str(LOG), *more]) == 2
        assert more[1] in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("text", ["{", "nonsense", '{"a": 1} ]', "[" * 100_000])
def test_a_file_that_is_no_log_is_reported(text: str, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(NoLog):
        [*values(text)]
    assert main(["--from-log", str(file)]) == 2
    assert main(["--from-log", str(tmp_path / "missing")]) == 2


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_value_is_a_message_or_none_or_refused(value: object) -> None:
    for odd in (value, {"key": "%x", "value": value}, {"key": "%x", "value": {"content": value}}):
        assert not isinstance(message_of(odd, 0), Message)
