"""Games over a real relay whose connections go quietly wrong."""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import pytest

from clients.probes.independent_client import PGN_NOTE
from clients.probes.matches import FOOLS_MATE, Match, check_note, check_start, check_states, seated
from local.ports import LOOPBACK
from tests.e2e.arbiter_run import ArbiterRun, free_port_base, running
from tests.e2e.deceiving_proxy import DeceivingProxy
from tests.e2e.foreign_relays import bundled
from tests.e2e.kept_notes import kept_note

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LIMIT_SECONDS = 180
_LISTENERS = 2
_CANARY_KIND = 20399
_FORGOTTEN = 2


@dataclass(frozen=True, slots=True)
class Deceived:
    """An arbiter that has one relay, behind this proxy; ``relay`` is where the relay itself is."""

    arbiter: ArbiterRun
    proxy: DeceivingProxy
    relay: str

    def seated(self) -> AbstractAsyncContextManager[Match]:
        """Two players at the relay itself: the arbiter alone is deceived."""
        at_relay = (self.relay,)
        return seated(self.arbiter.endpoints, FOOLS_MATE, relays_of_each=(at_relay, at_relay))

    def log(self, part: str) -> str:
        """What the parts of this name have logged."""
        logs = (self.arbiter.run_dir / "logs").glob(f"{part}*")
        return "".join(path.read_text(encoding="utf-8") for path in logs)


@pytest.fixture(scope="module")
def deceived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deceived]:
    """One run for all."""
    folder = tmp_path_factory.mktemp("deceived")
    port = free_port_base()
    relay = bundled(folder / "relay", port)
    proxy = DeceivingProxy(relay.url, LOOPBACK, port + 1)
    try:
        relay.start()
        with proxy.running(), running(folder, (proxy.url,)) as arbiter:
            yield Deceived(arbiter, proxy, relay.url)
    finally:
        relay.stop()


def test_a_game_goes_on_after_a_relay_answered_everything_and_brought_nothing(
    deceived: Deceived,
) -> None:
    proxy = deceived.proxy

    async def play() -> None:
        async with asyncio.timeout(_LIMIT_SECONDS), deceived.seated() as match:
            await match.play_to(2)
            # Each listener has seen one come back, so the relay is known to bring them.
            seen = await asyncio.to_thread(proxy.clients_brought, _CANARY_KIND, _LISTENERS)
            assert seen == _LISTENERS
            proxy.mute()
            assert await asyncio.to_thread(proxy.left, _CANARY_KIND)
            await match.play_to(len(FOOLS_MATE))
            await match.until_heard(PGN_NOTE)
            check_start(match)
            check_states(match, FOOLS_MATE)
            check_note(match, FOOLS_MATE, "0-1", "checkmate")

    asyncio.run(play())
    assert proxy.lost(_CANARY_KIND) >= 1
    assert "canary-lost" in deceived.log("listener")


def test_a_note_that_was_taken_and_not_kept_is_said_again(deceived: Deceived) -> None:
    proxy = deceived.proxy
    proxy.forget(PGN_NOTE, _FORGOTTEN)

    async def play() -> str:
        async with asyncio.timeout(_LIMIT_SECONDS), deceived.seated() as match:
            await match.play_to(len(FOOLS_MATE))
            await match.until_heard(PGN_NOTE)
            check_note(match, FOOLS_MATE, "0-1", "checkmate")
            return match.game_id

    game_id = asyncio.run(play())
    assert proxy.is_to_forget(PGN_NOTE) == 0
    assert kept_note(deceived.relay, deceived.arbiter.endpoints.server, game_id)["kind"] == PGN_NOTE
