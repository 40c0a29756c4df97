"""The only reader of the environment, on each call. Raises ``KeyError`` for what is missing."""

import os

from arbiter.adapters.health import Watched
from arbiter.adapters.timers import Schedules
from arbiter.application.gateway.deps import RATE_SECONDS
from arbiter.application.gateway.handler import FRAMES_COUNTED_AS_ONE
from arbiter.application.records import QueueName
from arbiter.core.rules import Rules
from arbiter.nostr.event import is_hex_32_bytes
from arbiter.nostr.house import HousePlayer, read_house
from arbiter.nostr.nip11 import RelayLimits
from arbiter.web.deps import Limits


class Misconfigured(Exception):
    """The environment contradicts itself; the text says how to fix it."""


def table() -> str:
    return os.environ["TABLE_NAME"]


def short_lived_table() -> str:
    return os.environ["SHORT_LIVED_TABLE"]


def event_queues() -> dict[QueueName, str]:
    """The queues of events and the arbiter's messages; without a pairing function the moves'."""
    moves = os.environ["MOVES_QUEUE_URL"]
    return {"moves": moves, "seeks": os.environ["SEEKS_QUEUE_URL"], "pairing": moves}


def pairing_function() -> str | None:
    return os.environ.get("PAIRING_FUNCTION")


def notice_function() -> str | None:
    return os.environ.get("NOTICE_FUNCTION")


def moves_queue() -> dict[QueueName, str]:
    """The one that timers are forwarded to; the clock function has no other."""
    return {"moves": os.environ["MOVES_QUEUE_URL"]}


def republish_queue() -> str:
    return os.environ["REPUBLISH_QUEUE_URL"]


def clock_queue() -> str:
    return os.environ["CLOCK_QUEUE_URL"]


def house_queue() -> str | None:
    return os.environ.get("HOUSE_QUEUE_URL") or None


def ssb_queue() -> str:
    return os.environ["SSB_QUEUE_URL"]


def schedules() -> Schedules | None:
    """Return the writer of schedules; None if the environment names no schedule group."""
    group = os.environ.get("SCHEDULE_GROUP")
    if not group:
        return None
    return Schedules(
        group=group,
        target_arn=os.environ["SCHEDULE_TARGET_ARN"],
        role_arn=os.environ["SCHEDULER_ROLE_ARN"],
    )


def key_parameter() -> str:
    return os.environ["KEY_PARAMETER"]


def public_url() -> str:
    return os.environ.get("PUBLIC_URL", "")


def rules() -> Rules:
    return Rules(
        illegal_moves_to_lose=int(os.environ.get("ILLEGAL_MOVES_TO_LOSE", "3")),
        work_of_strangers=int(os.environ.get("WORK_OF_STRANGERS", "0")),
        open_games=int(os.environ.get("JESTER_OPEN_GAMES") == "on"),
    )


def limits() -> Limits:
    return Limits(per_address=int(os.environ.get("REQUESTS_PER_ADDRESS", "1200")))


def daily_budget() -> int | None:
    """In millionths of a dollar, 0 for no bound; None where nothing is counted."""
    text = os.environ.get("DAILY_BUDGET")
    return None if text is None else round(float(text) * 1e6)


def gigabytes() -> float:
    return int(os.environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512")) / 1024


def gateway_limits() -> RelayLimits:
    """An address may use a quarter of the frames that the stage takes, and as many deliveries."""
    most = int(os.environ.get("FRAMES_PER_SECOND", "4000")) * RATE_SECONDS // 4
    return RelayLimits(
        address_frames_per_ten_seconds=max(most, 2 * FRAMES_COUNTED_AS_ONE),
        address_deliveries_per_ten_seconds=max(most, 2 * FRAMES_COUNTED_AS_ONE),
    )


def bridge_pubkey() -> str | None:
    """The pubkey of the SSB bridge, or None. Raises ``Misconfigured`` for half of a bridge."""
    bridge = os.environ.get("BRIDGE_PUBKEY") or None
    if (bridge is None) != (not os.environ.get("SSB_QUEUE_URL")):
        raise Misconfigured("a bridge to Scuttlebutt is BRIDGE_PUBKEY and SSB_QUEUE_URL")
    if bridge is not None and not is_hex_32_bytes(bridge):
        raise Misconfigured("BRIDGE_PUBKEY is 64 lower-case hexadecimal digits")
    return bridge


def server_pubkey() -> str:
    return os.environ["SERVER_PUBKEY"]


def relays() -> tuple[str, ...]:
    """The URLs of the relays. URLs in events are never used."""
    return tuple(url.strip() for url in os.environ["RELAYS"].split(",") if url.strip())


def gateway_endpoint() -> str | None:
    return os.environ.get("GATEWAY_ENDPOINT") or None


def gateway_url() -> str | None:
    return os.environ.get("GATEWAY_URL") or None


def watched() -> Watched:
    return Watched(
        table=table(),
        queues={"moves": os.environ["MOVES_QUEUE_URL"], "seeks": os.environ["SEEKS_QUEUE_URL"]},
        dead_letters=(*filter(None, os.environ["DEAD_LETTER_QUEUE_URLS"].split(",")),),
        relays=own_relays(),
    )


def own_relays() -> tuple[str, ...]:
    """The relays that the arbiter's profile lists: the configured ones and its gateway."""
    own = gateway_url()
    return (*relays(), own) if own else relays()


def transcripts_bucket() -> str:
    return os.environ.get("TRANSCRIPTS_BUCKET", "")


def server_name() -> str:
    return os.environ.get("SERVER_NAME", "Arbiter")


def house() -> tuple[HousePlayer, ...]:
    """The house players that the arbiter announces. Raises ``Misconfigured``."""
    try:
        return read_house(os.environ.get("HOUSE_KEYS", ""))
    except ValueError as error:
        raise Misconfigured(f"HOUSE_KEYS: {error}") from None


def listen_seconds() -> float:
    """The run time of a scheduled listener, unless its function times out first."""
    return float(os.environ.get("LISTEN_SECONDS", "690"))


def listener_shard() -> tuple[int, int]:
    """This listener's number, from 0, and the count: ``2/4``. Raises ``Misconfigured``."""
    text = os.environ.get("LISTENER_SHARD") or "1/1"
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise Misconfigured("LISTENER_SHARD is like 2/4: the second of four listeners")
    return int(number) - 1, int(count)


def log_level() -> str:
    return os.environ.get("LOG_LEVEL", "INFO")
