"""`server.archive` prints a game out of what relays have, whatever they send besides."""

import io
import json
from typing import Any

import chess.pgn
import pytest

from arbiter.dialects.jester import wire as jester
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_jester, encode_npub
from server import archive
from server.archive import main
from tests.builders import ALICE, BOB, EVE
from tests.fakes.relay import Client, FakeRelay

AT = 1_800_000_000


def signed(key: SecretKey, at: int, content: object, *tags: tuple[str, ...]) -> VerifiedEvent:
    return key.sign(EventTemplate(30, tags, json.dumps(content), AT + at))


def a_start(*tags: tuple[str, ...], **fields: object) -> VerifiedEvent:
    content = {"version": "0", "kind": 0, "history": [], **fields}
    return signed(ALICE, 0, content, ("e", jester.START), *tags)


START = a_start(("p", BOB.pubkey))
OPEN = a_start()
MOVES = "f3 e5 g4 Qh4#".split()  # noqa: SIM905 - as it is written down


def moves(start: VerifiedEvent, black: SecretKey = BOB) -> list[VerifiedEvent]:
    return [
        signed(
            (ALICE, black)[ply % 2],
            ply + 1,
            {"version": "0", "kind": 1, "move": MOVES[ply], "history": MOVES[: ply + 1]},
            *(("e", start.id), ("e", start.id)),
        )
        for ply in range(len(MOVES))
    ]


def a_relay(*events: VerifiedEvent, **habits: Any) -> FakeRelay:
    relay = FakeRelay(**habits)
    relay.remembered += map(event_to_json, events)
    return relay


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return game


Said = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", [START.id, encode_jester(START.id), f"nostr:{START.id}"])
def test_a_game_is_printed_as_pgn(capsys: Said, name: str) -> None:
    with a_relay(START, *moves(START)) as relay:
        assert main([name, relay.url]) == 0

    said = capsys.readouterr()
    game = read(said.out)
    assert [move.uci() for move in game.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    headers = game.headers
    assert (headers["White"], headers["Black"]) == (ALICE.pubkey, BOB.pubkey)
    assert headers["BlackNA"] == f"nostr:{encode_npub(BOB.pubkey)}"
    assert (headers["Result"], headers["Site"]) == ("0-1", encode_jester(START.id))
    assert f"4 half-moves from 4 events of {ALICE.pubkey} and {BOB.pubkey}" in said.err


def test_relays_fill_each_others_gaps_and_an_unreachable_one_is_told(capsys: Said) -> None:
    first, second, third, fourth = moves(START)
    with a_relay(START, first) as one, a_relay(second, third, fourth) as two:
        assert main([START.id, f"{one.url},{two.url}", "ws://127.0.0.1:9/"]) == 0

    said = capsys.readouterr()
    assert read(said.out).headers["Result"] == "0-1"
    assert "ws://127.0.0.1:9/ cannot be read" in said.err


def test_only_the_players_are_asked_for_where_the_start_names_both() -> None:
    for start, authors in ((START, [ALICE.pubkey, BOB.pubkey]), (OPEN, None)):
        with a_relay(start) as relay:
            assert main([start.id, relay.url]) == 0
            assert relay.message("REQ", 2)[2].get("authors") == authors


def test_an_open_game_without_an_opponent_has_a_question_mark(capsys: Said) -> None:
    with a_relay(OPEN, moves(OPEN)[0]) as relay:
        assert main([OPEN.id, relay.url]) == 0

    headers = read(capsys.readouterr().out).headers
    assert (headers["Black"], headers["BlackNA"], headers["Result"]) == ("?", "-", "*")


def test_more_than_a_relay_sends_at_once_is_asked_for_in_pages(capsys: Said) -> None:
    def on_req(client: Client, message: list[Any]) -> None:
        until = message[2].get("until", 2**53)
        known = [it for it in relay.remembered if it["created_at"] <= until]
        wanted = message[2].get("ids") or [it["id"] for it in known if it["id"] != START.id]
        fit = [it for it in known if it["id"] in wanted]
        for event in sorted(fit, key=lambda it: -it["created_at"])[:2]:
            client.send("EVENT", message[1], event)
        client.send("EOSE", message[1])

    with a_relay(START, *moves(START), on_req=on_req) as relay:
        assert main([START.id, relay.url]) == 0

    assert "from 4 events" in capsys.readouterr().err


def forged(event: VerifiedEvent, **fields: object) -> dict[str, object]:
    return event_to_json(event) | fields


def test_forged_foreign_and_unreadable_events_change_nothing(capsys: Said) -> None:
    right = moves(START)
    bad = [
        *(forged(it, pubkey=EVE.pubkey) for it in right),
        forged(right[3], content='{"kind":1,"history":["f3","e5","g4","a6"]}'),
        forged(right[1], sig="00" * 64),
        *map(event_to_json, moves(START, EVE)[1::2]),
        *map(event_to_json, moves(OPEN)),
        event_to_json(signed(BOB, 1, "nothing", ("e", START.id))),
        *({}, {"id": START.id}),
    ]

    def on_req(client: Client, message: list[Any]) -> None:
        for text in ("", "[", "7", "{}", '["EVENT"]', '["EVENT","archive",7]', '["NOTICE","hm"]'):
            client.send_text(text)
        for event in [*bad, *map(event_to_json, [START, *right, *right])]:
            client.send("EVENT", message[1], event)
        client.send("EOSE", message[1])

    with a_relay(on_req=on_req) as relay:
        assert main([START.id, relay.url]) == 0

    said = capsys.readouterr()
    assert read(said.out).headers["Result"] == "0-1"
    assert "4 half-moves from 4 events" in said.err


def test_a_relay_that_sends_without_end_is_left(
    capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_FRAMES", 50)

    def on_req(client: Client, message: list[Any]) -> None:
        for _ in range(2_000):
            client.send("EVENT", message[1], event_to_json(START))

    with a_relay(START, *moves(START)) as good, a_relay(on_req=on_req) as bad:
        assert main([START.id, bad.url, good.url]) == 0

    said = capsys.readouterr()
    assert f"{bad.url} sends without end" in said.err
    assert read(said.out).headers["Result"] == "0-1"


def test_a_relay_with_more_than_is_kept_is_left(
    capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 3000)
    flood = [signed(BOB, at, "x" * 500, ("e", START.id)) for at in range(90, 99)]
    with a_relay(START, *flood, *moves(START)) as full, a_relay(*moves(START)[2:]) as good:
        assert main([START.id, full.url, good.url]) == 0

    said = capsys.readouterr()
    assert f"{full.url} has more than is read" in said.err
    assert read(said.out).headers["Result"] == "0-1"


def huge(client: Client, message: list[Any]) -> None:
    client.send("EVENT", message[1], {"id": "x" * 200_000})


def refusing(client: Client, message: list[Any]) -> None:
    client.send("CLOSED", message[1], "auth-required: \x1b[2J who are you?")


def silent(client: Client, message: list[Any]) -> None:
    del client, message


def hanging_up(client: Client, message: list[Any]) -> None:
    del message
    client.drop()


@pytest.mark.parametrize(
    ("habit", "told"),
    [
        (huge, "cannot be read"),
        (refusing, "refuses: auth-required:  [2J who are you?"),
        (silent, "does not answer"),
        (hanging_up, "cannot be read"),
    ],
)
def test_what_a_relay_does_instead_is_told_in_one_line(
    capsys: Said, monkeypatch: pytest.MonkeyPatch, habit: Any, told: str
) -> None:
    if habit is silent:
        monkeypatch.setattr(archive, "ANSWER_SECONDS", 0.5)
    with a_relay(on_req=habit) as relay:
        assert main([START.id, relay.url]) == 1

    said = capsys.readouterr()
    trouble, missing = said.err.splitlines()
    assert trouble.startswith(f"{relay.url} {told}")
    assert missing == f"No relay of these has the event {START.id}."
    assert said.out == ""


def test_an_event_that_starts_no_game_is_told(capsys: Said) -> None:
    move = moves(START)[0]
    with a_relay(move) as relay:
        assert main([move.id, relay.url]) == 1

    assert capsys.readouterr().err == f"The event {move.id} starts no game of kind 30.\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["jester1", "wss://x"], "Name a game"),
        ([START.id.upper(), "wss://x"], "Name a game"),
        ([encode_npub(START.id), "wss://x"], "Name a game"),
        ([START.id, ","], "Name relays"),
        ([START.id, "wss://x,https://y"], "Name relays"),
        ([START.id, "file:///etc/passwd"], "Name relays"),
    ],
)
def test_what_cannot_be_asked_is_refused(capsys: Said, arguments: list[str], told: str) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(told)
