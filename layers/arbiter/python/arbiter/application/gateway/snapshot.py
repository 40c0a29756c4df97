"""The answer to a REQ before EOSE, made and signed afresh from the present state.

A state is dated when it is shown, so a client that asks ``since`` later is not shown it; a note and
a rating when their game ended. Only events that the filter matches are shown, and reading is
bounded; NIP-01: "Returning fewer events is acceptable".
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from arbiter.application.gateway.deps import GatewayDeps
from arbiter.application.intake.routing import HANDLED_KINDS, PRESENCE_KINDS
from arbiter.application.play.ratings import LEAST_PLIES
from arbiter.application.reply.render import date_answer, has_pgn_note
from arbiter.application.reply.tournament_news import date_of_round
from arbiter.core.game import Game, is_game_id
from arbiter.core.tournaments.tournament import Tournament
from arbiter.dialects import arbiter_events, native
from arbiter.dialects.base import TOURNAMENT, tournament_address
from arbiter.dialects.tournament_events import (
    ROUND,
    STANDINGS,
    round_templates,
    standings_template,
    tournament_template,
)
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.filters import Filter, matches

DAY_SECONDS = 24 * 60 * 60

_RATING_ID = re.compile(r"[a-z]{1,16}:([0-9a-f]{64})")
_GAME_KINDS = (native.GAME_STATE, arbiter_events.PGN_NOTE, arbiter_events.RATING)


PLIES_UNCOUNTED = 200
"""A note or two, for which no count is worth its write."""

LEAST_SHOWN = 20
"""Plies that an event counts for at least: it is made and signed in 0.2 ms."""


def snapshot(
    deps: GatewayDeps,
    filters: Sequence[Filter],
    now_ms: int,
    may_write: Callable[[int], bool] = lambda _: True,
) -> tuple[VerifiedEvent, ...]:
    """The events of the present state that match, newest first, each once; notes of more than a few
    plies if ``may_write`` so many: an entry or a board costs as much as a ply.
    """
    table = _Table(deps, may_write)
    shown: dict[str, VerifiedEvent] = {}
    for wanted in filters:
        most = deps.limits.events if wanted.limit is None else wanted.limit
        if most == 0 or (wanted.authors and deps.server not in wanted.authors):
            continue
        templates = [
            *_of_games(table, wanted, now_ms),
            *_of_tournaments(table, wanted),
            *_of_arbiter(deps, wanted, now_ms),
        ]
        signed = (deps.signer.sign(template) for template in templates)
        found = sorted((event for event in signed if matches(wanted, event)), key=_newest_first)
        shown |= {event.id: event for event in found[: min(most, deps.limits.events)]}
    return tuple(sorted(shown.values(), key=_newest_first))


def _newest_first(event: VerifiedEvent) -> tuple[int, str]:
    # NIP-01: "in the case of ties the event with the lowest id (first in lexical order)".
    return -event.created_at, event.id


class _Table:
    """The games that one REQ may read, each read once, and how much of them it may show."""

    def __init__(self, deps: GatewayDeps, may_write: Callable[[int], bool]) -> None:
        self.deps = deps
        self.may_write = may_write
        self._plies_left = deps.limits.plies_shown
        self._games: dict[str, Game | None] = {}
        self._players: dict[str, str | None] = {}
        self._tournaments: dict[str, Tournament | None] = {}

    def game(self, game_id: str) -> Game | None:
        if game_id not in self._games and len(self._games) < self.deps.limits.games_read:
            self._games[game_id] = self.deps.games.load(game_id)
        return self._games.get(game_id)

    def game_of(self, player: str) -> Game | None:
        if player not in self._players and len(self._players) < self.deps.limits.games_read:
            self._players[player] = self.deps.lobby.player(player).game_id
        game_id = self._players.get(player)
        return self.game(game_id) if game_id else None

    def tournaments(self, ids: Iterable[str]) -> Iterator[Tournament]:
        for one in dict.fromkeys(ids):
            if (
                one not in self._tournaments
                and len(self._tournaments) < self.deps.limits.games_read
            ):
                self._tournaments[one] = self.deps.tournaments.load(one)
            if found := self._tournaments.get(one):
                yield found

    def may_show(self, plies: int) -> bool:
        """Whether there is time for so many: any number while half is left."""
        is_early = self._plies_left >= self.deps.limits.plies_shown / 2
        self._plies_left -= max(plies, LEAST_SHOWN)
        return is_early or self._plies_left >= 0

    def may_show_rows(self, rows: int) -> bool:
        """Whether there is time for so many entries and boards of a tournament."""
        return self.may_show(rows) and (rows <= PLIES_UNCOUNTED or self.may_write(rows))


def _of_games(table: _Table, wanted: Filter, now_ms: int) -> Iterator[EventTemplate]:
    kinds = [kind for kind in _GAME_KINDS if _wants(wanted, kind)]
    if not kinds:
        return
    named = [*_named(table, wanted)]
    if arbiter_events.PGN_NOTE in kinds:
        plies = sum(game.ply for game, _ in named if game.outcome is not None)
        if plies > PLIES_UNCOUNTED and not table.may_write(plies):
            return
    for game, by_name in named:
        if not table.may_show(game.ply):
            return
        is_over = game.outcome is not None
        # A filter for a player asks what they play, not how their last game looked when it ended.
        if native.GAME_STATE in kinds and (by_name or not is_over):
            yield native.state(game, date_answer(game.changed_at_ms, now_ms), table.deps.server)
        if not is_over or kinds == [native.GAME_STATE]:
            continue
        rated = table.deps.ratings.rated(game.id) if game.rated else None
        is_settled = rated is not None or not game.rated or game.ply < LEAST_PLIES
        if arbiter_events.PGN_NOTE in kinds and has_pgn_note(game) and is_settled:
            yield arbiter_events.note_event(game, table.deps.server, rated, table.deps.pgns)
        if arbiter_events.RATING in kinds and rated:
            yield from arbiter_events.rating_event(rated, game.end_ms // 1000)


def _named(table: _Table, wanted: Filter) -> Iterator[tuple[Game, bool]]:
    """The games that a filter names, and whether by their own id, a rating or a tournament."""
    names = wanted.tags.get("d", ())
    players = [found[1] for found in map(_RATING_ID.fullmatch, names) if found]
    games = [(table.game(name), True) for name in names if is_game_id(name)]
    if not names:
        players = [*wanted.tags.get("p", ())]
    games += [(table.game_of(player), False) for player in players]
    for tournament in table.tournaments(_addressed(table, wanted)):
        boards = tournament.rounds[-1].boards if tournament.rounds else ()
        live = (board.game_id for board in boards if board.game_id and not board.result)
        games += [(table.game(game_id), False) for game_id in live]
    seen: set[str] = set()
    for game, by_name in games:
        if game is not None and game.id not in seen:
            seen.add(game.id)
            yield game, by_name


def _addressed(table: _Table, wanted: Filter) -> list[str]:
    head = tournament_address(table.deps.server, "")
    return [it.removeprefix(head) for it in wanted.tags.get("a", ()) if it.startswith(head)]


def _of_tournaments(table: _Table, wanted: Filter) -> Iterator[EventTemplate]:
    """Tournaments, their rounds, the last first, and standings, as they were published."""
    if not {TOURNAMENT, ROUND, STANDINGS} & {*wanted.kinds}:
        return
    deps = table.deps
    ids = [name.partition(":")[0] for name in wanted.tags.get("d", ())]
    ids += _addressed(table, wanted)
    if not wanted.tags.keys() & {"a", "d"}:
        ids = [row.id for row in deps.tournaments.newest()]
    for found in table.tournaments(ids):
        at = found.version
        rows = len(found.entries) + sum(1 for _ in found.boards())
        if TOURNAMENT in wanted.kinds and table.may_show_rows(0):
            yield tournament_template(found, deps.server, at)
        if STANDINGS in wanted.kinds and table.may_show_rows(rows):
            yield standings_template(found, deps.server, at)
        rounds = found.rounds[::-1] if ROUND in wanted.kinds else ()
        pages = (
            round_templates(found, each.number, deps.server, date_of_round(found, each))
            for each in rounds
            if table.may_show_rows(len(each.boards) + len(each.byes))
        )
        yield from islice(chain.from_iterable(pages), deps.limits.events)


def _of_arbiter(deps: GatewayDeps, wanted: Filter, now_ms: int) -> tuple[EventTemplate, ...]:
    """Profile, relay list and handled kinds, dated this morning: one id a day."""
    is_asked = set(PRESENCE_KINDS) & set(wanted.kinds) or (wanted.authors and not wanted.kinds)
    if not is_asked:
        return ()
    midnight = now_ms // 1000 // DAY_SECONDS * DAY_SECONDS
    return arbiter_events.announcement_events(
        deps.name, deps.relays, HANDLED_KINDS, midnight, deps.house, deps.public_url
    )


def _wants(wanted: Filter, kind: int) -> bool:
    return not wanted.kinds or kind in wanted.kinds
