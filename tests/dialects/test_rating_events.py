"""What is published of a rating."""

from dataclasses import replace

from arbiter.core.clocks import Speed
from arbiter.core.ratings import RatedGame, Rating, Standing
from arbiter.dialects.arbiter_events import RATING, rating_event
from tests.builders import ALICE, BOB, NOW_MS

AT = NOW_MS // 1000


def rated(deviation: float) -> RatedGame:
    def pair(player: str) -> tuple[Standing, Standing]:
        rating = Rating(value=1612.6, deviation=deviation, rated_at_ms=NOW_MS)
        return Standing(player, Speed.BLITZ, games=6), Standing(player, Speed.BLITZ, rating, 7)

    return RatedGame(game_id="0" * 32, white=pair(ALICE.pubkey), black=pair(BOB.pubkey))


def test_a_rating_is_published_as_it_is_after_the_game() -> None:
    white, black = rating_event(rated(deviation=60.4), AT)

    assert (white.kind, white.content, white.created_at) == (RATING, "", AT)
    assert white.tags == (
        ("d", f"blitz:{ALICE.pubkey}"),
        ("p", ALICE.pubkey),
        ("rating", "1613", "60"),
        ("games", "7"),
        ("game", "0" * 32),
    )
    assert black.tags[1] == ("p", BOB.pubkey)


def test_a_rating_says_which_game_of_the_same_two_it_was_and_whether_it_counted() -> None:
    tenth = replace(rated(60.4), of_pair=10, day=1)
    standings = Standing(ALICE.pubkey, Speed.BLITZ), Standing(BOB.pubkey, Speed.BLITZ)
    eleventh = RatedGame(
        game_id="0" * 32,
        white=(standings[0], standings[0]),
        black=(standings[1], standings[1]),
        of_pair=11,
        day=1,
    )

    assert rating_event(tenth, AT)[0].tags[-1] == ("pair", "10", "10")
    assert rating_event(eleventh, AT)[1].tags[-3:] == (
        ("pair", "11", "10"),
        ("unrated", "pair-limit"),
        ("provisional",),
    )


def test_a_rating_is_provisional_by_what_is_known_when_the_game_ended() -> None:
    assert rating_event(rated(deviation=110), AT)[0].tags[-1] == ("provisional",)
    assert rating_event(rated(deviation=109.999), AT)[0].tags[-1] != ("provisional",)
