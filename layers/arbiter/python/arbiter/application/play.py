"""One command against one game: load, decide, commit. At most three times, since somebody else may
write between.
"""

from collections.abc import Iterator
from dataclasses import replace

from arbiter.application.answer import Answer, Bench, Contended, wind
from arbiter.application.nudges import Nudged
from arbiter.application.ports import Committed
from arbiter.application.rating import rate_game
from arbiter.application.referee import begun, verdicts_again
from arbiter.application.releasing import conclude, rules_for
from arbiter.application.rematch import seat_again
from arbiter.application.remembering import answered
from arbiter.application.republish import Republish
from arbiter.application.standing_still import stood_still_ms
from arbiter.application.timestamps import possible_dates
from arbiter.core.commands import Answers, Command, PlayMove, Tick
from arbiter.core.decide import decide
from arbiter.core.model import CAUSE_BYTES, Game, Termination
from arbiter.core.replies import (
    GameEnded,
    GameStarted,
    MovePlayed,
    Reason,
    Rejected,
    RematchAgreed,
    Reply,
    StateShown,
)
from arbiter.core.standings import RatedGame
from arbiter.dialects.dialect import Dialect, GameCommand, Repeated
from arbiter.dialects.registry import DIALECTS

ATTEMPTS = 3

DATED_AHEAD_SECONDS = 1
"""A client that asks twice in a second must date the second request ahead, or both are one event;
what follows may be dated as it is.
"""

_ENDS_BY_THE_CLOCK = (Termination.TIMEOUT, Termination.ABORTED)


def play(
    bench: Bench,
    dialect: Dialect,
    asked: GameCommand,
    event_id: str,
    received_at_ms: int | None = None,
) -> Answer:
    """Apply what the event with this id asks, received at that time (unix ms; now if not given).

    An event that the game remembers changes nothing: the state is told again, because the first
    telling may have died with the process that committed it. Raises ``Contended`` when three
    commits met a newer game each.
    """
    cause = bytes.fromhex(event_id)
    game = bench.games.load(asked.game_id) or (begun(bench, asked.begins) if asked.begins else None)
    for _ in range(ATTEMPTS):
        if game is None:
            refusal = Rejected(asked.command.player, Reason.UNKNOWN_GAME, "no game has this id")
            return Answer(
                fate=Reason.UNKNOWN_GAME, replies=(refusal,), cause=event_id, asked_in=dialect.name
            )
        if game.remembers(cause):
            return _again(bench, game, asked, event_id, dialect)
        now_ms = bench.clock.now_ms()
        command = _resolve(asked, game, dialect, bench.server, now_ms)
        if text := _meant_for_another(asked, game, dialect, received_at_ms):
            refused = _too_late(bench, game, asked, event_id, dialect, text)
            return _written_down(bench, game, refused, asked.command, received_at_ms)
        at_ms = now_ms if received_at_ms is None else received_at_ms
        still_ms = stood_still_ms(bench, game, at_ms)
        rules = rules_for(bench.rules, game, command)
        decision = decide(game, command, now_ms, rules, at_ms, still_ms)
        if any(isinstance(reply, RematchAgreed) for reply in decision.replies):
            agreed = seat_again(bench, game, decision, command, event_id, now_ms)
            if agreed is None:
                game = bench.games.load(asked.game_id)
                continue
            if agreed.game is not game:
                fate = _fate(agreed.replies)
                return _answer(fate, agreed.game, agreed.replies, event_id, dialect)
            decision = agreed
        concluded, replies = conclude(game, decision, command, cause, bench.rules, now_ms)
        fate = _fate(replies) if replies else "held"
        if concluded is game:
            own = game if game.color_of(command.player) is not None else None
            return _answer(fate, own, replies, event_id, dialect)
        after = replace(concluded, version=game.version + 1)
        match bench.games.commit(game, after):
            case Committed():
                rated = _follow_up(bench, game, after)
                answer = _answer(fate, after, replies, event_id, dialect)
                return replace(answer, rated=rated)
            case conflict:
                game = conflict.game
    raise Contended


def tick(bench: Bench, nudged: Nudged) -> Answer:
    """Look at a game's clock, because a timer said so, and wind it again if the flag stands.

    A timer that was replaced by an earlier one comes too, and finds nothing to do.
    """
    game = bench.games.load(nudged.game_id)
    for _ in range(ATTEMPTS):
        at_ms = nudged.received_at_ms
        if game is not None and game.outcome is not None and at_ms >= (game.timer_at_ms or 0):
            return _end_again(bench, game)
        if game is None or at_ms < (game.timer_at_ms or 0):
            return Answer(fate="tick-late", game_id=nudged.game_id)
        # The queue's clock and ours may differ; a timer never comes before its time.
        now_ms = max(bench.clock.now_ms(), at_ms)
        still_ms = stood_still_ms(bench, game, at_ms)
        decision = decide(game, Tick(), now_ms, bench.rules, at_ms, still_ms)
        after = replace(decision.game.wound(at_ms, still_ms), version=game.version + 1)
        # First the timer: this nudge, delivered again after the commit, would find itself late.
        wind(bench, after)
        match bench.games.commit(game, after):
            case Committed():
                fate = _fate(decision.replies) if decision.replies else "tick-early"
                return _ticked(bench, after, fate, decision.replies)
            case conflict:
                game = conflict.game
    raise Contended


def _end_again(bench: Bench, game: Game) -> Answer:
    """A nudge came to a game that is over. If the clock ended it, this nudge may have died before
    the end was told and rated.
    """
    if game.outcome is None or game.outcome.termination not in _ENDS_BY_THE_CLOCK:
        return Answer(fate="tick-late", game_id=game.id)
    return _ticked(bench, game, "tick-again", standing(game))


def _ticked(bench: Bench, game: Game, fate: str, replies: tuple[Reply, ...]) -> Answer:
    return Answer(
        fate=fate,
        replies=replies,
        game_id=game.id,
        republish=Republish(game_id=game.id, changed_at_ms=game.changed_at_ms),
        rated=rating_of_end(bench, game),
    )


def standing(game: Game) -> tuple[Reply, ...]:
    """What there is to say of a game as it stands: replies are derived from the state, so they can
    be derived again.
    """
    if game.outcome is not None:
        return (GameEnded(game),)
    return (GameStarted(game),) if game.ply == 0 else (MovePlayed(game),)


def _again(bench: Bench, game: Game, asked: GameCommand, event_id: str, dialect: Dialect) -> Answer:
    """The event came again: say the state again, and do again what may not have been done."""
    cause = bytes.fromhex(event_id)
    rated = _follow_up(bench, None, game)
    following = bench.games.load(game.next_game_id) if game.next_game_id else None
    present = following or game
    wind(bench, following)
    verdicts = verdicts_again(bench, game, asked.command, cause) if dialect.by_bridge else ()
    # The rematch may have been agreed on before the end was told, with its note and its ratings.
    ended = standing(game) if following else ()
    said = (*verdicts, *standing(present), *ended)
    answer = _answer("duplicate", present, said, event_id, dialect)
    return replace(
        answer,
        rated=(*rated, *(rating_of_end(bench, following) if following else ())),
        repeated=Repeated.REFUSED if game.refused(cause) else Repeated.ACCEPTED,
        elsewhere=_elsewhere(bench, present),
    )


def _elsewhere(bench: Bench, game: Game) -> frozenset[str]:
    """Who has begun another game since this one ended, of those who cannot tell the two apart."""
    if game.outcome is None:
        return frozenset()
    return frozenset(
        seat.player
        for seat in (game.white, game.black)
        if DIALECTS[seat.dialect].by_socket
        and bench.lobby.player(seat.player).game_id not in {None, game.id}
    )


def _meant_for_another(
    asked: GameCommand, game: Game, dialect: Dialect, received_at_ms: int | None
) -> str | None:
    """Why a command that names no game cannot be about this one: it came before the game began, or
    its author signed it before he asked for the game, or he plays this game on another wire.

    Clients send again what was not answered when they connect again, and a resignation of yesterday
    must not lose today's game.
    """
    color = game.color_of(asked.command.player)
    if not asked.found_by_author or color is None:
        return None
    seat = game.seat(color)
    if seat.dialect != dialect.name:
        return "your game was begun in another protocol: end it there"
    # Both dates are of his own clock, so it need not be right.
    is_older = asked.signed_at + DATED_AHEAD_SECONDS < dialect.asked_at(seat)
    if is_older or _came_before(game, received_at_ms):
        return "sent before this game began"
    return None


def _came_before(game: Game, received_at_ms: int | None) -> bool:
    return bool(received_at_ms and received_at_ms < game.created_at_ms)


def _too_late(
    bench: Bench, game: Game, asked: GameCommand, event_id: str, dialect: Dialect, text: str
) -> Answer:
    """The answer to a command that is not about the author's present game. If the one before it
    remembers the event, this is a later delivery, and nobody may have been told what came of it.
    """
    author = asked.command.player
    former_id = bench.lobby.player(author).former_game_id
    former = bench.games.load(former_id) if former_id else None
    if former is not None and former.remembers(bytes.fromhex(event_id)):
        return _again(bench, former, asked, event_id, dialect)
    refusal = Rejected(author, Reason.STALE, text)
    return _answer(Reason.STALE, game, (refusal,), event_id, dialect)


def _written_down(
    bench: Bench, game: Game, refused: Answer, command: Command, received_at_ms: int | None
) -> Answer:
    """This answer, which the game remembers if it was given because the command came before the
    game began: sent again it comes later, by our clocks, and what was refused must not come true.
    Raises ``Contended`` like `play`.
    """
    color = game.color_of(command.player)
    if color is None or refused.repeated is not None or not _came_before(game, received_at_ms):
        return refused
    key = bytes.fromhex(refused.cause)[:CAUSE_BYTES]
    present: Game | None = game
    for _ in range(ATTEMPTS):
        if present is None or present.outcome is not None:
            return refused
        after = replace(answered(present, color, key), version=present.version + 1)
        match bench.games.commit(present, after):
            case Committed():
                return refused
            case conflict:
                present = conflict.game
    raise Contended


def _follow_up(bench: Bench, before: Game | None, after: Game) -> tuple[RatedGame, ...]:
    """What a commit entails beside telling: the timer of a position, the rating of an end."""
    if before is None or before.timer_at_ms != after.timer_at_ms:
        wind(bench, after)
    return rating_of_end(bench, after)


def rating_of_end(bench: Bench, game: Game) -> tuple[RatedGame, ...]:
    """What a finished, rated game does or did to the ratings; nothing for any other game."""
    if game.outcome is None or not game.rated or game.clocks is None:
        return ()
    rated = rate_game(
        bench.ratings,
        game_id=game.id,
        speed=game.clocks.control.speed,
        white_id=game.white.player,
        black_id=game.black.player,
        result=game.result,
        plies=game.ply,
        now_ms=game.end_ms,
    )
    return (rated,) if rated else ()


def _resolve(asked: GameCommand, game: Game, dialect: Dialect, server: str, now_ms: int) -> Command:
    if asked.state_id is None or not isinstance(asked.command, PlayMove):
        return asked.command
    if game.outcome is not None or game.color_of(asked.command.player) is None:
        # Refused whatever it answers, and a bogus state id would cost two weeks of hashes.
        return asked.command
    latest = any(
        dialect.shows(view, asked.state_id, server, possible_dates(view.changed_at_ms, until_ms))
        for view, until_ms in _editions(game, now_ms)
    )
    return replace(asked.command, answers=Answers.LATEST if latest else Answers.OLDER)


def _editions(game: Game, now_ms: int) -> Iterator[tuple[Game, int]]:
    """The present position as players may have seen it, newest first, and until when each stood.

    An offer makes another edition, and a move that answers the one before is no less in time.
    """
    yield game, now_ms
    until_ms = game.changed_at_ms
    for edition in reversed(game.former):
        yield (
            replace(
                game,
                edition=edition.number,
                changed_at_ms=edition.since_ms,
                offer=edition.offer,
            ),
            until_ms,
        )
        until_ms = edition.since_ms


def _fate(replies: tuple[Reply, ...]) -> str:
    match replies[-1]:
        case Rejected() as rejected:
            return rejected.reason
        case GameEnded(game) if game.outcome is not None:
            return game.outcome.termination
        case StateShown():
            return "shown"
        case GameStarted() | RematchAgreed():
            return "paired"
        case _:
            return "played"


def _answer(
    fate: str, game: Game | None, replies: tuple[Reply, ...], event_id: str, dialect: Dialect
) -> Answer:
    return Answer(
        fate=fate,
        replies=replies,
        cause=event_id,
        asked_in=dialect.name,
        game_id=game.id if game else None,
        republish=Republish(game_id=game.id, changed_at_ms=game.changed_at_ms) if game else None,
    )
