"""Refusals, and what a program does after one: lichess-bot and BotLi repeat what got 503, and
nothing else.
"""

import asyncio
from dataclasses import replace

import pytest

from clients.player.heard import LinkDown
from clients.player.messages import Challenged, Listed, Refused, Rejected
from clients.player.model import Answered
from clients.player.outgoing import ask, say
from clients.player.terms import Terms, TimeControl
from tests.clients.bot.scene import GAME, NOW, OTHER, state
from tests.clients.lichess_api.scene import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage(is_bot=True)


def unlink(stage: Stage) -> None:
    stage.client.hear(LinkDown("ws://one", "gone"))


def test_a_line_of_chat_without_a_relay_is_dropped_and_no_program_waits_for_it(
    stage: Stage,
) -> None:
    game = stage.begin(state())
    unlink(stage)
    # lichess-bot greets before its first move, and repeats for a minute what got 503.
    assert stage.status("POST", f"/api/bot/game/{game}/chat", b"room=player&text=Hello") == 200
    assert stage.client.wrote == []


def test_a_challenge_without_a_relay_is_to_be_repeated(stage: Stage) -> None:
    async def run() -> None:
        unlink(stage)
        made = await stage.ask("POST", f"/api/challenge/{OTHER}", b"clock.limit=60")
        assert made.status == 429
        assert dict(made.sent[0]["headers"])[b"retry-after"] == b"10"

    asyncio.run(run())


def test_after_an_outage_a_program_hears_again_that_it_is_its_turn(stage: Stage) -> None:
    async def run() -> None:
        game = stage.begin(state(["e2e4", "e7e5"]))
        stream = await stage.ask("GET", f"/api/bot/game/stream/{game}")
        stage.seat.hear(Listed(1))
        await stream.settle()
        full, again = stream.lines
        assert (again["type"], again["moves"]) == ("gameState", full["state"]["moves"])
        stage.client.hear(state(["e2e4", "e7e5", "g1f3"]))
        stage.seat.hear(Listed(1))
        await stream.settle()
        assert len(stream.lines) == 3, "its opponent is to move"
        await stream.leave()

    asyncio.run(run())


def test_an_offer_of_a_takeback_is_told_once(stage: Stage) -> None:
    async def run() -> None:
        game = stage.begin(state(["e2e4", "e7e5"], ("offer", "takeback", "b")))
        stream = await stage.ask("GET", f"/api/bot/game/stream/{game}")
        stage.seat.hear(Listed(1))
        await stream.settle()
        # BotLi takes a move back for each line with one.
        assert len(stream.lines) == 1
        await stream.leave()

    asyncio.run(run())


def refused(stage: Stage, content: str, reason: str, *, asked_at: int = 0) -> Answered:
    session, handle, _ = say(stage.client.session, GAME, content, NOW)
    said = replace(session.open[handle], asked_at=asked_at)
    return Answered(said, Rejected(reason, "no", game=GAME))


@pytest.mark.parametrize(("reason", "status"), [("rate-limited", 503), ("restricted", 400)])
def test_a_move_that_is_refused_for_now_is_to_be_repeated(
    stage: Stage, reason: str, status: int
) -> None:
    game = stage.begin(state())
    stage.client.answer = refused(stage, "e2e4", reason)
    assert stage.status("POST", f"/api/bot/game/{game}/move/e2e4") == status


def test_a_program_whose_move_is_refused_after_it_was_called_made_hears_that_it_is_its_turn(
    stage: Stage,
) -> None:
    async def run() -> None:
        game = stage.begin(state())
        stream = await stage.ask("GET", f"/api/bot/game/stream/{game}")
        stage.seat.hear(refused(stage, "e2e4", "restricted"))
        await stream.settle()
        assert [line["type"] for line in stream.lines] == ["gameFull", "gameState"]
        await stream.leave()

    asyncio.run(run())


def test_a_challenge_that_was_accepted_in_vain_frees_its_place(stage: Stage) -> None:
    async def run() -> None:
        events = await stage.ask("GET", "/api/stream/event")
        stage.seat.hear(Listed(0))
        challenged = Challenged(GAME, OTHER, Terms(time=TimeControl(60)), NOW // 1000 + 10**6)
        stage.client.hear(challenged)
        alias = stage.account.alias(GAME)
        accept = await stage.ask("POST", f"/api/challenge/{alias}/accept")
        assert accept.status == 200
        session, handle, _ = ask(stage.client.session, f"accept:{GAME}", NOW)
        stage.seat.hear(Answered(session.open[handle], Refused("playing", "your game goes on")))
        await events.settle()
        # lichess-bot counts it as a game until then.
        told = [(line["type"], line["challenge"]["id"]) for line in events.lines if line]
        assert told == [("challenge", alias), ("challengeCanceled", alias)]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/account/playing?nb=" + "9" * 5_000, b"", 200),
        ("POST", "/api/challenge/ai", b"level=" + b"9" * 5_000, 400),
        ("POST", f"/api/challenge/{OTHER}", b"days=" + b"9" * 5_000, 400),
        ("POST", f"/api/challenge/{OTHER}", b"clock.limit=-5", 400),
        ("POST", f"/api/challenge/{OTHER}", b"clock.limit=99999999999999999999", 400),
        ("POST", "/api/board/seek", b"time=1e300", 400),
        ("POST", "/api/board/seek", b"time=nan", 400),
        ("POST", "/api/board/seek", b"days=2&ratingRange=" + b"9" * 5_000 + b"-9", 200),
    ],
    ids=("games", "level", "days", "below 0", "64 bits", "1e300", "nan", "ratings"),
)
def test_a_number_beyond_all_bounds_is_an_answer_and_no_error(
    stage: Stage, method: str, path: str, body: bytes, status: int
) -> None:
    stage.announce((OTHER, 3))
    stage.begin(state(time="1d"))
    assert stage.status(method, path, body) == status
