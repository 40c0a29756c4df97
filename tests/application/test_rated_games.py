"""A rated game, from the request to the public ratings."""

from arbiter.nostr.event import all_tags, first_tag
from tests.application.script import Conversation, run
from tests.builders import ALICE, BOB

RATED = "alice seek blitz rated; bob seek blitz rated\n"
MATE = "moves f2f3 e7e5 g2g4; x: bob d8h4 > state 0-1 checkmate | note | rating | rating\n"


def test_the_end_of_a_rated_game_tells_both_ratings() -> None:
    note, white, black = run(RATED + MATE).world.publisher.taken_events[-3:]
    assert [one.tags[0][1] for one in (white, black)] == [
        f"blitz:{ALICE.pubkey}",
        f"blitz:{BOB.pubkey}",
    ]
    (_, _, before, loser), (_, _, _, winner) = all_tags(note, "rating")
    assert int(loser) < int(before) == 1500 < int(winner)
    assert all_tags(black, "rating")[0][1] == winner
    assert '[WhiteElo "1500"]' in note.content


def test_the_end_of_a_game_beyond_the_limit_of_a_pair_says_why_it_did_not_count() -> None:
    talk = Conversation(in_order=False)
    for number in range(1, 12):
        for line in (RATED + "moves f2f3 e7e5 g2g4; black d8h4; wait 1m").splitlines():
            talk.line(line)
        note, *ratings = talk.world.publisher.taken_events[-3:]
        for rating in ratings:
            assert first_tag(rating, "pair") == ("pair", str(number), "10")
            limit = ("unrated", "pair-limit") if number == 11 else None
            assert first_tag(rating, "unrated") == limit
            assert first_tag(rating, "games") == ("games", str(min(number, 10)))
        (_, _, before, after), _ = all_tags(note, "rating")
        assert number < 11 or before == after
