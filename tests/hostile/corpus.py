"""All hostile inputs."""

from tests.hostile.at_relays import at_relays
from tests.hostile.at_sockets import at_sockets
from tests.hostile.case import Case
from tests.hostile.envelopes import envelopes
from tests.hostile.from_feeds import from_feeds
from tests.hostile.in_games import in_games
from tests.hostile.in_queues import in_queues
from tests.hostile.over_http import over_http
from tests.hostile.scripted import scripted
from tests.hostile.to_play import to_play

CASES: tuple[Case, ...] = (
    *envelopes(), *at_relays(), *at_sockets(), *from_feeds(), *in_games(), *in_queues(),
    *over_http(), *to_play(), *scripted(),
)  # fmt: skip
