"""News of a tournament as events: answers to single players, then what changed for all. A stored
event is dated by the version that it shows, so the same again, and no relay keeps an older one.
"""

from collections.abc import Collection, Iterator

from arbiter.application.results import TournamentNews
from arbiter.core.tournaments.tournament import Format, Phase, Round, Tournament
from arbiter.dialects.tournament_events import (
    badge_templates,
    calendar_template,
    round_templates,
    standings_template,
    tournament_template,
)
from arbiter.dialects.tournaments import reply_template
from arbiter.nostr.event import EventTemplate

STANDINGS_SECONDS, MANY = 30, 100
"""Standings of an arena, or of many players, are made anew this often."""


def render_news(
    news: TournamentNews | None, event_key: str, server: str, at: int
) -> Iterator[EventTemplate]:
    """The unsigned events of this news; answers are dated ``at`` (unix seconds)."""
    if news is None:
        return
    for reply in news.told:
        yield reply_template(reply, news.tournament_id, event_key, at, server)
    if news.after is None:
        return
    if news.awarded_at:
        yield from badge_templates(news.after, server, news.awarded_at)
    before, after = news.before, news.after
    if before is None:
        recent = {one.number for one in after.rounds if 0 < news.since <= one.version}
        same = {one.number for one in after.rounds[:-1]} - {news.round} - recent
    else:
        pairs = zip(before.rounds, after.rounds, strict=False)
        same = {one.number for one, other in pairs if one is other or one == other}
    yield from _changed_events(after, before, same, server)
    if news.page and _calendar(after, news.page) != (before and _calendar(before, news.page)):
        yield calendar_template(after, news.page, after.version)


def _changed_events(
    shown: Tournament, before: Tournament | None, same: Collection[int], server: str
) -> Iterator[EventTemplate]:
    """The events that show a tournament as another, but for the rounds of these numbers."""
    event = tournament_template(shown, server, shown.version)
    if before is None or _said(event) != _said(tournament_template(before, server, 0)):
        yield event
    for each in shown.rounds:
        if each.number not in same:
            yield from round_templates(shown, each.number, server, date_of_round(shown, each))
    if _shows_standings(shown, before, same):
        yield standings_template(shown, server, shown.version)


def _calendar(shown: Tournament, page: str) -> tuple[object, ...]:
    return _said(calendar_template(shown, page, 0))


def date_of_round(shown: Tournament, each: Round) -> int:
    """The date (unix seconds) of the events that show a round; a former release noted none."""
    return each.version or shown.version


def _shows_standings(shown: Tournament, before: Tournament | None, same: Collection[int]) -> bool:
    """Whether the standings are to be told, by what they are made of, which is faster."""
    if before is None:
        return True
    is_large = shown.terms.format is Format.ARENA or len(shown.entries) > MANY
    if is_large and shown.version // STANDINGS_SECONDS != before.version // STANDINGS_SECONDS:
        return True
    if is_large and shown.phase is before.phase:
        return False
    return _ranked(shown, same) != _ranked(before, same)


def _ranked(shown: Tournament, same: Collection[int]) -> tuple[object, ...]:
    """All that standings show or are counted from, but for the rounds of these numbers."""
    entries = [(one.seat, one.seat.name, one.state, one.from_round) for one in shown.entries]
    results = [
        [each.byes, *((board.white, board.black, board.result) for board in each.boards)]
        for each in shown.rounds
        if each.number not in same
    ]
    return shown.terms, shown.phase is Phase.FINISHED, shown.round, shown.field, entries, results


def _said(event: EventTemplate) -> tuple[object, ...]:
    tags = tuple(tag for tag in event.tags if tag[0] != "version")
    return event.kind, tags, event.content
