"""What the arbiter publishes, against what was in the table when it did so."""

import io
from collections.abc import Callable, Iterator
from functools import lru_cache

import chess.pgn

from tests.simulation.checker.items import Stored
from tests.simulation.checker.parsed_history import GATEWAY, ParsedHistory, PublishedEvent, Version
from tests.simulation.checker.positions import fen_of
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import (
    CONNECT,
    ERROR,
    NOTE,
    RESPONSE,
    SOCKET_OFFER,
    STATE,
    Event,
)


@lru_cache(maxsize=1_000)
def moves_of_note(pgn: str) -> tuple[str, ...] | None:
    """The moves of a PGN text, in UCI; None if it cannot be read to its end."""
    game = chess.pgn.read_game(io.StringIO(pgn))
    if game is None or game.errors:
        return None
    return tuple(move.uci() for move in game.mainline_moves())


RETRY_SECONDS = 60
"""So long after it was made a change is told with the date on which it was made."""

QUESTION_MS = 5 * 60_000
"""A question is answered at most so long after a worker has it: the work of one invocation."""

_OTHERS = {0, 10002, 31990, 30300}


def words_are_signed(parsed: ParsedHistory) -> Iterator[Violation]:
    for published in parsed.published_events:
        event = published.event
        if not event.is_genuine:
            yield Violation(Invariant.SIGNED, (event.id,), "its id or its signature is wrong")
        elif event.pubkey not in parsed.history.servers:
            yield Violation(Invariant.SIGNED, (event.id,), "it is signed by an unknown key")


def words_are_true(parsed: ParsedHistory) -> Iterator[Violation]:
    for published in parsed.published_events:
        check = _CHECKS.get(published.event.kind)
        if check and (sentence := check(parsed, published)):
            ids = (published.event.value("d") or "", published.event.id)
            yield Violation(Invariant.STORED_BEFORE_SAID, ids, sentence)
        elif check is None and published.event.kind not in _OTHERS:
            sentence = f"the arbiter has no word of kind {published.event.kind}"
            yield Violation(Invariant.SIGNED, (published.event.id,), sentence)
    for at, id_, accepted, _ in parsed.verdicts:
        found = parsed.signed.get(id_)
        if not accepted or found is None or not CONNECT < found[1].kind <= CONNECT + 3:
            continue
        stored = (one for one in parsed.changes if one.at < at)
        if not any(id_[:16] in one.after.applied for one in stored):
            yield Violation(
                Invariant.STORED_BEFORE_SAID, (id_,), "OK was said of what was not stored"
            )


def one_version_one_word(parsed: ParsedHistory) -> Iterator[Violation]:
    ids: dict[tuple[str | int | None, ...], str] = {}
    for published in parsed.published_events:
        event = published.event
        if event.kind != STATE:
            continue
        game_id, state_version = event.value("d") or "", event.value("version") or ""
        # An answer names its question: relays pass no event on twice.
        question = event.value("e")
        key = (game_id, state_version, event.created_at, event.pubkey, question)
        if ids.setdefault(key, event.id) != event.id:
            sentence = f"version {state_version} is told in two ways of one date"
            yield Violation(Invariant.ONE_ANSWER, (game_id, event.id), sentence)
        stored = next(_state_versions(parsed, published), None)
        if stored is None:
            continue
        since = event.created_at - stored.changed_ms // 1000
        ahead = event.created_at * 1000 - published.at_ms - parsed.history.skew_ms
        is_early = 0 < since < RETRY_SECONDS and not _is_asked(parsed, published, stored)
        if since < 0 or is_early or (since and ahead > 0):
            sentence = f"version {state_version} is dated {since} s after it was made"
            yield Violation(Invariant.ONE_ANSWER, (game_id, event.id), sentence)


def _is_asked(parsed: ParsedHistory, published: PublishedEvent, game: Stored) -> bool:
    """Whether this state may be an answer: to a subscription, a request of one of its players, or
    a word about the game that changed nothing, such as a question or a stale move.
    """
    if published.who == GATEWAY:
        return True
    asked = (
        *parsed.asked.get(game.white.player, ()),
        *parsed.asked.get(game.black.player, ()),
        *parsed.asked.get(game.id, ()),
    )
    # A frozen environment may say it long after: the reply waits in it for the next invocation.
    made_ms = min(published.at_ms, published.event.created_at * 1000 + parsed.history.skew_ms)
    return any(at < published.at and made_ms - at_ms < QUESTION_MS for at, at_ms in asked)


def _before(
    parsed: ParsedHistory, published: PublishedEvent, game_id: str | None
) -> Iterator[Version]:
    versions = parsed.games.get(game_id or "", ())
    return (one for one in reversed(versions) if one.at < published.at)


def _state_versions(parsed: ParsedHistory, published: PublishedEvent) -> Iterator[Stored]:
    number = published.event.value("version")
    for one in _before(parsed, published, published.event.value("d")):
        if str(one.after.state_version) == number:
            yield one.after


def _state(parsed: ParsedHistory, published: PublishedEvent) -> str | None:
    stored = next(_state_versions(parsed, published), None)
    if stored is None:
        return f"version {published.event.value('version')} was told, and never stored before"
    told, due = _told(published.event), _due(stored)
    differing = [name for name, value in due.items() if told[name] != value]
    if differing:
        name = differing[0]
        return f"{name} is told as {told[name]}, and stored as {due[name]}"
    return None


def _told(event: Event) -> dict[str, object]:
    return {
        # The answer to a spectator has no p tags, by which a relay would bring it to the players.
        "players": event.first("players") or tuple(value[0] for value in event.all("p") if value),
        "ply": event.value("ply"),
        "moves": event.first("moves"),
        "fen": event.content,
        "time": event.value("time"),
        "clock": event.first("clock"),
        "mode": event.value("mode"),
        "offer": event.first("offer"),
        "result": event.value("result"),
        "termination": event.value("termination"),
        "rematch": event.value("rematch"),
    }


def _due(game: Stored) -> dict[str, object]:
    """What a state of this game must say (PROTOCOL.md, "The state")."""
    clocks = (str(game.white.clock_ms), str(game.black.clock_ms)) if game.time else ()
    return {
        "players": (game.white.player, game.black.player),
        "ply": str(len(game.moves)),
        "moves": game.moves,
        "fen": fen_of(game),
        "time": game.time,
        "clock": clocks,
        "mode": "rated" if game.is_rated else None,
        "offer": game.offer or (),
        "result": game.result if game.is_over else None,
        "termination": game.termination,
        "rematch": game.next_game,
    }


def _response(parsed: ParsedHistory, published: PublishedEvent) -> str | None:
    word, _, rest = published.event.content.partition(":")
    if word != "started":
        return None
    game_id, opponent, color = (*rest.split(":"), "", "")[:3]
    stored = next(_before(parsed, published, game_id), None)
    if stored is None:
        return f"{game_id} was said to have started, and was not stored before"
    reader = published.event.value("p")
    if stored.after.color_of(reader or "") != color or color not in {"w", "b"}:
        return f"{reader} is told that they are {color}"
    other = stored.after.side("b" if color == "w" else "w").player
    return None if other == opponent else f"{opponent} is named, and {other} plays"


def _error(parsed: ParsedHistory, published: PublishedEvent) -> str | None:
    about = published.event.value("e")
    if about is None:
        return "an error names no event"
    game_id = published.event.value("d")
    if game_id is None:
        return None
    stored = next(_before(parsed, published, game_id), None)
    if stored is None:
        return "an error is about a game that was not stored"
    event_key, game = about[:16], stored.after
    if event_key in game.applied and event_key not in (*game.white.answered, *game.black.answered):
        return _forgotten(parsed, about, game)
    return None


def _forgotten(parsed: ParsedHistory, about: str, game: Stored) -> str | None:
    """Of an applied event, refused all the same; a strike may have left the ring of answers."""
    for one in parsed.games[game.id]:
        for color in ("w", "b"):
            if about[:16] in one.after.side(color).answered:
                return None
    return "what was applied is told as refused"


def _note(parsed: ParsedHistory, published: PublishedEvent) -> str | None:
    stored = next(_before(parsed, published, published.event.value("d")), None)
    if stored is None or not stored.after.is_over:
        return "a note was published of a game that was not over"
    if stored.after.termination == "aborted":
        return "a note was published of a game that was called off"
    if published.event.value("result") != stored.after.result:
        return (
            f"the note says {published.event.value('result')}, and stored is {stored.after.result}"
        )
    if moves_of_note(published.event.content) != stored.after.moves:
        return "the note has other moves than the game"
    return None


def _on_a_socket(parsed: ParsedHistory, published: PublishedEvent) -> str | None:
    """What the NIP-100 draft has the arbiter sign: moves, offers, and how a game began or ended."""
    event = published.event
    versions = [one.after for one in _before(parsed, published, event.value("d"))]
    if not versions:
        return "a game was told on a socket that was not stored"
    ply = int(event.value("ply") or -1)
    match event.content:
        case "gameisfound":
            is_so = event.value("p") in {versions[0].white.player, versions[0].black.player}
        case "offersent":
            is_so = any(one.offer and one.offer[0] == "draw" for one in versions)
        case "gamecheckmate" | "gamedraw" | "opponentresigned" | "gameover":
            is_so = versions[0].result == event.value("result") and versions[0].is_over
        case move:
            is_so = any(one.moves[ply - 1 : ply] == (move,) for one in versions)
    return None if is_so else f"{event.content} was told at ply {ply}, and is not so"


_CHECKS: dict[int, Callable[[ParsedHistory, PublishedEvent], str | None]] = {
    STATE: _state,
    RESPONSE: _response,
    ERROR: _error,
    NOTE: _note,
    CONNECT: _on_a_socket,
    SOCKET_OFFER: _on_a_socket,
}
