"""The cost of a move over the floor, on each pair of wires, and how it grows with the game."""

from collections.abc import Sequence
from functools import partial
from typing import cast

import chess
from coincurve import PrivateKey, PublicKeyXOnly

from arbiter.core.pairing import MAX_SLOW_GAMES
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from bench.long_game import long_game
from bench.measure import Figure, Target, cpu_us, measured, ratio
from bench.seated import Mail, Seated
from tests.builders import ALICE, SERVER, a_key

_KEY = PrivateKey(bytes.fromhex(SERVER.to_hex()))

_GAMES = 6
_PLIES = 65
_FLAT_ROUNDS = 120
_BATCH_ROUNDS = 40

OVER_THE_FLOOR = Target(1.5)
FLAT = Target(1.3)
BESIDE_OTHERS = Target(1.05)

BY_DAYS = ("time", "3d")


class Floor:
    """The least that a move can cost: the signed move is verified, what was sent is signed, and
    python-chess parses the move, checks that it is legal, makes it and checks whether the game is
    over, on a board that exists already: no JSON, hash, FEN or replay.
    """

    def __init__(self, event: VerifiedEvent, digests: Sequence[bytes]) -> None:
        """``event`` is the signed move, ``digests`` are those that the arbiter signed."""
        self._digests = digests
        self._signed = [bytes.fromhex(it) for it in (event.pubkey, event.sig, event.id)]

    def move(self, board: chess.Board, uci: str) -> None:
        pubkey, sig, digest = self._signed
        PublicKeyXOnly(pubkey).verify(sig, digest)
        for signed in self._digests:
            # None asks for no randomness, as `SecretKey.sign_bytes` explains.
            _KEY.sign_schnorr(signed, cast("bytes", None))
        move = chess.Move.from_uci(uci)
        if not board.is_legal(move):
            raise AssertionError(uci)
        board.push(move)
        board.outcome()


def over_the_floor() -> list[Figure]:
    """A figure for each pair of wires, of every move of some games of 65 plies."""
    ours: dict[str, list[float]] = {}
    floors: dict[str, list[float]] = {}
    for _ in range(_GAMES):
        tables = {
            "native, native": Seated("native", "native"),
            "native, NIP-100": Seated("native", "nip100"),
            "NIP-100, NIP-100": Seated("nip100", "nip100"),
            "native, native, clocked": Seated("native", "native", ("time", "300+3")),
        }
        boards = {name: chess.Board() for name in tables}
        for uci in long_game(_PLIES):
            for name, table in tables.items():
                spent_us, floor_us = _beside_floor(table, boards[name], uci)
                ours.setdefault(name, []).append(spent_us)
                floors.setdefault(name, []).append(floor_us)
    return [
        Figure(
            name=f"CPU of a move, {name}, over the floor",
            measured=ratio(ours[name], floors[name]),
            target=OVER_THE_FLOOR,
            note=_microseconds(ours[name], floors[name]),
        )
        for name in ours
    ]


def _beside_floor(table: Seated, board: chess.Board, uci: str) -> tuple[float, float]:
    mail = table.mail(uci)
    table.signer.digests.clear()
    spent_us = cpu_us(lambda: table.deliver(mail))
    floor = Floor(mail.event, [*table.signer.digests])
    return spent_us, cpu_us(lambda: floor.move(board, uci))


def flatness() -> list[Figure]:
    """A move at ply 200 against the first one; made again and again, after the move before it, so
    that the environment has seen the game.
    """
    moves = long_game(200)
    replays = {ply: Replay(moves, ply) for ply in (1, 200)}
    spent_us: dict[int, list[float]] = {ply: [] for ply in replays}
    for _ in range(_FLAT_ROUNDS):
        for ply, replay in replays.items():
            replay.prepare()
            spent_us[ply].append(cpu_us(replay.move))
    return [
        Figure(
            name="CPU of a move, ply 200 against ply 1, where the move before was made",
            measured=ratio(spent_us[200], spent_us[1]),
            target=FLAT,
            note=_microseconds(spent_us[200], spent_us[1]),
        )
    ]


def beside_others() -> list[Figure]:
    """A move of a player with fifty games against one of a player with that game alone."""
    spent_us: dict[int, list[float]] = {1: [], MAX_SLOW_GAMES: []}
    for number in range(_GAMES):
        tables = {games: Seated("native", "native", BY_DAYS, number=number) for games in spent_us}
        for other in range(MAX_SLOW_GAMES - 1):
            _begin_another(tables[MAX_SLOW_GAMES], a_key(f"another {other}"))
        for uci in long_game(_PLIES):
            for games, table in tables.items():
                mail = table.mail(uci)
                spent_us[games].append(cpu_us(partial(table.deliver, mail)))
    return [
        Figure(
            name="CPU of a move, fifty games of its player against one",
            measured=ratio(spent_us[MAX_SLOW_GAMES], spent_us[1]),
            target=BESIDE_OTHERS,
            note=_microseconds(spent_us[MAX_SLOW_GAMES], spent_us[1]),
        )
    ]


def _begin_another(table: Seated, opponent: SecretKey) -> None:
    table.world.clock.ms += 5_000
    _, challenged = table.world.ask(ALICE, "", BY_DAYS, ("challenge", opponent.pubkey))
    table.world.ask(opponent, "accept:" + challenged.content.split(":")[1])


class Replay:
    """A native game, and one move of it that can be made again and again."""

    def __init__(self, moves: tuple[str, ...], ply: int) -> None:
        """``ply`` is that of the move to make, from 1."""
        self._table = table = Seated("native", "native")
        table.play(*moves[: max(ply - 2, 0)])
        self._before = table.games.items[f"g#{table.game_id}"]
        self._mails: list[Mail] = []
        for uci in moves[max(ply - 2, 0) : ply]:
            self._mails.append(table.mail(uci))
            table.deliver(self._mails[-1])
        self._at_ms = table.world.clock.ms

    def prepare(self) -> None:
        """Go back before the move, in an environment that made the one before."""
        self._table.games.items[f"g#{self._table.game_id}"] = self._before
        # At the hour at which it was first made, or the next move would answer another state.
        self._table.world.clock.ms = self._at_ms - 1000
        self._table.deliver(*self._mails[:-1])
        self._table.world.clock.ms = self._at_ms

    def move(self) -> None:
        self._table.deliver(self._mails[-1])


def batches() -> list[Figure]:
    """One batch of ten records of ten games against ten batches of one."""
    *others, last = tables = [Seated("native", "native", number=at) for at in range(10)]
    moves = long_game(21)
    mails: list[Mail] = []
    for table in tables:
        table.play(*moves[:20])
        mails.append(table.mail(moves[20]))
    # All ten in one table, before the arbiter who has the latest clock.
    before = dict(last.games.items)
    for table in others:
        before.update(table.games.items)
    if len(before) < len(tables):
        raise AssertionError("some games are the same")

    def apart(mails: list[Mail]) -> None:
        for mail in mails:
            last.deliver(mail)

    spent_us: dict[str, list[float]] = {"ten": [], "one": []}
    for _ in range(_BATCH_ROUNDS):
        last.games.items.update(before)
        spent_us["ten"].append(cpu_us(lambda: last.deliver(*mails)))
        last.games.items.update(before)
        spent_us["one"].append(cpu_us(lambda: apart(mails)))
    return [
        Figure(
            name="a batch of ten against ten batches of one",
            measured=ratio(spent_us["ten"], spent_us["one"]),
            target=Target(1.05),
            note="CPU alone; the invocations and the waiting for relays are shared by ten besides",
        )
    ]


def _microseconds(ours: list[float], floors: list[float]) -> str:
    return f"{measured(ours).median:.0f} µs over {measured(floors).median:.0f} µs"
