"""Commands of players and organisers (20307): completed by what the arbiter knows, decided."""

import hmac
from dataclasses import replace
from hashlib import sha256

from arbiter.application.deps import ArbiterDeps
from arbiter.application.results import Result, TournamentNews
from arbiter.application.tournaments.change import Changed, change
from arbiter.application.tournaments.news import result_of
from arbiter.core.game import GAME_ID_BYTES
from arbiter.core.replies import Reason
from arbiter.core.tournaments.commands import (
    Add,
    AskBye,
    Create,
    Edit,
    Join,
    PlayersWord,
    TournamentCommand,
)
from arbiter.core.tournaments.decide import decide_tournament
from arbiter.core.tournaments.replies import CommandRefused
from arbiter.core.tournaments.tournament import Tournament
from arbiter.dialects.base import TournamentAsked
from arbiter.nostr.event import VerifiedEvent, has_signed
from arbiter.nostr.nip13 import committed_work

MADE_OF_ONE, MADE_OF_ALL, MADE_SECONDS = 8, 200, 24 * 60 * 60
"""Tournaments of one key, and of all, in this time."""


def command_tournament(deps: ArbiterDeps, asked: TournamentAsked, event: VerifiedEvent) -> Result:
    made_id = _drawn_id(deps, event.id)
    tournament_id = asked.tournament_id or made_id
    command = _completed(deps, asked.command, tournament_id)
    if refusal := _refused(deps, command, tournament_id, event):
        return refuse_command(refusal, asked.tournament_id, event.id)
    done = change(deps, tournament_id, command)
    people = done.after.terms.people if done.after else ""
    if people and isinstance(command, Create | Edit) and not done.is_refused:
        deps.tournaments.ask_for_people(people)
    return result_of(deps, done, tournament_id, event.id, number=_round_of(done, command))


def _round_of(done: Changed, command: TournamentCommand) -> int:
    """The only round that a command can have changed; 0 if it may be another."""
    is_players = isinstance(command, Join | PlayersWord | AskBye)
    return len(done.after.rounds) if is_players and done.after else 0


def refuse_command(refused: CommandRefused, tournament_id: str | None, event_key: str) -> Result:
    news = TournamentNews(tournament_id, told=(refused,))
    return Result(status=f"event-{refused.reason}", event_key=event_key, news=news)


def _drawn_id(deps: ArbiterDeps, event_id: str) -> str:
    """The id of the tournament that this event makes, however often it comes."""
    said = f"tournament:{event_id}".encode()
    return hmac.digest(deps.pairing_key, said, "sha256")[:GAME_ID_BYTES].hex()


def _completed(
    deps: ArbiterDeps, command: TournamentCommand, tournament_id: str
) -> TournamentCommand:
    match command:
        case Create():
            return replace(command, id=tournament_id)
        case Join() | Add():
            tournament = deps.tournaments.load(tournament_id)
            if tournament is None:
                return command
            rating = _rating(deps, tournament, command.seat.player)
            if isinstance(command, Add):
                # A game of an event is written to players who never said a word.
                player = deps.lobby.player(command.seat.player)
                is_heard = player.item_version > len(player.event_games)
                return replace(command, rating=rating, is_heard=is_heard)
            is_listed = _is_invited(tournament, command) or _is_among(deps, tournament, command)
            return replace(command, rating=rating, is_listed=is_listed)
        case _:
            return command


def _is_invited(tournament: Tournament, join: Join) -> bool:
    """Whether the join shows that its author has the secret of a secret entry."""
    if not tournament.terms.secret_key or not join.proof:
        return False
    said = sha256(f"join:{tournament.id}:{join.seat.player}".encode()).digest()
    return bool(has_signed(tournament.terms.secret_key, join.proof, said))


def _is_among(deps: ArbiterDeps, tournament: Tournament, join: Join) -> bool:
    people = tournament.terms.people
    return bool(people) and join.seat.player in deps.tournaments.people(people)


def _rating(deps: ArbiterDeps, tournament: Tournament, player: str) -> int:
    standing = deps.ratings.standing(player, tournament.terms.time.speed)
    return round(standing.rating.value)


def _refused(
    deps: ArbiterDeps, command: TournamentCommand, tournament_id: str, event: VerifiedEvent
) -> CommandRefused | None:
    match command:
        case Create() if decide_tournament(None, command, deps.clock.now_ms()).tournament is None:
            # What its terms refuse makes nothing, and counts for nothing.
            return None
        case Create():
            return _one_too_many(deps, tournament_id, event)
        case Join(seat) | Add(_, _, seat) if seat.player in deps.house_levels:
            return CommandRefused(event.pubkey, Reason.DECLINED, "house players enter no event")
        case _:
            return None


def _one_too_many(
    deps: ArbiterDeps, tournament_id: str, event: VerifiedEvent
) -> CommandRefused | None:
    """The refusal of a tournament by a key without proof of work, or beyond those of a day."""
    author, work = event.pubkey, deps.rules.work_of_strangers
    if committed_work(event) < work and deps.lobby.player(author).item_version == 0:
        return CommandRefused(author, Reason.POW, str(work))
    if deps.rate_limits is None or deps.tournaments.load(tournament_id) is not None:
        return None
    now_ms = deps.clock.now_ms()
    for key, limit in ((author, MADE_OF_ONE), ("all", MADE_OF_ALL)):
        if not deps.rate_limits.take(f"events-by:{key}", limit, MADE_SECONDS, now_ms):
            text = "too many events were made today: ask again tomorrow"
            return CommandRefused(author, Reason.RATE_LIMITED, text)
    return None
