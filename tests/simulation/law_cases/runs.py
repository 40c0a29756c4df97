"""Good runs, and ways to spoil one: what the cases of all laws are made of.

In each table ``BREAKS`` has, for a law, runs that break it.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from arbiter.core.commands import OfferKind
from arbiter.core.game import Offer, Outcome, Termination
from arbiter.core.offers import end
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, SERVER
from tests.simulation.checker.wire import read_event
from tests.simulation.history import Happening, History, Published, Wrote
from tests.simulation.made_history import Story, text_of

T = TypeVar("T", bound=Happening)
Item = dict[str, Any] | None
Run = Callable[[], History | Story]
Cases = dict[str, list[Run]]
MINUTE_MS, DAY_MS = 60_000, 86_400_000
STATE = 20302
MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
TO_SERVER = ("p", SERVER.pubkey)


def casual(*moves: str) -> Story:
    return Story(time=None, is_rated=False).plays(*moves)


def live(*moves: str) -> Story:
    return Story().plays(*(moves or ("e2e4", "e7e5", "g1f3")))


def mate() -> History:
    return Story().plays(*MATE).history


def places(run: History, kind: type[T], wanted: Callable[[T], bool] = lambda _: True) -> list[int]:
    return [at for at, one in enumerate(run.happenings) if isinstance(one, kind) and wanted(one)]


def put(run: History, at: int, *instead: Happening) -> History:
    told = run.happenings
    return replace(run, happenings=(*told[:at], *instead, *told[at + 1 :]))


def add(run: History, *more: Happening) -> History:
    return replace(run, happenings=(*run.happenings, *more))


def spoil(
    kind: type[Happening],
    which: int = -1,
    /,
    *,
    run: History | None = None,
    instead: Callable[[Any], Happening | tuple[Happening, ...]] | None = None,
    **changes: object,
) -> History:
    """One happening of this kind is gone, is another, or has other fields."""
    run = run or mate()
    at = places(run, kind)[which]
    one: Any = run.happenings[at]
    if instead is not None:
        others = instead(one)
        return put(run, at, *(others if isinstance(others, tuple) else (others,)))
    return put(run, at, *([replace(one, **changes)] if changes else []))


def writes(run: History, prefix: str = "g#") -> list[int]:
    return places(run, Wrote, lambda one: any(key.startswith(prefix) for key, _, _ in one.items))


def rewritten(which: int, *, run: History | None = None, **attributes: Item) -> History:
    """One write of the game with other attributes (None: without), there and ever after."""
    run = run or mate()

    def other(key: str, item: Any) -> Any:
        if item is None or key[:2] != "g#":
            return item
        kept = {name: value for name, value in item.items() if name not in attributes}
        return kept | {name: value for name, value in attributes.items() if value is not None}

    told = list(run.happenings)
    for number, at in enumerate(writes(run)[which:]):
        one = told[at]
        assert isinstance(one, Wrote)
        items = (
            (key, was if number == 0 else other(key, was), other(key, it))
            for key, was, it in one.items
        )
        told[at] = replace(one, items=tuple(items))
    table = {key: other(key, item) for key, item in run.table.items()}
    return replace(run, happenings=tuple(told), table=table)


def said(run: History, kind: int) -> list[int]:
    """Where the arbiter published an event of this kind."""
    return places(run, Published, lambda one: json.loads(one.event)["kind"] == kind)


def told_otherwise(
    kind: int,
    which: int,
    key: SecretKey = SERVER,
    later: int = 0,
    content: str | None = None,
    **tags: str,
) -> History:
    """One event of the arbiter's in other words, signed anew."""
    run = mate()
    at = said(run, kind)[which]
    one: Any = run.happenings[at]
    event = read_event(one.event)
    assert event is not None
    named = tuple((tag[0], tags[tag[0]]) if tag[0] in tags else tag for tag in event.tags)
    words = event.content if content is None else content
    signed = key.sign(EventTemplate(event.kind, named, words, event.created_at + later))
    return put(run, at, replace(one, event=text_of(signed)))


def ended(story: Story, key: SecretKey, word: str, how: Termination, winner: Any = None) -> Story:
    """The game ends so by this word, right or wrong."""
    event = story.word(key, word)
    return story.happens(event, end(story.game, Outcome(how, winner), story.now_ms).game, "ended")


def offered(story: Story, key: SecretKey, kind: OfferKind) -> Story:
    """An offer is made, right or wrong."""
    event, color = story.word(key, kind.value), story.game.color_of(key.pubkey)
    assert color is not None
    return story.happens(event, story.game.with_offer(Offer(kind, color), story.now_ms), "changed")


def withdrawn(key: SecretKey, word: str) -> Story:
    """Alice's offer of a rematch is withdrawn, as if by this player's request."""
    story = offered(Story().plays(*MATE), ALICE, OfferKind.REMATCH)
    event = story.signs(key, 20300, word, (TO_SERVER,))
    return story.happens(event, story.game.with_offer(None, story.now_ms), "queued")


def refused(story: Story, event: VerifiedEvent, reason: str) -> Story:
    about = (("e", event.id), ("d", story.game.id))
    story.says(EventTemplate(20304, about, f"{reason}: no", story.now_ms // 1000))
    return story
