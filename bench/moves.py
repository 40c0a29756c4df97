"""What a move costs over the floor, on each pair of wires, and how that grows with the game."""

import chess

from bench.figures import Figure, Target
from bench.floor import Floor
from bench.long_game import long_game
from bench.measure import cpu_us, in_turn, measured, ratio
from bench.seated import HotSeat, Mail, Seated, Wire

_GAMES = 6
_PLIES = 65
_FLAT_ROUNDS = 120
_BATCH_ROUNDS = 40
_PAIRINGS: tuple[tuple[Wire, Wire], ...] = (
    ("native", "native"),
    ("native", "nip100"),
    ("nip100", "nip100"),
)

OVER_THE_FLOOR = Target(1.5)
FLAT = Target(1.3)


def over_the_floor() -> list[Figure]:
    """A figure for each pair of wires, of every move of some games of 65 plies, and one for a
    hot-seat game.
    """
    moves = long_game(_PLIES)
    ours: dict[str, list[float]] = {f"{one} and {other}": [] for one, other in _PAIRINGS}
    floors: dict[str, list[float]] = {name: [] for name in ours}
    hot_ours: list[float] = []
    hot_floors: list[float] = []
    for _ in range(_GAMES):
        tables = {f"{one} and {other}": Seated(one, other) for one, other in _PAIRINGS}
        boards = {name: chess.Board() for name in tables}
        hot_seat, hot_board = HotSeat(), chess.Board()
        for uci in moves:
            for name, table in tables.items():
                mine, least = _beside_floor(table, boards[name], uci)
                ours[name].append(mine)
                floors[name].append(least)
            hot_ours.append(cpu_us(lambda uci=uci: hot_seat.move(uci)))  # type: ignore[misc] # noqa: B023 - called at once
            hot_floors.append(cpu_us(lambda uci=uci: Floor(None, ()).move(hot_board, uci)))  # type: ignore[misc] # noqa: B023 - called at once
    figures = [
        Figure(
            name=f"CPU of a move, {name}, over the floor",
            measured=ratio(ours[name], floors[name]),
            target=OVER_THE_FLOOR,
            note=f"{_microseconds(ours[name], floors[name])}, in which is no JSON, FEN or item",
        )
        for name in ours
    ]
    figures.append(
        Figure(
            name="CPU of a move, hot seat by HTTP, over its floor",
            measured=ratio(hot_ours, hot_floors),
            target=OVER_THE_FLOOR,
            note=f"{_microseconds(hot_ours, hot_floors)}; no signature: its floor is chess alone",
        )
    )
    return figures


def flatness() -> list[Figure]:
    """A move at ply 65 and at ply 200 against the first one; made again and again, after the move
    before it, so that the environment has seen the game, or after forgetting everything.
    """
    moves = long_game(200)
    replays = {ply: Replay(moves, ply) for ply in (1, 65, 200)}
    told: dict[str, list[float]] = {}
    for _ in range(_FLAT_ROUNDS):
        for is_new in (False, True):
            for ply, replay in replays.items():
                replay.prepare(is_new=is_new)
                told.setdefault(_named(ply, is_new=is_new), []).append(cpu_us(replay.move))
    first = told[_named(1, is_new=False)]
    return [
        Figure(
            name=f"CPU of a move, {what} against ply 1",
            measured=ratio(told[what], first),
            target=None if is_new else FLAT,
            note=_microseconds(told[what], first)
            + ("; by an environment that sees the game for the first time" if is_new else ""),
        )
        for ply, is_new in ((65, False), (200, False), (65, True), (200, True))
        if (what := _named(ply, is_new=is_new))
    ]


class Replay:
    """A native game, and one move of it that can be made again and again."""

    def __init__(self, moves: tuple[str, ...], ply: int) -> None:
        """``ply`` is that of the move to make, from 1."""
        self._table = table = Seated("native", "native")
        table.play(*moves[: max(ply - 2, 0)])
        self._before = table.games.items[table.game_id]
        self._mails = []
        for uci in moves[max(ply - 2, 0) : ply]:
            self._mails.append(table.mail(uci))
            table.deliver(self._mails[-1])
        self._at_ms = table.world.clock.ms

    def prepare(self, *, is_new: bool) -> None:
        """Stand before the move, in an environment that made the one before it or in a new one."""
        self._table.games.items[self._table.game_id] = self._before
        # At the hour at which it was first made, or the next move would answer another state.
        self._table.world.clock.ms = self._at_ms - 1000
        self._table.deliver(*self._mails[:-1])
        self._table.world.clock.ms = self._at_ms
        if is_new:
            self._table.games.forget()

    def move(self) -> None:
        """Make it."""
        self._table.deliver(self._mails[-1])


def _named(ply: int, *, is_new: bool) -> str:
    return f"ply {ply} seen anew" if is_new else f"ply {ply}"


def batches() -> Figure:
    """One batch of ten records of ten games against ten batches of one."""
    tables = [Seated("native", "native", number) for number in range(10)]
    moves = long_game(21)
    mails: list[Mail] = []
    for table in tables:
        table.play(*moves[:20])
        mails.append(table.mail(moves[20]))
    # All ten in one table, before the arbiter who has the latest clock.
    *others, last = tables
    before = dict(last.games.items)
    for table in others:
        before.update(table.games.items)
    if len(before) < len(tables):
        raise AssertionError("some games are the same")

    def ten() -> None:
        last.games.items.update(before)
        last.deliver(*mails)

    def ten_times_one() -> None:
        last.games.items.update(before)
        for mail in mails:
            last.deliver(mail)

    told = in_turn({"ten": ten, "one": ten_times_one}, _BATCH_ROUNDS)
    return Figure(
        name="a batch of ten against ten batches of one",
        measured=ratio(told["ten"], told["one"]),
        target=Target(1.05),
        note="CPU alone; the invocations and the waiting for relays are shared by ten besides",
    )


def _beside_floor(table: Seated, board: chess.Board, uci: str) -> tuple[float, float]:
    mail = table.mail(uci)
    table.signer.digests.clear()
    mine = cpu_us(lambda: table.deliver(mail))
    floor = Floor(mail.event, [*table.signer.digests])
    return mine, cpu_us(lambda: floor.move(board, uci))


def _microseconds(ours: list[float], floors: list[float]) -> str:
    return f"{measured(ours).median:.0f} µs over {measured(floors).median:.0f} µs"
