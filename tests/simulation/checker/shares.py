"""Fair play, in numbers: what one player may say, and is told, is no less for what others send."""

from collections import defaultdict
from collections.abc import Iterator

from tests.simulation.checker.evidence import GATEWAY, Evidence
from tests.simulation.checker.verdict import Law, Violation
from tests.simulation.checker.wire import ERROR, MOVE, read_frame
from tests.simulation.history import Opened, Posted, of_kind

QUESTIONS, QUESTIONS_A_SECOND = 20, 2
"""So many about one game a listener passes on at once, and in each second after."""

COUNTED_FREELY, WINDOW_MS = 20, 10_000
"""So many events of one key, brought from one address in one window, are never too many."""

ERRORS_TOLD, ERRORS_MS = 20, 3_600_000
"""So many errors that are no strikes a player is told of in one position in that time."""


def questions_are_few(evidence: Evidence) -> Iterator[Violation]:
    """Each listener passes on as many questions about a game as it may, from all keys together."""
    left: dict[tuple[str, str], tuple[float, int]] = {}
    for _, heard, event in evidence.heard:
        is_question = event is not None and event.kind == MOVE and event.content == "state"
        if not is_question or event is None or heard.dropped or heard.by.startswith(GATEWAY):
            continue
        key = (heard.by, event.value("d") or "")
        tokens, since_ms = left.get(key, (float(QUESTIONS), heard.at_ms))
        gained = QUESTIONS_A_SECOND * (heard.at_ms - since_ms) / 1000
        tokens = min(float(QUESTIONS), tokens + gained) - 1
        left[key] = (tokens, heard.at_ms)
        if tokens < -1:
            sentence = f"{heard.by} passed on more questions about it than anybody may ask"
            yield Violation(Law.FAIR_PLAY, (key[1], event.id), sentence)


def a_share_is_ones_own(evidence: Evidence) -> Iterator[Violation]:
    """Our own relay finds no event one too many whose author's address has sent few."""
    owners = {one.way: one.who for one in of_kind(evidence.history.happenings, Opened)}
    brought: dict[tuple[str, str], list[int]] = defaultdict(list)
    events = {}
    for _, heard, event in evidence.heard:
        if event is not None and heard.by.startswith(GATEWAY):
            brought[owners.get(heard.way, ""), event.pubkey].append(heard.at_ms)
            events[event.id] = event
    for one in of_kind(evidence.history.happenings, Posted):
        match read_frame(one.frame):
            case ("OK", str(id_), False, str(text)) if text.startswith("rate-limited"):
                event = events.get(id_)
            case _:
                continue
        if event is None or (event.kind == MOVE and event.content == "state"):
            continue
        first_ms = one.at_ms - 2 * WINDOW_MS
        own = sum(it >= first_ms for it in brought[owners.get(one.way, ""), event.pubkey])
        if own < COUNTED_FREELY:
            sentence = f"it was one too many at {one.way}, where {own} were brought"
            yield Violation(Law.FAIR_PLAY, (id_,), sentence)


def errors_are_their_authors(evidence: Evidence) -> Iterator[Violation]:
    """The opponent is told of no error that is not a strike, and its author of so many."""
    struck = {
        cause
        for one in evidence.changes
        for color in ("w", "b")
        if one.before and one.after.side(color).strikes > one.before.side(color).strikes
        for cause in one.newly_answered(color)
    }
    failed = sum(one.kind.startswith("F26") for one in evidence.faults)
    is_skewed = any(one.kind.startswith("F40") for one in evidence.faults)
    # A count that fails keeps no error back, and where clocks differ two windows are open at once.
    most = ERRORS_TOLD * (2 if is_skewed else 1) + failed
    told: dict[tuple[str, int, str, int], set[str]] = defaultdict(set)
    for saying in evidence.sayings:
        event = saying.event
        about, game_id = event.value("e") or "", event.value("d")
        if event.kind != ERROR or game_id is None or about[:16] in struck:
            continue
        readers = [value[0] for value in event.all("p") if value]
        if len(readers) > 1:
            sentence = "it counted for nothing, and the opponent was told of it"
            yield Violation(Law.FAIR_PLAY, (game_id, about), sentence)
        given = [at for at in evidence.given.get(about, ()) if at < saying.at]
        plies = {_ply(evidence, game_id, at) for at in (*given[-1:], saying.at)}
        # Otherwise it cannot be said in which of two positions it was refused.
        if len(plies) == 1 and given:
            key = (game_id, plies.pop(), "".join(readers), saying.at_ms // ERRORS_MS)
            told[key].add(about)
    for (game_id, ply, reader, _), errors in told.items():
        if len(errors) > most:
            sentence = f"{reader[:8]} was told of {len(errors)} errors at ply {ply}"
            yield Violation(Law.FAIR_PLAY, (game_id,), sentence)


def _ply(evidence: Evidence, game_id: str, at: int) -> int:
    """How many half-moves were played in this game by then."""
    stood = [one for one in evidence.games.get(game_id, ()) if one.at < at]
    return len(stood[-1].after.moves) if stood else 0
