"""The arbiter's events of itself, of finished games and of ratings: tests/golden/arbiter.jsonl."""

from collections.abc import Sequence
from dataclasses import replace

from arbiter.core.clocks import Speed
from arbiter.core.game import WHITE, GamePlace, Seat
from arbiter.core.pgn_cache import PgnCache
from arbiter.core.ratings import RatedGame, Rating, Standing
from arbiter.dialects import hot_seat
from arbiter.dialects.arbiter_events import announcement_events, note_event, rating_event
from arbiter.dialects.ssb import address
from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.house import HousePlayer
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after
from tests.dialects import golden

AT = NOW_MS // 1000
LATER_MS = NOW_MS + 3_600_000
MATE = replace(after(a_game(), "f3 e5 g4 Qh4#"), changed_at_ms=LATER_MS, ended_at_ms=LATER_MS)
FEED = f"@{'A' * 43}=.ed25519"
START = "5f" * 32
HOUSE = (HousePlayer(ALICE.pubkey, 3), HousePlayer("cd" * 32, 8))


def pair(player: str, *values: float, deviation: float) -> tuple[Standing, Standing]:
    """A player's blitz rating before and after a game."""
    before, after = (Rating(value=it, deviation=deviation, rated_at_ms=NOW_MS) for it in values)
    return Standing(player, Speed.BLITZ, before, 6), Standing(player, Speed.BLITZ, after, 7)


def rated(deviation: float) -> RatedGame:
    white = pair(ALICE.pubkey, 1612.6, 1590.2, deviation=deviation)
    black = pair(BOB.pubkey, 1400, 1455.5, deviation=deviation)
    return RatedGame(game_id=MATE.id, white=white, black=black)


NEW = [Standing(player.pubkey, Speed.BLITZ) for player in (ALICE, BOB)]
BEYOND = replace(rated(350), white=(NEW[0],) * 2, black=(NEW[1],) * 2, of_pair=11, day=1)


def named(white: str, black: str) -> tuple[Seat, Seat]:
    return replace(MATE.white, name=white), replace(MATE.black, name=black)


def note_of(white: Seat, black: Seat = MATE.black) -> Sequence[EventTemplate]:
    return [note_event(replace(MATE, white=white, black=black), SERVER.pubkey)]


CASES: dict[str, Sequence[EventTemplate]] = {
    "announced": announcement_events("Arbiter", [], [20300], AT),
    "announced with relays in letters that are not escaped": announcement_events(
        "Árbiter", ["ws://a", "ws://b"], [20300, 20303], AT
    ),
    "announced with a house": announcement_events("Arbiter", ["ws://a"], [20300], AT, HOUSE),
    "note dated when the game ended": note_of(MATE.white),
    "note of a game that goes on": [note_event(a_game(), SERVER.pubkey)],
    "note of a game of an event": [
        note_event(
            replace(MATE, tournament=GamePlace("f" * 32, 3, 5, 60, title="Club 'evening'")),
            SERVER.pubkey,
        )
    ],
    "note of a rated game": [note_event(MATE, SERVER.pubkey, rated(60.4))],
    "note of players with names": note_of(*named("Zoë", 'Bob \\ "Bobby"')),
    "note of a player without a name": note_of(*named("Zoë", "")),
    "note of players whose names look alike": note_of(*named("Zoë", "ｚＯË")),
    "note of players without keys": note_of(
        address.seat_of(SERVER.pubkey, FEED, "%root", address.Role.REFEREED, WHITE),
        hot_seat.seats_of(MATE.id, SERVER.pubkey)[1],
    ),
    "note of a game of kind 30": note_of(Seat(ALICE.pubkey, "jester", f"{START} more")),
    "note of a game of kind 30, by black": note_of(
        MATE.white, Seat(BOB.pubkey, "jester", f"{START} more")
    ),
    **{
        f"note that names no event of {dialect} {at[:8]}": note_of(Seat(ALICE.pubkey, dialect, at))
        for dialect, at in (
            *(("jester", it) for it in ("", "more", START.upper())),
            ("nip100", f"{START}@1"),
        )
    },
    "ratings": rating_event(rated(60.4), AT),
    "ratings that are provisional": rating_event(rated(110), AT),
    "ratings that are hardly not": rating_event(rated(109.999), AT),
    "ratings after the tenth game of a pair": rating_event(
        replace(rated(60.4), of_pair=10, day=1), AT
    ),
    "ratings after the eleventh": rating_event(BEYOND, AT),
}


def test_what_the_arbiter_says_is_in_the_golden_file() -> None:
    said = {
        case: {"events": [event_to_json(SERVER.sign(template)) for template in templates]}
        for case, templates in CASES.items()
    }
    golden.check("arbiter", said)


def test_the_note_of_an_ended_game_is_written_once() -> None:
    kept = PgnCache()
    note = note_event(MATE, SERVER.pubkey, None, kept)
    again = note_event(replace(MATE), SERVER.pubkey, None, kept)  # the game as it is loaded again
    assert again == note
    assert again.content is note.content, "the text was written a second time"
    rated_note = note_event(MATE, SERVER.pubkey, rated(60.4), kept)
    assert "WhiteElo" in rated_note.content, "the text of the unrated game was taken"
    later = replace(MATE, item_version=2, black=Seat(BOB.pubkey, "native", "x"))
    assert note_event(later, SERVER.pubkey, None, kept).content is not note.content
