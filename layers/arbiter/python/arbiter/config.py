"""What the arbiter is told by its environment: the only reader of it, at first use.

Each value is read anew whenever it is asked for, and nothing is read at import. What must be there
and is not raises ``KeyError``.
"""

import os

from arbiter.adapters.health import Watched
from arbiter.adapters.timers import Schedules
from arbiter.application.queue_messages import QueueName
from arbiter.core.rules import Rules
from arbiter.nostr.hexadecimal import is_hex_32_bytes
from arbiter.web.deps import Limits


class Misconfigured(Exception):
    """The environment contradicts itself; the text says what to mend."""


def table() -> str:
    """The table of games, players and ratings."""
    return os.environ["TABLE_NAME"]


def short_lived_table() -> str:
    """The table of who is connected and who asked how often."""
    return os.environ["SHORT_LIVED_TABLE"]


def event_queues() -> dict[QueueName, str]:
    """The URLs of the queues that events wait in, by name."""
    return {"moves": os.environ["MOVES_QUEUE_URL"], "seeks": os.environ["SEEKS_QUEUE_URL"]}


def moves_queue() -> dict[QueueName, str]:
    """The one of them that nudges join: the clock function is told of no other."""
    return {"moves": os.environ["MOVES_QUEUE_URL"]}


def republish_queue() -> str:
    """The URL of the queue of what is to be said again."""
    return os.environ["REPUBLISH_QUEUE_URL"]


def clock_queue() -> str:
    """The URL of the queue that deadlines wait in."""
    return os.environ["CLOCK_QUEUE_URL"]


def scuttlebutt_queue() -> str:
    """The URL of the queue of what the bridge to Scuttlebutt is to say."""
    return os.environ["SCUTTLEBUTT_QUEUE_URL"]


def schedules() -> Schedules | None:
    """Where schedules are made; None where there are none."""
    group = os.environ.get("SCHEDULE_GROUP")
    if not group:
        return None
    return Schedules(
        group=group,
        target_arn=os.environ["SCHEDULE_TARGET_ARN"],
        role_arn=os.environ["SCHEDULER_ROLE_ARN"],
    )


def key_parameter() -> str:
    """The name of the parameter that holds the server's secret key."""
    return os.environ["KEY_PARAMETER"]


def public_url() -> str:
    """Where browsers find the HTTP API; empty if nobody said."""
    return os.environ.get("PUBLIC_URL", "")


def rules() -> Rules:
    """What the operator chose."""
    return Rules(
        illegal_moves_to_lose=int(os.environ.get("ILLEGAL_MOVES_TO_LOSE", "3")),
        work_of_strangers=int(os.environ.get("WORK_OF_STRANGERS", "0")),
    )


def limits() -> Limits:
    """How much of the HTTP API one address and one browser may have."""
    return Limits(
        per_address=int(os.environ.get("REQUESTS_PER_ADDRESS", "1200")),
        per_browser=int(os.environ.get("REQUESTS_PER_BROWSER", "300")),
        new_games_per_address=int(os.environ.get("NEW_GAMES_PER_ADDRESS", "120")),
    )


def bridge_pubkey() -> str | None:
    """The key (64 hex) of the bridge to Scuttlebutt, whose letters are taken; None where there is
    no bridge. Raises ``Misconfigured`` where only half of one is set up.
    """
    bridge = os.environ.get("BRIDGE_PUBKEY") or None
    if (bridge is None) != (not os.environ.get("SCUTTLEBUTT_QUEUE_URL")):
        raise Misconfigured("a bridge to Scuttlebutt is BRIDGE_PUBKEY and SCUTTLEBUTT_QUEUE_URL")
    if bridge is not None and not is_hex_32_bytes(bridge):
        raise Misconfigured("BRIDGE_PUBKEY is 64 lower-case hexadecimal digits")
    return bridge


def server_pubkey() -> str:
    """The server's public key, 64 lower-case hex digits."""
    return os.environ["SERVER_PUBKEY"]


def relays() -> tuple[str, ...]:
    """The relays to hear and to tell: configured ones only; a URL in an event is never dialled."""
    return tuple(url.strip() for url in os.environ["RELAYS"].split(",") if url.strip())


def gateway_endpoint() -> str | None:
    """Where API Gateway takes frames for our sockets; None where there is no gateway."""
    return os.environ.get("GATEWAY_ENDPOINT") or None


def gateway_url() -> str | None:
    """What players dial, a ws or wss URL; None where there is no gateway."""
    return os.environ.get("GATEWAY_URL") or None


def watched() -> Watched:
    """What a health check looks at."""
    return Watched(
        table=table(),
        queues={"moves": os.environ["MOVES_QUEUE_URL"], "seeks": os.environ["SEEKS_QUEUE_URL"]},
        dead_letters=(*filter(None, os.environ["DEAD_LETTER_QUEUE_URLS"].split(",")),),
        relays=own_relays(),
    )


def own_relays() -> tuple[str, ...]:
    """Where the arbiter is to be found, as its profile says it: its relays, and its gateway."""
    own = gateway_url()
    return (*relays(), own) if own else relays()


def server_name() -> str:
    """What the arbiter calls itself in its profile."""
    return os.environ.get("SERVER_NAME", "Arbiter")


def listen_seconds() -> float:
    """How long one scheduled listener lives, unless its time-out comes first."""
    return float(os.environ.get("LISTEN_SECONDS", "690"))


def log_level() -> str:
    """The least severe level that is logged, by its name in `logging`."""
    return os.environ.get("LOG_LEVEL", "INFO")
