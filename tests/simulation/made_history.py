"""A run made by hand, for the checker to be tried on: what a good arbiter would have done.

Its decisions are the core's own, which is harmless: the tests then spoil one thing (see
law_cases/runs.py) and see whether the checker, which knows nothing of the core, says so.
"""

from dataclasses import replace
from typing import Any, Self

import chess

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.adapters.dynamodb.lobby_items import item_of_player, item_of_pool
from arbiter.adapters.dynamodb.rating_items import item_of_rated_game, item_of_standing
from arbiter.application.queue_messages import QueueEntry, Timer, timer_body
from arbiter.application.ratings import rate_game
from arbiter.application.render_replies import is_noted
from arbiter.application.routing import queue_entry, route
from arbiter.core.clocks import read_time
from arbiter.core.commands import Command, PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Seat
from arbiter.core.pairing import Player, Pool, pair, remember_request
from arbiter.core.ratings import RatedGame
from arbiter.core.replies import Decision, GameStarted, Rejected
from arbiter.core.seeks import Seek
from arbiter.core.terms import Terms
from arbiter.dialects import arbiter_events, dilger
from arbiter.dialects.base import ReplyContext
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.strict_json import write_json
from tests.builders import ALICE, BOB, NOW_MS, SERVER
from tests.fakes.ratings import FakeRatings
from tests.simulation.history import (
    Actor,
    Answered,
    Belief,
    Brought,
    Delivered,
    Happening,
    Heard,
    History,
    Published,
    Queued,
    Scheduled,
    Sent,
    Signed,
    Wrote,
)

RELAY = "relay 1"


def text_of(event: VerifiedEvent) -> str:
    return write_json(event_to_json(event))


def caused(game: Game, event: VerifiedEvent, **changes: Any) -> Game:
    """The game as it is written because of this event."""
    applied = (*game.applied_ids, bytes.fromhex(event.id)[:8])
    version = game.item_version + 1
    return replace(game.with_timer(), applied_ids=applied, item_version=version, **changes)


class Story:
    """Told one happening after the other; ``history`` is what was told so far."""

    def __init__(
        self,
        time: str | None = "180+2",
        *,
        is_rated: bool = True,
        begins_ms: int = NOW_MS,
        secret: bytes = b"a secret",
    ) -> None:
        self.now_ms = begins_ms
        self._secret = secret
        self.time = time
        self.is_rated = is_rated
        self.happenings: list[Happening] = []
        self.table: dict[str, dict[str, Any]] = {}
        self.standings = FakeRatings()
        self.batch = 0
        self.shown = ""
        self.game: Game = self._begin()

    def _begin(self) -> Game:
        terms = Terms(time=read_time(self.time) if self.time else None, rated=self.is_rated)
        tags: tuple[tuple[str, str], ...] = (("time", self.time),) if self.time else ()
        tags += (("mode", "rated"),) if self.is_rated else ()
        pool, game = Pool(terms.pool), None
        seekers: list[Player] = []
        for key in (ALICE, BOB):
            asked = self.signs(key, 20300, "", (("p", SERVER.pubkey), *tags))
            self.arrives(asked)
            player = remember_request(Player(key.pubkey), asked.id, self.now_ms, self.now_ms)
            seek = Seek(asked.id, Seat(key.pubkey, "dilger"), self.now_ms, terms)
            opponent = seekers[0] if seekers else None
            pairing = pair(pool, player, seek, opponent, self.now_ms, self._secret)
            pool = replace(pairing.pool, item_version=pool.item_version + 1)
            seekers.append(replace(pairing.player, item_version=1))
            items = [item_of_pool(pool), item_of_player(seekers[-1], self.now_ms)]
            if pairing.game and pairing.opponent:
                game = pairing.game
                items.append(item_of_player(replace(pairing.opponent, item_version=2), self.now_ms))
                items.append(item_of_game(game))
            self.writes(*items)
            if game:
                self.sets_timer(game)
            else:
                about = (("p", key.pubkey), ("e", asked.id))
                self.says(EventTemplate(20301, about, "queued", self.now_ms // 1000))
            self.answers("paired" if pairing.game else "queued", asked.id)
            self.now_ms += 0 if game else 1000
        assert game is not None
        self.says(*dilger.encode(GameStarted(game), _to_both(self.now_ms // 1000)))
        return game

    def signs(
        self, key: SecretKey, kind: int, content: str, tags: tuple[tuple[str, ...], ...]
    ) -> VerifiedEvent:
        event = key.sign(EventTemplate(kind, tags, content, self.now_ms // 1000))
        self.happenings.append(
            Signed(at_ms=self.now_ms, who=_name(key.pubkey), event=text_of(event))
        )
        return event

    def arrives(self, event: VerifiedEvent, stamped_ms: int | None = None) -> None:
        text, at_ms, who = text_of(event), self.now_ms, _name(event.pubkey)
        stamped_ms = at_ms if stamped_ms is None else stamped_ms
        where = route(event)
        assert where is not None
        entry = queue_entry(event, where, stamped_ms)
        self.happenings += [
            Sent(at_ms=at_ms, who=who, way=RELAY, text=text),
            Brought(at_ms=at_ms, by="listener", way=RELAY, frame=f'["EVENT","arbiter",{text}]'),
            Heard(at_ms=at_ms, by="listener", way=RELAY, event=text, stamped_ms=stamped_ms),
        ]
        self.delivers(entry, "listener")

    def delivers(self, entry: QueueEntry, by: str) -> None:
        """It is queued, and comes to the worker in a batch of its own."""
        at_ms, body = self.now_ms, entry.body
        self.batch += 1
        group: dict[str, str] = {"queue": entry.queue, "group": entry.group_id}
        name, batch = f"record {self.batch}", self.batch
        queued = Queued(
            at_ms=at_ms, by=by, dedup_id=entry.dedup_id, body=body, status="taken", **group
        )
        given = Delivered(
            at_ms=at_ms, worker="worker", batch=batch, record=name, body=body, count=1, **group
        )
        self.happenings += [queued, given]

    def answers(self, status: str, event_id: str) -> None:
        self.happenings.append(
            Answered(
                at_ms=self.now_ms,
                worker="worker",
                batch=self.batch,
                record=f"record {self.batch}",
                status=status,
                event=event_id,
            )
        )

    def writes(self, *items: dict[str, Any]) -> None:
        keyed = {item["pk"]["S"]: item for item in items}
        changes = tuple((key, self.table.get(key), item) for key, item in keyed.items())
        self.table |= keyed
        self.happenings.append(Wrote(at_ms=self.now_ms, who="worker", items=changes))

    def sets_timer(self, game: Game) -> None:
        if game.timer_at_ms is not None and game.outcome is None:
            body = timer_body(Timer(game.id, game.ply, game.timer_at_ms))
            self.happenings.append(Scheduled(at_ms=self.now_ms, by="worker", body=body))

    def says(self, *templates: EventTemplate) -> None:
        for template in templates:
            event = SERVER.sign(template)
            self.happenings.append(
                Published(
                    at_ms=self.now_ms, who="worker", way=RELAY, event=text_of(event), taken=True
                )
            )
            if template.kind == dilger.GAME_STATE:
                self.shown = event.id

    def says_state(self, game: Game) -> None:
        self.says(dilger.state(game, game.changed_at_ms // 1000))

    def key_of(self, color: chess.Color) -> SecretKey:
        return ALICE if self.game.seat(color).player == ALICE.pubkey else BOB

    @property
    def mover(self) -> SecretKey:
        return self.key_of(self.game.turn)

    @property
    def waiter(self) -> SecretKey:
        return self.key_of(not self.game.turn)

    def waits(self, ms: int) -> Self:
        self.now_ms += ms
        return self

    def word(self, key: SecretKey, content: str) -> VerifiedEvent:
        tags = (("d", self.game.id), ("p", SERVER.pubkey), ("e", self.shown))
        return self.signs(key, 20303, content, tags)

    def plays(self, *moves: str, seconds: int = 3) -> Self:
        for uci in moves:
            self.now_ms += seconds * 1000
            event = self.word(self.mover, uci)
            self.arrives(event)
            made_at_ms = event.created_at * 1000
            self.decides(
                event,
                PlayMove(
                    player=event.pubkey, uci=uci, made_at_ms=made_at_ms, received_at_ms=self.now_ms
                ),
            )
        return self

    def decides(self, event: VerifiedEvent, command: Command) -> Decision:
        decision = decide(self.game, command, self.now_ms)
        refused = [reply for reply in decision.replies if isinstance(reply, Rejected)]
        after, cause = decision.game, bytes.fromhex(event.id)[:8]
        is_new = after is not self.game
        after = (
            caused(after, event) if is_new else replace(after, item_version=after.item_version + 1)
        )
        if refused and command.player == after.white.player:
            after = replace(after, white_refused_ids=(*after.white_refused_ids, cause))
        elif refused:
            after = replace(after, black_refused_ids=(*after.black_refused_ids, cause))
        self.commits(after)
        if refused:
            about = (("e", event.id), ("d", after.id), *(("p", it) for it in _players(after)))
            content = f"{refused[0].reason}: no"
            self.says(EventTemplate(20304, about, content, self.now_ms // 1000))
        self.answers(refused[0].reason if refused else "played", event.id)
        return decision

    def happens(self, event: VerifiedEvent, after: Game, status: str, **changes: Any) -> Self:
        """The event arrives, and the game becomes this because of it, right or wrong."""
        self.arrives(event)
        self.commits(caused(after, event, **changes))
        self.answers(status, event.id)
        return self

    def commits(self, after: Game) -> None:
        was_over, self.game = self.game.outcome is not None, after
        self.writes(item_of_game(after))
        self.sets_timer(after)
        rated = self._rates(after) if after.outcome is not None and not was_over else None
        self.says_state(after)
        if is_noted(after):
            self.says(arbiter_events.note_event(after, SERVER.pubkey, rated))
        if rated:
            self.says(*arbiter_events.rating_event(rated, after.end_ms // 1000))

    def _rates(self, game: Game) -> RatedGame | None:
        if not game.rated or game.clocks is None:
            return None
        rated = rate_game(
            self.standings,
            game_id=game.id,
            speed=game.clocks.control.speed,
            white_id=game.white.player,
            black_id=game.black.player,
            result=game.result,
            plies=game.ply,
            now_ms=game.end_ms,
        )
        if rated:
            items = map(item_of_standing, (rated.white[1], rated.black[1]))
            self.writes(item_of_rated_game(rated), *items)
        return rated

    @property
    def history(self) -> History:
        game = self.game
        return History(
            seed=1,
            servers=(SERVER.pubkey,),
            actors=tuple(
                Actor(name=_name(key.pubkey), pubkeys=(key.pubkey,), dialect="dilger")
                for key in (ALICE, BOB)
            ),
            happenings=tuple(self.happenings),
            table=dict(self.table),
            beliefs=tuple(
                Belief(
                    who=_name(key.pubkey),
                    game=game.id,
                    version=game.state_version,
                    ply=game.ply,
                    fen=game.board().fen(),
                    result=game.result,
                )
                for key in (ALICE, BOB)
            ),
            ended_at_ms=self.now_ms,
            healed_at_ms=NOW_MS,
        )


def _name(pubkey: str) -> str:
    return {ALICE.pubkey: "alice", BOB.pubkey: "bob"}.get(pubkey, "stranger")


def _players(game: Game) -> tuple[str, str]:
    return game.white.player, game.black.player


def _to_both(at: int) -> ReplyContext:
    return ReplyContext(colors=frozenset({WHITE, BLACK}), event_key="", at=at, answered_at=at)
