"""A stack keeps no events: where both players' clients vanish as their game ends, a spectator hands
the transcript in, and anybody can check it from then on.
"""

import asyncio
from dataclasses import replace

import pytest

from arbiter.nostr.event import NostrEvent, event_from_json
from clients.player.history import HandIn, Histories, hand_in
from clients.probes.http_client import HttpConnection
from clients.probes.matches import FOOLS_MATE
from clients.probes.raw_socket import Event, opened, seated
from server.game_proof import verify_game
from tests.e2e.arbiter_run import CLOUD, ArbiterRun
from tests.proof.games import file_of, values_of

pytestmark = [pytest.mark.slow, pytest.mark.wiring(CLOUD)]

REQUEST, STATE, MOVE, NOTE = 20300, 20302, 20303, 64


async def watched(run: ArbiterRun) -> tuple[str, list[Event]]:
    """The id of a game whose players are gone once they have made their moves, and what a spectator
    saw of it on a relay, up to its note.
    """
    here = replace(run.endpoints, websocket=run.endpoints.relays[0])
    seen = list[Event]()
    async with opened(here) as spectator:
        signed = {"kinds": [REQUEST, MOVE], "#p": [here.server]}
        told = {"kinds": [STATE, NOTE], "authors": [here.server]}
        await spectator.request("seen", signed, told)
        async with seated(here) as (white, black, state):
            game, shown = str(state["tags"][0][1]), state
            for at, uci in enumerate(FOOLS_MATE):
                mover, other = (white, black)[at % 2], (black, white)[at % 2]
                await mover.move(shown, uci)
                made = ["moves", *FOOLS_MATE[: at + 1]]
                while uci != FOOLS_MATE[-1] and made not in shown["tags"]:
                    shown = await other.event("mine", STATE)
            for player in (white, black):
                player.drop()
            while not seen or seen[-1]["kind"] != NOTE or ["d", game] not in seen[-1]["tags"]:
                seen.append(await spectator.event("seen", REQUEST, STATE, MOVE, NOTE))
    return game, seen


def transcript_of(arbiter: str, seen: list[Event]) -> HandIn:
    """The findings of a client of ours in what a spectator sees."""
    histories = Histories(arbiter)
    for it in seen:
        event = event_from_json(it)
        assert isinstance(event, NostrEvent)
        if isinstance(found := histories.take(event), HandIn):
            return found
    raise AssertionError(seen)


def with_requests(found: HandIn, seen: list[Event]) -> bytes:
    """The same with the requests of both players, which make the first link."""
    first, *states = values_of(found.octets)
    without_first = {name: first[name] for name in first if name != "first"}
    players = {first["white"], first["black"]}
    asked = [it for it in seen if it["kind"] == REQUEST and it["pubkey"] in players]
    requests = sorted(({"id": it["id"], "event": it} for it in asked), key=lambda it: it["id"])
    return file_of([without_first, *requests, *states])


async def test_players_vanish_at_the_end_and_a_spectator_hands_the_transcript_in(
    arbiter: ArbiterRun, capsys: pytest.CaptureFixture[str]
) -> None:
    game, seen = await watched(arbiter)
    endpoints = arbiter.endpoints
    http, path = HttpConnection(endpoints.http), f"/games/{game}/transcript"
    found = transcript_of(endpoints.server, seen)

    nothing = http.request("GET", path)
    assert nothing.status == 404
    assert nothing.json()["detail"].endswith("none of those who saw the game has handed it in yet.")
    assert http.request("GET", f"/games/{game}").json()["transcript"] is None
    cut = file_of(values_of(found.octets)[:-1])
    refused = http.request("PUT", path, {"Content-Type": "application/gzip"}, cut)
    assert (refused.status, http.request("GET", path).status) == (422, 404), refused.text

    def verified() -> tuple[int, str]:
        code = verify_game(f"{endpoints.http}/g/{game}", endpoints.relays[0])
        return code, capsys.readouterr().out

    await asyncio.to_thread(hand_in, endpoints.http, found)
    code, said = await asyncio.to_thread(verified)
    assert (code, said.count("missing: ")) == (0, 1), said
    assert "missing: the requests that the game was made of" in said
    whole = with_requests(found, seen)
    assert http.request("PUT", path, {"Content-Type": "application/gzip"}, whole).status == 204
    code, said = await asyncio.to_thread(verified)
    assert (code, said.count("missing: ")) == (0, 0), said
    assert "proven: the arbiter signed this history" in said
    assert "proven: the players signed 6 of 6 lines" in said
    assert "proven: the result is 0-1, by checkmate" in said
    assert http.request("GET", f"/games/{game}").json()["transcript"] is not None
    http.close()
