"""Cases of the laws about what changes in a game, who may change it, and what is said of it."""

import json
from dataclasses import replace
from typing import Any

from arbiter.core.commands import OfferKind, PlayMove, Resign
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, Termination
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER
from tests.simulation.checker.evidence import Evidence
from tests.simulation.history import History, Published, Signed, of_kind
from tests.simulation.law_cases import runs
from tests.simulation.law_cases.runs import Cases, casual, live, mate, spoil
from tests.simulation.made_history import RELAY, Story, text_of


def moved(story: Story, event: VerifiedEvent, uci: str = "e2e4") -> Story:
    """This move is made, as if this event were behind it."""
    game, at_ms = story.game, story.now_ms
    player = game.seat(game.turn).player
    command = PlayMove(player=player, uci=uci, made_at_ms=at_ms, received_at_ms=at_ms)
    return story.happens(event, decide(game, command, at_ms).game, "played")


def of_days(silent_ms: int, *notice_ms: int) -> Story:
    """White is silent for so long in a game of two weeks a move; Black offers to call the game off,
    and does so later if that is said.
    """
    story = Story("14d", is_rated=False).plays("e2e4", "e7e5").waits(silent_ms)
    black = story.key_of(BLACK)
    if notice_ms != (0,):
        runs.offered(story, black, OfferKind.ABORT)
    for ms in notice_ms:
        runs.ended(story.waits(ms), black, "abort", Termination.ABORTED)
    return story


def held_back(named: str | None, age_ms: int = 0) -> Story:
    """A player resigns by a word of this age that names a state, or none."""
    story = Story().plays("e2e4", "e7e5")
    older = story.shown
    story.plays("g1f3")
    state = {"present": story.shown, "older": older, None: None}[named]
    tags = (("d", story.game.id), runs.TO_SERVER, *((("e", state),) if state else ()))
    key = story.mover
    event = story.waits(-age_ms).signs(key, 20303, "resign", tags)
    story.waits(age_ms).arrives(event)
    story.decides(event, Resign(key.pubkey))
    return story


def offered_again(minutes: int) -> Story:
    story = Story().plays(*runs.MATE)
    for _ in range(2):
        runs.offered(story, ALICE, OfferKind.REMATCH).waits(minutes * runs.MINUTE_MS)
    return story


def withdrawn_unasked() -> Story:
    story = runs.offered(Story().plays(*runs.MATE), ALICE, OfferKind.REMATCH)
    version = story.game.item_version + 1
    after = replace(story.game.with_offer(None, story.now_ms), item_version=version)
    story.commits(after)
    return story


def early_move_comes_true() -> Story:
    story = casual()
    event = story.word(story.waiter, "e7e5")
    runs.refused(story, event, "not-your-turn").plays("e2e4")
    return moved(story, event, "e7e5")


def signed_before_asking() -> History:
    story = casual()
    event = ALICE.sign(EventTemplate(5003, (), "resign", story.now_ms // 1000))
    early = Signed(at_ms=0, who="alice", event=text_of(event))
    story.arrives(event)
    story.decides(event, Resign(ALICE.pubkey))
    request = next(one for one in of_kind(story.happenings, Signed) if one.who == "alice")
    seat = {"S": json.loads(request.event)["id"]}
    run = runs.rewritten(0, run=story.history, wa=seat, ba=seat)
    return replace(run, happenings=(early, *run.happenings))


def stale(minutes: int, move: str = "e7e5") -> Story:
    """Black's move is refused as stale so long after White's."""
    story = casual("e2e4").waits(minutes * runs.MINUTE_MS)
    return runs.refused(story, story.word(story.key_of(BLACK), move), "stale")


def stale_after_all() -> Story:
    """A move is refused that was played."""
    story = Story()
    event = story.word(story.mover, "e2e4")
    return runs.refused(moved(story, event), event, "stale")


def without_games() -> History:
    run = mate()
    return replace(run, table={key: it for key, it in run.table.items() if key[:2] != "g#"})


def packed(uci: str) -> dict[str, bytes]:
    """A move as the table packs it."""
    first, last = ("abcdefgh".index(uci[at]) + 8 * int(uci[at + 1]) - 8 for at in (0, 2))
    return {"B": (first << 9 | last << 3).to_bytes(2, "big")}


def applied_twice() -> History:
    run = live("e2e4", "e7e5").history
    (cause,) = Evidence(run).changes[1].new_causes
    return runs.rewritten(-1, run=run, e={"B": bytes.fromhex(cause) * 2})


def over_what_was_not_read() -> History:
    """The last move is written over the version before the one that was there."""
    run = mate()
    *_, former, last = runs.writes(run)
    wrote: Any = run.happenings[last]
    read: Any = run.happenings[former]
    ((key, _, after),), ((_, older, _),) = wrote.items, read.items
    return runs.put(run, last, replace(wrote, items=((key, older, after),)))


def state_first() -> History:
    """The last state is published before it is written."""
    run = mate()
    told, last = [*run.happenings], runs.writes(run)[-1]
    told.insert(last, told.pop(runs.said(run, runs.STATE)[-1]))
    return replace(run, happenings=tuple(told))


def badly_signed(one: Published) -> Published:
    return replace(one, event=one.event.replace('"sig":"', '"sig":"0')[:-3] + '"}')


def published(key: SecretKey, kind: int, who: str = "listener 1") -> History:
    event = text_of(key.sign(EventTemplate(kind, (), "canary", NOW_MS // 1000)))
    return runs.add(mate(), Published(at_ms=0, who=who, way=RELAY, event=event, taken=True))


BREAKS: Cases = {
    "nothing_is_lost": [
        without_games,
        over_what_was_not_read,
        lambda: runs.rewritten(-1, m={"B": b""}),
        lambda: offered_again(4),
    ],
    "changes_are_lawful": [
        lambda: offered_again(4),
        lambda: spoil(Signed, 4),
        lambda: moved((s := Story()), s.word(s.waiter, "e2e4")),
        lambda: moved((s := Story()), s.word(EVE, "e2e4")),
        lambda: moved(
            (s := Story()), s.signs(s.mover, 20303, "e2e4", (("d", "0" * 32), runs.TO_SERVER))
        ),
        lambda: runs.rewritten(1, m=packed("d2d4")),
        lambda: runs.rewritten(1, m=packed("e2e5")),
        lambda: runs.rewritten(-1, o=None, x=None, oa=None),
        lambda: runs.rewritten(-1, run=live().history, o={"S": "checkmate"}, x={"S": "w"}),
        lambda: runs.ended(live(), ALICE, "draw", Termination.AGREEMENT),
        lambda: of_days(2 * runs.DAY_MS),
        lambda: of_days(3 * runs.DAY_MS + 1000, 0),
        lambda: of_days(3 * runs.DAY_MS + 1000, runs.DAY_MS - 2000),
        lambda: runs.withdrawn(BOB, ""),
        lambda: runs.withdrawn(ALICE, "state"),
        lambda: runs.withdrawn(ALICE, f"decline:{'0' * 32}"),
        withdrawn_unasked,
        lambda: held_back("older"),
        lambda: held_back(None, 61000),
    ],
    "events_are_applied_once": [applied_twice],
    "refused_stays_refused": [early_move_comes_true],
    "old_words_make_no_new_game": [signed_before_asking],
    "words_are_signed": [
        lambda: runs.told_otherwise(runs.STATE, 1, key=EVE),
        lambda: spoil(Published, instead=badly_signed),
        lambda: published(SERVER, 20399),
        lambda: published(EVE, runs.STATE),
    ],
    "words_are_true": [
        lambda: published(SERVER, 1, "worker"),
        state_first,
        lambda: runs.told_otherwise(runs.STATE, 1, content="8/8/8/8/8/8/8/K1k5 w - - 0 1"),
        lambda: runs.told_otherwise(20301, 1, content=f"started:{Story().game.id}:{BOB.pubkey}:x"),
        lambda: runs.told_otherwise(64, 0, result="1-0"),
        lambda: runs.told_otherwise(30300, 0, rating="2900"),
        stale_after_all,
    ],
    "one_version_one_word": [
        lambda: runs.told_otherwise(runs.STATE, 2, later=7),
        lambda: runs.told_otherwise(runs.STATE, 2, later=-30),
    ],
    "no_good_move_is_refused": [lambda: stale(0), lambda: stale(59)],
}
