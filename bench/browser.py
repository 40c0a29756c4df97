"""What the page costs its player: how soon there is a board, how soon a move is drawn, how much of
the processor's time it takes at once, and how long a move is on its way to the other board.

The machine's chromium is slowed down by the factor SLOWER for the first three, as a phone of some
years ago is. Milliseconds are of this machine and of what else runs on it; the echo of the relay
beside them says how long the way is without us.

    make bench-browser
"""

import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chess
import nostr_sdk  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, sync_playwright
from websockets.sync.client import connect

from tests.browser.players import Match, Newcomer, Player, newcomers, paired
from tests.browser.wire import signed
from tests.e2e.scriptless_browser import installed_chromium
from tests.server.running_server import bundled_relay, running_server

SLOWER = 4
PLIES = 80
LONG_MS = 50
VISITS = 5
ECHOES = 200
SETTLED_MS = 1000

PROBE = """
window.probe = { board: null, drawn: [], tasks: [], seen: [], sent: [], waiting: null };
// Asking the page again and again, as a test does, would itself be most of what is measured.
probe.until = (fen) => new Promise((resolve) => {
  probe.waiting = () => {
    const { dataset } = document.querySelector("[data-testid=board]");
    if (dataset.fen === fen && dataset.pending === "false") resolve(true);
  };
  probe.waiting();
});
new PerformanceObserver((list) => {
  for (const { duration, startTime } of list.getEntries()) probe.tasks.push([startTime, duration]);
}).observe({ type: "longtask", buffered: true });
const painted = (then) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => then(performance.now());
  port2.postMessage(null);
});
addEventListener("mouseup", ({ timeStamp }) => {
  probe.sent.push(performance.timeOrigin + timeStamp);
  painted((now) => probe.drawn.push(now - timeStamp));
}, true);
let fen = null;
new MutationObserver(() => {
  const board = document.querySelector("[data-testid=board]");
  if (!board?.querySelector("piece")) return;
  probe.waiting?.();
  if (probe.board === null) {
    probe.board = -1;
    painted((now) => {
      probe.board = now;
      performance.mark("board");
      console.debug("board");
    });
  }
  if (board.dataset.fen === fen) return;
  fen = board.dataset.fen;
  probe.seen.push([fen, performance.timeOrigin + performance.now()]);
}).observe(document, {
  childList: true, subtree: true, attributeFilter: ["data-fen", "data-pending"],
});
"""


@contextmanager
def visitors() -> Iterator[tuple[Newcomer, str]]:
    """Makes players at an arbiter of its own; and its relay's address."""
    program = installed_chromium()
    if program is None:
        sys.exit("There is no chromium on this machine (Debian: apt install chromium)")
    with (
        tempfile.TemporaryDirectory() as folder,
        bundled_relay(Path(folder)) as relay,
        running_server(Path(folder), relay) as server,
        sync_playwright() as playwright,
    ):
        chromium: Browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        here = server.endpoints.http
        with newcomers(chromium, here, reduced_motion="no-preference") as newcomer:
            yield newcomer, relay


def slow_down(page: Page) -> None:
    """As DevTools' own throttling does."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


def probed(page: Page) -> dict[str, Any]:
    """What the page has measured so far."""
    found: dict[str, Any] = json.loads(page.evaluate("JSON.stringify(probe)"))
    return found


Middles = dict[Player, list[tuple[float, float]]]


def play_by_mouse(match: Match, plies: int, middles: Middles) -> None:
    """Any legal moves, but none that promotes or ends the game."""
    dice = random.Random(1)  # noqa: S311 - the same moves each time
    for _ in range(plies):
        moves = [move for move in match.board.legal_moves if not move.promotion]
        dice.shuffle(moves)
        move = next(move for move in moves if not _ends(match.board, move))
        player = match.to_move
        mouse = player.page.mouse
        mouse.move(*middles[player][move.from_square])
        mouse.down()
        mouse.move(*middles[player][move.to_square], steps=3)
        mouse.up()
        match.board.push(move)
        for each in match.everybody:
            each.page.evaluate("(fen) => probe.until(fen)", match.board.fen())


def middles_of(match: Match) -> Middles:
    """Where the squares are on each board. To look for them takes a page some 15 ms: not while its
    tasks are measured.
    """
    return {player: _middles(player) for player in match.everybody}


def _middles(player: Player) -> list[tuple[float, float]]:
    """Those of one board, a1 first."""
    box = player.board.bounding_box()
    if box is None:
        raise RuntimeError("The board is not drawn.")
    side = box["width"] / 8
    turned = [
        (7 - at % 8, at // 8) if not player.color else (at % 8, 7 - at // 8) for at in range(64)
    ]
    return [(box["x"] + (x + 0.5) * side, box["y"] + (y + 0.5) * side) for x, y in turned]


def _ends(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy()
    after.push(move)
    return after.outcome() is not None


def first_boards(newcomer: Newcomer, game: str) -> list[float]:
    """From the address of a game to its board, by people who never were here."""
    found = []
    for _ in range(VISITS):
        visitor = newcomer(None, script=PROBE)
        slow_down(visitor.page)
        _open_board(visitor, game)
        found.append(float(probed(visitor.page)["board"]))
        visitor.page.close()
    return found


def work_before_boards(newcomer: Newcomer, game: str) -> list[float]:
    """The processor's milliseconds until there is a board, times SLOWER."""
    found = []
    for _ in range(VISITS):
        visitor = newcomer(None, script=PROBE)
        with traced(visitor.page, "blink.user_timing") as events:
            _open_board(visitor, game)
        [board] = [event for event in events if event["name"] == "board"]
        tasks = [
            task
            for task in main_tasks(events)
            if task["pid"] == board["pid"] and task["ts"] <= board["ts"]
        ]
        found.append(sum(map(work_of, tasks)))
        visitor.page.close()
    return found


def _open_board(visitor: Player, game: str) -> None:
    """The page says when: looking for elements from here would take a slow page 150 ms."""
    # The start of the tab's process is no work of the page.
    visitor.page.wait_for_timeout(SETTLED_MS)
    with visitor.page.expect_console_message(lambda message: message.text == "board"):
        visitor.page.goto(f"{visitor.address}/#/game/{game}")


@contextmanager
def traced(page: Page, *categories: str) -> Iterator[list[dict[str, Any]]]:
    """The list has chromium's trace of the block after it."""
    browser = page.context.browser
    if browser is None:
        raise RuntimeError("There is no browser.")
    events: list[dict[str, Any]] = []
    browser.start_tracing(categories=["toplevel", *categories])
    yield events
    events += json.loads(browser.stop_tracing())["traceEvents"]


def main_tasks(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the main threads of all pages did."""
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    return [
        event
        for event in events
        if (event["pid"], event["tid"]) in mains
        and event["name"] == "ThreadControllerImpl::RunTask"
        and "tdur" in event
    ]


def work_of(task: dict[str, Any]) -> float:
    """The processor's milliseconds, times SLOWER: what else runs here changes them less than a
    clock's.
    """
    return float(task["tdur"]) / 1000 * SLOWER


def ways(match: Match) -> list[float]:
    """From the pointer's release on one board to the position on the other."""
    seen = {
        player: [at for fen, at in probed(player.page)["seen"] if fen != chess.STARTING_FEN]
        for player in (match.white, match.black)
    }
    found = []
    for mover, other, first in (
        (match.white, match.black, 0),
        (match.black, match.white, 1),
    ):
        sent = probed(mover.page)["sent"][-len(seen[other][first::2]) :]
        found += [at - of for of, at in zip(sent, seen[other][first::2], strict=True)]
    return found


def echoes(relay: str) -> list[float]:
    """From an event sent to the relay to the same event heard from it."""
    keys, found = nostr_sdk.Keys.generate(), []
    with connect(relay) as speaker, connect(relay) as hearer:
        mine = {"kinds": [20303], "authors": [keys.public_key().to_hex()]}
        hearer.send(json.dumps(["REQ", "echo", mine]))
        hearer.recv()
        for number in range(ECHOES):
            event = signed(keys, 20303, str(number), ["d", "ab" * 16])
            began = time.perf_counter()
            speaker.send(json.dumps(["EVENT", event]))
            while json.loads(hearer.recv(timeout=10))[0] != "EVENT":
                pass
            found.append((time.perf_counter() - began) * 1000)
            speaker.recv(timeout=10)
    return found


def busiest(newcomer: Newcomer) -> list[float]:
    """The work of each task in both pages of a bullet game."""
    match = paired(newcomer(script=PROBE), newcomer(script=PROBE), button="play-1+0")
    middles = middles_of(match)
    match.white.page.wait_for_timeout(1000)
    with traced(match.white.page) as events:
        match.white.page.wait_for_timeout(500)
        play_by_mouse(match, PLIES, middles)
    leave(match)
    return [work_of(task) for task in main_tasks(events)]


def leave(match: Match) -> None:
    """Close its pages, whose clocks would take the processor from those that are measured next."""
    for player in match.everybody:
        player.complaints.clear()
        player.page.close()


def row(name: str, values: Sequence[float], target: float | None = None) -> None:
    """Print a line of the table."""
    p99 = sorted(values)[int(len(values) * 0.99)]
    aim = "" if target is None else f"≤ {target:g}"
    print(f"{name:<44}{statistics.median(values):>9.0f}{p99:>9.0f}{aim:>9}", flush=True)


def main() -> None:
    """Print the table."""
    print(f"{os.cpu_count()} processors, {os.getloadavg()[0]:.1f} programs that want one")
    print(f"{'milliseconds':<44}{'median':>9}{'p99':>9}{'target':>9}")
    with visitors() as (newcomer, relay):
        match = paired(newcomer(script=PROBE), newcomer(script=PROBE))
        play_by_mouse(match, PLIES, middles_of(match))
        row("a move, from one board to the other", ways(match))
        game = match.white.game
        leave(match)
        row("  an event to the relay and back", echoes(relay))
        row(f"first board, {SLOWER}x slower", first_boards(newcomer, game), 1500)
        row("  by the processor's own time, times 4", work_before_boards(newcomer, game))
        work = busiest(newcomer)  # before any page is slowed down
        players = newcomer(script=PROBE), newcomer(script=PROBE)
        bullet = paired(*players, button="play-1+0")
        slow = bullet.white.page  # one of the two: this machine has few processors
        middles = middles_of(bullet)
        slow.wait_for_timeout(1000)
        slow.evaluate("probe.tasks.length = 0; probe.drawn.length = 0")
        slow_down(slow)
        play_by_mouse(bullet, PLIES, middles)
        found = probed(slow)
        row(f"a move is drawn, {SLOWER}x slower", found["drawn"], 50)
        tasks = [duration for _, duration in found["tasks"]]
        print(f"tasks over 50 ms in a bullet game, {SLOWER}x slower: {len(tasks)}", end="")
        print(f" (longest {max(tasks):.0f} ms)" if tasks else "")
        long = sum(milliseconds > LONG_MS for milliseconds in work)
        print(f"  by the processor's own time, times {SLOWER}: {long}", end="")
        print(f" (longest {max(work):.0f} ms; {sum(work) / PLIES / SLOWER:.0f} ms for each move)")
        for player in players:
            player.complaints.clear()


if __name__ == "__main__":
    main()
