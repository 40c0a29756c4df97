"""The arbiter's messages to itself about tournaments: their text, and the group of each. Those that
change one wait in one group, questions to the engine beside; late or twice they harm nothing.
"""

import hashlib
from dataclasses import asdict, fields
from typing import Any

from arbiter.application.records import (
    LATEST_MS,
    TOURNAMENT,
    GamesAsked,
    PairingAsked,
    QueueEntry,
    QueueName,
    Timer,
    TournamentGameOver,
    TournamentMessage,
    TournamentPaired,
)
from arbiter.core.clocks import DAY_MS
from arbiter.core.game import Game, is_game_id
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Bye, ByeKind, Phase, Tournament
from arbiter.nostr.strict_json import write_ascii

_Counted = TournamentGameOver | GamesAsked | PairingAsked

_NAMES: dict[type[_Counted], str] = {
    TournamentGameOver: "tournament_game",
    GamesAsked: "tournament_games",
    PairingAsked: "tournament_pairing",
}
_PAIRED = "tournament_paired"


def tournament_group(tournament_id: str) -> str:
    return _group("moves", tournament_id)


def timer_of_tournament(tournament: Tournament, now_ms: int) -> Timer | None:
    """The timer of what is due, if anything is: of a finished one the award of its badges."""
    due_ms, award_ms = tournament.next_ms, awards_ms(tournament)
    if award_ms is not None and award_ms > now_ms:
        due_ms = award_ms
    return Timer(tournament.id, tournament.round, due_ms, TOURNAMENT) if due_ms else None


def awards_ms(tournament: Tournament) -> int | None:
    """When badges are awarded (unix): a day after the end, for an award cannot be taken back."""
    is_finished = tournament.phase is Phase.FINISHED and tournament.ended_ms is not None
    return (tournament.ended_ms or 0) + DAY_MS if is_finished else None


def game_over_entry(game: Game) -> QueueEntry | None:
    """The message that this game ended; None unless it did and is one of a tournament."""
    place = game.tournament
    if place is None or game.outcome is None:
        return None
    return entry(TournamentGameOver(place.tournament_id, place.round, place.board, game.id))


def entry(message: _Counted | TournamentPaired) -> QueueEntry:
    """The message as its queue carries it. The same message has the same id."""
    queue: QueueName = "pairing" if isinstance(message, PairingAsked) else "moves"
    body = _body(message)
    return QueueEntry(
        queue=queue,
        body=body,
        group_id=_group(queue, message.tournament_id),
        dedup_id=hashlib.sha256(body.encode()).hexdigest(),
        message=message,
    )


def read_message(said: object) -> TournamentMessage | None:
    """The message of a body that was read as JSON; None for any other. Never raises."""
    match said:
        case {"tournament_paired": dict(paired)}:
            return _paired(paired)
        case {"tournament_game": dict(named), **_rest}:
            made: type[_Counted] = TournamentGameOver
        case {"tournament_games": dict(named), **_rest}:
            made = GamesAsked
        case {"tournament_pairing": dict(named), **_rest}:
            made = PairingAsked
        case _:
            return None
    is_id = {field.name: field.type in (str, "str") for field in fields(made)}
    if named.keys() != is_id.keys():
        return None
    if all(_is_id(named[name]) if is_id[name] else is_count(named[name]) for name in is_id):
        return made(**named)
    return None


def is_count(value: object) -> bool:
    """Whether this is a whole number in range. JSON's true is an int to `isinstance`."""
    return type(value) is int and 0 <= value < LATEST_MS


def _group(queue: QueueName, tournament_id: str) -> str:
    return hashlib.sha256(f"tournament:{queue}:{tournament_id}".encode()).hexdigest()


def _is_id(value: object) -> bool:
    return isinstance(value, str) and is_game_id(value)


def _body(message: _Counted | TournamentPaired) -> str:
    if not isinstance(message, TournamentPaired):
        return write_ascii({_NAMES[type(message)]: asdict(message)})
    said: dict[str, object] = {"tournament_id": message.tournament_id, "number": message.number}
    match message.answer:
        case Pairings(number, boards, byes, engine, digest):
            said |= {"round": number, "boards": boards, "engine": engine, "digest": digest}
            said["byes"] = [(bye.number, bye.kind.value) for bye in byes]
        case NoPairings(number, is_impossible, text):
            said |= {"round": number, "is_impossible": is_impossible, "text": text}
    return write_ascii({_PAIRED: said})


def _paired(said: dict[str, Any]) -> TournamentPaired | None:
    id_: Any
    number: Any
    asked: Any
    id_, number, asked = (said.get(name) for name in ("tournament_id", "round", "number"))
    if not (_is_id(id_) and is_count(number) and is_count(asked)):
        return None
    match said:
        case {
            "boards": list(boards),
            "byes": list(byes),
            "engine": str(engine),
            "digest": str(digest),
        }:
            try:
                pairs = tuple((int(white), int(black)) for white, black in boards)
                alone = tuple(Bye(int(player), ByeKind(kind)) for player, kind in byes)
            except (TypeError, ValueError):
                return None
            return TournamentPaired(id_, Pairings(number, pairs, alone, engine, digest), asked)
        case {"is_impossible": bool(is_impossible), "text": str(text)}:
            return TournamentPaired(id_, NoPairings(number, is_impossible, text), asked)
        case _:
            return None
