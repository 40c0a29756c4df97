"""What one player may say and is sent is no less for what others send; no good move is refused."""

from collections import defaultdict
from collections.abc import Iterator

from tests.simulation.checker.parsed_history import GATEWAY, ParsedHistory, Refusal, Shown, Version
from tests.simulation.checker.permitted_changes import position_of, same_move
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import ERROR, MOVE, Event, read_frame
from tests.simulation.history import Opened, Posted, of_kind

ALLOWED = frozenset({"bad-time", "game-over"})
"""Dated far ahead; or received when the flag had fallen, which the clocks' invariant looks at."""

KNOWN_AGAIN_SECONDS = 3600
"""For an hour a state is known again by whatever date it was told with; later the date of the move
decides.
"""


def no_good_move_is_refused(parsed: ParsedHistory) -> Iterator[Violation]:
    for id_, refusals in parsed.refusals.items():
        found = parsed.signed.get(id_)
        if found is None or found[1].kind != MOVE:
            continue
        event = found[1]
        named = parsed.shown.get(event.value("e") or "")
        for refusal in refusals:
            if named and refusal.reason not in ALLOWED:
                yield from _judged(parsed, event, refusal, named)


def _judged(
    parsed: ParsedHistory, event: Event, refusal: Refusal, named: Shown
) -> Iterator[Violation]:
    game_id, state_version, created_at = named
    refused_at = parsed.history.happenings[refusal.at].at_ms // 1000
    if refusal.reason == "stale" and refused_at - created_at > KNOWN_AGAIN_SECONDS:
        return
    versions = parsed.games.get(game_id, ())
    stored = [one for one in versions if one.at < refusal.at]
    if not stored or {value[:1] for value in event.all("d")} != {(game_id,)}:
        return
    game = stored[-1].after
    if str(game.state_version) != state_version or game.is_over or _made_meanwhile(event, stored):
        return
    if game.color_of(event.pubkey) != game.turn:
        return
    board = position_of(game)
    if board and same_move(board, event.content.lower(), event.content.lower()):
        sentence = f"{event.content} is legal in version {state_version}, and was refused as "
        yield Violation(Invariant.FAIR, (game_id, event.id), sentence + refusal.reason)


def _made_meanwhile(event: Event, stored: list[Version]) -> bool:
    first = next((one for one in stored if _answered(event, one)), None)
    return first is not None and first.after.moves != stored[-1].after.moves


def _answered(event: Event, one: Version) -> bool:
    event_key = event.id[:16]
    return event_key in (*one.after.applied, *one.after.white.answered, *one.after.black.answered)


QUESTIONS, QUESTIONS_A_SECOND = 20, 2
"""So many about one game a listener passes on at once, and in each second after."""

COUNTED_FREELY, WINDOW_MS = 20, 10_000
"""So many events of one key, brought from one address in one window, are never too many."""

ERRORS_TOLD, ERRORS_MS = 21, 3_600_000
"""So many errors that are no strikes a player is told of in one position in that time; the last
says that no more are.
"""


def questions_are_few(parsed: ParsedHistory) -> Iterator[Violation]:
    left: dict[tuple[str, str], tuple[float, int]] = {}
    for _, heard, event in parsed.heard:
        is_question = event is not None and event.kind == MOVE and event.content == "state"
        if not is_question or event is None or heard.dropped or heard.by.startswith(GATEWAY):
            continue
        key = (heard.by, event.value("d") or "")
        tokens, since_ms = left.get(key, (float(QUESTIONS), heard.at_ms))
        gained = QUESTIONS_A_SECOND * (heard.at_ms - since_ms) / 1000
        tokens = min(float(QUESTIONS), tokens + gained) - 1
        left[key] = (tokens, heard.at_ms)
        if tokens < -1:
            sentence = f"{heard.by} passed on more questions about it than may be asked"
            yield Violation(Invariant.FAIR_PLAY, (key[1], event.id), sentence)


def a_share_is_ones_own(parsed: ParsedHistory) -> Iterator[Violation]:
    owners = {one.way: one.who for one in of_kind(parsed.history.happenings, Opened)}
    brought: dict[tuple[str, str], list[int]] = defaultdict(list)
    events = {}
    for _, heard, event in parsed.heard:
        if event is not None and heard.by.startswith(GATEWAY):
            brought[owners.get(heard.way, ""), event.pubkey].append(heard.at_ms)
            events[event.id] = event
    for one in of_kind(parsed.history.happenings, Posted):
        match read_frame(one.frame):
            case ("OK", str(id_), False, str(text)) if text.startswith("rate-limited"):
                event = events.get(id_)
            case _:
                continue
        if event is None or (event.kind == MOVE and event.content == "state"):
            continue
        first_ms = one.at_ms - 2 * WINDOW_MS
        times = brought[owners.get(one.way, ""), event.pubkey]
        own = sum(first_ms <= it <= one.at_ms for it in times)
        if own < COUNTED_FREELY:
            sentence = f"it was one too many at {one.way}, where {own} were brought"
            yield Violation(Invariant.FAIR_PLAY, (id_,), sentence)


def errors_are_their_authors(parsed: ParsedHistory) -> Iterator[Violation]:
    struck = {
        event_key
        for one in parsed.changes
        for color in ("w", "b")
        if one.before and one.after.side(color).strikes > one.before.side(color).strikes
        for event_key in one.newly_refused(color)
    }
    failed = sum(one.kind.startswith("F26") for one in parsed.faults)
    is_skewed = any(one.kind.startswith("F40") for one in parsed.faults)
    # A count that fails keeps no error back, and where clocks differ two windows are open at once.
    most = ERRORS_TOLD * (2 if is_skewed else 1) + failed
    told: dict[tuple[str, int, str, int], set[str]] = defaultdict(set)
    for published in parsed.published_events:
        event = published.event
        about, game_id = event.value("e") or "", event.value("d")
        if event.kind != ERROR or game_id is None or about[:16] in struck:
            continue
        readers = [value[0] for value in event.all("p") if value]
        if len(readers) > 1:
            sentence = "it counted for nothing, and the opponent was told of it"
            yield Violation(Invariant.FAIR_PLAY, (game_id, about), sentence)
        given = [at for at in parsed.given.get(about, ()) if at < published.at]
        plies = {_ply(parsed, game_id, at) for at in (*given[-1:], published.at)}
        # Otherwise it cannot be said in which of two positions it was refused.
        if len(plies) == 1 and given:
            key = (game_id, plies.pop(), "".join(readers), published.at_ms // ERRORS_MS)
            told[key].add(about)
    for (game_id, ply, reader, _), errors in told.items():
        if len(errors) > most:
            sentence = f"{reader[:8]} was told of {len(errors)} errors at ply {ply}"
            yield Violation(Invariant.FAIR_PLAY, (game_id,), sentence)


def _ply(parsed: ParsedHistory, game_id: str, at: int) -> int:
    stored = [one for one in parsed.games.get(game_id, ()) if one.at < at]
    return len(stored[-1].after.moves) if stored else 0
