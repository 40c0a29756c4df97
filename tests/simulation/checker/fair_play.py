"""Fair play: what one player does costs no other a game, a colour, or the chance of a game.

Each rule is judged by the numbers in the table and by what players signed; see PROTOCOL.md, "Asking
for a game" and "Words in a game".
"""

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.simulation.checker.clock_sums import flagged
from tests.simulation.checker.items import Stored
from tests.simulation.checker.pairings import (
    LONG_WAIT_MS,
    WAIT_MS,
    Pairing,
    answered,
    pairing_of,
    wish_of,
)
from tests.simulation.checker.parsed_history import ParsedHistory, Version
from tests.simulation.checker.permitted_changes import rematch_is_over
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import REQUEST, RESPONSE, SOCKET_KINDS, STATE, Event

OPENING_PLIES = 2
COUNTED_MS, SILENT_MS, APART_MS = 3_600_000, 60_000, 300_000
LONG_AGO_MS = 60_000
FREE_OF_CHARGE, FIRST_WAIT_MS, MAX_WAIT_MS = 2, 60_000, 1_800_000
REMEMBERED = 8
"""Of what a player ended early, and of what others did to them."""

ID_DIGITS = 32


class _EarlyEnd(NamedTuple):
    """A game that ended before both had moved: when, whose doing it was, and the two."""

    at_ms: int
    by: str | None
    players: frozenset[str]


def _paired(parsed: ParsedHistory) -> Iterator[tuple[Version, Pairing]]:
    for one in parsed.changes:
        if one.before is None and (found := pairing_of(one.items, one.after)):
            yield one, found


def _rematches(parsed: ParsedHistory) -> Iterator[tuple[Version, Version]]:
    named = {one.after.next_game: one for one in reversed(parsed.changes)}
    for one in parsed.changes:
        finished = named.get(one.after.id)
        if one.before is None and finished is not None and finished.at == one.at:
            yield one, finished


def lots_are_drawn_in_secret(parsed: ParsedHistory) -> Iterator[Violation]:
    for one, pairing in _paired(parsed):
        asked = parsed.by_event_key.get(pairing.event_key)
        if asked is not None:
            first, second = sorted((pairing.waited.request, asked[1].id))
            yield from _foreseen(parsed, one.after, "game", first, second)
    for one, finished in _rematches(parsed):
        agreed = [
            parsed.by_event_key[it][1]
            for it in finished.new_event_keys
            if it in parsed.by_event_key
        ]
        for event in agreed:
            yield from _foreseen(parsed, one.after, "rematch", finished.after.id, event.id)


def _foreseen(parsed: ParsedHistory, game: Stored, *parts: str) -> Iterator[Violation]:
    said = ":".join(parts).encode()
    public = (b"", bytes(32), *map(bytes.fromhex, parsed.history.servers))
    drawn = {hmac.digest(key, said, "sha256").hex() for key in public}
    if game.id in {it[:ID_DIGITS] for it in (*drawn, hashlib.sha256(said).hexdigest())}:
        yield _violation(game.id, "its id and its colours could be computed by anybody")


def who_ends_games_early_waits(parsed: ParsedHistory) -> Iterator[Violation]:
    """A player who ended three games before both had moved is paired from no pool for a while, and
    the two of such a game do not meet there at once.
    """
    excused = {
        one.after.id: finished.before.side(finished.before.offer[1]).player
        for one, finished in _rematches(parsed)
        if finished.before
        and finished.before.offer
        and one.after.created_ms - finished.before.changed_ms >= LONG_AGO_MS
    }
    games = parsed.games.values()
    ends = [end for versions in games for end in _early_ends(parsed, versions, excused)]
    for one, pairing in _paired(parsed):
        game, waited = one.after, pairing.waited
        if waited.challenge is not None:
            continue
        players = {game.white.player, game.black.player}
        for player in sorted(players):
            at_ms = waited.asked_ms if player == waited.player else game.created_ms
            if (left_ms := _waits_until(ends, player, at_ms) - at_ms) > 0:
                yield _violation(game.id, f"{player[:8]} had to wait for {left_ms} ms more")
        recent = [it for it in ends if game.created_ms - APART_MS < it.at_ms < game.created_ms]
        asker = (players - {waited.player}).pop()
        is_long = sum(asker in it.players for it in recent) > REMEMBERED
        if any(it.players == players for it in recent) and not is_long:
            yield _violation(game.id, "the two are paired again, right after a game called off")


def _early_ends(
    parsed: ParsedHistory, versions: tuple[Version, ...], excused: Mapping[str, str]
) -> Iterator[_EarlyEnd]:
    """The early end of this game, if it had one. Not to blame is who leaves an opponent that is
    silent, or offered a rematch long before it was agreed to: those are ``excused``.
    """
    one = next((it for it in versions if it.after.is_over), None)
    if one is None or one.before is None or len(one.after.moves) >= OPENING_PLIES:
        return
    game, sides = one.after, (one.after.white, one.after.black)
    if game.winner is None and game.termination != "aborted":
        return
    turn = game.side(one.before.turn).player
    event = next(
        (parsed.by_event_key[it][1] for it in one.new_event_keys if it in parsed.by_event_key), None
    )
    by = turn if flagged(one) or event is None else event.pubkey
    is_left_alone = by != turn and game.changed_ms - game.created_ms >= SILENT_MS
    is_excused = is_left_alone or excused.get(game.id) == by
    players = frozenset(side.player for side in sides)
    yield _EarlyEnd(game.changed_ms, None if is_excused else by, players)


def _waits_until(ends: list[_EarlyEnd], player: str, at_ms: int) -> int:
    own = [it.at_ms for it in ends if it.by == player and 0 < at_ms - it.at_ms < COUNTED_MS]
    too_many = min(len(own), REMEMBERED) - FREE_OF_CHARGE
    if too_many <= 0:
        return 0
    return max(own) + min(FIRST_WAIT_MS << (too_many - 1), MAX_WAIT_MS)


def rematches_are_agreed_to_in_time(parsed: ParsedHistory) -> Iterator[Violation]:
    """An offer of a rematch is over after some minutes, and when its author asks for another game
    or for none.
    """
    for one, finished in _rematches(parsed):
        stored = finished.before
        if stored is None or stored.offer is None:
            continue
        if rematch_is_over(stored, one.after.created_ms):
            waited_s = (one.after.created_ms - stored.changed_ms) // 1000
            yield _violation(one.after.id, f"it was agreed to {waited_s} s after it was offered")
        place = stored.side(stored.offer[1]).player
        offered = _first_of(parsed, stored)
        # A request may be handled longer than an offer that its author makes after it.
        events = (
            parsed.by_event_key[it][1] for it in offered.new_event_keys if it in parsed.by_event_key
        )
        made_s = min((event.created_at for event in events), default=0)
        for event in _asked_between(parsed, place, offered.at, one.at):
            if event.created_at < made_s:
                continue
            if event.content != "state" and not event.content.startswith("decline:"):
                sentence = f"its author had said {event.content!r} in the lobby since"
                yield _violation(one.after.id, sentence, event.id)


def _first_of(parsed: ParsedHistory, game: Stored) -> Version:
    return next(it for it in parsed.games[game.id] if it.after.state_version == game.state_version)


def _asked_between(parsed: ParsedHistory, place: str, first: int, last: int) -> Iterator[Event]:
    for at, wrote in parsed.writes:
        if first < at < last:
            items = {key: (before, after) for key, before, after in wrote.items}
            event_keys = answered(items, place)
            yield from (
                parsed.by_event_key[it][1] for it in event_keys if it in parsed.by_event_key
            )


def opponents_hear_of_a_withdrawn_rematch(parsed: ParsedHistory) -> Iterator[Violation]:
    """Once a request is answered that withdrew an offer of a rematch, the finished game was told
    without the offer, or waits to be published again.
    """
    answered_at: dict[str, int] = {}
    for at, answer in parsed.answered:
        if answer.status != "failed":
            answered_at.setdefault(answer.event, at)
    for one in parsed.changes:
        for event_key in one.new_event_keys:
            found = parsed.by_event_key.get(event_key)
            if found is None or found[1].kind != REQUEST:
                continue
            told_by = answered_at.get(found[1].id)
            if told_by is not None and not _is_told(parsed, one.after, told_by):
                sentence = f"it withdrew a rematch, and told no version {one.after.state_version}"
                yield _violation(one.after.id, sentence, found[1].id)


def _is_told(parsed: ParsedHistory, game: Stored, at: int) -> bool:
    """Whether by then a relay took this version of the game or a later one, or it waited to be
    published again.
    """
    is_shown = any(
        int(one.event.value("version") or 0) >= game.state_version
        for one in parsed.published_events
        if one.at < at
        and one.seemed_to_arrive
        and one.way.startswith("relay")
        and one.event.kind == STATE
        and one.event.value("d") == game.id
    )
    orders = (one.body for place, one in parsed.queued if place < at)
    return is_shown or any(body.startswith('{"republish"') and game.id in body for body in orders)


def challenges_come_back(parsed: ParsedHistory) -> Iterator[Violation]:
    """A challenge is not unknown to the player it is for because strangers took others of its
    author's, and called the games off.
    """
    for published in parsed.published_events:
        is_unknown = published.event.content.startswith("error:unknown-challenge")
        if published.event.kind != RESPONSE or not is_unknown:
            continue
        found = parsed.signed.get(published.event.value("e") or "")
        if found is None or not found[1].content.startswith("accept:"):
            continue
        given = [at for at in parsed.given.get(found[1].id, ()) if at < published.at]
        if given and _stood(parsed, found[1], given[0], published.at, published.at_ms):
            yield _violation(found[1].id, "the challenge was open, and it was refused as unknown")


def _stood(parsed: ParsedHistory, accepted: Event, first: int, last: int, last_ms: int) -> bool:
    """Whether the challenge that this accepts was there for its author alone in all this part of
    the history.
    """
    name = accepted.content.removeprefix("accept:")
    made_at, item = 0, None
    for at, wrote in parsed.writes:
        for key, _, after in wrote.items:
            if key == f"c#{name}" and at < last:
                if at > first:
                    return False
                made_at, item = at, after
    if item is None:
        return False
    wish = wish_of(item["q"]["M"], name)
    asked = parsed.signed.get(wish.request)
    if asked is None or asked[1].value("challenge") != accepted.pubkey:
        return False
    is_slow = (asked[1].value("time") or "").endswith("d")
    ends_ms = wish.asked_ms + (LONG_WAIT_MS if is_slow else WAIT_MS)
    own = [it for _, it in parsed.signed.values() if it.pubkey == wish.player]
    is_cancelled = any(it.kind == REQUEST and it.content == "cancel" for it in own)
    return (
        ends_ms > last_ms + parsed.history.skew_ms
        and not is_cancelled
        and all(
            _came_to_nothing(versions, first)
            for versions in parsed.games.values()
            if versions[0].after.color_of(wish.player) and made_at < versions[0].at < last
        )
    )


def _came_to_nothing(versions: tuple[Version, ...], at: int) -> bool:
    ended = next((it for it in versions if it.after.is_over), None)
    return ended is not None and ended.at < at and len(ended.after.moves) < OPENING_PLIES


def others_bring_nothing_that_counts(parsed: ParsedHistory) -> Iterator[Violation]:
    """What was signed for any arbiter, and was brought here by others than its author alone, seats
    no player and changes no game.
    """
    for one in parsed.changes:
        sides = (one.after.white, one.after.black)
        asked = (it for side in sides for it in answered(one.items, side.player))
        for event_key in (*one.new_event_keys, *(asked if one.before is None else ())):
            event = parsed.by_event_key.get(event_key, (0, None))[1]
            is_by_socket = event is not None and event.kind in SOCKET_KINDS
            if event and is_by_socket and event.id not in parsed.sent_by_author:
                sentence = f"version {one.after.version} came of what its author never sent here"
                yield _violation(one.after.id, sentence, event.id)


def _violation(id_: str, sentence: str, *more: str) -> Violation:
    return Violation(Invariant.FAIR_PLAY, (id_, *more), sentence)
