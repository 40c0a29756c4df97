"""What a move over HTTP costs: CPU milliseconds of the function itself, and moves a second.

The figures of the original (chessgame-backend on two cores, 20 games at once) were 243 moves/s and
4.58 CPU ms a move on SQLite, 526 moves/s and 1.86 CPU ms on PostgreSQL, which took 0.7 more.
"""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from bench.http_api import (
    Ask,
    by_handler,
    handler_in_memory,
    handler_on_moto,
    make_move,
    new_game,
    over_http,
    running,
)
from bench.long_game import long_game

_GAMES = 20
_PLIES = 60
_SEQUENTIAL_PLIES = 200


def cpu_ms_per_move(ask: Ask) -> float:
    """CPU time of this process for a move of one of 20 games, played in turn."""
    games = [new_game(ask) for _ in range(_GAMES)]
    moves = long_game(_PLIES)
    for game in games:
        make_move(ask, game, moves[0])
    began = time.process_time()
    for uci in moves[1:]:
        for game in games:
            make_move(ask, game, uci)
    return (time.process_time() - began) * 1_000 / (_GAMES * (_PLIES - 1))


def moves_per_second(base_url: str) -> float:
    """20 browsers at once, each with a connection of its own, each in a game of its own."""
    moves = long_game(_PLIES)
    asks = [over_http(base_url) for _ in range(_GAMES)]
    with ThreadPoolExecutor(_GAMES) as browsers:
        games = list(browsers.map(new_game, asks))

        def play(ask: Ask, game: str) -> None:
            for uci in moves:
                make_move(ask, game, uci)

        began = time.perf_counter()
        list(browsers.map(play, asks, games))
        return _GAMES * _PLIES / (time.perf_counter() - began)


def sequential_ms(base_url: str) -> float:
    """The median time of a move where one browser plays one game."""
    ask = over_http(base_url)
    game = new_game(ask)
    times_ms = []
    for uci in long_game(_SEQUENTIAL_PLIES):
        began = time.perf_counter()
        make_move(ask, game, uci)
        times_ms.append((time.perf_counter() - began) * 1_000)
    return statistics.median(times_ms)


def main() -> None:
    """Print the table."""
    alone_ms = cpu_ms_per_move(by_handler(handler_in_memory()))
    print(f"CPU of the function, tables in memory   {alone_ms:8.2f} ms/move")
    with handler_on_moto() as handler:
        with_client_ms = cpu_ms_per_move(by_handler(handler))
    print(f"the same with its DynamoDB client       {with_client_ms:8.2f} ms/move")
    with handler_on_moto(counts_requests=True) as handler:
        counting_ms = cpu_ms_per_move(by_handler(handler))
    print(f"the same with requests counted          {counting_ms:8.2f} ms/move", flush=True)
    if (base_url := running()) is None:
        return
    print(f"make run, {_GAMES} games at once             {moves_per_second(base_url):8.0f} moves/s")
    print(f"make run, one game in sequence          {sequential_ms(base_url):8.2f} ms/move")


if __name__ == "__main__":
    main()
