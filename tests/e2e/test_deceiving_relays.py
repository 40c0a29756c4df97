"""Games over a real relay whose connections quietly lose what they should bring or keep."""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import pytest

from clients.probes.independent_client import PGN_NOTE
from clients.probes.matches import FOOLS_MATE, Match, play_out, seated
from local.ports import LOOPBACK
from tests.e2e.arbiter_run import ArbiterRun, free_port_base, running
from tests.e2e.deceiving_proxy import DeceivingProxy
from tests.e2e.foreign_relays import bundled
from tests.e2e.games import kept_note

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LISTENERS = 2
_CANARY_KIND = 20399


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


@pytest.fixture(scope="module")
def deceived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deceived]:
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


async def test_a_game_goes_on_after_a_relay_answered_everything_and_brought_nothing(
    deceived: Deceived,
) -> None:
    proxy = deceived.proxy
    async with deceived.seated() as match:
        await match.play_to(2)
        # Each listener has seen one come back, so the relay is known to bring them.
        seen = await asyncio.to_thread(proxy.clients_brought, _CANARY_KIND, _LISTENERS)
        assert seen == _LISTENERS
        proxy.mute()
        assert await asyncio.to_thread(proxy.left, _CANARY_KIND)
        await play_out(match, FOOLS_MATE, "0-1")
    assert proxy.lost(_CANARY_KIND) >= 1
    logs = (deceived.arbiter.run_dir / "logs").glob("listener*")
    assert any("canary-lost" in path.read_text(encoding="utf-8") for path in logs)


async def test_a_note_that_was_taken_and_not_kept_is_published_again(deceived: Deceived) -> None:
    proxy = deceived.proxy
    proxy.forget(PGN_NOTE, 2)
    async with deceived.seated() as match:
        await play_out(match, FOOLS_MATE, "0-1")
    assert proxy.is_to_forget(PGN_NOTE) == 0
    server = deceived.arbiter.endpoints.server
    note = await asyncio.to_thread(kept_note, deceived.relay, server, match.game_id)
    assert note["kind"] == PGN_NOTE
