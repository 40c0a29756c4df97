"""The arbiter's messages to itself about tournaments, applied: timers, pairings, games and ends."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.play.timers import schedule_overdue_timer
from arbiter.application.records import (
    GamesAsked,
    PairingAsked,
    TournamentDue,
    TournamentGameOver,
    TournamentMessage,
    TournamentPaired,
)
from arbiter.application.results import Result, TournamentNews
from arbiter.application.tournaments.change import Changed, change
from arbiter.application.tournaments.games import make_games
from arbiter.application.tournaments.messages import awards_ms
from arbiter.application.tournaments.news import result_of
from arbiter.core.tournaments.commands import Due, GameOver
from arbiter.core.tournaments.replies import ResultsWanted
from arbiter.core.tournaments.rounds import round_at

GAMES_A_READ = 100


def progress(deps: ArbiterDeps, message: TournamentMessage) -> Result:
    tournament_id = message.tournament_id
    match message:
        case TournamentDue(_, at_ms):
            # The queue's clock and ours may differ: a timer never comes before its time, and the
            # queue drops another of the same time.
            now_ms = max(deps.clock.now_ms(), at_ms)
            done = _with_results(deps, change(deps, tournament_id, Due(), at_ms=at_ms))
            award_ms = awards_ms(done.after) if done.after else None
            if done.after and award_ms is not None and now_ms >= award_ms:
                news = TournamentNews(tournament_id, after=done.after, awarded_at=award_ms // 1000)
                return Result(status="event-badges", news=news)
            if done.after and done.after.is_under_way:
                # Timers come for nothing, and in an arena for many.
                return result_of(deps, done, tournament_id, number=len(done.after.rounds))
        case TournamentPaired(_, answer, number):
            done = change(deps, tournament_id, replace(answer, asked=number))
        case GamesAsked():
            done, games = make_games(deps, message)
            return result_of(deps, done, tournament_id, games=games, number=message.round)
        case TournamentGameOver(_, number, board, game_id):
            game = deps.games.load(game_id)
            if game is None or game.outcome is None:
                return Result(status="event-game-goes-on")
            done = change(deps, tournament_id, GameOver(number, board, game))
            return result_of(deps, done, tournament_id, number=number)
        case _:
            done = _paired(deps, message)
    return result_of(deps, done, tournament_id)


def _paired(deps: ArbiterDeps, asked: PairingAsked) -> Changed:
    """The tournament paired in this process, where the engine is."""
    tournament = deps.tournaments.load(asked.tournament_id)
    is_awaited = tournament is not None and tournament.awaits_pairings
    if tournament is None or deps.engine is None or not is_awaited:
        return Changed(tournament, tournament)
    if tournament.round != asked.round or tournament.asked != asked.number:
        return Changed(tournament, tournament)
    answer = deps.engine.pair(tournament)
    return change(deps, tournament.id, replace(answer, asked=asked.number))


def _with_results(deps: ArbiterDeps, done: Changed) -> Changed:
    """The tournament once the open boards of long rounds are looked at: an end may be lost."""
    wanted = {reply.round for reply in done.replies if isinstance(reply, ResultsWanted)}
    rounds = [round_at(done.after, number) for number in wanted] if done.after else []
    boards = {
        board.game_id: (each.number, at + 1)
        for each in rounds
        if each is not None
        for at, board in enumerate(each.boards)
        if board.game_id and board.result is None
    }
    overs: list[GameOver] = []
    for first in range(0, len(boards), GAMES_A_READ):
        for game in deps.games.load_all([*boards][first : first + GAMES_A_READ]).values():
            if game is not None and game.outcome is not None:
                overs.append(GameOver(*boards[game.id], game))
            schedule_overdue_timer(deps, game)
    if not overs or done.after is None:
        return done
    then = change(deps, done.after.id, *overs)
    return replace(then, before=done.before, replies=(*done.replies, *then.replies))
