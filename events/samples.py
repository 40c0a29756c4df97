"""Sample invocations, one for each trigger, by `make events`; a test says when they are stale.

Keys that anybody can make sign them, at a fixed date, so the same files come out every time.
"""

import json
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from arbiter.application.intake.queue_messages import (
    house_body,
    notice_body,
    queue_entry,
    timer_body,
)
from arbiter.application.intake.routing import route, timer_entry
from arbiter.application.records import HouseRequest, NoticeAsked, PairingAsked, Timer
from arbiter.application.tournaments.messages import entry
from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.game import Game, Seat
from arbiter.core.notices import Occasion
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import Terms
from arbiter.core.timers import with_timer
from arbiter.core.tournaments.tournament import Entry, Format, Phase, Tournament, TournamentTerms
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.house import house_key
from arbiter.nostr.keys import SecretKey
from events.api_gateway_samples import SOCKET, http_samples, socket_samples

FOLDER = Path(__file__).parent
AT = 1_800_000_000
"""The time of everything in the files: unix seconds, in 2027."""

_ARN = "arn:aws:sqs:us-east-1:000000000000:arbiter"


def key(name: str) -> SecretKey:
    return SecretKey.from_hex(sha256(f"arbiter sample {name}".encode()).hexdigest())


SERVER, ALICE, BOB = key("server"), key("alice"), key("bob")
HOUSE = house_key(SERVER, 1, 1)

BLITZ = TimeControl(base_ms=180_000, increment_ms=2000)


def game(at: int = AT) -> Game:
    """The game that the samples play: it must be in the table for them to be accepted."""
    new = Game(
        id="5a3d1e" + "0" * 26,
        white=Seat(ALICE.pubkey, "native"),
        black=Seat(BOB.pubkey, "native"),
        created_at_ms=at * 1000,
        changed_at_ms=at * 1000,
        clocks=start_clocks(BLITZ, at * 1000),
    )
    return with_timer(new)


def house_challenge(at: int = AT) -> Challenge:
    terms = Terms(opponent=HOUSE.pubkey)
    seek = Seek(_challenging(at).id, Seat(ALICE.pubkey, "native"), at * 1000, terms)
    return Challenge(seek)


def tournament(at: int = AT) -> Tournament:
    terms = TournamentTerms(
        title="Sample", format=Format.SWISS, time=BLITZ, starts_ms=at * 1000, rounds=3
    )
    return Tournament(
        id="5a3d1f" + "0" * 26,
        organiser=ALICE.pubkey,
        terms=terms,
        created_ms=at * 1000,
        phase=Phase.PAIRING,
        round=1,
        field=(1, 2),
        entries=tuple(
            Entry(number=number, seat=Seat(player.pubkey, "native"))
            for number, player in enumerate((ALICE, BOB), 1)
        ),
    )


def _challenging(at: int) -> VerifiedEvent:
    tags = (("p", SERVER.pubkey), ("challenge", HOUSE.pubkey))
    return ALICE.sign(EventTemplate(20300, tags, "", at))


def samples(at: int = AT) -> dict[str, dict[str, Any]]:
    """Every sample by its file's path, as of this time (unix seconds): requests must be fresh."""
    players = (("p", SERVER.pubkey), ("p", ALICE.pubkey), ("p", BOB.pubkey))
    good = ALICE.sign(EventTemplate(20303, (("d", game().id), *players), "e2e4", at + 1))
    # Dated after the position it misjudges, however late both are judged: else it would not count.
    illegal = BOB.sign(EventTemplate(20303, (("d", game().id), *players), "e7e4", at + 120))
    to_house = HouseRequest(player=HOUSE.pubkey, challenge_id=house_challenge(at).id)
    seek = ALICE.sign(EventTemplate(20300, (("p", SERVER.pubkey), ("time", "180+2")), "", at))
    search = ALICE.sign(EventTemplate(5000, (("p", SERVER.pubkey),), "connect", at))
    timer = Timer(game().id, 0, at * 1000 + 32_000)
    # A flag falls in the line of the player whose time is up.
    due = timer_entry(replace(timer, player=game().white.player), timer.at_ms)
    round_ = entry(PairingAsked(tournament(at).id, 1, 0))
    again = {"game_id": game().id, "changed_at_ms": at * 1000, "player_id": None, "attempt": 1}
    moves = [_fifo(good), _fifo(good), _fifo(illegal, received_at=at + 2), _poison()]
    return {
        "process_events/moves.json": {"Records": [_record("moves.fifo", *one) for one in moves]},
        "process_events/seek.json": {"Records": [_record("seeks.fifo", *_fifo(seek))]},
        "process_events/draft.json": {
            "Records": [_record("seeks.fifo", *_fifo(search, via=SOCKET))]
        },
        "process_events/timer.json": {"Records": [_record("moves.fifo", due.body, due.group_id)]},
        "process_events/republish.json": {
            "Records": [_record("republish", json.dumps({"republish": again}))]
        },
        "process_events/announce.json": {"announce": True},
        "process_events/house.json": {"Records": [_record("seeks.fifo", *_fifo(_challenging(at)))]},
        "house/challenge.json": {
            "Records": [_record("house.fifo", house_body(to_house), to_house.group_id)]
        },
        "pairing/round.json": json.loads(round_.body),
        "notice/turn.json": json.loads(
            notice_body(NoticeAsked(ALICE.pubkey, Occasion("turn", game().id, 1)))
        ),
        "clock/timer.json": {"Records": [_record("clock", timer_body(timer))]},
        "relay_listener/schedule.json": {
            "version": "0",
            "source": "aws.events",
            "detail-type": "Scheduled Event",
            "time": "2027-01-15T08:00:00Z",
            "detail": {},
        },
        **socket_samples(at, game().id, good),
        **http_samples(at, game().id),
    }


def _fifo(
    event: VerifiedEvent, via: str | None = None, received_at: int | None = None
) -> tuple[str, str]:
    where = route(event)
    if where is None:
        raise ValueError("the listener would not let this event in")
    received_at_ms = (received_at or event.created_at) * 1000
    entry = queue_entry(event, where.queue, where.group_id, received_at_ms, via)
    return entry.body, entry.group_id


def _poison() -> tuple[str, str]:
    return '{"event": {"kind": NaN}}', sha256(b"poison").hexdigest()


def _record(queue: str, body: str, group: str | None = None) -> dict[str, Any]:
    attributes = {"ApproximateReceiveCount": "1", "SentTimestamp": str(AT * 1000)}
    if group is not None:
        attributes["MessageGroupId"] = group
    return {
        "messageId": sha256(f"{queue}{body}".encode()).hexdigest()[:32],
        "receiptHandle": "sample",
        "body": body,
        "attributes": attributes,
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": f"{_ARN}-{queue}",
        "awsRegion": "us-east-1",
    }


def text_of(sample: dict[str, Any]) -> str:
    return json.dumps(sample, indent=2) + "\n"


def main() -> int:
    for name, sample in samples().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(sample), encoding="utf-8")
        print(path.relative_to(FOLDER.parent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
