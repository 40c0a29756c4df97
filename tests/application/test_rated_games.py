"""A rated game from request to the ratings that everybody can read."""

from arbiter.core.clocks import Speed
from arbiter.nostr.event import VerifiedEvent, all_tags
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, SERVER, an_event


def a_rated_game(world: World) -> Table:
    terms = (("p", SERVER.pubkey), ("time", "180+2"), ("mode", "rated"))
    at = world.clock.ms // 1000
    world.hear(an_event(ALICE, 20300, "", terms, at))
    state = world.hear(an_event(BOB, 20300, "", terms, at))[-1]
    return Table(world, state, {key.pubkey: key for key in (ALICE, BOB)})


def played(world: World) -> tuple[Table, list[VerifiedEvent]]:
    table = a_rated_game(world)
    for uci in ("f2f3", "e7e5", "g2g4"):
        table.say(uci)
    return table, table.say("d8h4")


def test_the_end_of_a_rated_game_tells_both_ratings() -> None:
    table, said = played(World())

    _, note, white, black = said
    assert [event.kind for event in said] == [20302, 64, 30300, 30300]
    assert white.tags[0] == ("d", f"blitz:{table.white.pubkey}")
    assert black.tags[0] == ("d", f"blitz:{table.black.pubkey}")
    (_, _, before, loser), (_, _, _, winner) = all_tags(note, "rating")
    assert before == "1500"
    assert int(loser) < 1500 < int(winner)
    assert all_tags(black, "rating")[0][1] == winner
    assert '[WhiteElo "1500"]' in note.content


def test_a_rated_game_is_rated_once_however_often_its_end_is_delivered() -> None:
    world = World()
    table, said = played(world)
    end = next(
        one for one in reversed(world.log) if one.result and one.result.status == "checkmate"
    )

    world.deliver(end.record)

    again = world.publisher.taken_events[-4:]
    assert [event.id for event in again] == [event.id for event in said]
    assert world.ratings.standing(table.white.pubkey, Speed.BLITZ).games == 1


def test_a_rematch_that_is_offered_makes_no_second_note() -> None:
    world = World()
    table, said = played(world)
    end = next(
        one for one in reversed(world.log) if one.result and one.result.status == "checkmate"
    )
    world.clock.ms += 60_000
    table.say("rematch", key=table.white)

    world.deliver(end.record)

    notes = {event.id for event in world.publisher.taken_events if event.kind == 64}
    assert notes == {said[1].id}


def test_an_end_that_comes_again_after_the_rematch_began_is_told_with_its_note_and_ratings() -> (
    None
):
    world = World()
    table, said = played(world)
    end = next(
        one for one in reversed(world.log) if one.result and one.result.status == "checkmate"
    )
    world.clock.ms += 60_000
    table.say("rematch", key=table.white)
    table.say("rematch", key=table.black)

    assert world.deliver(end.record) == ()

    again = [event.id for event in world.publisher.taken_events if event.kind in {64, 30300}]
    assert again == 2 * [event.id for event in said[1:]]


def test_an_end_that_comes_again_after_the_rematch_ended_makes_no_second_note_of_either() -> None:
    world = World()
    table, _ = played(world)
    ends = [one for one in world.log if one.result and one.result.status == "checkmate"]
    world.clock.ms += 60_000
    table.say("rematch", key=table.white)
    rematch = Table(
        world, table.say("rematch", key=table.black)[2], {key.pubkey: key for key in (ALICE, BOB)}
    )
    for uci in ("f2f3", "e7e5", "g2g4", "d8h4"):
        rematch.say(uci)
    once = {event.id for event in world.publisher.taken_events if event.kind == 64}

    assert world.deliver(ends[0].record) == ()

    assert {event.id for event in world.publisher.taken_events if event.kind == 64} == once
    assert len(once) == 2


def test_the_end_of_a_game_beyond_the_limit_of_a_pair_says_why_it_did_not_count() -> None:
    world = World()
    for number in range(1, 11):
        _, _, *events = played(world)[1]
        pair = ("pair", str(number), "10")
        assert [list(all_tags(event, "pair")) for event in events] == [[pair], [pair]]
        assert not all_tags(events[0], "unrated")
        world.clock.ms += 60_000

    _, note, white, _ = played(world)[1]

    assert list(all_tags(white, "pair")) == [("pair", "11", "10")]
    assert list(all_tags(white, "unrated")) == [("unrated", "pair-limit")]
    assert list(all_tags(white, "games")) == [("games", "10")]
    (_, _, before, after), _ = all_tags(note, "rating")
    assert before == after


def test_a_casual_game_and_one_that_was_called_off_move_no_rating() -> None:
    world = World()
    table = a_rated_game(world)
    said = table.say("quit")

    assert [event.kind for event in said] == [20302]
    assert world.ratings.standing(table.white.pubkey, Speed.BLITZ).games == 0
