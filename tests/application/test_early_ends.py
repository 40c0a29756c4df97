"""Those who end games before they began: how often they may, and who meets whom after that."""

import re

import pytest

from arbiter.core.offers import NOTICE_MS
from arbiter.core.rules import SILENT_MS
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.socket_player import SocketPlayer
from tests.application.talk import nudge
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, a_key

CAROL = a_key("carol")
BLITZ, RATED = ("time", "180+2"), ("mode", "rated")
FIVE_MINUTES_MS = 5 * 60_000


def ask(world: World, key: SecretKey, *tags: tuple[str, ...]) -> list[VerifiedEvent]:
    """This player asks for a rated game in the pool, or for what the tags say."""
    return world.hear(world.request(key, "", *(tags or (BLITZ, RATED))))


def refusals(events: list[VerifiedEvent]) -> list[str]:
    return [event.content for event in events if event.content.startswith("error:")]


def table_of(world: World, events: list[VerifiedEvent], *keys: SecretKey) -> Table | None:
    """The table of the game that these events tell of, if any."""
    state = next((event for event in events if event.kind == 20302), None)
    return Table(world, state, {key.pubkey: key for key in keys}) if state else None


def paired(world: World, one: SecretKey, other: SecretKey, *tags: tuple[str, ...]) -> Table | None:
    """Both ask, in this order; the table of their game if they meet."""
    ask(world, one, *tags)
    return table_of(world, ask(world, other, *tags), one, other)


def call_off(world: World, quitter: SecretKey, victim: SecretKey, word: str = "abort") -> None:
    table = paired(world, victim, quitter)
    assert table is not None
    table.say(word, key=quitter)


def no_show(world: World, table: Table) -> None:
    """Let the time for the next first move run out."""
    world.clock.ms += 33_000
    table.say("flag", key=table.black)
    assert world.game(table.game_id).outcome is not None


def test_a_bot_that_aborts_twenty_games_is_stopped_after_three() -> None:
    world = World()
    bot, games = a_key("bot"), 0
    for number in range(20):
        table = paired(world, a_key(f"victim {number}"), bot)
        if table is not None:
            if number % 2 and table.black == bot:
                table.say("e2e4")
            table.say("abort", key=bot)
            games += 1

    assert games == 3
    (refusal,) = refusals(ask(world, bot))
    assert re.match(r"error:rate-limited: .*ask again in \d+ seconds$", refusal)


def test_each_abort_beyond_the_second_in_an_hour_doubles_the_wait() -> None:
    world = World()
    waits = []
    for number in range(8):
        victim = a_key(f"victim {number}")
        call_off(world, BOB, victim)
        told = refusals(ask(world, BOB))
        seconds = int(told[0].split()[-2]) if told else 0
        waits.append(seconds)
        world.hear(world.request(BOB, "cancel"))
        world.clock.ms += seconds * 1000

    assert [round((wait + 1) / 60) for wait in waits] == [0, 0, 1, 2, 4, 8, 16, 30]


def test_an_honest_player_who_aborts_twice_an_hour_never_waits() -> None:
    world = World()
    for number in range(12):
        call_off(world, BOB, a_key(f"opponent {number}"))
        world.clock.ms += 31 * 60_000

    assert refusals(ask(world, BOB)) == []


def test_the_victims_of_aborts_are_never_counted() -> None:
    world = World()
    for number in range(12):
        call_off(world, a_key(f"bot {number}"), ALICE)

    assert refusals(ask(world, ALICE)) == []


def test_a_request_that_was_refused_does_not_come_true_when_a_relay_says_it_again() -> None:
    world = World()
    for number in range(3):
        call_off(world, BOB, a_key(f"victim {number}"))
    refused = world.request(BOB, "", BLITZ, RATED)
    assert refusals(world.hear(refused))
    world.clock.ms += 61_000

    world.hear(refused)
    met = table_of(world, ask(world, CAROL), BOB, CAROL)

    assert met is None


def test_six_bots_abort_one_victim_once_each_and_then_the_victim_plays_somebody_else() -> None:
    world = World()
    bots = [a_key(f"bot {number}") for number in range(6)]
    aborted = 0
    for _ in range(3):
        for bot in bots:
            table = paired(world, ALICE, bot)
            if table is not None:
                table.say("abort", key=bot)
                aborted += 1
            world.hear(world.request(bot, "cancel"))

    ask(world, ALICE)
    honest = table_of(world, ask(world, CAROL), ALICE, CAROL, *bots)

    assert aborted == 6
    assert honest is not None


def test_two_whose_game_was_called_off_meet_again_from_a_pool_after_five_minutes() -> None:
    world = World()
    call_off(world, BOB, ALICE)

    assert paired(world, ALICE, BOB) is None
    assert paired(world, BOB, ALICE) is None
    world.clock.ms += FIVE_MINUTES_MS
    assert paired(world, ALICE, BOB) is not None


def test_two_whose_game_was_called_off_may_challenge_each_other_at_once() -> None:
    world = World()
    call_off(world, BOB, ALICE)

    assert a_challenge_is_played(world, ALICE, BOB, BOB.pubkey) == []


def a_challenge_is_played(
    world: World, challenger: SecretKey, other: SecretKey, to: str
) -> list[str]:
    """Challenge and accept; the refusals on the way."""
    queued = ask(world, challenger, BLITZ, RATED, ("challenge", to))
    if told := refusals(queued):
        return told
    challenge = next(tag[1] for tag in queued[0].tags if tag[0] == "challenge")
    said = world.hear(world.request(other, f"accept:{challenge}"))
    assert refusals(said) or table_of(world, said, challenger, other)
    return refusals(said)


def test_who_must_wait_may_still_play_a_challenge_by_name_but_none_that_is_open() -> None:
    world = World()
    for number in range(3):
        call_off(world, BOB, a_key(f"victim {number}"))

    assert a_challenge_is_played(world, ALICE, BOB, "open")[0].startswith("error:rate-limited: ")
    assert a_challenge_is_played(world, BOB, ALICE, "open")[0].startswith("error:rate-limited: ")
    assert a_challenge_is_played(world, BOB, ALICE, ALICE.pubkey) == []


def test_an_open_challenge_that_was_refused_to_one_who_must_wait_is_there_for_others() -> None:
    world = World()
    for number in range(3):
        call_off(world, BOB, a_key(f"victim {number}"))
    queued = ask(world, ALICE, BLITZ, RATED, ("challenge", "open"))
    challenge = next(tag[1] for tag in queued[0].tags if tag[0] == "challenge")
    refused = world.request(BOB, f"accept:{challenge}")
    assert refusals(world.hear(refused))
    world.clock.ms += 61_000
    assert table_of(world, world.hear(refused), ALICE, BOB) is None

    said = world.hear(world.request(CAROL, f"accept:{challenge}"))

    assert table_of(world, said, ALICE, CAROL)


def test_games_called_off_one_after_another_by_who_made_open_challenges_are_counted() -> None:
    world = World()
    bot, games = a_key("bot"), 0
    queued = [ask(world, bot, BLITZ, RATED, ("challenge", "open")) for _ in range(8)]
    challenges = [tag[1] for told in queued for tag in told[0].tags if tag[0] == "challenge"]
    for number, challenge in enumerate(challenges):
        victim = a_key(f"victim {number}")
        said = world.hear(world.request(victim, f"accept:{challenge}"))
        if table := table_of(world, said, bot, victim):
            table.say("abort", key=bot)
            games += 1

    assert games == 3


def test_who_does_not_make_a_first_move_is_counted_and_the_opponent_is_not() -> None:
    world = World()
    absent, present = a_key("absent"), 0
    for number in range(9):
        opponent = a_key(f"opponent {number}")
        table = paired(world, opponent, absent)
        if table is None:
            break
        if table.black == absent:
            table.say("e2e4")
            no_show(world, table)
            present += 1
        elif table.white == absent:
            no_show(world, table)
            present += 1
        assert refusals(ask(world, opponent)) == []
        world.hear(world.request(opponent, "cancel"))

    assert present == 3
    assert refusals(ask(world, absent))


def test_resigning_or_losing_by_illegal_moves_before_both_moved_is_counted_like_an_abort() -> None:
    world = World()
    for number, word in enumerate(("resign", "quit", "e2e5")):
        table = paired(world, a_key(f"victim {number}"), BOB)
        assert table is not None
        if table.black == BOB and word == "e2e5":
            table.say("e2e4")
        for _ in range(3 if word == "e2e5" else 1):
            world.clock.ms += 1000
            table.say(word, key=BOB)
        assert world.game(table.game_id).outcome is not None

    assert refusals(ask(world, BOB))


def test_who_leaves_opponents_that_make_no_first_move_where_no_clock_runs_never_waits() -> None:
    world = World()
    left = 0
    for number in range(12):
        silent = a_key(f"silent {number}")
        table = paired(world, ALICE, silent, ("variant", "standard"))
        assert table is not None
        if table.white == ALICE:
            table.say("e2e4")
        world.clock.ms += 61_000
        table.say("abort" if number % 2 else "resign", key=ALICE)
        left += 1

    assert left == 12
    assert refusals(ask(world, ALICE)) == []


def agreed_rematch(
    world: World, table: Table, one: SecretKey, other: SecretKey, after_ms: int = 1000
) -> Table:
    """The first offers a rematch and the other agrees so much later; its table."""
    table.say("rematch", key=one)
    world.clock.ms += after_ms
    said = table.say("rematch", key=other)
    world.clock.ms += 1000
    state = next(e for e in said if e.kind == 20302 and e.tags[0][1] != table.game_id)
    return Table(world, state, {one.pubkey: one, other.pubkey: other})


def test_a_rematch_with_a_friend_does_not_hide_the_games_that_a_bot_called_off() -> None:
    world = World()
    bot, friend, aborted = a_key("bot"), a_key("friend"), 0
    table = paired(world, friend, bot)
    assert table is not None
    table.say("abort", key=friend)
    for number in range(12):
        met = paired(world, a_key(f"victim {number}"), bot)
        if met is None:
            break
        met.say("abort", key=bot)
        aborted += 1
        world.clock.ms += 1000
        table = agreed_rematch(world, table, friend, bot)
        table.say("abort", key=friend)

    assert aborted == 3


def rematch_of(world: World, offers: SecretKey, agrees: SecretKey, after_ms: int) -> Table:
    """Two play a game, one of them offers a rematch, and the other agrees so much later."""
    table = paired(world, offers, agrees)
    assert table is not None
    for word in ("e2e4", "e7e5"):
        table.say(word)
    table.say("resign", key=agrees)
    return agreed_rematch(world, table, offers, agrees, after_ms)


@pytest.mark.parametrize(("after_ms", "is_charged"), [(299_000, False), (5_000, True)])
def test_who_offered_a_rematch_long_ago_is_not_charged_for_not_coming(
    after_ms: int, *, is_charged: bool
) -> None:
    world = World()
    for number in range(3):
        other = a_key(f"opponent {number}")
        table = rematch_of(world, BOB, other, after_ms)
        if table.white == other:
            table.say("e2e4")
        assert nudge(world, table, world.clock.ms + 33_000) == "aborted"

    assert (refusals(ask(world, BOB)) != []) == is_charged


def test_who_agrees_to_a_rematch_that_was_offered_long_ago_and_leaves_is_charged() -> None:
    world = World()
    for number in range(3):
        table = rematch_of(world, a_key(f"opponent {number}"), BOB, 299_000)
        table.say("abort", key=BOB)

    assert refusals(ask(world, BOB)) != []


def test_a_game_that_both_played_counts_against_nobody() -> None:
    world = World()
    for number in range(5):
        table = paired(world, a_key(f"opponent {number}"), BOB)
        assert table is not None
        table.say("e2e4")
        table.say("e7e5")
        table.say("quit", key=BOB)

    assert refusals(ask(world, BOB)) == []


def test_one_abort_is_counted_once_however_many_requests_follow() -> None:
    world = World()
    call_off(world, BOB, ALICE)

    for _ in range(5):
        assert refusals(ask(world, BOB)) == []


def test_a_key_that_is_shown_its_game_keeps_what_was_counted() -> None:
    world = World()
    for number in range(3):
        call_off(world, BOB, a_key(f"victim {number}"))
        world.hear(world.request(BOB, "state"))
        world.hear(world.request(BOB, "cancel"))

    assert refusals(ask(world, BOB))


def test_on_a_socket_too_who_ends_games_early_is_told_how_long_to_wait() -> None:
    world = World()
    bot = SocketPlayer(world, a_key("bot"), "bot")
    for number in range(3):
        SocketPlayer(world, a_key(f"victim {number}"), f"victim {number}").connect()
        bot.connect()
        assert ("OK", True, "resigned") in bot.resign()

    ((_, accepted, text),) = bot.connect()
    assert not accepted
    assert re.match(r"rate-limited: .*ask again in \d+ seconds$", text)


@pytest.mark.parametrize(
    "terms", [(("time", "14d"), RATED), (("mode", "casual"),)], ids=["by days", "unlimited"]
)
def test_who_waits_for_a_silent_opponent_gives_notice_leaves_and_plays_others(
    terms: tuple[tuple[str, str], ...],
) -> None:
    world = World()
    table = paired(world, ALICE, BOB, *terms)
    assert table is not None
    for uci in ("e2e4", "e7e5", "g1f3"):
        table.say(uci)
    world.clock.ms += SILENT_MS

    (early,) = (event for event in table.say("abort", key=table.white) if event.kind == 20304)
    world.clock.ms += 1000
    (notice,) = table.say("abort", key=table.white)
    world.clock.ms += NOTICE_MS
    said = table.say("abort", key=table.white)

    assert early.content.startswith("too-late: ")
    assert ("offer", "abort", "w") in notice.tags
    assert [tag[1] for tag in notice.tags if tag[0] == "p"] == [
        table.white.pubkey,
        table.black.pubkey,
    ]
    assert [event.kind for event in said] == [20302]
    assert ("termination", "aborted") in said[0].tags
    assert world.ratings.games == {}
    for key in (ALICE, BOB):
        assert refusals(ask(world, key)) == []


def test_the_opponent_turns_the_notice_down_by_a_word_or_a_move_and_can_agree() -> None:
    for answer, stands in (("abort-decline", True), ("b8c6", True), ("abort", False)):
        world = World()
        table = paired(world, ALICE, BOB, ("time", "14d"))
        assert table is not None
        for uci in ("e2e4", "e7e5", "g1f3"):
            table.say(uci)
        world.clock.ms += SILENT_MS + 1000
        table.say("abort", key=table.white)

        (said,) = table.say(answer, key=table.black)
        world.clock.ms += NOTICE_MS
        table.say("abort", key=table.white)

        assert not [tag for tag in said.tags if tag[0] == "offer"]
        assert (world.game(table.game_id).outcome is None) is stands
