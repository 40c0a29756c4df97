"""The gateway at work: frames over real sockets, sockets that end in the middle of a game, and what
is left in the table when they have.
"""

import json
from uuid import uuid4

import pytest

from arbiter.application.connections import Connection, Subscriber
from arbiter.nostr.filters import Filter
from clients.probes.independent_client import GAME_STATE, PGN_NOTE, REQUEST_TO_PLAY, RESPONSE
from clients.probes.raw_socket import Event, RawSocket, opened, seated
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.gateway_cloud import GatewayCloud
from tests.e2e.nip100_client import CHECKMATE
from tests.e2e.nip100_matches import seated as seated_by_the_draft
from tests.e2e.within import run_within

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LIMIT_SECONDS = 120
_AUTHENTICATION = 22242
_FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def _game(state: Event) -> str:
    return str(state["tags"][0][1])


async def _play(white: RawSocket, black: RawSocket, state: Event, *script: str) -> Event:
    """These moves, from this state on; the last state, which both have heard."""
    for uci in script:
        mover = white if state["content"].split()[1] == "w" else black
        assert await mover.move(state, uci) == ["OK", mover.sent, True, ""]
        states = [await player.event("mine", GAME_STATE) for player in (white, black)]
        assert states[0] == states[1]
        state = states[0]
    return state


def test_a_whole_game_is_told_frame_by_frame(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as (white, black, start):
            for player in (white, black):
                responses = [
                    message[2]["content"].partition(":")[0]
                    for message in player.passed_over
                    if message[0] == "EVENT" and message[2]["kind"] == RESPONSE
                ]
                assert responses in (["queued", "started"], ["started"])
            last = await _play(white, black, start, *_FOOLS_MATE)
            assert ["result", "0-1"] in last["tags"]
            for player in (white, black):
                note = await player.event("mine", PGN_NOTE)
                assert "0-1" in note["content"]

    run_within(_LIMIT_SECONDS, play())


def test_who_comes_late_is_shown_what_stands_and_then_what_follows(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with (
            seated(arbiter.endpoints) as (white, black, start),
            opened(arbiter.endpoints) as late,
        ):
            state = await _play(white, black, start, "e2e4")

            shown = await late.subscribe("game", kinds=[GAME_STATE], tag_d=[_game(state)])
            assert [event["content"] for event in shown] == [state["content"]]

            state = await _play(white, black, state, "e7e5")
            assert await late.event("game", GAME_STATE) == state

    run_within(_LIMIT_SECONDS, play())


def test_a_subscription_that_was_closed_brings_nothing_more(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        cloud = GatewayCloud(arbiter.run_dir)
        async with (
            seated(arbiter.endpoints) as (white, black, start),
            opened(arbiter.endpoints) as watcher,
        ):
            game = _game(start)
            await watcher.subscribe("one", kinds=[GAME_STATE], tag_d=[game])
            await watcher.subscribe("other", kinds=[GAME_STATE], tag_d=[game])
            await watcher.say("CLOSE", "one")
            await cloud.until_filed(f"d:{game}", 1)

            state = await _play(white, black, start, "e2e4", "e7e5")
            assert await watcher.event("other", GAME_STATE)
            assert await watcher.event("other", GAME_STATE) == state
            assert watcher.passed_over == []

    run_within(_LIMIT_SECONDS, play())


def test_a_guarded_event_is_taken_from_who_has_shown_to_be_its_author(
    arbiter: ArbiterRun,
) -> None:
    async def play() -> None:
        async with opened(arbiter.endpoints) as player:
            server = ["p", arbiter.endpoints.server]
            guarded = player.signed(REQUEST_TO_PLAY, "state", server, ["-"])
            refused = await player.publish(guarded)
            assert refused[2] is False
            assert refused[3].startswith("auth-required: ")
            ((_, challenge),) = [said for said in player.passed_over if said[0] == "AUTH"]

            named = ["relay", arbiter.endpoints.websocket]
            wrong = player.signed(_AUTHENTICATION, "", named, ["challenge", "another"])
            await player.say("AUTH", wrong)
            assert (await player.until("OK", wrong["id"]))[2] is False
            right = player.signed(_AUTHENTICATION, "", named, ["challenge", challenge])
            await player.say("AUTH", right)
            assert await player.until("OK", right["id"], True)

            assert await player.publish(guarded) == ["OK", guarded["id"], True, ""]

    run_within(_LIMIT_SECONDS, play())


def test_a_hostile_frame_is_answered_and_the_socket_goes_on(arbiter: ArbiterRun) -> None:
    hostile: list[str | bytes] = [
        json.dumps(["EVENT", {"id": "0" * 64}]),
        json.dumps(["REQ", "sub", {"kinds": "all"}]),
        json.dumps(["REQ", "sub", {}]),
        json.dumps(["EVENT", "[" * 1_000]),
        "[" * 900,  # MiniStack itself fails over deeper ones, and hangs up
        "\x00",
        b"\xff\xfe",
    ]

    async def play() -> None:
        async with opened(arbiter.endpoints) as player:
            answers = []
            for frame in hostile:
                await player.send(frame)
                answers.append((await player.hear())[0])
            assert answers == ["OK", "CLOSED", "CLOSED", *["NOTICE"] * 4]
            assert await player.subscribe("sub", kinds=[GAME_STATE]) == []

    run_within(_LIMIT_SECONDS, play())


def test_who_sends_nothing_but_garbage_is_hung_up_on(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        cloud = GatewayCloud(arbiter.run_dir)
        async with opened(arbiter.endpoints) as player:
            socket = await cloud.socket_of(player)
            for _ in range(6):
                await player.send("garbage")
            heard = await player.until_closed()
            assert [message[0] for message in heard] == ["NOTICE"] * 6
            await cloud.until_forgotten(socket)

    run_within(_LIMIT_SECONDS, play())


def test_players_whose_sockets_api_gateway_closed_come_back_and_play_on(
    arbiter: ArbiterRun,
) -> None:
    async def play() -> None:
        cloud = GatewayCloud(arbiter.run_dir)
        async with seated(arbiter.endpoints) as (white, black, start):
            state = await _play(white, black, start, *_FOOLS_MATE[:1])
            for player in (white, black):
                socket = await cloud.socket_of(player)
                cloud.close(socket)
                await player.until_closed()
                await cloud.until_forgotten(socket)
            async with (
                opened(arbiter.endpoints, white.keys) as white_again,
                opened(arbiter.endpoints, black.keys) as black_again,
            ):
                for player in (white_again, black_again):
                    shown = await player.subscribe("mine", tag_p=[player.pubkey])
                    assert [event["content"] for event in shown] == [state["content"]]
                last = await _play(white_again, black_again, state, *_FOOLS_MATE[1:])
                assert ["result", "0-1"] in last["tags"]

    run_within(_LIMIT_SECONDS, play())


def test_a_player_of_the_draft_whose_socket_api_gateway_closed_resumes(
    arbiter: ArbiterRun,
) -> None:
    async def play() -> None:
        cloud = GatewayCloud(arbiter.run_dir)
        async with seated_by_the_draft(arbiter.endpoints) as table:
            black = table.black
            for socket in cloud.sockets_for(black.pubkey):
                cloud.close(socket)
                await cloud.until_forgotten(socket)
            assert (await table.white.play(_FOOLS_MATE[0])).accepted
            async with black.connected():
                assert (await black.search()).text == "black"
                assert (await black.until_moved()).content == _FOOLS_MATE[0]
                await table.play(_FOOLS_MATE[1:])
                assert (await black.until_over()).content == CHECKMATE

    run_within(_LIMIT_SECONDS, play())


def test_nothing_is_left_of_a_socket_that_was_dropped_without_a_word(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        cloud = GatewayCloud(arbiter.run_dir)
        async with opened(arbiter.endpoints) as player:
            await player.subscribe("mine", tag_p=[player.pubkey])
            await player.subscribe("games", kinds=[GAME_STATE], tag_d=["a" * 32, "b" * 32])
            socket = await cloud.socket_of(player)
            assert len(cloud.items_about(socket)) >= 6

            player.drop()
            await cloud.until_forgotten(socket)

    run_within(_LIMIT_SECONDS, play())


def test_a_socket_whose_end_nobody_told_is_forgotten_at_the_next_delivery(
    arbiter: ArbiterRun,
) -> None:
    async def play() -> None:
        cloud = GatewayCloud(arbiter.run_dir)
        async with seated(arbiter.endpoints) as (white, black, start):
            # API Gateway promises no more than to try to tell of a socket's end.
            ghost = f"{uuid4().hex[:15]}="
            remembered = Connection(id=ghost, address="", challenge="", opened_at_ms=0)
            cloud.connections.opened(remembered, cloud.now_ms())
            for number in range(3):
                wanted = Filter(tags={"d": (_game(start),)})
                ghostly = Subscriber(ghost, f"sub:{number}", (wanted,))
                topics = [f"d:{_game(start)}"]
                cloud.connections.subscribe(ghost, ghostly, topics, cloud.now_ms())

            await _play(white, black, start, "e2e4")

            await cloud.until_forgotten(ghost)
            subscribers = cloud.connections.subscribers([f"d:{_game(start)}"])
            assert ghost not in {one.connection_id for one in subscribers}

    run_within(_LIMIT_SECONDS, play())
