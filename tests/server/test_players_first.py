"""While strangers ask for much, players' frames and records are read and decided."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.memory.connections import MemoryConnections
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.gateway.deps import FrameResult, GatewayDeps, StoredAsked
from arbiter.application.intake.queue_messages import queue_entry
from arbiter.application.intake.routing import players_group, route
from arbiter.application.ports import LobbyChange
from arbiter.application.records import QueueEntry
from arbiter.core.game import Game, Termination
from arbiter.core.helpmate import SearchResult
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from server import gateway as gateway_module
from server import processing as processing_module
from server import transaction_loop as transaction_loop_module
from server import wiring
from server.gateway import FRAMES_FIRST, Gateway
from server.job_groups import Job
from server.metrics import Metrics
from server.questions import Mate, Note, Question
from server.reading import ReaderFailed, ReadHere, TooMuch
from server.rounds import Rounds
from server.settings import read_settings
from server.sockets import LocalSockets
from server.spending import DayLimits, Meter, spending_of
from server.transaction_loop import TransactionLoop
from server.wiring import Parts
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, a_key, after
from tests.fakes.clock import FakeClock
from tests.server.test_transaction_loop import Disk

WALLED = "1bk5/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/1B5K/8 w - - 0 1"


async def until(is_so: Callable[[], bool], otherwise: str) -> None:
    """Wait until this is so."""
    try:
        async with asyncio.timeout(10):
            while not is_so():  # noqa: ASYNC110 - a stand-in needs no event
                await asyncio.sleep(0.001)
    except TimeoutError:
        pytest.fail(otherwise)


class Held:
    """A `Reading` whose answers come when they are let go."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.shares: list[tuple[Sequence[str], bool]] = []
        self.answers: asyncio.Queue[Any] = asyncio.Queue()

    async def ask(self, question: Question, keys: Sequence[str], *, is_player: bool) -> Any:
        self.asked.append(question)
        self.shares.append((keys, is_player))
        found = await self.answers.get()
        if isinstance(found, Exception):
            raise found
        return found


def entry_of(game: Game, key: SecretKey, uci: str) -> QueueEntry:
    """A move as the queue takes it."""
    tags = (("p", SERVER.pubkey), ("d", game.id))
    event = key.sign(EventTemplate(20303, tags, uci, NOW_MS // 1000))
    there = route(event)
    assert there
    return queue_entry(event, there.queue, there.group_id, NOW_MS)


class Served:
    """The games of one file, and what is read elsewhere for them."""

    def __init__(self, parts: Parts, held: Held) -> None:
        self.parts, self.held = parts, held

    def move(self, game: Game, key: SecretKey, uci: str) -> None:
        self.parts.processing.take(entry_of(game, key, uci))

    async def until_asked(self, number: int = 1) -> None:
        await until(lambda: len(self.held.asked) >= number, f"{number} questions were not asked")

    def game(self, game: Game) -> Game:
        found = self.parts.arbiter.games.load(game.id)
        assert found
        return found


@contextlib.asynccontextmanager
async def serving(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *games: Game
) -> AsyncIterator[Served]:
    held = Held()
    monkeypatch.setattr(wiring, "ReadHere", lambda _: held)
    monkeypatch.setattr(processing_module, "SEARCH_AGAIN_SECONDS", 0.0)
    with Store.open(folder / "arbiter.sqlite3") as store:
        for game in games:
            assert StoredLobby(SqliteTable(store), FakeClock(NOW_MS)).commit(LobbyChange(game=game))
        parts = wiring.make_parts(read_settings({}, {}), SERVER, store, FakeClock(NOW_MS))
        working = asyncio.create_task(parts.transactions.serve())
        try:
            yield Served(parts, held)
            await parts.transactions.wait_idle()
            await parts.processing.wait_published()
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
        parts.transactions.flush()


DAVE = a_key("dave")
LOSING = replace(a_game(), start_fen=WALLED, white_strikes=2)
OTHERS = replace(
    a_game(),
    id="9" * 32,
    white=replace(a_game().white, player=EVE.pubkey),
    black=replace(a_game().black, player=DAVE.pubkey),
)


async def test_no_move_waits_for_a_long_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch, LOSING, OTHERS) as served:
        served.move(LOSING, ALICE, "a1a8")
        await served.until_asked()
        assert isinstance(served.held.asked[0], Mate)
        served.move(OTHERS, EVE, "e2e4")
        await until(lambda: served.game(OTHERS).ply == 1, "a move waits for another game's search")
        assert served.game(LOSING).outcome is None, "decided before it was known who can mate"
        served.held.answers.put_nowait(SearchResult.NO_MATE)
        await served.parts.transactions.wait_idle()
        outcome = served.game(LOSING).outcome
        assert outcome is not None
        assert (outcome.termination, outcome.winner) == (Termination.ILLEGAL_MOVES, None)
    assert len(served.held.asked) == 1


async def test_searches_of_games_that_were_played_do_not_wait_for_those_that_hardly_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processing_module, "PLAYED_PLIES", 2)
    played = replace(after(replace(OTHERS, start_fen=WALLED), "Kh1 Kd7"), white_strikes=2)
    async with serving(tmp_path, monkeypatch, LOSING, played) as served:
        served.move(LOSING, ALICE, "a1a8")
        served.move(played, EVE, "a1a8")
        await served.until_asked(2)
        for _ in range(2):
            served.held.answers.put_nowait(SearchResult.MATE)
    own = f"search:{players_group(played.id, EVE.pubkey)}"
    assert sorted(served.held.shares) == [((own,), True), (("searches",), False)]


@pytest.mark.parametrize("failure", [TooMuch("reading_of_one"), ReaderFailed("ended")])
async def test_a_search_that_is_refused_or_fails_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    async with serving(tmp_path, monkeypatch, LOSING) as served:
        served.move(LOSING, ALICE, "a1a8")
        served.held.answers.put_nowait(failure)
        await served.until_asked(2)
        assert served.game(LOSING).outcome is None
        served.held.answers.put_nowait(SearchResult.MATE)
        await served.parts.transactions.wait_idle()
        outcome = served.game(LOSING).outcome
        assert outcome is not None
        assert outcome.winner is False


async def test_what_players_say_is_first_while_their_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch, OTHERS) as served:
        groups = served.parts.transactions.groups
        players = [players_group(OTHERS.id, key.pubkey) for key in (EVE, DAVE)]
        assert not any(map(groups.is_first, players))
        served.move(OTHERS, EVE, "e2e4")
        await served.parts.transactions.wait_idle()
        assert all(map(groups.is_first, players))
        served.move(OTHERS, DAVE, "resign")
        await served.parts.transactions.wait_idle()
        assert served.game(OTHERS).outcome
        assert not any(map(groups.is_first, players))


async def test_copies_of_a_move_are_no_work_and_their_ok_waits_for_the_disk_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processing_module, "MAX_KNOWN", 2)
    async with serving(tmp_path, monkeypatch, OTHERS) as served:
        processing, sockets = served.parts.processing, served.parts.sockets
        said, move = list[int](), entry_of(OTHERS, EVE, "e2e4")
        for number in range(5):
            processing.send([move])
            assert sockets.held is not None
            sockets.held.append(partial(said.append, number))
            sockets.held = None
        assert (len(served.parts.transactions), said) == (1, [])
        await served.parts.transactions.wait_idle()
        assert said == [0, 1, 2, 3, 4]
        processing.send([move])
        assert (len(served.parts.transactions), sockets.held) == (0, None)
        processing.send([entry_of(OTHERS, DAVE, uci) for uci in ("e7e5", "c7c5")])
        processing.send([move])
        assert len(served.parts.transactions) == 3, "what is known is bounded"


async def test_a_move_that_was_given_up_may_be_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction_loop_module, "ATTEMPTS", 1)
    async with serving(tmp_path, monkeypatch, OTHERS) as served:
        move = entry_of(OTHERS, EVE, "e2e4")
        with monkeypatch.context() as failing:
            failing.setattr(processing_module, "handle_record", Mock(side_effect=ValueError))
            served.parts.processing.send([move])
            await served.parts.transactions.wait_idle()
        assert served.game(OTHERS).ply == 0
        served.parts.processing.send([move])
        await served.parts.transactions.wait_idle()
        assert served.game(OTHERS).ply == 1


@pytest.mark.parametrize("answer", [None, TooMuch("reading_of_one"), ReaderFailed("ended")])
async def test_the_note_of_a_long_game_is_written_elsewhere_and_its_end_is_told_in_any_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Exception | None
) -> None:
    monkeypatch.setattr(processing_module, "LONG_PLIES", 3)
    game = after(a_game(), "f3 e5 g4")
    told: list[int] = []
    async with serving(tmp_path, monkeypatch, game) as served:
        fanout = served.parts.arbiter.publisher

        def publish(events: Sequence[VerifiedEvent], _: float) -> None:
            told.extend(event.kind for event in events)

        monkeypatch.setattr(fanout, "publish", publish)
        served.move(game, BOB, "d8h4")
        await served.until_asked()
        assert served.held.asked == [Note(game.id)]
        assert told == []
        served.held.answers.put_nowait(answer)
        await served.parts.processing.wait_published()
    assert 64 in told
    assert served.held.asked == [Note(game.id)]


class Frames:
    """A gateway whose frames are answered by a stand-in, on one socket."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, reading: Any = None, capacity: int = 1000
    ) -> None:
        self.answered: list[str] = []
        self.waited_ms = 0
        self.sent: list[dict[str, Any]] = []
        self.results: dict[str, FrameResult] = {}
        self.connections = MemoryConnections()
        self.transactions = TransactionLoop(Disk(), capacity)
        self.rounds = Rounds(lambda: 0.0)
        self.frames: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.frames.put_nowait({"type": "websocket.connect"})
        monkeypatch.setattr(gateway_module, "admit", lambda *_: True)
        monkeypatch.setattr(gateway_module, "forget", lambda *_: None)
        monkeypatch.setattr(gateway_module, "answer_frame", self._answer)
        self.clock = FakeClock(NOW_MS)
        deps = type("Deps", (), {"connections": self.connections, "clock": self.clock})
        self.gateway = Gateway(
            cast("GatewayDeps", deps),
            LocalSockets(),
            self.transactions,
            Metrics(),
            reading or ReadHere(lambda _: ()),
            self.rounds,
            Meter(spending_of(DayLimits(), self.clock), lambda: 0),
        )

    def _answer(self, _: object, __: str, frame: str, received_at_ms: int) -> FrameResult:
        self.answered.append(frame)
        self.waited_ms = self.clock.now_ms() - received_at_ms
        return self.results.get(frame, FrameResult("queued", group="game"))

    def fill_the_round(self) -> None:
        """Let all works of strangers wait."""
        self.rounds._spent = 1.0
        self.rounds._is_next_set = True

    def say(self, *frames: str) -> None:
        for frame in frames:
            self.frames.put_nowait({"type": "websocket.receive", "text": frame})

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        socket = asyncio.create_task(self.gateway.serve({}, self.frames.get, self._send))
        try:
            yield
        finally:
            socket.cancel()
            await asyncio.gather(socket, return_exceptions=True)


async def _rounds() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_frame_that_waits_for_us_is_of_when_it_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames = Frames(monkeypatch)
    async with frames.open():
        frames.fill_the_round()
        frames.say("move")
        await _rounds()
        assert frames.answered == []
        frames.clock.ms += 4000
        frames.rounds._next()
        await _rounds()
    assert (frames.answered, frames.waited_ms) == (["move"], 4000)


async def test_a_players_frame_does_not_wait_for_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = Frames(monkeypatch)
    frames.say("first move")
    async with frames.open():
        await _rounds()
        frames.fill_the_round()
        frames.say("stranger's")
        await _rounds()
        assert frames.answered == ["first move"]
    frames = Frames(monkeypatch)
    frames.transactions.groups.put_first("game")
    frames.say("first move")
    async with frames.open():
        await _rounds()
        frames.fill_the_round()
        frames.say("move")
        await _rounds()
        assert frames.answered == ["first move", "move"]
        frames.transactions.groups.put_with_others("game")
        frames.say("after the game")
        await _rounds()
        assert frames.answered == ["first move", "move"], "their game is over"


async def test_a_player_who_floods_is_served_as_a_stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = Frames(monkeypatch)
    frames.transactions.groups.put_first("game")
    frames.say("first move")
    async with frames.open():
        await _rounds()
        frames.fill_the_round()
        frames.say(*(str(number) for number in range(FRAMES_FIRST + 10)))
        for _ in range(10):
            await _rounds()
        assert len(frames.answered) == 1 + FRAMES_FIRST


@pytest.mark.parametrize("plays", [False, True])
async def test_who_sends_more_than_their_address_may_is_read_slowly_unless_they_play(
    monkeypatch: pytest.MonkeyPatch, *, plays: bool
) -> None:
    monkeypatch.setattr(gateway_module, "SLOWED_SECONDS", 3600.0)
    frames = Frames(monkeypatch)
    frames.results["more"] = FrameResult(
        "refused-rate-limited", limit="address_frames_per_ten_seconds"
    )
    if plays:
        frames.transactions.groups.put_first("game")
    frames.say("first", "more", "last")
    async with frames.open():
        await _rounds()
        assert frames.answered == ["first", "more", *(["last"] if plays else [])]


async def test_a_socket_is_not_read_while_the_queue_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames = Frames(monkeypatch, capacity=1)
    frames.transactions.put(Job("another", lambda _: None, lambda _: None))
    frames.say("one", "two", "three")
    async with frames.open():
        await _rounds()
        assert (frames.answered, frames.frames.qsize()) == ([], 2)
        working = asyncio.create_task(frames.transactions.serve())
        await frames.transactions.wait_idle()
        await _rounds()
        assert frames.answered == ["one", "two", "three"]
        working.cancel()


@pytest.mark.parametrize(
    ("failure", "prefix"),
    [(TooMuch("reading_of_one"), "rate-limited:"), (ReaderFailed("ended"), "error:")],
)
async def test_a_req_that_is_not_answered_is_closed(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, prefix: str
) -> None:
    held = Held()
    frames = Frames(monkeypatch, held)
    gone: list[str] = []
    monkeypatch.setattr(frames.connections, "unsubscribe", lambda _, name: gone.append(name))
    frames.results["REQ"] = FrameResult("subscribed", asked=StoredAsked("mine", (), NOW_MS, ("a",)))
    frames.say("REQ", "next")
    async with frames.open():
        await _rounds()
        assert frames.answered == ["REQ"], "its next frame waits for the answer"
        held.answers.put_nowait(failure)
        await _rounds()
        assert frames.answered == ["REQ", "next"]
    texts = [json.loads(message["text"]) for message in frames.sent if "text" in message]
    assert [text[:2] for text in texts] == [["CLOSED", "mine"]]
    assert texts[0][2].startswith(prefix)
    assert gone == ["mine"]
