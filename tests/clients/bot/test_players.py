"""Players over relays that repeat, forge and send junk."""

import asyncio
import json
from dataclasses import replace

import pytest
from websockets.asyncio.server import ServerConnection, serve

from arbiter.nostr.event import NostrEvent, event_from_json, event_to_json
from arbiter.nostr.relay_messages import PublishStatus
from clients.bot.config import read_config
from clients.bot.events import Draft, public_key, sign
from clients.bot.messages import Message
from clients.bot.player import Player, _Heard, play_over
from clients.player.heard import Delivered, LinkDown, Verdict

SECRET, STRANGER, MINE = (bytes([number]) * 32 for number in (1, 9, 2))
ARBITER, ME = public_key(SECRET), public_key(MINE)
URL = "ws://one"


class Ears:
    """One player's, and the operator's."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.said: list[str] = []
        player = Player(read_config(""), 1, MINE, ARBITER, print)
        self.heard = _Heard(ARBITER, [player], self.said.append, self._hear)

    def _hear(self, _player: Player, message: Message) -> None:
        self.messages.append(type(message).__name__)


def an_event(content: str, kind: int = 20301, secret: bytes = SECRET, at: int = 0) -> NostrEvent:
    tags = (("p", ME), ("d", "a" * 32))
    draft = Draft(public_key(secret), 1_800_000_000 + at, kind, tags, content)
    event = event_from_json(event_to_json(sign(draft, secret)))
    assert isinstance(event, NostrEvent)
    return event


QUEUED = an_event("queued")


def test_what_is_repeated_is_heard_once() -> None:
    ears = Ears()
    for event in (QUEUED, QUEUED, an_event("queued", at=1), QUEUED):
        ears.heard.take(Delivered(event, stored=False))
    assert ears.messages == ["Queued", "Queued"]


@pytest.mark.parametrize(
    "event",
    [
        replace(QUEUED, content="cancelled"),
        an_event("queued", secret=STRANGER),
        replace(an_event("queued", secret=STRANGER), pubkey=ARBITER),
        an_event("nonsense"),
    ],
)
def test_a_forgery_and_what_is_no_message_are_passed_over(event: NostrEvent) -> None:
    ears = Ears()
    ears.heard.take(Delivered(event, stored=False))
    assert ears.messages == []


def test_a_stored_start_is_passed_over_and_counts_when_it_comes_anew() -> None:
    ears = Ears()
    for stored in (True, False):
        ears.heard.take(Delivered(QUEUED, stored=stored))
    assert ears.messages == ["Queued"]


def test_what_a_relay_does_again_and_again_is_said_once() -> None:
    ears = Ears()
    for why in ["blocked"] * 16 + ["rate-limited"]:
        ears.heard.take(Verdict(URL, "x", PublishStatus.GIVE_UP, why))
    for _ in range(3):
        ears.heard.take(LinkDown(URL, "silent"))
    ears.heard.take(Verdict(URL, "x", PublishStatus.ACCEPTED, ""))
    refusals = [f"{URL}: refuses: {why!r}" for why in ("blocked", "rate-limited")]
    assert ears.said == [*refusals, f"{URL}: silent, tries again"]


def test_players_whose_program_ends_take_back_what_they_ask_for() -> None:
    async def run() -> list[str]:
        config = read_config("[matchmaking]\nallow_matchmaking = true\n[engine]\nname = 'plain'\n")
        said: asyncio.Queue[str] = asyncio.Queue()

        async def listen(socket: ServerConnection) -> None:
            async for text in socket:
                match json.loads(text):
                    case ["REQ", str(name), *_]:
                        await socket.send(json.dumps(["EOSE", name]))
                    case ["EVENT", {"kind": 20300, "content": str(content)}]:
                        said.put_nowait(content)
                    case _:
                        pass

        async with serve(listen, "127.0.0.1", 0) as relay:
            url = f"ws://127.0.0.1:{relay.sockets[0].getsockname()[1]}"
            players = [Player(config, 1, bytes([key]) * 32, ARBITER, print) for key in (2, 3)]
            playing = asyncio.create_task(play_over((url,), ARBITER, players, print))
            heard = [await asyncio.wait_for(said.get(), 30) for _ in players]
            playing.cancel()
            await asyncio.wait([playing])
            return heard + [await asyncio.wait_for(said.get(), 30) for _ in players]

    assert asyncio.run(run()) == ["state", "state", "cancel", "cancel"]
