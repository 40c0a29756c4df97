"""What the arbiter publishes, against what was in the table when it did so."""

import io
from collections.abc import Callable, Iterator
from functools import lru_cache

import chess.pgn

from tests.simulation.checker.evidence import GATEWAY, Evidence, Saying, Version
from tests.simulation.checker.items import Change, Stored, read_changes
from tests.simulation.checker.judging import fen_of
from tests.simulation.checker.verdict import Law, Violation
from tests.simulation.checker.wire import (
    CANARY,
    CONNECT,
    ERROR,
    NOTE,
    RATING,
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

_PRESENCE = {0, 10002, 31990}


def words_are_signed(evidence: Evidence) -> Iterator[Violation]:
    for saying in evidence.sayings:
        event = saying.event
        if not event.is_genuine:
            yield Violation(Law.SIGNED, (event.id,), "its id or its signature is wrong")
        elif event.pubkey not in evidence.history.servers:
            yield Violation(Law.SIGNED, (event.id,), "it is signed by an unknown key")
    for saying in evidence.canaries:
        event = saying.event
        if event.kind != CANARY or event.pubkey in evidence.history.servers:
            yield Violation(Law.SIGNED, (event.id,), "a listener says more than that it is there")


def words_are_true(evidence: Evidence) -> Iterator[Violation]:
    for saying in evidence.sayings:
        check = _CHECKS.get(saying.event.kind)
        if check and (sentence := check(evidence, saying)):
            ids = (saying.event.value("d") or "", saying.event.id)
            yield Violation(Law.STORED_BEFORE_SAID, ids, sentence)
        elif check is None and saying.event.kind not in _PRESENCE:
            sentence = f"the arbiter has no word of kind {saying.event.kind}"
            yield Violation(Law.SIGNED, (saying.event.id,), sentence)
    for at, _, id_, accepted, _ in evidence.verdicts:
        found = evidence.signed.get(id_)
        if not accepted or found is None or not CONNECT < found[1].kind <= CONNECT + 3:
            continue
        stored = (one for one in evidence.changes if one.at < at)
        if not any(id_[:16] in one.after.applied for one in stored):
            yield Violation(Law.STORED_BEFORE_SAID, (id_,), "OK was said of what was not stored")


def one_version_one_word(evidence: Evidence) -> Iterator[Violation]:
    ids: dict[tuple[str, str, int, str], str] = {}
    for saying in evidence.sayings:
        event = saying.event
        if event.kind != STATE:
            continue
        game_id, edition = event.value("d") or "", event.value("version") or ""
        key = (game_id, edition, event.created_at, event.pubkey)
        if ids.setdefault(key, event.id) != event.id:
            sentence = f"version {edition} is told in two ways of one date"
            yield Violation(Law.ONE_ANSWER, (game_id, event.id), sentence)
        stored = next(_editions(evidence, saying), None)
        if stored is None:
            continue
        since = event.created_at - stored.changed_ms // 1000
        ahead = event.created_at * 1000 - saying.at_ms - evidence.history.skew_ms
        is_early = 0 < since < RETRY_SECONDS and not _is_asked(evidence, saying, stored)
        if since < 0 or is_early or (since and ahead > 0):
            sentence = f"version {edition} is dated {since} s after it was made"
            yield Violation(Law.ONE_ANSWER, (game_id, event.id), sentence)


def _is_asked(evidence: Evidence, saying: Saying, game: Stored) -> bool:
    """Whether this state may be an answer: to a subscription, a request of one of its players, or
    a word about the game that changed nothing, such as a question or a stale move.
    """
    if saying.who.startswith(GATEWAY):
        return True
    asked = (
        *evidence.asked.get(game.white.player, ()),
        *evidence.asked.get(game.black.player, ()),
        *evidence.asked.get(game.id, ()),
    )
    # A frozen environment may say it long after: the reply waits in it for the next invocation.
    made_ms = min(saying.at_ms, saying.event.created_at * 1000 + evidence.history.skew_ms)
    return any(at < saying.at and made_ms - at_ms < QUESTION_MS for at, at_ms in asked)


def _before(evidence: Evidence, saying: Saying, game_id: str | None) -> Iterator[Version]:
    versions = evidence.games.get(game_id or "", ())
    return (one for one in reversed(versions) if one.at < saying.at)


def _editions(evidence: Evidence, saying: Saying) -> Iterator[Stored]:
    number = saying.event.value("version")
    for one in _before(evidence, saying, saying.event.value("d")):
        if str(one.after.edition) == number:
            yield one.after


def _state(evidence: Evidence, saying: Saying) -> str | None:
    stored = next(_editions(evidence, saying), None)
    if stored is None:
        return f"version {saying.event.value('version')} was told, and never stored before"
    told, due = _told(saying.event), _due(stored)
    differing = [name for name, value in due.items() if told[name] != value]
    if differing:
        name = differing[0]
        return f"{name} is told as {told[name]}, and stored as {due[name]}"
    return None


def _told(event: Event) -> dict[str, object]:
    return {
        "players": tuple(value[0] for value in event.all("p") if value),
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


def _response(evidence: Evidence, saying: Saying) -> str | None:
    word, _, rest = saying.event.content.partition(":")
    if word != "started":
        return None
    game_id, opponent, color = (*rest.split(":"), "", "")[:3]
    stored = next(_before(evidence, saying, game_id), None)
    if stored is None:
        return f"{game_id} was said to have started, and was not stored before"
    reader = saying.event.value("p")
    if stored.after.color_of(reader or "") != color or color not in {"w", "b"}:
        return f"{reader} is told that they are {color}"
    other = stored.after.side("b" if color == "w" else "w").player
    return None if other == opponent else f"{opponent} is named, and {other} plays"


def _error(evidence: Evidence, saying: Saying) -> str | None:
    about = saying.event.value("e")
    if about is None:
        return "an error names no event"
    game_id = saying.event.value("d")
    if game_id is None:
        return None
    stored = next(_before(evidence, saying, game_id), None)
    if stored is None:
        return "an error is about a game that was not stored"
    cause, game = about[:16], stored.after
    if cause in game.applied and cause not in (*game.white.answered, *game.black.answered):
        return _forgotten(evidence, about, game)
    return None


def _forgotten(evidence: Evidence, about: str, game: Stored) -> str | None:
    """Of an applied event, refused all the same; a strike may have left the ring of answers."""
    for one in evidence.games[game.id]:
        for color in ("w", "b"):
            if about[:16] in one.after.side(color).answered:
                return None
    return "what was applied is told as refused"


def _note(evidence: Evidence, saying: Saying) -> str | None:
    stored = next(_before(evidence, saying, saying.event.value("d")), None)
    if stored is None or not stored.after.is_over:
        return "a note was published of a game that was not over"
    if stored.after.termination == "aborted":
        return "a note was published of a game that was called off"
    if saying.event.value("result") != stored.after.result:
        return f"the note says {saying.event.value('result')}, and stored is {stored.after.result}"
    if moves_of_note(saying.event.content) != stored.after.moves:
        return "the note has other moves than the game"
    return None


def _rating(evidence: Evidence, saying: Saying) -> str | None:
    key = f"rated#{saying.event.value('game')}"
    for at, wrote in evidence.writes:
        if at > saying.at:
            break
        for written, _, after in wrote.items:
            if written == key and after is not None:
                _, white, black = read_changes(after)
                words = (saying.event.value("p"), *saying.event.first("rating"))
                told = (*words, saying.event.value("games"))
                due = {_standing(one) for one in (white, black)}
                return None if told in due else f"a rating is told as {told}, due is {due}"
    return "a rating was told before it was stored"


def _standing(one: Change) -> tuple[str, ...]:
    numbers = (round(one.after.value), round(one.after.deviation), one.games + 1)
    return (one.player, *map(str, numbers))


def _on_a_socket(evidence: Evidence, saying: Saying) -> str | None:
    """What the NIP-100 draft has the arbiter sign: moves, offers, and how a game began or ended."""
    event = saying.event
    versions = [one.after for one in _before(evidence, saying, event.value("d"))]
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


_CHECKS: dict[int, Callable[[Evidence, Saying], str | None]] = {
    STATE: _state,
    RESPONSE: _response,
    ERROR: _error,
    NOTE: _note,
    RATING: _rating,
    CONNECT: _on_a_socket,
    SOCKET_OFFER: _on_a_socket,
}
