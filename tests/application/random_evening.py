"""Evenings by chance, on any table: players come late, leave, rest and do not come; the organiser
corrects; processes die at calls of the table; records come again. One seed is always one evening.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.items.table import Table
from arbiter.core.game import Game, Termination
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import Format, Phase
from tests.application.tournament_evening import Engine, Evening
from tests.builders import a_key
from tests.fakes.faults import Crash
from tests.fakes.stores import MemoryTable

DAY_SECONDS = 24 * 3600
STEPS, DEATHS = 60, 0.01
"""Steps in which something may happen, and the chance of a call to be the process's last."""

ARENA_GAMES = 20
"""Games of an arena that are played; then all have gone."""

_TAGS: dict[Format, tuple[tuple[str, ...], ...]] = {
    Format.ROUND_ROBIN: (),
    Format.SWISS: (("rounds", "4"), ("late", "3")),
    Format.ARENA: (("minutes", "5"),),
    Format.KNOCKOUT: (),
}
_WORDS = ("leave", "pause", "back", "here", "join", "bye:2", "bye:3")


class MortalTable:
    """A table at each of whose calls the process may die, before it or behind it."""

    def __init__(self, table: Table, dies: Callable[[], bool]) -> None:
        self._table, self._dies = table, dies

    def __getattr__(self, name: str) -> Callable[..., object]:
        def called(*given: object) -> object:
            self._die(name)
            found = getattr(self._table, name)(*given)
            self._die(f"{name} done")
            return found

        return called

    def _die(self, where: str) -> None:
        if self._dies():
            raise Crash(where)


class RandomEvening(Evening):
    """One evening of this format, on this table."""

    def __init__(self, seed: int, form: Format, table: Table, engine: Engine) -> None:
        super().__init__(engine, self._loser)
        self.chance, self.form = random.Random(f"{seed}:{form}"), form
        self.is_delivering = False
        self.delivering = self._deliver
        self.deliveries = 100
        mortal: Table = MortalTable(table, self._dies)  # type: ignore[assignment]
        # What the test reads and what the arbiter does are the same items.
        self.deps = replace(
            self.deps,
            games=StoredGames(mortal),
            lobby=StoredLobby(mortal, self.clock),
            ratings=StoredRatings(mortal),
            tournaments=StoredTournaments(mortal),
        )
        self.stored_games, self.stored_tournaments = StoredGames(table), StoredTournaments(table)
        self.games, self.tournaments = self.stored_games, self.stored_tournaments  # type: ignore[assignment]
        self.organiser = a_key(f"organiser {seed} {form}")
        self.names = [f"{form} {seed} {number}" for number in range(self.chance.randint(2, 9))]
        self.keys = {key.pubkey: key for key in map(a_key, self.names)}

    def play(self) -> None:
        """From its making to its end."""
        interval = self.chance.choice(("1", "20"))
        self.create(self.form, ("noshow", "10"), ("interval", interval), *_TAGS[self.form])
        early = self.names[: self.chance.randint(2, len(self.names))]
        for name in early:
            self.say(a_key(name), "join")
        self.run(50)
        for _ in range(STEPS):
            if not self.tournament.is_under_way:
                break
            self._happen()
            self.run(self.chance.choice((1, 5, 12, 40)))
        self.run(DAY_SECONDS)
        if self.tournament.is_under_way:
            self.say(self.organiser, "finish")
            self.run(DAY_SECONDS)

    def check(self) -> None:
        """No game twice and none missing; results are those of the games, or the organiser's."""
        assert self.tournament.phase in (Phase.FINISHED, Phase.CANCELLED)
        ids = [board.game_id for _, _, board in self.boards() if board.game_id]
        assert max(Counter(ids).values(), default=1) == 1
        made = {one for name in self.names for one in self._games_of(name)}
        assert made <= {*ids}, "a game of no board"
        for number, place, board in self.boards():
            game = self.stored_games.load(board.game_id) if board.game_id else None
            where = (self.form, number, place, board)
            assert board.result is not None, where
            if game is None:
                assert board.is_corrected or not board.result.is_played, where
            elif game.outcome and board.result.is_played and not board.is_corrected:
                assert game.outcome.termination is not Termination.NO_SHOW, where
                assert game.result == board.result.value, where
        assert len(standings(self.tournament)) == len(self.tournament.entries)
        assert "failed" not in self.statuses()[-1:]

    def _games_of(self, name: str) -> tuple[str, ...]:
        player = StoredLobby(self._plain, self.clock).player(a_key(name).pubkey)
        return player.event_games

    @property
    def _plain(self) -> Table:
        return self.stored_games._table

    def _happen(self) -> None:
        """One thing by chance."""
        name, roll = self.chance.choice(self.names), self.chance.random()
        if roll < 0.35:
            self.say(a_key(name), "here")
        elif roll < 0.55:
            self.say(a_key(name), "join")
        elif roll < 0.7:
            self.say(a_key(name), self.chance.choice(_WORDS))
        elif roll < 0.8:
            self._organise(name)
        else:
            for body in self.chance.sample(self.bodies, min(5, len(self.bodies))):
                self.bring(body)

    def _organise(self, name: str) -> None:
        number, place = self.tournament.round, self.chance.randint(1, 4)
        word = self.chance.choice(
            (
                f"result:{number}:{place}:{self.chance.choice(('1-0', '1/2-1/2', '-/-'))}",
                f"forfeit:{number}:{a_key(name).pubkey}",
                f"swap:{number}:1:2",
                f"remove:{a_key(name).pubkey}" if self.chance.random() < 0.2 else "pair",
                "delay:20",
            )
        )
        self.say(self.organiser, word)

    def _loser(self, game: Game) -> str:
        is_enough = self.form is Format.ARENA and len(self.ended) > ARENA_GAMES
        ends = ("",) if is_enough else ("white", "black", "draw", "white", "black", "")
        return self.chance.choice(ends)

    def _deliver(self, number: int) -> None:
        self.is_delivering = number >= 0

    def _dies(self) -> bool:
        return self.is_delivering and self.chance.random() < DEATHS


def main() -> int:
    """Play so many of each format in memory; say which did not keep the rules."""
    from arbiter.adapters.pairing.engine import Engine as RealEngine  # noqa: PLC0415 - slow

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    games = 0
    for seed in range(asked.first, asked.first + asked.number):
        for form in Format:
            evening = RandomEvening(seed, form, MemoryTable(), RealEngine().pair)
            try:
                evening.play()
                evening.check()
            except AssertionError as failure:
                sys.stdout.write(f"{form} {seed}: {failure}\n")
                return 1
            games += sum(bool(board.game_id) for _, _, board in evening.boards())
    sys.stdout.write(f"{asked.number} of each format, {games} games\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
