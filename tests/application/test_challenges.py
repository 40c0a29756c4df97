"""Challenges: to one opponent, or to whoever has the link."""

from dataclasses import replace
from hashlib import sha256

import pytest

from arbiter.core.game import WHITE
from arbiter.core.pairing import CHALLENGES_AT_ONCE
from arbiter.core.seeks import LONG_WAIT_MS, WAIT_MS
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, SERVER, a_key, an_event

CAROL = a_key("carol")
BLITZ = ("time", "180+2")


def words(events: list[VerifiedEvent]) -> list[tuple[str, str]]:
    """To whom each 20301 is, and what it says; nothing of ids."""
    return [(e.tags[0][1], e.content.split(":")[0]) for e in events if e.kind == 20301]


def ask(
    world: World, key: SecretKey, content: str = "", *tags: tuple[str, ...]
) -> list[VerifiedEvent]:
    return world.hear(world.request(key, content, *tags))


def challenge(world: World, opponent: str, *tags: tuple[str, ...], key: SecretKey = ALICE) -> str:
    """The id of a challenge that was made."""
    (queued, *_) = ask(world, key, "", ("challenge", opponent), *tags)
    assert (queued.tags[0], queued.content) == (("p", key.pubkey), "queued")
    return queued.tags[1][1]


def standing(world: World) -> list[str]:
    return [*world.lobby.challenges]


def test_a_challenge_is_told_to_both_with_its_id_and_its_terms() -> None:
    world = World()

    queued, told = ask(
        world, ALICE, "", ("challenge", BOB.pubkey), BLITZ, ("mode", "rated"), ("color", "white")
    )

    (challenge_id,) = standing(world)
    assert queued.tags[:2] == (("p", ALICE.pubkey), ("challenge", challenge_id))
    assert told.tags[0] == ("p", BOB.pubkey)
    assert told.content == f"challenged:{challenge_id}:{ALICE.pubkey}"
    assert {BLITZ, ("mode", "rated"), ("color", "white")} <= {*told.tags}
    assert world.lobby.pools == {}


def test_an_accepted_challenge_is_a_game_on_its_terms() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey, BLITZ, ("mode", "rated"), ("color", "white"))

    told = ask(world, BOB, f"accept:{challenge_id}")

    assert sorted(words(told)) == sorted([(ALICE.pubkey, "started"), (BOB.pubkey, "started")])
    game = world.game(told[-1].tags[0][1])
    assert game.color_of(ALICE.pubkey) == WHITE
    assert (game.rated, str(game.clocks and game.clocks.control)) == (True, "180+2")
    assert standing(world) == []
    for key in (ALICE, BOB):
        player = world.lobby.player(key.pubkey)
        assert (player.game_id, player.challenges) == (game.id, ())


def test_a_challenge_for_black_gives_the_other_white() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey, ("color", "black"))

    told = ask(world, BOB, f"accept:{challenge_id}")

    assert world.game(told[-1].tags[0][1]).color_of(BOB.pubkey) == WHITE


@pytest.mark.parametrize(
    ("said", "heard"),
    [("later", "later"), ("noBot", "noBot"), ("", "generic"), ("go away!", "generic")],
)
def test_a_declined_challenge_is_told_with_its_reason(said: str, heard: str) -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)

    told, thanks = ask(world, BOB, f"decline:{challenge_id}:{said}")

    assert (told.tags[0][1], told.content) == (ALICE.pubkey, f"error:declined: {heard}")
    assert (thanks.tags[0][1], thanks.content) == (BOB.pubkey, "cancelled")
    assert standing(world) == []
    assert world.lobby.player(ALICE.pubkey).challenges == ()
    assert ask(world, BOB, f"accept:{challenge_id}")[0].content.startswith(
        "error:unknown-challenge: "
    )


@pytest.mark.parametrize("content", ["accept:{}", "decline:{}:later"])
@pytest.mark.parametrize("key", [CAROL, ALICE])
def test_a_challenge_is_answered_by_none_but_the_one_it_is_for(
    content: str, key: SecretKey
) -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)

    (refused,) = ask(world, key, content.format(challenge_id))

    assert refused.content.startswith("error:unknown-challenge: ")
    assert refused.tags[0] == ("p", key.pubkey)
    assert standing(world) == [challenge_id]
    assert world.games.standing == {}


def test_an_open_challenge_is_for_whoever_answers_first() -> None:
    world = World()
    challenge_id = challenge(world, "open", BLITZ)

    assert words(ask(world, EVE, "", BLITZ)) == [(EVE.pubkey, "queued")]
    assert sorted(words(ask(world, BOB, f"accept:{challenge_id}"))) == sorted(
        [(ALICE.pubkey, "started"), (BOB.pubkey, "started")]
    )
    assert words(ask(world, CAROL, f"accept:{challenge_id}")) == [(CAROL.pubkey, "error")]
    assert len(world.games.standing) == 1


def test_nobody_declines_an_open_challenge_for_all_the_others() -> None:
    world = World()
    challenge_id = challenge(world, "open")

    (refused,) = ask(world, CAROL, f"decline:{challenge_id}:later")

    assert refused.content.startswith("error:unknown-challenge: ")
    assert standing(world) == [challenge_id]
    assert sorted(words(ask(world, BOB, f"accept:{challenge_id}"))) == sorted(
        [(ALICE.pubkey, "started"), (BOB.pubkey, "started")]
    )


def test_nobody_accepts_his_own_open_challenge() -> None:
    world = World()
    challenge_id = challenge(world, "open")

    (refused,) = ask(world, ALICE, f"accept:{challenge_id}")

    assert refused.content.startswith("error:unknown-challenge: ")


def test_nobody_challenges_himself() -> None:
    world = World()

    (refused,) = ask(world, ALICE, "", ("challenge", ALICE.pubkey))

    assert refused.content.startswith("error:bad-terms: ")
    assert standing(world) == []


@pytest.mark.parametrize("content", ["accept:", "decline:"])
@pytest.mark.parametrize("challenge_id", ["f" * 32, "0" * 32])
def test_a_challenge_that_never_was_is_unknown(content: str, challenge_id: str) -> None:
    (refused,) = ask(World(), BOB, content + challenge_id)

    assert refused.content.startswith("error:unknown-challenge: ")


@pytest.mark.parametrize(
    ("tags", "wait_ms"), [((BLITZ,), WAIT_MS), ((), WAIT_MS), ((("time", "3d"),), LONG_WAIT_MS)]
)
def test_a_challenge_is_accepted_until_it_expires(
    tags: tuple[tuple[str, ...], ...], wait_ms: int
) -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey, *tags)
    made_at_ms = world.clock.ms

    world.clock.ms = made_at_ms + wait_ms
    assert words(ask(world, BOB, f"accept:{challenge_id}")) == [(BOB.pubkey, "error")]
    world.clock.ms = made_at_ms + wait_ms - 1000
    assert len(words(ask(world, BOB, f"accept:{challenge_id}"))) == 2


def test_whoever_cancels_takes_his_challenges_and_his_wish_back() -> None:
    world = World()
    ids = [challenge(world, BOB.pubkey), challenge(world, "open", BLITZ)]
    ask(world, ALICE)

    assert words(ask(world, ALICE, "cancel")) == [(ALICE.pubkey, "cancelled")]

    assert standing(world) == []
    assert world.lobby.pool(PLAIN.pool).waiting == ()
    player = world.lobby.player(ALICE.pubkey)
    assert (player.waits_in, player.challenges) == (None, ())
    for challenge_id in ids:
        assert words(ask(world, BOB, f"accept:{challenge_id}")) == [(BOB.pubkey, "error")]
    assert words(ask(world, BOB)) == [(BOB.pubkey, "queued")]


def test_cancelling_nothing_is_answered_too() -> None:
    assert words(ask(World(), ALICE, "cancel")) == [(ALICE.pubkey, "cancelled")]


def test_a_challenge_that_is_cancelled_while_it_is_being_accepted_is_gone() -> None:
    """The acceptance is decided, and then finds that the challenger has changed his mind."""
    world = World()
    challenge_id = challenge(world, BOB.pubkey)
    cancel = world.request(ALICE, "cancel")
    done: list[str] = []

    def meanwhile(point: str) -> None:
        if point == "lobby.commit" and not done:
            done.append(point)
            world.hear(cancel)

    world.lobby.hook = meanwhile
    told = ask(world, BOB, f"accept:{challenge_id}")

    assert (ALICE.pubkey, "cancelled") in words(told)
    assert (BOB.pubkey, "error") in words(told)
    assert world.games.standing == {}


def test_of_two_who_accept_an_open_challenge_at_once_one_plays() -> None:
    world = World()
    challenge_id = challenge(world, "open")
    rival = world.request(CAROL, f"accept:{challenge_id}")
    done: list[str] = []

    def meanwhile(point: str) -> None:
        if point == "lobby.commit" and not done:
            done.append(point)
            world.hear(rival)

    world.lobby.hook = meanwhile
    ask(world, BOB, f"accept:{challenge_id}")

    assert len(world.games.standing) == 1
    assert world.lobby.player(CAROL.pubkey).game_id
    assert world.lobby.player(BOB.pubkey).game_id is None


def test_a_challenger_who_sat_down_elsewhere_is_challenging_nobody() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)
    ask(world, ALICE)
    ask(world, CAROL)

    (refused,) = ask(world, BOB, f"accept:{challenge_id}")

    assert refused.content.startswith("error:unknown-challenge: ")
    assert len(world.games.standing) == 1


def test_who_accepts_leaves_the_pool_he_waits_in_and_so_does_the_challenger() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)
    ask(world, BOB)
    ask(world, ALICE, "", BLITZ)

    ask(world, BOB, f"accept:{challenge_id}")

    assert [pool for pool in world.lobby.pools.values() if pool.waiting != ()] == []
    assert words(ask(world, CAROL)) == [(CAROL.pubkey, "queued")]


def test_both_may_wait_in_the_same_pool_when_one_accepts_the_others_challenge() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)
    ask(world, BOB, "", ("color", "white"))
    ask(world, ALICE, "", ("color", "white"))

    assert len(words(ask(world, BOB, f"accept:{challenge_id}"))) == 2

    assert world.lobby.pool(PLAIN.pool).waiting == ()


def test_eight_challenges_of_a_player_stand_and_a_ninth_is_refused() -> None:
    world = World()
    for number in range(8):  # as promised
        challenge(world, a_key(f"friend {number}").pubkey)

    (refused,) = ask(world, ALICE, "", ("challenge", BOB.pubkey))
    assert refused.content.startswith("error:rate-limited: ")

    ask(world, ALICE, "cancel")

    assert challenge(world, BOB.pubkey) in world.lobby.player(ALICE.pubkey).challenges


def test_challenges_that_nobody_can_accept_any_more_do_not_count() -> None:
    world = World()
    for number in range(CHALLENGES_AT_ONCE):
        challenge(world, a_key(f"friend {number}").pubkey)
    world.clock.ms += WAIT_MS + 60_000

    ninth = challenge(world, BOB.pubkey)

    assert ninth in world.lobby.player(ALICE.pubkey).challenges


def test_a_challenge_for_some_ratings_is_for_no_others() -> None:
    world = World()
    challenge_id = challenge(world, "open", BLITZ, ("rating", "1600", "2000"))

    (refused,) = ask(world, BOB, f"accept:{challenge_id}")

    assert refused.content.startswith("error:bad-terms: ")
    assert standing(world) == [challenge_id]


def test_a_challenge_that_no_relay_took_is_told_again() -> None:
    world = World()
    world.publisher.deaf = True
    ask(world, ALICE, "", ("challenge", BOB.pubkey), BLITZ)
    (body,) = world.republish.bodies
    world.publisher.deaf = False

    world.deliver(world.record(body))

    assert words(world.publisher.taken_events) == [
        (ALICE.pubkey, "queued"),
        (BOB.pubkey, "challenged"),
    ]


def test_who_asks_where_he_stands_does_not_have_the_others_challenged_again() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)

    (told,) = ask(world, ALICE, "state")

    assert (told.tags[0], told.content) == (("p", ALICE.pubkey), "queued")
    assert told.tags[1] == ("challenge", challenge_id)


def test_a_challenge_whose_request_is_delivered_again_is_told_again_and_made_once() -> None:
    world = World()
    request = world.request(ALICE, "", ("challenge", BOB.pubkey))
    first = world.hear(request)
    world.clock.ms += 5000

    again = world.hear(request)

    assert words(again) == words(first)
    assert len(standing(world)) == 1


@pytest.mark.parametrize("content", ["cancel", "decline:{}:later"])
def test_an_answer_that_is_delivered_again_changes_nothing(content: str) -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)
    key = ALICE if content == "cancel" else BOB
    request = world.request(key, content.format(challenge_id))
    world.hear(request)
    newer = challenge(world, CAROL.pubkey)

    world.hear(request)

    assert standing(world) == [newer]
    assert world.statuses()[-1] == "duplicate"


def test_an_acceptance_that_is_delivered_again_tells_the_start_again() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)
    request = world.request(BOB, f"accept:{challenge_id}")
    first = world.hear(request)

    assert [event.id for event in world.hear(request)] == [event.id for event in first]


def test_who_plays_can_still_decline() -> None:
    world = World()
    world.start(BOB, CAROL)
    challenge_id = challenge(world, BOB.pubkey)

    told = ask(world, BOB, f"decline:{challenge_id}:later")

    assert (ALICE.pubkey, "error") in words(told)
    assert standing(world) == []


@pytest.mark.parametrize("opponent", ["open", BOB.pubkey, CAROL.pubkey])
def test_a_challenge_sent_while_one_plays_is_refused_in_words(opponent: str) -> None:
    world = World()
    game = world.start(ALICE, BOB)

    request = world.request(ALICE, "", ("challenge", opponent))

    refusal, state = world.hear(request)

    assert refusal.content == f"error:playing: your game {game.game_id} goes on: finish it first"
    assert (refusal.kind, refusal.tags) == (20301, (("p", ALICE.pubkey), ("e", request.id)))
    assert (state.kind, state.tags[0]) == (20302, ("d", game.game_id))
    assert standing(world) == []


@pytest.mark.parametrize("opponent", ["open", BOB.pubkey])
def test_a_challenge_accepted_while_one_plays_is_refused_and_still_waits(opponent: str) -> None:
    world = World()
    game = world.start(BOB, CAROL)
    challenge_id = challenge(world, opponent)

    refusal, state = ask(world, BOB, f"accept:{challenge_id}")

    assert refusal.content == f"error:playing: your game {game.game_id} goes on: finish it first"
    assert state.tags[0] == ("d", game.game_id)
    assert standing(world) == [challenge_id]
    game.say("quit", key=BOB)
    assert (BOB.pubkey, "started") in words(ask(world, BOB, f"accept:{challenge_id}"))


def test_a_challenge_refused_while_one_plays_does_not_come_true_after_the_game() -> None:
    world = World()
    game = world.start(ALICE, BOB)
    challenge_id = challenge(world, "open", key=CAROL)
    refused = [
        world.request(ALICE, "", ("challenge", CAROL.pubkey)),
        world.request(ALICE, f"accept:{challenge_id}"),
    ]
    for event in refused:
        world.hear(event)
    game.say("quit", key=ALICE)

    for event in refused:
        (again,) = world.hear(event)
        assert again.content.startswith("error:stale: ")
    assert standing(world) == [challenge_id]


def test_an_acceptance_said_anew_after_the_game_began_is_answered_by_its_start() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)
    ask(world, BOB, f"accept:{challenge_id}")
    world.clock.advance(1)

    told = ask(world, BOB, f"accept:{challenge_id}")

    assert words(told) == [(BOB.pubkey, "started")]


def test_a_player_can_be_challenged_while_they_play() -> None:
    world = World()
    world.start(BOB, CAROL)

    assert challenge(world, BOB.pubkey) in standing(world)


def test_a_given_position_is_played_from() -> None:
    world = World()
    fen = "8/P6k/8/8/8/8/7p/K7 b - - 0 1"
    challenge_id = challenge(world, BOB.pubkey, ("start", fen))

    state = ask(world, BOB, f"accept:{challenge_id}")[-1]

    assert state.content == fen
    assert ("start", fen) in state.tags


@pytest.mark.parametrize(
    "tags",
    [
        (("start", "8/P6k/8/8/8/8/7p/K7 b - - 0 1"),),
        (("challenge", "open"), ("start", "nonsense")),
        (("challenge", "open"), ("start", "k7/8/8/8/8/8/8/K7 w - - 0 1")),
        (("challenge", "somebody"),),
        (("challenge", BOB.pubkey.upper()),),
        (("challenge", BOB.pubkey), ("challenge", "open")),
    ],
)
def test_terms_that_cannot_be_played_are_refused(tags: tuple[tuple[str, ...], ...]) -> None:
    world = World()

    (refused,) = ask(world, ALICE, "", *tags)

    assert refused.content.startswith("error:bad-terms: ")
    assert (world.lobby.pools, standing(world)) == ({}, [])


def test_a_challenge_remembers_nothing_of_a_pool() -> None:
    """Whoever challenges goes on waiting where he waited."""
    world = World()
    ask(world, ALICE)
    challenge(world, BOB.pubkey)

    assert len(world.lobby.pool(PLAIN.pool).waiting) == 1
    assert replace(world.lobby.player(ALICE.pubkey), requests=()).waits_in == PLAIN.pool


def called_off(
    world: World, challenge_id: str, by: SecretKey, *, move: str = "", word: str = "abort"
) -> Table:
    """The game that this challenge begins, left by the player who took it."""
    started = next(e for e in ask(world, by, f"accept:{challenge_id}") if e.kind == 20302)
    table = Table(world, started, {key.pubkey: key for key in (ALICE, by)})
    world.clock.ms += 1000
    if move:
        table.say(move)
        world.clock.ms += 1000
    table.say(word, key=by)
    return table


@pytest.mark.parametrize("word", ["abort", "resign"])
@pytest.mark.parametrize("move", ["", "e2e4"])
def test_challenges_come_back_when_the_game_that_removed_them_hardly_began(
    move: str, word: str
) -> None:
    world = World()
    mine = [challenge(world, BOB.pubkey), challenge(world, "open")]
    open_one = challenge(world, "open")

    called_off(world, open_one, EVE, move=move, word=word)

    assert words(ask(world, EVE, f"accept:{open_one}")) == [(EVE.pubkey, "error")]
    for challenge_id, key in zip(mine, (BOB, CAROL), strict=True):
        assert words(ask(world, key, f"accept:{challenge_id}"))[0][1] == "started"
        if key is BOB:
            (game,) = [game for game in world.games.standing.values() if game.outcome is None]
            tags = (("d", game.id), ("p", SERVER.pubkey))
            world.hear(an_event(BOB, 20303, "abort", tags, world.clock.ms // 1000))


def test_challenges_that_came_back_are_told_declined_and_cancelled_as_before() -> None:
    world = World()
    kept, declined = challenge(world, "open"), challenge(world, BOB.pubkey)
    called_off(world, challenge(world, "open"), EVE)

    assert ask(world, BOB, f"decline:{declined}:later")[0].content == "error:declined: later"
    shown = [e.tags[1] for e in ask(world, ALICE, "state") if e.content == "queued"]
    assert shown == [("challenge", kept)]
    ask(world, ALICE, "cancel")
    assert words(ask(world, CAROL, f"accept:{kept}")) == [(CAROL.pubkey, "error")]


def test_challenges_do_not_come_back_after_a_game_that_was_played() -> None:
    world = World()
    other = challenge(world, BOB.pubkey)
    started = next(
        e for e in ask(world, EVE, f"accept:{challenge(world, 'open')}") if e.kind == 20302
    )
    table = Table(world, started, {key.pubkey: key for key in (ALICE, EVE)})
    for word in ("e2e4", "e7e5", "resign"):
        world.clock.ms += 1000
        table.say(word)

    assert words(ask(world, BOB, f"accept:{other}")) == [(BOB.pubkey, "error")]


def test_challenges_cancelled_during_a_game_do_not_come_back_when_it_is_called_off() -> None:
    world = World()
    kept = challenge(world, "open")
    accepted = challenge(world, "open")
    (*_, state) = ask(world, BOB, f"accept:{accepted}")
    table = Table(world, state, {ALICE.pubkey: ALICE, BOB.pubkey: BOB})
    ask(world, ALICE, "cancel")
    world.clock.ms += 1000
    table.say("abort", key=BOB)

    assert words(ask(world, CAROL, f"accept:{kept}")) == [(CAROL.pubkey, "error")]


def test_challenges_come_back_too_when_a_rematch_is_called_off() -> None:
    world = World()
    kept = challenge(world, "open")
    table = world.start(ALICE, BOB)
    table.say("abort", key=BOB)
    world.clock.ms += 1000
    table.say("rematch", key=BOB)
    state = next(e for e in table.say("rematch", key=ALICE) if e.kind == 20302)
    world.clock.ms += 1000
    Table(world, state, {ALICE.pubkey: ALICE, BOB.pubkey: BOB}).say("abort", key=BOB)

    said = ask(world, CAROL, f"accept:{kept}")

    assert {*words(said)} == {(ALICE.pubkey, "started"), (CAROL.pubkey, "started")}


def test_an_acceptance_that_was_refused_does_not_come_true_when_the_challenge_comes_back() -> None:
    world = World()
    challenge_id = challenge(world, BOB.pubkey)
    table = world.start(ALICE, CAROL)
    accepted = world.request(BOB, f"accept:{challenge_id}")
    assert words(world.hear(accepted)) == [(BOB.pubkey, "error")]
    table.say("abort", key=CAROL)

    assert words(world.hear(accepted)) == [(BOB.pubkey, "error")]
    assert words(ask(world, BOB, f"accept:{challenge_id}"))[0][1] == "started"


def test_no_more_than_eight_challenges_stand_counting_those_that_came_back() -> None:
    world = World()
    for _ in range(CHALLENGES_AT_ONCE - 1):
        challenge(world, "open")
    called_off(world, challenge(world, "open"), EVE)

    assert words(ask(world, ALICE, "", ("challenge", "open"))) == [(ALICE.pubkey, "queued")]
    assert words(ask(world, ALICE, "", ("challenge", "open"))) == [(ALICE.pubkey, "error")]


LINK = a_key("the secret in the link")


def proof(challenge_id: str, player: SecretKey, link: SecretKey = LINK) -> tuple[str, str]:
    """The tag by which a player shows that they have the link."""
    accepted = f"accept:{challenge_id}:{player.pubkey}".encode()
    return ("proof", link.sign_bytes(sha256(accepted).digest()).hex())


def test_an_open_challenge_with_a_key_is_for_those_who_have_its_link() -> None:
    world = World()
    queued = ask(world, ALICE, "", ("challenge", "open", LINK.pubkey))[0]
    challenge_id = queued.tags[1][1]
    stolen = proof(challenge_id, BOB)

    for tags in ((), (("proof",),), (("proof", "x"),), (("proof", "0" * 128),), (stolen,)):
        answer = ask(world, EVE, f"accept:{challenge_id}", *tags)
        assert answer[0].content.startswith("error:unknown-challenge: ")
    guessed = proof(challenge_id, EVE, EVE)
    assert words(ask(world, EVE, f"accept:{challenge_id}", guessed)) == [(EVE.pubkey, "error")]
    assert words(ask(world, BOB, f"accept:{challenge_id}", stolen))[0][1] == "started"


@pytest.mark.parametrize(
    "tag",
    [
        ("challenge", "open", "x"),
        ("challenge", "open", ""),
        ("challenge", BOB.pubkey, LINK.pubkey),
        ("challenge", "open", LINK.pubkey.upper()),
    ],
)
def test_a_key_of_a_link_is_64_hex_digits_and_for_an_open_challenge(tag: tuple[str, ...]) -> None:
    (refused,) = ask(World(), ALICE, "", tag)

    assert refused.content.startswith("error:bad-terms: ")


def test_a_key_that_is_no_point_of_the_curve_opens_nothing_and_raises_nothing() -> None:
    world = World()
    queued = ask(world, ALICE, "", ("challenge", "open", "f" * 64))[0]

    answer = ask(world, BOB, f"accept:{queued.tags[1][1]}", proof(queued.tags[1][1], BOB))

    assert words(answer) == [(BOB.pubkey, "error")]
