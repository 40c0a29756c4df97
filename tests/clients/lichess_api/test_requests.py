"""Requests: who may ask, in which form, and what is signed for it."""

import asyncio
import json
import socket
from collections import Counter
from dataclasses import replace

import pytest

from arbiter.nostr.keys import SecretKey
from clients.lichess_api import account, asgi, playing, routes, streams
from clients.lichess_api.account import MAX_LINES, MINUTE_MS
from clients.lichess_api.asgi import Request, _fields
from clients.lichess_api.book import Book
from clients.lichess_api.challenging import terms_in
from clients.lichess_api.sidecar import Player, Sidecar
from clients.lichess_api.streams import MAX_WAITING, End, Stream
from clients.player.address import Address
from clients.player.heard import LinkUp, Tick
from clients.player.messages import Challenged, Listed, Refused
from clients.player.outgoing import say
from clients.player.people import Profile
from clients.player.session import take
from clients.player.terms import Terms, TimeControl
from tests.clients.bot.scene import ARBITER, GAME, ME, NOW, OTHER, state
from tests.clients.lichess_api.scene import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 400),
        ({"host": "evil.example:8464"}, 400),
        ({"host": ""}, 400),
        ({"origin": "http://127.0.0.1:8464"}, 403),
        ({"origin": "null"}, 403),
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer arb_2"}, 401),
        ({"authorization": "Basic arb_1"}, 401),
        ({"authorization": "Bearer arb_1é"}, 401),
        ({"authorization": "bearer  arb_1"}, 200),
        ({}, 200),
    ],
)
def test_a_web_page_and_a_stranger_play_no_move(
    stage: Stage, headers: dict[str, str], status: int
) -> None:
    game = stage.begin(state())
    assert stage.status("POST", f"/api/board/game/{game}/move/e2e4", headers=headers) == status
    assert stage.client.said == (["e2e4"] if status == 200 else [])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/api/bot/game/{}/move/e2e4", 200),
        ("POST", f"/api/board/game/{GAME}/move/e2e4", 200),
        ("POST", "/api/board/game/{}0000/move/e2e4/", 200),
        ("POST", "/api/board/game/{}/move/E2E4", 200),
        ("POST", "/api/board/game/{}/move/e2e5", 400),
        ("POST", "/api/board/game/{}/move/e7e5", 400),
        ("POST", "/api/board/game/{}/move/0000", 400),
        ("POST", "/api/board/game/{}/move/%00", 400),
        ("POST", "/api/board/game/AbCdEfGh/move/e2e4", 404),
        ("POST", "/api/board/game/{}/move/e2e4/more", 404),
        ("GET", "/api/board/game/{}/move/e2e4", 404),
        ("POST", "/api/board/game/{}/claim-victory/", 400),
        ("GET", "/__ping", 404),
        ("GET", "/api/user/nobody-here", 404),
        ("POST", "/api/challenge/AbCdEfGh/accept", 404),
        ("POST", "/api/challenge/ai", 400),
    ],
)
def test_what_is_not_legal_or_not_there_is_not_signed(
    stage: Stage, method: str, path: str, status: int
) -> None:
    game = stage.begin(state())
    assert stage.status(method, path.format(game)) == status
    assert stage.client.said == (["e2e4"] if status == 200 else [])


def test_the_move_just_made_is_one_move(stage: Stage) -> None:
    game = stage.begin(state(["e2e4"]))
    for _ in range(3):
        assert stage.status("POST", f"/api/board/game/{game}/move/e2e4") == 200
    assert stage.status("POST", f"/api/board/game/{game}/move/d2d4") == 400
    assert stage.client.said == []


def test_without_a_relay_nothing_is_signed_and_the_program_asks_again(stage: Stage) -> None:
    game = stage.begin(state())
    stage.client.session = stage.client.session.__class__(
        me=stage.client.me, arbiter="", games=stage.client.session.games
    )
    assert stage.status("POST", f"/api/board/game/{game}/move/e2e4") == 503
    assert stage.client.said == []


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("resign", "quit"), ("abort", "abort"), ("draw/yes", "draw"), ("draw/no", "draw-decline"),
        ("takeback/yes", "takeback"), ("takeback/no", "takeback-decline"), ("claim-draw", "claim"),
    ],
)  # fmt: skip
def test_each_word_is_the_protocols(stage: Stage, word: str, said: str) -> None:
    game = stage.begin(state(["e2e4", "e7e5"]))
    assert stage.status("POST", f"/api/bot/game/{game}/{word}") == 200
    assert stage.client.said == [said]


@pytest.mark.parametrize("token", ["arb_1", "arb_2"])
def test_the_token_of_another_key_plays_no_move_and_sees_no_game(stage: Stage, token: str) -> None:
    game, other, headers = stage.begin(state()), Stage(), {"authorization": f"Bearer {token}"}
    other.client.session = replace(other.client.session, listed=True)
    stage.seats["arb_2"] = other.seat
    is_theirs = token == "arb_1"
    status = 200 if is_theirs else 404
    for path in ("move/e2e4", "resign", "chat"):
        asked = f"/api/board/game/{game}/{path}"
        assert stage.status("POST", asked, b"text=hi", headers) == status
    assert stage.status("GET", f"/game/export/{game}", headers=headers) == status
    assert stage.client.said == (["e2e4", "quit"] if is_theirs else [])
    assert other.client.said == []
    assert len(stage.client.wrote) == is_theirs


def test_a_megabyte_is_not_read(stage: Stage) -> None:
    assert stage.status("POST", "/api/challenge/bob", b"x" * 1_000_000) == 413


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/x-www-form-urlencoded", b"clock.limit=180&clock.increment=2&rated=true"),
        ("application/json", b'{"clock.limit": 180, "clock.increment": 2, "rated": true}'),
        ("application/json", b'{"clock": {"limit": "180", "increment": 2}, "rated": "true"}'),
        ("application/json", b'{"clock.limit": 180, "clock.increment": 2, "rated": true, "x":1}'),
    ],
)  # fmt: skip
def test_a_form_and_json_say_the_same(kind: str, body: bytes) -> None:
    request = Request("POST", "/", {}, _fields(kind, body.decode()))
    assert terms_in(request) == Terms(time=TimeControl(180, 2), rated=True)


def test_a_games_stream_ends_cleanly_after_its_last_state_and_only_then(stage: Stage) -> None:
    async def run() -> None:
        game = stage.begin(state())
        stream = await stage.ask("GET", f"/api/bot/game/stream/{game}")
        assert [line["type"] for line in stream.lines] == ["gameFull"]
        stage.client.hear(state(["e2e4"]), state(["e2e4"]))
        await stream.settle()
        assert [line["moves"] for line in stream.lines[1:]] == ["e2e4"]
        assert not stream.task.done()
        over = state(["e2e4"], ("result", "1-0"), ("termination", "resignation"), version=9)
        stage.client.hear(over)
        await stream.settle()
        assert stream.lines[-1]["status"] == "resign"
        assert stream.is_clean

    asyncio.run(run())


def test_a_game_whose_moves_are_not_listed_any_more_is_not_shown_as_another(stage: Stage) -> None:
    async def run() -> None:
        game = stage.begin(state(["e2e4"]))
        stream = await stage.ask("GET", f"/api/bot/game/stream/{game}")
        long = replace(state(["e2e4", "e7e5"]), moves=(), ply=2_001, version=2_001)
        stage.client.hear(long)
        await stream.settle()
        assert stream.task.done()
        assert not stream.is_clean
        assert [line["type"] for line in stream.lines] == ["gameFull"]
        assert (await stage.ask("GET", f"/api/bot/game/stream/{game}")).status == 503

    asyncio.run(run())


def test_a_new_event_stream_breaks_off_the_one_before(stage: Stage) -> None:
    async def run() -> None:
        stage.seat.hear(Listed(0))
        first = await stage.ask("GET", "/api/stream/event")
        second = await stage.ask("GET", "/api/stream/event")
        await first.settle()
        assert first.task.done()
        assert not first.is_clean
        assert not second.task.done()
        stage.begin(state())
        await second.settle()
        await second.leave()
        assert second.task.done()

    asyncio.run(run())


def test_an_event_stream_begins_when_the_arbiter_has_said_which_games_there_are(
    stage: Stage,
) -> None:
    async def run() -> None:
        stream = await stage.ask("GET", "/api/stream/event")
        assert stream.sent == []
        stage.begin(state())
        await stream.settle()
        assert [line and line["type"] for line in stream.lines] == [None, "gameStart"]

    asyncio.run(run())


def test_after_a_restart_no_game_is_called_unknown_before_all_are_known(stage: Stage) -> None:
    async def run() -> None:
        alias = stage.account.alias(GAME)
        stream = await stage.ask("GET", f"/api/bot/game/stream/{alias}")
        move = await stage.ask("POST", f"/api/bot/game/{alias}/move/e2e4")
        playing = await stage.ask("GET", "/api/account/playing")
        assert (stream.sent, move.status, playing.status) == ([], 503, 503)
        stage.begin(state())
        await stream.settle()
        assert [line["type"] for line in stream.lines] == ["gameFull"]
        await stream.leave()

    asyncio.run(run())


def test_a_silent_stream_has_an_empty_line(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SILENCE_SECONDS", 0)

    async def run() -> None:
        game = stage.begin(state())
        stream = await stage.ask("GET", f"/api/bot/game/stream/{game}")
        assert stream.lines[0]["type"] == "gameFull"
        assert set(stream.lines[1:]) == {None}
        await stream.leave()

    asyncio.run(run())


def test_five_hundred_streams_are_not_all_opened(stage: Stage) -> None:
    async def run() -> None:
        game = stage.begin(state())
        path = f"/api/bot/game/stream/{game}"
        opened = [await stage.ask("GET", path) for _ in range(500)]
        statuses = [each.status for each in opened]
        assert statuses.count(200) == routes.MAX_STREAMS
        assert statuses.count(503) == 500 - routes.MAX_STREAMS
        # Who leaves makes room.
        await opened[0].leave()
        assert (await stage.ask("GET", path)).status == 200
        assert stage.client.said == []

    asyncio.run(run())


def test_ten_thousand_lines_wait_and_a_reader_that_never_reads_is_dropped() -> None:
    async def run() -> None:
        stream, long = Stream(), {"moves": "e2e4 " * 60_000}
        for line in [None] * (MAX_WAITING - 1) + [long]:
            stream.put(line)
        assert stream.is_open
        stream.end()
        lines = [await stream.next() for _ in range(MAX_WAITING + 1)]
        assert lines[:-2] == [b"\n"] * (MAX_WAITING - 1)
        assert lines[-1] is End.CLEAN
        assert json.loads(lines[-2]) == long  # type: ignore[arg-type]
        slow = Stream()
        for _ in range(MAX_WAITING + 1):
            slow.put(None)
        assert await slow.next() is End.DROPPED

    asyncio.run(run())


def test_ten_thousand_lines_of_chat_are_not_all_signed_and_moves_are(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = NOW
    monkeypatch.setattr(account, "now_ms", lambda: now)

    async def run() -> None:
        nonlocal now
        game = stage.begin(state())
        stream = await stage.ask("GET", f"/api/board/game/stream/{game}")
        path, statuses = f"/api/board/game/{game}/chat", Counter[int]()

        async def writes(text: str) -> None:
            given = Request("POST", path, {}, {"text": text})
            answer = await playing.write(stage.seat, given, game)
            assert isinstance(answer, asgi.Answer)
            statuses[answer.status] += 1

        for number in range(10_000):
            await writes(f"line {number}")
        # lichess-bot moves no more after a line that is refused.
        assert statuses == {200: 10_000}
        assert len(stage.client.wrote) == MAX_LINES
        move = await stage.ask("POST", f"/api/board/game/{game}/move/e2e4")
        await stream.settle()
        assert (move.status, stage.client.said) == (200, ["e2e4"])
        assert len(stream.lines) == 1 + MAX_LINES
        now += MINUTE_MS
        await writes("a minute later")
        assert [line.text for line in stage.client.wrote[MAX_LINES:]] == ["a minute later"]
        await stream.leave()

    asyncio.run(run())


def test_a_challenge_that_expires_is_told_to_be_gone(stage: Stage) -> None:
    async def run() -> None:
        events = await stage.ask("GET", "/api/stream/event")
        stage.seat.hear(Listed(0))
        stage.client.hear(Challenged(GAME, OTHER, Terms(time=TimeControl(60)), NOW // 1000 + 30))
        stage.client.hear(Tick(), at=NOW + 31_000)
        await events.settle()
        told = [(line["type"], line["challenge"]["id"]) for line in events.lines if line]
        alias = stage.account.alias(GAME)
        assert told == [("challenge", alias), ("challengeCanceled", alias)]
        accept = await stage.ask("POST", f"/api/challenge/{alias}/accept")
        assert (accept.status, stage.client.said) == (404, [])

    asyncio.run(run())


@pytest.mark.parametrize(("text", "seconds"), [("wait 17 seconds", "17"), ("too many", "60")])
def test_a_request_too_many_says_when_to_ask_again(stage: Stage, text: str, seconds: str) -> None:
    async def run() -> None:
        stage.client.refusal = Refused("rate-limited", text)
        seek = await stage.ask("POST", "/api/board/seek", b"days=2")
        assert seek.status == 429
        assert dict(seek.sent[0]["headers"])[b"retry-after"] == seconds.encode()
        assert seek.lines[0]["ratelimit"] == {"key": "arbiter", "seconds": int(seconds)}

    asyncio.run(run())


def test_a_live_game_whose_stream_is_lost_is_told_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clients.lichess_api.seat.AGAIN_SECONDS", 0)

    async def run() -> list[str]:
        game = stage.begin(state())
        events = await stage.ask("GET", "/api/stream/event")
        stream = await stage.ask("GET", f"/api/board/game/stream/{game}")
        await stream.leave()
        await events.settle()
        return [line["type"] for line in events.lines if line]

    assert asyncio.run(run()) == ["gameStart", "gameStart"]


def test_an_offer_comes_with_the_move_once_that_is_on_the_board(stage: Stage) -> None:
    game = stage.begin(state(["e2e4", "e7e5"], ("offer", "draw", "b")))
    path = f"/api/board/game/{game}/move/g1f3?offeringDraw=true"
    # Of two draws that are offered the opponent's is accepted, before a move would end it.
    assert stage.status("POST", path) == 200
    assert stage.client.said == ["draw"]


@pytest.mark.parametrize(
    ("is_bot", "profile", "published"),
    [
        (True, None, {"name": "Ann", "bot": True}),
        (True, '{"name": "Fish", "about": "x"}', {"name": "Fish", "about": "x", "bot": True}),
        (True, '{"name": "Fish", "bot": true}', None),
        (False, None, None),
    ],
)
def test_a_program_says_so_in_its_profile_and_keeps_what_that_says(
    *, is_bot: bool, profile: str | None, published: dict[str, object] | None
) -> None:
    stage = Stage(is_bot=is_bot)
    if profile is not None:
        stage.account.people.learn(Profile(ME, "Fish", 1, json.loads(profile)))
    for _ in range(2):
        stage.seat.hear(Listed(0))
    said = [json.loads(draft.content) for draft in stage.client.published]
    assert said == ([published] if published else [])


def test_the_rating_of_an_opponent_is_looked_up(stage: Stage) -> None:
    stage.begin(state())
    stage.client.hear(state(["e2e4"]))
    assert stage.client.wanted["people"][0].authors == (OTHER,)


def test_of_the_house_the_next_of_the_level_is_asked_under_the_same_id(stage: Stage) -> None:
    weak, busy, free = (SecretKey(bytes([number]) * 32).pubkey for number in (7, 8, 9))

    async def run() -> None:
        stage.announce((weak, 1), (busy, 5), (free, 5))
        stage.seat.hear(Listed(0))
        events = await stage.ask("GET", "/api/stream/event")
        made = await stage.ask("POST", "/api/challenge/ai", b"level=6&clock.limit=60")
        assert made.status == 201
        asked = []
        while stage.client.session.made:
            ((id_, one),) = stage.client.session.made.items()
            asked.append((one.terms.challenge, stage.account.alias(id_)))
            stage.client.hear(Refused("declined", "later", challenge=one.id))
            await events.settle()
        assert asked == [(busy, made.lines[0]["id"]), (free, made.lines[0]["id"])]
        # Nobody is left: now the program reads it, once.
        declined = [line["challenge"] for line in events.lines if line]
        assert [(one["id"], one["declineReasonKey"]) for one in declined] == [
            (asked[0][1], "later")
        ]

    asyncio.run(run())


def test_a_program_of_the_house_that_is_challenged_by_name_declines_itself(stage: Stage) -> None:
    busy, free = (SecretKey(bytes([number]) * 32).pubkey for number in (8, 9))

    async def run() -> None:
        stage.announce((busy, 5), (free, 5))
        made = await stage.ask("POST", f"/api/challenge/{busy}", b"clock.limit=60")
        ((_, one),) = stage.client.session.made.items()
        stage.client.hear(Refused("declined", "later", challenge=one.id))
        await made.settle()
        assert stage.client.session.made == {}

    asyncio.run(run())


def test_words_say_that_the_player_is_here_once_the_arbiters_own_relay_is_linked() -> None:
    own = "ws://127.0.0.1:1"
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        there = Address(ARBITER, ("ws://other", own), gateway=own)
        player = Player(SecretKey(bytes([2]) * 32), "Ann", is_bot=False)
        ((seat,),) = [Sidecar(there, [player], Book(":memory:"), listening).seats.values()]
    client = seat.account.client
    for link, tags in (("ws://other", 0), (own, 1)):
        client.session, _ = take(client.session, LinkUp(link), NOW)
        client.session, _ = take(client.session, state(["e2e4", "e7e5"]), NOW)
        _, _, (sent,) = say(client.session, GAME, "g1f3", NOW)
        assert sent.draft.tags.count(("here",)) == tags
