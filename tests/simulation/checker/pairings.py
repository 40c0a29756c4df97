"""Games come from two requests: one game at a time, on the terms of both, while both wait."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tests.simulation.checker.items import Item, Side, Stored, read_game, requests_of
from tests.simulation.checker.parsed_history import EVENT_KEY_DIGITS, ParsedHistory
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import CONNECT, REQUEST, Event

Written = Mapping[str, tuple[Item | None, Item | None]]
"""The items of one write by their keys, each before and after."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish that waited in a pool, or as a challenge of that id, as it is stored."""

    request: str
    player: str
    asked_ms: int
    challenge: str | None = None


class Pairing(NamedTuple):
    """How a game was made: at which place the request came last, its event key, and whose wish
    waited for it.
    """

    place: str
    event_key: str
    waited: Wish


def pairing_of(items: Written, game: Stored) -> Pairing | None:
    """How this new game was made by the write of these items; None for a rematch."""
    sides = {game.white.player, game.black.player}
    came = [(place, answered(items, place)) for place in sides]
    last = [(place, event_keys[-1]) for place, event_keys in came if event_keys]
    if len(last) != 1:
        return None
    waited = (wish for wish in gone(items) if wish.player in sides - {last[0][0]})
    found = next(waited, None)
    return None if found is None else Pairing(*last[0], found)


def wish_of(value: Item, challenge: str | None = None) -> Wish:
    player = _id(value["p"])
    return Wish(
        request=bytes(value["r"]["B"]).hex(),
        player=player,
        asked_ms=int(value["t"]["N"]),
        challenge=challenge,
    )


def _id(value: Item) -> str:
    return bytes(value["B"]).hex() if "B" in value else str(value["S"])


def waiting_in(pool: Item | None) -> tuple[Wish, ...]:
    return tuple(wish_of(value["M"]) for value in pool["q"]["L"]) if pool else ()


def gone(items: Written) -> Iterator[Wish]:
    """The wishes that this write took out of challenges and pools; challenges first."""
    for key, (before, after) in items.items():
        if key.startswith("c#") and before is not None and after is None:
            yield wish_of(before["q"]["M"], key.removeprefix("c#"))
    for key, (before, after) in items.items():
        if key.startswith("q#"):
            kept = {wish.request for wish in waiting_in(after)}
            yield from (wish for wish in waiting_in(before) if wish.request not in kept)


def answered(items: Written, place: str) -> tuple[str, ...]:
    before, after = items.get(f"p#{place}", (None, None))
    known = requests_of(before) if before else ()
    return tuple(one for one in requests_of(after or {}) if one not in known)


WAIT_MS = 30 * 60_000
LONG_WAIT_MS = 14 * 24 * 3_600_000
FRESH_MS = 2 * 60_000


def pairings_are_fair(parsed: ParsedHistory) -> Iterator[Violation]:
    live: dict[str, str] = {}
    used: dict[str, str] = {}
    over: set[str] = set()
    for at, wrote in parsed.writes:
        items = {key: (before, after) for key, before, after in wrote.items}
        for key, (before, after) in items.items():
            if not key.startswith("g#") or after is None:
                continue
            game = read_game(after)
            if game.is_over:
                over.add(game.id)
            if before is None:
                yield from _alone(game, live, over)
                live |= dict.fromkeys((game.white.player, game.black.player), game.id)
                yield from _begun(parsed, game, items, used)
        yield from _pools(at, items)


def _alone(game: Stored, live: Mapping[str, str], over: set[str]) -> Iterator[Violation]:
    if game.white.player == game.black.player:
        yield _violation(game.id, "a player was paired with themselves")
    for side in (game.white, game.black):
        former = live.get(side.player)
        if former is not None and former not in over:
            yield _violation(game.id, f"{side.player[:8]} plays {former} at the same time")


def _begun(
    parsed: ParsedHistory, game: Stored, items: Written, used: dict[str, str]
) -> Iterator[Violation]:
    sides = {side.player: side for side in (game.white, game.black)}
    for place, side in sides.items():
        row = items.get(f"p#{place}", (None, None))[1]
        if row is None or bytes(row["g"]["B"]).hex() != game.id:
            yield _violation(game.id, f"{side.player[:8]} was not told to play it, in that write")
            return
    finished = [
        read_game(after)
        for key, (before, after) in items.items()
        if key.startswith("g#") and before is not None and after is not None
    ]
    came = [place for place in sides if answered(items, place)]
    if finished and not came:
        yield from _again(finished[0], game)
        return
    # A request may also withdraw the rematch that its author offers of their last game.
    if any(one.next_game == game.id for one in finished):
        yield _violation(game.id, "a request to play made it, and a finished game names it")
    if not came:
        yield _violation(game.id, "no request made it")
        return
    # Of a batch of requests one write is made. Whichever of two came last, one order must explain
    # the game.
    explained = [[*_made_by(parsed, game, items, sides, last)] for last in came]
    yield from min(explained, key=len)
    # Players wait nowhere, so what else the two had asked for is gone with it.
    left = [wish for wish in gone(items) if wish.player in sides]
    yield from _used_once(game, {wish.request[:EVENT_KEY_DIGITS] for wish in left}, used)
    for place in came:
        yield from _used_once(game, {*answered(items, place)}, used)


def _made_by(
    parsed: ParsedHistory, game: Stored, items: Written, sides: Mapping[str, Side], last: str
) -> Iterator[Violation]:
    """What is wrong with the game if the player of this place came last: the other one waited, or
    asked in the same batch.
    """
    other = next(place for place in sides if place != last)
    waited = next((wish for wish in gone(items) if wish.player == other), None)
    if waited is not None:
        yield from _wished(parsed, game, waited)
    elif event_keys := answered(items, other):
        yield from _asked_by_one(parsed, game, sides[other], event_keys, None)
    else:
        yield _violation(game.id, "no request went with it")
        return
    yield from _asked_by_one(parsed, game, sides[last], answered(items, last), waited)


def _asked_by_one(
    parsed: ParsedHistory, game: Stored, side: Side, event_keys: Sequence[str], waited: Wish | None
) -> Iterator[Violation]:
    """What is wrong with the one of these requests that explains the game best."""
    found = [[*_asked(parsed, game, side, event_key, waited)] for event_key in reversed(event_keys)]
    yield from min(found, key=len)


def _used_once(game: Stored, event_keys: set[str], used: dict[str, str]) -> Iterator[Violation]:
    for event_key in sorted(event_keys):
        if used.setdefault(event_key, game.id) != game.id:
            yield _violation(game.id, f"one request made it and {used[event_key]}")


def _again(finished: Stored, game: Stored) -> Iterator[Violation]:
    """A rematch: the same once more, with colours swapped."""
    if finished.next_game != game.id or not finished.is_over:
        yield _violation(game.id, "it follows a game that does not name it")
    now, due = ([it.white.player, it.black.player] for it in (game, finished))
    if now != due[::-1]:
        yield _violation(game.id, "a rematch is played with colours swapped")
    terms = [(one.time, one.is_rated, one.is_960) for one in (finished, game)]
    if terms[0] != terms[1]:
        yield _violation(game.id, f"a rematch of {terms[0]} is on other terms: {terms[1]}")


def _wished(parsed: ParsedHistory, game: Stored, wish: Wish) -> Iterator[Violation]:
    """One whose request waited: it was open, theirs, and the game is what they asked for."""
    is_long = wish.challenge is not None and (game.time or "").endswith("d")
    most = LONG_WAIT_MS if is_long else WAIT_MS
    if game.created_ms - wish.asked_ms > most:
        waited = (game.created_ms - wish.asked_ms) // 60_000
        yield _violation(game.id, f"{wish.player[:8]} was paired after {waited} minutes")
    found = parsed.signed.get(wish.request)
    if found is None or found[1].pubkey != wish.player:
        yield _violation(game.id, f"{wish.player[:8]} never signed that wish")
    else:
        yield from _on_his_terms(parsed, game, found[1])


def _asked(
    parsed: ParsedHistory, game: Stored, side: Side, event_key: str, waited: Wish | None
) -> Iterator[Violation]:
    """The one who came last: their request is fresh, and asks for this game or accepts."""
    player = side.player
    found = parsed.by_event_key.get(event_key)
    if found is None or found[1].pubkey != player:
        yield _violation(game.id, f"{player[:8]} never asked for it")
        return
    event = found[1]
    off_ms = abs(event.created_at * 1000 - game.created_ms) - parsed.history.skew_ms
    if off_ms > FRESH_MS:
        yield _violation(game.id, f"{player[:8]} asked {off_ms // 1000} s from then")
    if waited is None or waited.challenge is None:
        yield from _on_his_terms(parsed, game, event)
    elif event.content != f"accept:{waited.challenge}":
        yield _violation(game.id, f"{player[:8]} says {event.content}, and got {waited.challenge}")


def _on_his_terms(parsed: ParsedHistory, game: Stored, event: Event) -> Iterator[Violation]:
    """Time, mode, variant, colour and opponent as one player asked for them (PROTOCOL.md)."""
    if (event.kind, event.content) == (CONNECT, "connect"):
        asked: tuple[object, ...] = (None, False, False)
    elif event.kind == REQUEST:
        time = event.value("time")
        asked = (time, event.value("mode") == "rated", event.value("variant") == "chess960")
    else:
        yield _violation(game.id, f"{event.id} asks for no game")
        return
    got = (game.time, game.is_rated, game.is_960)
    if _spelled(asked) != got:
        yield _violation(game.id, f"{event.pubkey[:8]} asked for {asked}, and got {got}")
    color, mine = event.value("color"), game.color_of(event.pubkey)
    if color in {"white", "black"} and mine != color[0]:
        yield _violation(game.id, f"{event.pubkey[:8]} asked to be {color}, and is {mine}")
    opponent = event.value("challenge")
    other = game.side("b" if mine == "w" else "w").player
    if opponent not in {None, "open", other}:
        yield _violation(game.id, f"{event.pubkey[:8]} challenged another")


def _spelled(asked: tuple[object, ...]) -> tuple[object, ...]:
    """The time control as it is stored: ``05+0`` is ``5+0``."""
    time = asked[0]
    if isinstance(time, str):
        numbers = [str(int(part)) for part in time.removesuffix("d").split("+")]
        time = "+".join(numbers) + ("d" if time.endswith("d") else "")
    return (time, *asked[1:])


def _pools(at: int, items: Written) -> Iterator[Violation]:
    for key, (_, after) in items.items():
        if key.startswith("q#") and after is not None:
            waiting = [wish.player for wish in waiting_in(after)]
            if len(set(waiting)) < len(waiting):
                yield _violation(key, f"a player waits there twice (write {at})")


def _violation(id_: str, sentence: str) -> Violation:
    return Violation(Invariant.PAIRING, (id_,), sentence)
