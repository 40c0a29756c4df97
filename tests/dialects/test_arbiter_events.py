"""A finished game as a note that any reader of PGN understands.

What the arbiter says of itself on relays.
"""

import io
import json
from dataclasses import replace

import chess.pgn
import pytest

from arbiter.core.clocks import Speed
from arbiter.core.game import WHITE, Game, Seat
from arbiter.core.ratings import RatedGame, Rating, Standing
from arbiter.dialects import arbiter_events, rest
from arbiter.dialects.arbiter_events import ABOUT, HANDLER, PROFILE, RELAY_LIST, announcement_events
from arbiter.dialects.ssb import address
from arbiter.nostr.event import all_tags, event_to_json
from arbiter.nostr.house import HousePlayer
from arbiter.nostr.nip19 import encode_npub
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after
from tests.dialects import golden

LATER_MS = NOW_MS + 3_600_000
MATE = replace(after(a_game(), "f3 e5 g4 Qh4#"), changed_at_ms=LATER_MS, ended_at_ms=LATER_MS)


def test_the_note_names_game_players_and_end_in_its_tags() -> None:
    note = arbiter_events.note_event(MATE, SERVER.pubkey)

    assert note.kind == 64
    assert note.tags == (
        ("d", MATE.id),
        ("p", ALICE.pubkey),
        ("p", BOB.pubkey),
        ("result", "0-1"),
        ("termination", "checkmate"),
        ("alt", "A game of chess: 0-1, checkmate"),
    )


def test_the_note_is_dated_when_the_game_ended_however_late_it_is_made() -> None:
    assert arbiter_events.note_event(MATE, SERVER.pubkey).created_at == LATER_MS // 1000


def test_the_note_of_a_rated_game_says_what_it_did_to_both_ratings() -> None:
    def pair(player: str, *values: float) -> tuple[Standing, Standing]:
        before, after = (Rating(value=value) for value in values)
        return Standing(player, Speed.BLITZ, before, 6), Standing(player, Speed.BLITZ, after, 7)

    white, black = pair(ALICE.pubkey, 1612.6, 1590.2), pair(BOB.pubkey, 1400, 1455.5)
    rated = RatedGame(game_id=MATE.id, white=white, black=black)

    note = arbiter_events.note_event(MATE, SERVER.pubkey, rated)

    assert note.tags[-2:] == (("rating", "w", "1613", "1590"), ("rating", "b", "1400", "1456"))
    game = chess.pgn.read_game(io.StringIO(note.content))
    assert game is not None
    assert (game.headers["WhiteElo"], game.headers["BlackElo"]) == ("1613", "1400")


def headers_of(game: Game) -> chess.pgn.Headers:
    content = arbiter_events.note_event(game, SERVER.pubkey).content
    read = chess.pgn.read_game(io.StringIO(content))
    assert read is not None
    return read.headers


def test_the_pgn_names_the_players_and_the_server_by_their_keys() -> None:
    headers = headers_of(MATE)

    assert (headers["White"], headers["Black"]) == (ALICE.pubkey, BOB.pubkey)
    assert headers["WhiteNA"] == f"nostr:{encode_npub(ALICE.pubkey)}"
    assert headers["BlackNA"] == f"nostr:{encode_npub(BOB.pubkey)}"
    assert headers["Site"] == f"nostr:{encode_npub(SERVER.pubkey)}"


def test_a_player_without_a_nostr_key_is_named_by_their_feed_or_not_at_all() -> None:
    feed = f"@{'A' * 43}=.ed25519"
    white = address.seat_of(SERVER.pubkey, feed, "%root", address.Role.REFEREED, WHITE)
    _, black = rest.seats_of(MATE.id, SERVER.pubkey)
    game = replace(MATE, white=white, black=black)

    headers = headers_of(game)

    assert (headers["White"], headers["WhiteNA"]) == (feed, feed)
    assert (headers["Black"], headers["BlackNA"]) == ("Anonymous", "-")


START = "5f" * 32


def test_the_note_of_a_game_of_kind_30_names_its_first_event() -> None:
    seat = Seat(ALICE.pubkey, "jester", f"{START} more")

    for game in (replace(MATE, white=seat), replace(MATE, black=seat)):
        note = arbiter_events.note_event(game, SERVER.pubkey)
        assert all_tags(note, "e") == (("e", START),)


@pytest.mark.parametrize(
    ("dialect", "at"),
    [("jester", ""), ("jester", "more"), ("jester", START.upper()), ("nip100", f"{START}@1")],
)
def test_only_the_id_of_an_event_that_relays_keep_is_named(dialect: str, at: str) -> None:
    game = replace(MATE, white=Seat(ALICE.pubkey, dialect, at))

    assert not all_tags(arbiter_events.note_event(game, SERVER.pubkey), "e")


def test_the_summary_of_a_game_that_goes_on_has_no_result() -> None:
    note = arbiter_events.note_event(a_game(), SERVER.pubkey)

    assert all_tags(note, "alt") == (("alt", "A game of chess"),)


AT = 1_800_000_000


def test_a_profile_a_relay_list_and_what_is_handled_are_published() -> None:
    profile, relays, handler = announcement_events(
        "Árbiter", ["ws://a", "ws://b"], [20300, 20303], AT
    )

    assert [it.kind for it in (profile, relays, handler)] == [PROFILE, RELAY_LIST, HANDLER]
    assert {it.created_at for it in (profile, relays, handler)} == {AT}
    assert json.loads(profile.content) == {"name": "Árbiter", "about": ABOUT, "bot": True}
    assert "Árbiter" in profile.content, "not escaped"
    assert (profile.tags, relays.content) == ((), "")
    assert relays.tags == (("r", "ws://a"), ("r", "ws://b"))
    assert handler.content == profile.content
    assert handler.tags == (("d", "chess"), ("k", "20300"), ("k", "20303"))


def test_house_players_are_announced_with_their_levels_beside_what_is_handled() -> None:
    house = (HousePlayer("ab" * 32, 1), HousePlayer("cd" * 32, 8))

    profile, relays, handler = announcement_events("Arbiter", ["ws://a"], [20300], AT, house)

    assert handler.tags == (
        ("d", "chess"),
        ("k", "20300"),
        ("house", "ab" * 32, "1"),
        ("house", "cd" * 32, "8"),
    )
    assert (profile, relays) == announcement_events("Arbiter", ["ws://a"], [20300], AT)[:2]


def test_what_is_announced_is_in_the_golden_file() -> None:
    houses = {"announced": (), "announced-with-a-house": (HousePlayer(ALICE.pubkey, 3),)}
    golden.check(
        "announcement",
        {
            case: {
                "events": [
                    event_to_json(SERVER.sign(template))
                    for template in announcement_events("Arbiter", [], [20300], AT, house)
                ]
            }
            for case, house in houses.items()
        },
    )
