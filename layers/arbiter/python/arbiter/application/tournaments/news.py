"""The news of a change of a tournament: words to players, its games, and what all see."""

from collections.abc import Sequence

from arbiter.application.deps import ArbiterDeps
from arbiter.application.intake.queue_messages import republish_body
from arbiter.application.records import Republish
from arbiter.application.results import Result, TournamentNews, republish_of
from arbiter.application.tournaments.change import Changed
from arbiter.core.game import Game
from arbiter.core.replies import GameStarted
from arbiter.core.tournaments.replies import CommandRefused, Told
from arbiter.core.tournaments.tournament import Tournament

SHOWN_AGAIN, SHOWN_AGAIN_SECONDS = 2, 10
"""Times that a version is shown for records that change nothing."""

SHOWN, SHOWN_OF_ALL, SHOWN_SECONDS = 5, 50, 10
"""Times that changes are published; beyond, once, so much later."""

RECENT_SECONDS = 5 * 60
"""Time in which a record comes again whose process died."""


def result_of(
    deps: ArbiterDeps,
    done: Changed,
    tournament_id: str,
    event_key: str = "",
    games: Sequence[Game] = (),
    number: int = 0,
) -> Result:
    """The result of a record about a tournament and round ``number`` (0: any); ``games`` began."""
    told = tuple(reply for reply in done.replies if isinstance(reply, Told | CommandRefused))
    news = TournamentNews(tournament_id, told, done.before)
    again: tuple[Republish, ...] = ()
    if done.after is not None and (
        _is_shown(deps, done) if done.is_new else _is_shown_again(deps, done)
    ):
        before = done.before if done.is_new else None
        since, page = _since(deps, done, done.after, number), _page_of(deps, tournament_id)
        shown = 0 if number else since
        news = TournamentNews(tournament_id, told, before, done.after, number, shown, page)
        again = (Republish(tournament_id=tournament_id, changed_at_ms=1000 * since),)
    return Result(
        status=_status(done, told),
        replies=tuple(map(GameStarted, games)),
        event_key=event_key,
        republish=(*again, *map(republish_of, games)),
        news=news,
    )


def _since(deps: ArbiterDeps, done: Changed, after: Tournament, number: int) -> int:
    """The version of the first round that this record changed; of one that comes again, of the
    round it is about, or a moment before which it cannot have come.
    """
    if not (done.is_new or number):
        return deps.clock.now_ms() // 1000 - RECENT_SECONDS
    known = {one.number: one for one in done.before.rounds} if done.is_new and done.before else {}
    rounds = (one for one in after.rounds if done.is_new or one.number == number)
    changed = (one.version for one in rounds if known.get(one.number) != one)
    return min(changed, default=after.version)


def _page_of(deps: ArbiterDeps, tournament_id: str) -> str:
    """The URL of the tournament's page; empty where the arbiter has none that all can reach."""
    return f"{deps.public_url}/events/{tournament_id}" if deps.public_url else ""


def _is_shown(deps: ArbiterDeps, done: Changed) -> bool:
    before, after = done.before, done.after
    if before is None or after is None or before.rounds != after.rounds:
        return True
    # A result in an arena leaves the version to the next moment in which players are paired.
    if before.version == after.version:
        return False
    return before.phase is not after.phase or not _is_shown_later(deps, after)


def _is_shown_later(deps: ArbiterDeps, after: Tournament) -> bool:
    if deps.rate_limits is None:
        return False
    take, now_ms = deps.rate_limits.take, deps.clock.now_ms()
    counted = ((f"shown:{after.id}", SHOWN), ("shown", SHOWN_OF_ALL))
    if all(take(key, limit, SHOWN_SECONDS, now_ms) for key, limit in counted):
        return False
    if take(f"shown-later:{after.id}", 1, SHOWN_SECONDS, now_ms):
        order = Republish(tournament_id=after.id, changed_at_ms=1000 * after.version)
        deps.republish.send(republish_body(order), SHOWN_SECONDS)
    return True


def _is_shown_again(deps: ArbiterDeps, done: Changed) -> bool:
    """Whether all is published although nothing changed: timers and strangers come for nothing."""
    if done.is_refused or done.after is None or deps.rate_limits is None:
        return not done.is_refused
    key = f"shown-again:{done.after.id}:{done.after.version}"
    return deps.rate_limits.take(key, SHOWN_AGAIN, SHOWN_AGAIN_SECONDS, deps.clock.now_ms())


def _status(done: Changed, told: tuple[Told | CommandRefused, ...]) -> str:
    if refused := next((it for it in told if isinstance(it, CommandRefused)), None):
        return f"event-{refused.reason}"
    if not done.is_new or done.after is None:
        return "event-as-it-was"
    return f"event-{done.after.phase}"
