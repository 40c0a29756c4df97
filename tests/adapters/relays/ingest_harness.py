"""The way from the relays to the queues, without threads, at a time that stops."""

from itertools import count

from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.ingest import AUTHOR_RATE, Drop, Ingester, Shard
from arbiter.adapters.relays.rate_limits import Paired, Rate
from arbiter.application.intake.routing import LISTENED_KINDS
from arbiter.application.records import QueueEntry
from arbiter.nostr.event import NostrEvent, VerifiedEvent, event_from_json
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from tests.adapters.relays.stand_ins import GAME, a_move, json_of
from tests.builders import SERVER

USUAL = AUTHOR_RATE
WORDS = count(1)
WANTED = Filter(kinds=LISTENED_KINDS, tags={"p": (SERVER.pubkey,)})


class Outlet:
    def __init__(self) -> None:
        self.entries: list[QueueEntry] = []
        self.waits: list[bool] = []
        self.has_room = True

    def put(self, entry: QueueEntry, *, may_wait: bool) -> bool:
        self.waits.append(may_wait)
        if self.has_room:
            self.entries.append(entry)
        return self.has_room


class IngestHarness:
    def __init__(
        self,
        rate: Rate | None = None,
        shard: Shard | None = None,
        paired: Paired | None = None,
        *,
        asks: bool = False,
    ) -> None:
        """``asks``: who plays a game is looked up; else any author may."""
        self.moves, self.seeks, self.now = Outlet(), Outlet(), 0.0
        self.counters, self.asked = Counters(), list[str]()
        self.ingester = Ingester(
            SERVER.pubkey,
            {"moves": self.moves, "seeks": self.seeks},
            self.counters,
            self.asked.append if asks else None,
            shard=shard or Shard(),
            author_rate=rate or Rate(per_second=1.0, burst=3.0),
            monotonic=lambda: self.now,
            paired=paired,
        )

    def offer(self, event: object, at_ms: int = 0) -> Drop | None:
        if isinstance(event, VerifiedEvent):
            event = json_of(event)
        parsed = event_from_json(event)
        assert isinstance(parsed, NostrEvent)
        return self.ingester.offer(parsed, WANTED, at_ms)


def unsigned(event: VerifiedEvent) -> dict[str, object]:
    return {**json_of(event), "sig": "00" * 64}


def strangers(count: int) -> list[SecretKey]:
    return [SecretKey.from_hex(f"{number:064x}") for number in range(1, count + 1)]


def flood(game: str = GAME, keys: int = 40, words: int = 10) -> list[VerifiedEvent]:
    """Events of throwaway keys in one game: no two are alike, nor like those of before."""
    return [
        a_move(f"word {next(WORDS)}", by=key, game=game)
        for _ in range(words)
        for key in strangers(keys)
    ]
