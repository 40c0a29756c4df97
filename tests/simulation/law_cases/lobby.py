"""Cases of the laws about who plays whom, and what it does to their ratings."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.application.queue_messages import Republish, republish_body
from arbiter.core.commands import OfferKind, Resign
from arbiter.core.game import Seat, Termination
from arbiter.core.new_games import rematch as core_rematch
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER
from tests.simulation.history import History, Queued, Wrote, of_kind
from tests.simulation.law_cases import runs
from tests.simulation.law_cases.runs import Cases, casual, mate
from tests.simulation.made_history import Story, caused

FOLLOWING = "f" * 32
SAME_PLAYER = {"B": bytes.fromhex(ALICE.pubkey)}


def other_rematch() -> History:
    run = runs.rewritten(-2, nx={"B": bytes(16)})
    return runs.rewritten(-1, run=run, nx={"B": b"x" * 16})


def one_after_the_other(*stories: Story) -> History:
    told = tuple(one for story in stories for one in story.happenings)
    return replace(stories[0].history, happenings=told)


def called_off_at(*minutes: float) -> History:
    """Alice calls each of these games off as soon as it begins."""
    stories = [Story(begins_ms=NOW_MS + round(minute * runs.MINUTE_MS)) for minute in minutes]
    for story in stories:
        runs.ended(story, ALICE, "abort", Termination.ABORTED)
    return one_after_the_other(*stories)


def withdrawn_unheard(*orders: str) -> History:
    """A request withdraws the offer of a rematch, no state is told, and these orders are queued."""
    run = runs.withdrawn(ALICE, "").history
    at = runs.said(run, runs.STATE)[-1]
    queued = (
        Queued(
            at_ms=0, by="worker", queue="seeks", group="", dedup_id="", body=body, status="taken"
        )
        for body in orders
    )
    return runs.put(run, at, *queued)


def rematch(after_ms: int = 0, asked: str | None = None, *, is_swapped: bool = True) -> Story:
    """Alice offers a rematch, perhaps says something in the lobby, and Bob agrees."""
    story = runs.offered(Story().plays(*runs.MATE), ALICE, OfferKind.REMATCH).waits(after_ms)
    if asked is not None:
        event = story.signs(ALICE, 20300, asked, (runs.TO_SERVER,))
        row = story.table[f"p#{ALICE.pubkey}"]
        story.writes({**row, "r": {"B": row["r"]["B"] + bytes.fromhex(event.id)[:8] + bytes(8)}})
    agreed, old = story.word(BOB, "rematch"), story.game
    seats = [Seat(one.player, "dilger") for one in (old.black, old.white)]
    white, black = seats if is_swapped else reversed(seats)
    following = core_rematch(old, white, black, agreed.id, story.now_ms, b"a secret")
    ended_ = caused(replace(old, state_version=old.state_version + 1), agreed)
    rows = [
        {**story.table[f"p#{key.pubkey}"], "g": {"B": bytes.fromhex(following.id)}}
        for key in (ALICE, BOB)
    ]
    story.writes(
        item_of_game(replace(ended_, next_game_id=following.id, offer=None)),
        item_of_game(following),
        *rows,
    )
    return story


def challenged(between: str, opponent: str = BOB.pubkey) -> History:
    """Alice challenges Bob; a game of hers begins otherwise, and then Bob accepts in vain."""
    made = Story(begins_ms=NOW_MS - runs.MINUTE_MS)
    made.happenings.clear()
    asked = made.signs(ALICE, 20300, "", (runs.TO_SERVER, ("challenge", opponent)))
    row = {"r": {"B": bytes.fromhex(asked.id)}, "p": SAME_PLAYER, "t": {"N": str(made.now_ms)}}
    name = asked.id[:32]
    made.writes({"pk": {"S": f"c#{name}"}, "q": {"M": row}})
    story = Story()
    if between == "played":
        story.plays("e2e4", "e7e5")
    if between == "cancelled":
        story.signs(ALICE, 20300, "cancel", (runs.TO_SERVER,))
    if between != "under way":
        runs.ended(story, ALICE, "resign", Termination.RESIGNATION, story.game.color_of(BOB.pubkey))
    accepted = story.waits(runs.MINUTE_MS).signs(BOB, 20300, f"accept:{name}", (runs.TO_SERVER,))
    story.arrives(accepted)
    about = (("p", BOB.pubkey), ("e", accepted.id))
    story.says(EventTemplate(20301, about, "error:unknown-challenge: no", 1))
    return one_after_the_other(made, story)


def paired_after(minutes: int) -> History:
    """The request that waited did so for longer by so much."""

    def older(key: str, item: Any) -> Any:
        if key[:2] != "q#" or item is None:
            return item
        (seek,) = item["q"]["L"]
        asked = int(seek["M"]["t"]["N"]) - minutes * runs.MINUTE_MS
        return {**item, "q": {"L": [{"M": {**seek["M"], "t": {"N": str(asked)}}}]}}

    run = mate()
    at = runs.writes(run)[0]
    wrote: Any = run.happenings[at]
    items = tuple((key, older(key, before), after) for key, before, after in wrote.items)
    return runs.put(run, at, replace(wrote, items=items))


def two_games() -> History:
    one, other = casual(), casual()
    game = item_of_game(replace(other.game, id=FOLLOWING))
    begun = Wrote(at_ms=0, who="worker", items=((f"g#{FOLLOWING}", None, game),))
    return replace(one.history, happenings=(*one.happenings, *other.happenings, begun))


def plays_and_waits() -> History:
    run = casual().history
    items = of_kind(run.happenings, Wrote)[0].items
    pool = {key: after or {} for key, _, after in items if key[:2] == "q#"}
    return replace(run, table={**run.table, **pool})


def rerated(change: Callable[[Any], tuple[Wrote, ...]]) -> History:
    """The write of the ratings with other items."""
    run = mate()
    (at,) = runs.writes(run, "rated#")
    return runs.put(run, at, *change(run.happenings[at]))


def unrated() -> History:
    return rerated(lambda _: ())


def too_high(one: Wrote) -> tuple[Wrote, ...]:
    rated, *standings = one.items
    high = {"rating": {"N": "1700.5"}}
    others = ((key, was, {**(it or {}), **high}) for key, was, it in standings)
    return (replace(one, items=(rated, *others)),)


def again(one: Wrote) -> tuple[Wrote, ...]:
    return one, replace(one, items=tuple((key, it, it) for key, _, it in one.items))


def by_stranger(key: SecretKey) -> Story:
    """Alice resigns by this key's word."""
    story = Story().plays("e2e4", "e7e5")
    story.decides(story.word(key, "resign"), Resign(ALICE.pubkey))
    return story


BREAKS: Cases = {
    "ratings_add_up": [
        lambda: rerated(again),
        unrated,
        lambda: rerated(too_high),
        lambda: rerated(lambda one: (replace(one, items=one.items[:2]),)),
        lambda: by_stranger(EVE),
    ],
    "pairings_are_fair": [
        lambda: runs.rewritten(0, w=SAME_PLAYER, b=SAME_PLAYER),
        lambda: runs.rewritten(0, r=None),
        lambda: paired_after(31),
        two_games,
        lambda: rematch(is_swapped=False),
    ],
    "players_wait_nowhere": [plays_and_waits],
    "rematches_are_single": [other_rematch],
    "lots_are_drawn_in_secret": [
        lambda: Story(secret=b""),
        lambda: Story(secret=bytes.fromhex(SERVER.pubkey)),
    ],
    "who_ends_games_early_waits": [
        lambda: called_off_at(0, 6, 12, 12.5),
        lambda: called_off_at(0, 6, 12, 18, 19.5),
        lambda: called_off_at(0, 4.9),
    ],
    "rematches_are_agreed_to_in_time": [
        lambda: rematch(5 * runs.MINUTE_MS + 1),
        lambda: rematch(runs.MINUTE_MS, ""),
        lambda: rematch(runs.MINUTE_MS, "cancel"),
    ],
    "opponents_hear_of_a_withdrawn_rematch": [
        withdrawn_unheard,
        lambda: withdrawn_unheard(republish_body(Republish(game_id=FOLLOWING, changed_at_ms=0))),
    ],
    "challenges_come_back": [lambda: challenged("called off")],
}
