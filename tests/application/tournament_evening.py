"""A tournament in virtual time: organiser and players who sign what clients sign, the arbiter's own
messages and timers brought to it, an engine, and games that end as a script has them end.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.intake.queue_messages import parse, parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.application.records import PairingAsked, Timer, TournamentPaired
from arbiter.application.tournaments.messages import entry
from arbiter.core.game import Game
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Board, Tournament
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import SERVER, a_key, an_event

COMMAND = 20307

Engine = Callable[[Tournament], Pairings | NoPairings]
Ends = Callable[[Game], str]
"""Who resigns a game once it began, by the game: ``white``, ``black``, or ``draw``; "": nobody."""


class Evening(World):
    """One tournament. Each record is delivered until it is handled, and remembered."""

    def __init__(self, engine: Engine, ends: Ends) -> None:
        super().__init__()
        self.engine, self.ends = engine, ends
        self.organiser = a_key("organiser")
        self.id = ""
        self.keys: dict[str, SecretKey] = {}
        self.bodies: list[str] = []
        self.ended: set[str] = set()
        self.set: set[Timer] = set()
        self.fired: set[Timer] = set()
        self.deliveries = 6
        self.delivering: Callable[[int], object] = lambda number: None
        """Called with the number of each delivery of a record, from 0, and after it with -1."""

    def bring(self, body: str) -> list[VerifiedEvent]:
        """Deliver a record as often as it takes; what was published because of it."""
        before = len(self.publisher.taken_events)
        self.bodies.append(body)
        for number in range(self.deliveries):
            self.delivering(number)
            failed = self.deliver(self.record(body, group="one"))
            self.delivering(-1)
            if not failed:
                return self.publisher.taken_events[before:]
        raise AssertionError(f"among the dead letters: {body[:200]}: {self.log[-1].failure}")

    def say(self, key: SecretKey, word: str, *tags: tuple[str, ...]) -> list[str]:
        """The answers to this key's command."""
        about = (("a", f"30327:{SERVER.pubkey}:{self.id}"),) if self.id else ()
        event = an_event(
            key, COMMAND, word, (("p", SERVER.pubkey), *about, *tags), self.clock.ms // 1000
        )
        told = self.bring(self.body(event))
        mine = ("p", key.pubkey)
        return [one.content for one in told if one.kind == 20301 and mine in one.tags]

    def create(self, format_: str, *tags: tuple[str, ...]) -> None:
        """Make the tournament, which starts in a minute."""
        starts = ("starts", str(self.clock.ms // 1000 + 60))
        usual = (("title", "Evening"), ("format", format_), ("time", "180+0"), starts)
        given = {tag[0] for tag in tags}
        kept = tuple(tag for tag in usual if tag[0] not in given)
        assert {*self.say(self.organiser, "create", *kept, *tags)} == {"created"}
        (listed, *_) = self.tournaments.newest()
        self.id = listed.id

    def with_house(self, pubkey: str) -> ArbiterDeps:
        """The arbiter with this house player."""
        return replace(self.deps, house_levels={pubkey: 1})

    def join(self, *names: str) -> None:
        for name in names:
            key = a_key(name)
            self.keys[key.pubkey] = key
            assert self.say(key, "join") == ["joined"]

    @property
    def tournament(self) -> Tournament:
        found = self.tournaments.load(self.id)
        assert found is not None
        return found

    def run(self, seconds: float = 24 * 3600, until: Callable[[], bool] | None = None) -> None:
        """Let time pass while something is due within it, or until then."""
        ends_ms = self.clock.ms + round(seconds * 1000)
        for _ in range(20_000):
            self._bring_messages()
            if until is not None and until():
                return
            if self._end_a_game():
                continue
            due = [timer for timer in self._timers() if timer.at_ms <= ends_ms]
            if not due:
                self.clock.ms = ends_ms
                return
            timer = min(due, key=lambda one: (one.at_ms, one.game_id))
            self.fired.add(timer)
            self.clock.ms = max(self.clock.ms, timer.at_ms)
            self.bring(timer_entry(timer, self.clock.ms).body)
        raise AssertionError("this never ends")

    def again(self, times: int) -> None:
        """Deliver every record of before so often again, in order and out of it."""
        bodies = [*self.bodies]
        for at in range(times):
            for body in bodies if at % 2 else reversed(bodies):
                self.deliver(self.record(body, group="one"))
                self._bring_messages(is_kept=False)

    def boards(self) -> Iterator[tuple[int, int, Board]]:
        for each in self.tournament.rounds:
            for at, board in enumerate(each.boards):
                yield each.number, at + 1, board

    def _bring_messages(self, *, is_kept: bool = True) -> None:
        while self.queue.waiting:
            body = self.queue.waiting.pop(0).body
            asked = parse(body)
            if isinstance(asked, PairingAsked):
                body = self._paired(asked)
            if body and is_kept:
                self.bring(body)
            elif body:
                self.deliver(self.record(body, group="one"))

    def _paired(self, asked: PairingAsked) -> str:
        """The answer of the pairing function; empty where none is awaited."""
        tournament = self.tournaments.load(asked.tournament_id)
        assert tournament is not None
        if not tournament.awaits_pairings or tournament.round != asked.round:
            return ""
        answer = self.engine(tournament)
        return entry(TournamentPaired(tournament.id, answer, asked.number)).body

    def _timers(self) -> set[Timer]:
        self.set |= {one for body, _ in self.timers.near if (one := parse_timer(body))}
        self.timers.near.clear()
        return (self.set | {*self.timers.far}) - self.fired

    def _end_a_game(self) -> bool:
        """End the next game that began, as the script has it."""
        for number, place, board in self.boards():
            if board.game_id in self.ended:
                continue
            game = self.games.load(board.game_id) if board.game_id else None
            if game is None:
                continue
            self.ended.add(game.id)
            assert game.tournament is not None
            assert (game.tournament.round, game.tournament.board) == (number, place)
            loser = self.ends(game)
            if loser:
                self.end(game, loser)
                return True
        return False

    def end(self, game: Game, loser: str) -> None:
        """Have both move and one resign, or both agree on a draw."""
        self.ended.add(game.id)
        white, black = (self.keys[seat.player] for seat in (game.white, game.black))
        self.clock.advance(1)
        self.say_in(game.id, white, "e2e4")
        self.say_in(game.id, black, "e7e5")
        if loser == "draw":
            self.say_in(game.id, white, "draw")
            self.say_in(game.id, black, "draw")
        else:
            self.say_in(game.id, white if loser == "white" else black, "resign")

    def say_in(self, game_id: str, key: SecretKey, word: str) -> None:
        """Send this move or word, now."""
        tags = (("d", game_id), ("p", SERVER.pubkey))
        self.bring(self.body(an_event(key, 20303, word, tags, self.clock.ms // 1000)))


def stored(evening: Evening) -> dict[str, object]:
    """All that is stored of tournament and games, without the versions of items."""
    return {
        key: {name: value for name, value in item.items() if name != "v"}
        for key, item in evening.games.table.items.items()
        if key[:2] in ("t#", "g#")
    }
