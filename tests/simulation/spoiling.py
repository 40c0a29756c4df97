"""Ways to spoil a good history in one place."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from arbiter.nostr.event import EventTemplate, Tag
from arbiter.nostr.keys import SecretKey
from tests.builders import SERVER
from tests.simulation.checker.laws import check
from tests.simulation.checker.verdict import Law
from tests.simulation.checker.wire import Event, read_event
from tests.simulation.history import Happening, History, Published, Wrote
from tests.simulation.made_history import text_of

T = TypeVar("T", bound=Happening)
Item = Mapping[str, Any]


def broken(history: History) -> set[Law]:
    found = check(history)
    print(*found, sep="\n")  # noqa: T201 - what a failed test shows
    return {violation.law for violation in found}


def places(history: History, kind: type[T], wanted: Callable[[T], bool]) -> list[int]:
    return [
        at for at, one in enumerate(history.happenings) if isinstance(one, kind) and wanted(one)
    ]


def put(history: History, at: int, *instead: Happening) -> History:
    told = history.happenings
    return replace(history, happenings=(*told[:at], *instead, *told[at + 1 :]))


def writes_of_game(history: History) -> list[int]:
    return places(history, Wrote, lambda one: any(key[:2] == "g#" for key, _, _ in one.items))


def rewritten(history: History, at: int, **attributes: dict[str, Any] | None) -> History:
    """One write of the game with other attributes (None: without), there and ever after."""
    told: list[Happening] = list(history.happenings)
    before_too = False
    for place in writes_of_game(history):
        one = told[place]
        if isinstance(one, Wrote) and place >= at:
            items = tuple(
                (
                    key,
                    _with(before, attributes) if key[:2] == "g#" and before_too else before,
                    _with(after, attributes) if key[:2] == "g#" else after,
                )
                for key, before, after in one.items
            )
            told[place] = replace(one, items=items)
            before_too = True
    table = {
        key: _with(item, attributes) or {} if key[:2] == "g#" else item
        for key, item in history.table.items()
    }
    return replace(history, happenings=tuple(told), table=table)


def _with(item: Item | None, attributes: dict[str, dict[str, Any] | None]) -> Item | None:
    if item is None:
        return None
    kept = {name: value for name, value in item.items() if name not in attributes}
    return kept | {name: value for name, value in attributes.items() if value is not None}


def said(history: History, kind: int) -> list[int]:
    def is_such(one: Published) -> bool:
        event = read_event(one.event)
        return event is not None and event.kind == kind

    return places(history, Published, is_such)


def said_otherwise(
    history: History,
    at: int,
    *,
    key: SecretKey = SERVER,
    later: int = 0,
    content: str | None = None,
    **tags: str,
) -> History:
    one = history.happenings[at]
    assert isinstance(one, Published)
    event = read_event(one.event)
    assert event is not None
    template = EventTemplate(
        kind=event.kind,
        tags=_retagged(event, tags),
        content=event.content if content is None else content,
        created_at=event.created_at + later,
    )
    return put(history, at, replace(one, event=text_of(key.sign(template))))


def _retagged(event: Event, tags: dict[str, str]) -> tuple[Tag, ...]:
    return tuple((tag[0], tags[tag[0]]) if tag[0] in tags else tag for tag in event.tags)
