"""The checker notices what a cheat gained: time, a colour, a game, or another's share."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.adapters.dynamodb.lobby_items import item_of_challenge
from arbiter.core.commands import Abort, MakeOffer, OfferKind, PlayMove, Resign
from arbiter.core.decide import decide
from arbiter.core.game import Game, Offer, Seat
from arbiter.core.pairing import rematch
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import Terms
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER
from tests.simulation.checker import fair_play, ratings, shares
from tests.simulation.checker.changes import changes_are_lawful, nothing_is_lost
from tests.simulation.checker.clock_laws import no_thinking_time_is_free
from tests.simulation.checker.evidence import Evidence
from tests.simulation.checker.telling import every_refusal_is_said
from tests.simulation.checker.verdict import Violation
from tests.simulation.history import Fired, Happening, Heard, Opened, Posted, Sent
from tests.simulation.made_history import Story, text_of

MINUTE_MS = 60_000
Check = Callable[[Evidence], Iterator[Violation]]


def breaks(law: Check, *told: Story | Happening) -> list[str]:
    first = next(one for one in told if isinstance(one, Story))
    happenings: list[Happening] = []
    for one in told:
        happenings += one.happenings if isinstance(one, Story) else [one]
    history = replace(first.history, happenings=tuple(happenings))
    found = [violation.sentence for violation in law(Evidence(history))]
    print(*found, sep="\n")  # noqa: T201 - what a failed test shows
    return found


def written(before: Game, after: Game, event: VerifiedEvent) -> Game:
    applied_ids = (*before.applied_ids, bytes.fromhex(event.id)[:8])
    return replace(after, item_version=before.item_version + 1, applied_ids=applied_ids)


def key_of(story: Story) -> SecretKey:
    return ALICE if story.game.seat(story.game.turn).player == ALICE.pubkey else BOB


@pytest.mark.parametrize(
    ("waits_ms", "is_charged", "fault", "is_noticed"),
    [
        (900, False, None, False),
        (7000, False, None, True),
        (7000, True, None, False),
        (10_900, True, None, False),
        (15_000, True, None, True),
        (15_000, True, "cheat flood", True),
        (15_000, True, "F39", False),
    ],
)
def test_a_move_that_everybody_could_read_gives_nobody_time(
    waits_ms: int, fault: str | None, *, is_charged: bool, is_noticed: bool
) -> None:
    story = Story().plays("e2e4", "e7e5")
    if fault is not None:
        story.happenings.append(Fired(at_ms=story.now_ms, kind=fault))
    story.now_ms += 3000
    move = story.word(key_of(story), "g1f3")
    story.arrives(move)
    received_ms, player = story.now_ms, move.pubkey
    story.now_ms += waits_ms
    asked = PlayMove(player=player, uci="g1f3", made_at_ms=received_ms, received_at_ms=received_ms)
    told = decide(story.game, asked, story.now_ms, is_public=is_charged)
    story.commits(written(story.game, told.game, move))
    story.plays("b8c6", seconds=5)
    assert bool(breaks(no_thinking_time_is_free, story)) is is_noticed


@pytest.mark.parametrize(
    ("named", "age_ms", "is_noticed"),
    [("present", 0, False), ("older", 0, True), (None, 59_000, False), (None, 61_000, True)],
)
def test_a_word_that_was_held_back_until_the_position_was_past_is_noticed(
    named: str | None, age_ms: int, *, is_noticed: bool
) -> None:
    story = Story().plays("e2e4", "e7e5")
    older = story.shown
    story.plays("g1f3")
    state = {"present": story.shown, "older": older, None: None}[named]
    tags = (("d", story.game.id), ("p", SERVER.pubkey), *((("e", state),) if state else ()))
    now_ms, player = story.now_ms, key_of(story)
    story.now_ms -= age_ms
    event = story.signs(player, 20303, "resign", tags)
    story.now_ms = now_ms
    story.arrives(event)
    story.decides(event, Resign(player.pubkey))
    assert bool(breaks(changes_are_lawful, story)) is is_noticed


@pytest.mark.parametrize(
    ("secret", "is_noticed"),
    [(b"a secret", False), (b"", True), (bytes.fromhex(SERVER.pubkey), True)],
)
def test_a_game_that_everybody_could_compute_is_noticed(secret: bytes, *, is_noticed: bool) -> None:
    assert bool(breaks(fair_play.lots_are_drawn_in_secret, Story(secret=secret))) is is_noticed


@pytest.mark.parametrize(
    ("minutes", "is_noticed"),
    [
        ((0, 6, 12), False),
        ((0, 6, 12, 12.5), True),
        ((0, 6, 12, 18), False),
        ((0, 6, 12, 18, 19.5), True),
        ((0, 70, 76, 77.5), False),
    ],
)
def test_who_calls_off_three_games_in_an_hour_waits_twice_as_long_after_each(
    minutes: tuple[float, ...], *, is_noticed: bool
) -> None:
    found = breaks(fair_play.who_ends_games_early_waits, *map(_called_off_at, minutes))
    assert any("had to wait" in sentence for sentence in found) is is_noticed


@pytest.mark.parametrize(("minutes", "is_noticed"), [(4.9, True), (5.1, False)])
def test_the_two_of_a_game_called_off_that_meet_again_at_once_are_noticed(
    minutes: float, *, is_noticed: bool
) -> None:
    stories = _called_off_at(0), _called_off_at(minutes)
    assert bool(breaks(fair_play.who_ends_games_early_waits, *stories)) is is_noticed


def _called_off_at(minutes: float) -> Story:
    story = Story(begins_ms=NOW_MS + round(minutes * MINUTE_MS))
    event = story.word(ALICE, "abort")
    story.decides(event, Abort(ALICE.pubkey))
    return story


@pytest.mark.parametrize(
    ("after_ms", "said", "is_noticed"),
    [
        (5 * MINUTE_MS, None, False),
        (5 * MINUTE_MS + 1, None, True),
        (MINUTE_MS, "", True),
        (MINUTE_MS, "cancel", True),
        (MINUTE_MS, "state", False),
    ],
)
def test_a_rematch_that_was_offered_long_ago_or_is_not_wanted_any_more_is_noticed(
    after_ms: int, said: str | None, *, is_noticed: bool
) -> None:
    story = Story().plays("f2f3", "e7e5", "g2g4", "d8h4")
    offered = story.word(ALICE, "rematch")
    story.decides(offered, MakeOffer(ALICE.pubkey, OfferKind.REMATCH, story.now_ms))
    story.now_ms += after_ms
    if said is not None:
        asked = story.signs(ALICE, 20300, said, (("p", SERVER.pubkey),))
        row = story.table[f"p#{ALICE.pubkey}"]
        known = row["r"]["B"] + bytes.fromhex(asked.id)[:8] + bytes(8)
        story.writes({**row, "r": {"B": known}})
    agreed = story.word(BOB, "rematch")
    old = story.game
    following = rematch(old, old.black, old.white, agreed.id, story.now_ms, b"a secret")
    applied = (*old.applied_ids, bytes.fromhex(agreed.id)[:8])
    ended = replace(
        old, next_game_id=following.id, item_version=old.item_version + 1, applied_ids=applied
    )
    story.writes(item_of_game(ended), item_of_game(following))
    assert bool(breaks(fair_play.rematches_are_agreed_to_in_time, story)) is is_noticed


@pytest.mark.parametrize(("minutes", "is_noticed"), [(4, True), (6, False)])
def test_an_offer_of_a_rematch_is_made_again_when_it_is_over_and_not_before(
    minutes: int, *, is_noticed: bool
) -> None:
    story = Story().plays("f2f3", "e7e5", "g2g4", "d8h4")
    for _ in range(2):
        event = story.word(ALICE, "rematch")
        rematch_offered = Offer(OfferKind.REMATCH, story.game.color_of(ALICE.pubkey) or False)
        offered = story.game.with_offer(rematch_offered, story.now_ms)
        applied = (*story.game.applied_ids, bytes.fromhex(event.id)[:8])
        story.commits(
            replace(offered, item_version=story.game.item_version + 1, applied_ids=applied)
        )
        story.now_ms += minutes * MINUTE_MS
    assert bool(breaks(changes_are_lawful, story)) is is_noticed
    assert any("edition" in found for found in breaks(nothing_is_lost, story)) is is_noticed


@pytest.mark.parametrize(
    ("opponent", "between", "is_noticed"),
    [
        (BOB.pubkey, "called off", True),
        (BOB.pubkey, "played", False),
        (BOB.pubkey, "under way", False),
        (BOB.pubkey, "cancelled", False),
        ("open", "called off", False),
    ],
)
def test_a_challenge_that_is_gone_since_a_stranger_called_a_game_off_is_noticed(
    opponent: str, between: str, *, is_noticed: bool
) -> None:
    made = Story(begins_ms=NOW_MS - MINUTE_MS)
    made.happenings.clear()
    asked = made.signs(ALICE, 20300, "", (("p", SERVER.pubkey), ("challenge", opponent)))
    seat, terms = Seat(ALICE.pubkey, "dilger"), Terms(opponent=opponent)
    challenge = Challenge(Seek(asked.id, seat, made.now_ms, terms))
    made.writes(item_of_challenge(challenge))
    story = Story()
    if between == "played":
        story.plays("e2e4", "e7e5")
    if between == "cancelled":
        story.signs(ALICE, 20300, "cancel", (("p", SERVER.pubkey),))
    if between != "under way":
        story.decides(story.word(ALICE, "resign"), Resign(ALICE.pubkey))
    story.now_ms += MINUTE_MS
    accepted = story.signs(BOB, 20300, f"accept:{challenge.id}", (("p", SERVER.pubkey),))
    story.arrives(accepted)
    about = (("p", BOB.pubkey), ("e", accepted.id))
    story.says(EventTemplate(20301, about, "error:unknown-challenge: no", 1))
    assert bool(breaks(fair_play.challenges_come_back, made, story)) is is_noticed


@pytest.mark.parametrize(("who", "is_noticed"), [("alice", False), ("stranger", True)])
def test_what_its_author_never_sent_here_and_counts_all_the_same_is_noticed(
    who: str, *, is_noticed: bool
) -> None:
    story = Story().plays("e2e4", "e7e5")
    event = story.signs(ALICE, 5003, "resign", ())
    story.decides(event, Resign(ALICE.pubkey))
    sent = Sent(at_ms=story.now_ms, who=who, way="gateway", text=text_of(event))
    assert bool(breaks(fair_play.others_bring_nothing_that_counts, story, sent)) is is_noticed


@pytest.mark.parametrize(("key", "is_noticed"), [(ALICE, False), (EVE, True)])
def test_a_rating_that_moved_by_a_game_that_a_stranger_ended_is_noticed(
    key: SecretKey, *, is_noticed: bool
) -> None:
    story = Story().plays("e2e4", "e7e5")
    story.decides(story.word(key, "resign"), Resign(ALICE.pubkey))
    assert bool(breaks(ratings.ratings_add_up, story)) is is_noticed


@pytest.mark.parametrize(
    ("seconds", "is_noticed"), [([0] * 21, False), ([0] * 22, True), ([0] * 20 + [5] * 10, False)]
)
def test_more_questions_about_a_game_than_anybody_may_ask_are_noticed(
    seconds: list[int], *, is_noticed: bool
) -> None:
    story, key = Story(), EVE
    heard: list[Happening] = []
    for number, at in enumerate(seconds):
        tags = (("d", story.game.id), ("p", SERVER.pubkey), ("n", str(number)))
        text = text_of(story.signs(key, 20303, "state", tags))
        at_ms = story.now_ms + 1000 * at
        heard.append(Heard(at_ms=at_ms, by="listener", way="relay 1", event=text, stamped_ms=at_ms))
    assert bool(breaks(shares.questions_are_few, story, *heard)) is is_noticed


@pytest.mark.parametrize(
    ("who", "copies", "word", "is_noticed"),
    [
        ("stranger", 30, "e2e4", True),
        ("alice", 30, "e2e4", False),
        ("alice", 3, "e2e4", True),
        ("stranger", 30, "state", False),
    ],
)
def test_an_event_that_was_one_too_many_for_what_others_brought_is_noticed(
    who: str, copies: int, word: str, *, is_noticed: bool
) -> None:
    story = Story()
    text = text_of(event := story.word(ALICE, word))
    at_ms = story.now_ms
    told: list[Happening] = [
        Opened(at_ms=at_ms, who=name, way=name) for name in ("alice", "stranger")
    ]
    told += [
        Heard(at_ms=at_ms, by="gateway 1", way=way, event=text, stamped_ms=at_ms)
        for way in (*[who] * copies, "alice")
    ]
    frame = f'["OK","{event.id}",false,"rate-limited: slow down"]'
    told.append(Posted(at_ms=at_ms, who="gateway 1", way="alice", frame=frame, arrived=True))
    assert bool(breaks(shares.a_share_is_ones_own, story, *told)) is is_noticed


@pytest.mark.parametrize(
    ("count", "readers", "is_noticed"), [(20, 1, False), (21, 1, True), (1, 2, True)]
)
def test_errors_that_the_opponent_is_told_of_or_that_have_no_end_are_noticed(
    count: int, readers: int, *, is_noticed: bool
) -> None:
    story = Story()
    for number in range(count):
        story.now_ms += number
        event = story.word(ALICE, f"h8a{number}")
        story.arrives(event)
        players = [("p", key.pubkey) for key in (ALICE, BOB)][:readers]
        about = (("e", event.id), ("d", story.game.id), *players)
        story.says(EventTemplate(20304, about, "illegal-move: not counted", 1))
    assert bool(breaks(shares.errors_are_their_authors, story)) is is_noticed


@pytest.mark.parametrize(
    ("fate", "named"), [("queued", True), ("queued", False), ("paired", False)]
)
def test_a_request_that_no_answer_names_is_noticed(fate: str, *, named: bool) -> None:
    story = Story()
    asked: VerifiedEvent = story.signs(EVE, 20300, "", (("p", SERVER.pubkey),))
    story.arrives(asked)
    about = (("p", EVE.pubkey), *((("e", asked.id),) if named else ()))
    story.says(EventTemplate(20301, about, "queued", 1))
    story.answers(fate, asked.id)
    assert bool(breaks(every_refusal_is_said, story)) is (fate == "queued" and not named)
