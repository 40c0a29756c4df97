"""What a move costs over the floor, on each pair of wires, and how that grows with the game."""

import json

import chess

from bench.aws_calls import Calls, answering
from bench.figures import Figure, Target, certain
from bench.floor import Floor, answer_move
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

_CLOCK = ("time", "300+3")
_CLOCKED = "native, native, clocked"
_CALLED = "native, native, clocked, with its calls"
_HOT_SEAT = "hot seat by HTTP"
_HOT_SEAT_CALLED = "hot seat by HTTP, with its calls"

OVER_THE_FLOOR = Target(1.5)
FLAT = Target(1.3)
FLAT_ANEW = Target(1.5)


def over_the_floor() -> list[Figure]:
    """A figure for each pair of wires, of every move of some games of 65 plies: our code alone, and
    with a clock and the calls to DynamoDB; and for a hot-seat game.
    """
    with answering() as clients:
        counted = Calls(clients.dynamodb())
        moves = long_game(_PLIES)
        ours: dict[str, list[float]] = {}
        floors: dict[str, list[float]] = {}
        for _ in range(_GAMES):
            tables: dict[str, Seated] = {
                f"{one}, {other}": Seated(one, other) for one, other in _PAIRINGS
            }
            tables[_CLOCKED] = Seated("native", "native", 0, None, _CLOCK)
            tables[_CALLED] = Seated("native", "native", 0, counted, _CLOCK)
            counted.made.clear()
            hot_seats = {_HOT_SEAT: HotSeat(), _HOT_SEAT_CALLED: HotSeat(counted)}
            boards = {name: chess.Board() for name in (*tables, *hot_seats)}
            for uci in moves:
                for name, table in tables.items():
                    _note(name, _beside_floor(table, boards[name], uci), ours, floors)
                for name, hot_seat in hot_seats.items():
                    _note(name, _beside_answer(hot_seat, boards[name], uci), ours, floors)
        called = {kind: times / _PLIES for kind, times in counted.made.items()}
    made = ", ".join(f"{times:.2f} {kind}" for kind, times in sorted(called.items()))
    return [
        Figure(
            name=f"CPU of a move, {name}, over the floor",
            measured=ratio(ours[name], floors[name]),
            target=OVER_THE_FLOOR,
            note=_microseconds(ours[name], floors[name]),
        )
        for name in ours
    ] + [
        Figure(
            name="calls to DynamoDB, a native and a hot-seat move together",
            measured=certain(sum(called.values())),
            unit="",
            target=Target(5.0),
            note=made,
        )
    ]


def _note(
    name: str,
    told: tuple[float, float],
    ours: dict[str, list[float]],
    floors: dict[str, list[float]],
) -> None:
    ours.setdefault(name, []).append(told[0])
    floors.setdefault(name, []).append(told[1])


def _beside_answer(hot_seat: HotSeat, board: chess.Board, uci: str) -> tuple[float, float]:
    told: list[bytes] = []
    mine = cpu_us(lambda: told.append(hot_seat.move(uci)))
    answer = json.loads(told[0])
    return mine, cpu_us(lambda: answer_move(board, uci, answer))


def flatness() -> list[Figure]:
    """A move at ply 65 and at ply 200 against the first one; made again and again, after the move
    before it, so that the environment has seen the game, or after forgetting everything.
    """
    moves = long_game(200)
    told: dict[str, list[float]] = {}
    with answering() as clients:
        replays = {ply: Replay(moves, ply, clients.dynamodb()) for ply in (1, 65, 200)}
        for _ in range(_FLAT_ROUNDS):
            for is_new in (False, True):
                for ply, replay in replays.items():
                    replay.prepare(is_new=is_new)
                    told.setdefault(_named(ply, is_new=is_new), []).append(cpu_us(replay.move))
    return [
        Figure(
            name=f"CPU of a move with its calls, {what} against ply 1",
            measured=ratio(told[what], told[_named(1, is_new=is_new)]),
            target=FLAT_ANEW if is_new else FLAT,
            note=_microseconds(told[what], told[_named(1, is_new=is_new)])
            + ("; by an environment that sees the game for the first time" if is_new else ""),
        )
        for ply, is_new in ((65, False), (200, False), (65, True), (200, True))
        if (what := _named(ply, is_new=is_new))
    ]


class Replay:
    """A native game, and one move of it that can be made again and again."""

    def __init__(self, moves: tuple[str, ...], ply: int, client: object) -> None:
        """``ply`` is that of the move to make, from 1."""
        self._table = table = Seated("native", "native", 0, client)
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
