"""The limits on strangers, in one table, as in docs/gateway.md and `arbiter_Refused` of `/metrics`.
Those of messages are `RelayLimits`, on AWS as here.
"""

import re

from arbiter.application.gateway.reach import DELIVERED_FREELY, MAX_OTHERS
from arbiter.nostr.limits import MAX_OTHER_BYTES
from arbiter.nostr.nip11 import DEFAULT_LIMITS as RELAY
from arbiter.web.deps import Limits

HTTP = Limits()

MAX_HEAD_BYTES, MAX_HEADERS = 10_240, 100
"""Of a request; API Gateway takes as many bytes."""
MAX_BODY_BYTES, MAX_BRIDGE_BYTES = 65_536, 1_048_576
MAX_REQUEST_SECONDS, MAX_ANSWER_SECONDS = 15.0, 60.0
"""From a request's first byte to its last; then until the answer is read."""
MAX_FRAME_BYTES = 131_072
"""As API Gateway."""
MAX_MESSAGE_SECONDS = 15.0
MAX_CONTROL_FRAMES = 60
"""In ten seconds; clients ping every twenty."""
MAX_UNREAD_BYTES, MAX_UNREAD_BYTES_IN_ALL = 1_000_000, 32_000_000
MAX_MS_OF_ONE = 2_000
"""Processor time of reading in ten seconds, of one address or key: a page takes 1 to 50 ms."""
MAX_MS_OF_STRANGERS = 8_000
"""Of all strangers together: the rest is there for players."""
MAX_WAITING, MAX_WAITING_OF_ONE = 4_000, 200
MAX_SOCKETS_OF_ADDRESS = 1_000
SPARE_DESCRIPTORS = 100
"""For the file, relays and what else is opened."""

TABLE = f"""\
| name | of | limit | beyond it | on AWS |
|---|---|---|---|---|
| `spare_descriptors` | open files left | {SPARE_DESCRIPTORS} | the request that is unfinished longest goes, else the latest socket on which nothing was published | API Gateway's |
| `sockets_of_address` | open sockets of an address | {MAX_SOCKETS_OF_ADDRESS:,} | 429 | none |
| `address_connections_per_minute` | sockets that an address opens in a minute | {RELAY.address_connections_per_minute:,} | 429 | |
| `no_http` | what is no HTTP | 0 | 400, closed | API Gateway's |
| `header_bytes`, `headers` | bytes of a request's head; fields | {MAX_HEAD_BYTES:,}; {MAX_HEADERS} | 431, closed | API Gateway's |
| `body_bytes` | bytes of its body; of the bridge's, of a transcript's | {MAX_BODY_BYTES:,}; {MAX_BRIDGE_BYTES:,} | 413 | API Gateway's |
| `requests_at_once` | requests on a connection before the answer | 1 | closed after that answer | API Gateway's |
| `request_seconds` | seconds of a request | {MAX_REQUEST_SECONDS:.0f} | 408, closed | API Gateway's |
| `answer_seconds` | seconds until the answer is read | {MAX_ANSWER_SECONDS:.0f} | closed | API Gateway's |
| `http_per_minute` | requests of an address, of a browser; transcripts handed in; hot-seat games an hour | {HTTP.per_address:,}, {HTTP.per_browser}; {HTTP.transcripts_per_address}; {HTTP.new_games_per_address} | 429 | |
| `websocket` | frames against RFC 6455, texts that are no UTF-8 | 0 | closed, 1002 or 1007 | API Gateway's |
| `frame_bytes` | bytes of a message as received | {MAX_FRAME_BYTES:,} | closed, 1009 | API Gateway's |
| `message_seconds` | seconds of a message, of a farewell | {MAX_MESSAGE_SECONDS:.0f} | closed | API Gateway's |
| `control_frames` | pings, pongs, fragments in 10 s | {MAX_CONTROL_FRAMES} | closed, 1008 | API Gateway's |
| `unread_bytes` | bytes that a client does not read | {MAX_UNREAD_BYTES:,} | closed, 1013; not read from 64,000 on | API Gateway's |
| `unread_bytes_in_all` | those of all clients | {MAX_UNREAD_BYTES_IN_ALL:,} | the slowest reader is closed | API Gateway's |
| `reading_of_one`, `reading_of_strangers` | milliseconds of reading in 10 s, of an address or a key that the socket proved; of all who do not play | {MAX_MS_OF_ONE:,}; {MAX_MS_OF_STRANGERS:,} | `CLOSED rate-limited:`, 429 | none |
| `plies_per_ten_seconds`, `all_plies_per_ten_seconds` | half-moves of notes, entries and boards of events, shown to an address, to all | none | `CLOSED rate-limited:` | {RELAY.plies_per_ten_seconds:,}; {RELAY.all_plies_per_ten_seconds:,} |
| `reading_waiting_of_one`, `reading_waiting` | questions of an address that wait; of all | {MAX_WAITING_OF_ONE}; {MAX_WAITING:,} | `CLOSED rate-limited:`, 429 | none |
| `message_bytes` | bytes of a message; of one without an event | {RELAY.message_bytes:,}; {MAX_OTHER_BYTES:,} | `invalid:` | |
| `garbage` | frames that are no message in 10 minutes | {RELAY.garbage} | `NOTICE`, closed | |
| `frames_per_ten_seconds` | frames of a connection, [in tens](decisions/0034-frames-are-counted-in-tens.md) | {RELAY.frames_per_ten_seconds} | `rate-limited:`; closed at twice as many | |
| `address_frames_per_ten_seconds` | frames of an address | {RELAY.address_frames_per_ten_seconds:,} | `rate-limited:`; at twice as many closed, and 429 for the next minute | a quarter of `FramesPerSecond` |
| `address_deliveries_per_ten_seconds` | deliveries of what an address brought, where one has more than {DELIVERED_FREELY} | {RELAY.address_deliveries_per_ten_seconds:,} | its players hear it, and {DELIVERED_FREELY} others | a quarter of `FramesPerSecond` |
| deliveries | of one event that is not of a tournament, beside its players' | {MAX_OTHERS} | the rest hear nothing | |
| `requests_per_ten_seconds` | REQs of a connection, counted from that frame on | {RELAY.requests_per_ten_seconds} | `CLOSED rate-limited:` | |
| `filters`, `topics`, `filter_bytes` | filters of a REQ; values in them; their JSON | {RELAY.filters}; {RELAY.topics}; {RELAY.filter_bytes:,} bytes | `CLOSED restricted:` | |
| `subscriptions` | of a connection | {RELAY.subscriptions} | `CLOSED restricted:` | |
| `of_an_address` | subscriptions of an address to one game, player or kind | {RELAY.of_an_address} | `CLOSED restricted:` | |
| `address_subscriptions` | subscriptions of an address in all | {RELAY.address_subscriptions:,} | `CLOSED restricted:` | |
| `pubkeys` | keys that a connection speaks for | {RELAY.pubkeys} | `OK false restricted:` | |
| `past_seconds`, `future_seconds` | age of an event; seconds ahead | {RELAY.past_seconds}; {RELAY.future_seconds} | `OK false invalid:` | |
| `untagged_connect_seconds` | the same, of a `connect` without `p` | {RELAY.untagged_connect_seconds} | `OK false invalid:` | |
| `event_tags`, `content_chars` | tags, characters of content | {RELAY.event_tags}; {RELAY.content_chars:,} | `OK false invalid:` | |
| `events_per_ten_seconds`, `chats_per_ten_seconds` | events of a key, at one address or on all sockets that proved it; lines of chat | {RELAY.events_per_ten_seconds}; {RELAY.chats_per_ten_seconds} | `OK false rate-limited:` | |
| `address_seeks_per_ten_seconds`, `address_chats_per_ten_seconds` | requests to play, lines of chat from an address | {RELAY.address_seeks_per_ten_seconds}; {RELAY.address_chats_per_ten_seconds} | `OK false rate-limited:` | |
| `address_entries_per_ten_seconds`, `all_entries_per_ten_seconds` | commands of [events](nip/events.md) from an address; in all | {RELAY.address_entries_per_ten_seconds}; {RELAY.all_entries_per_ten_seconds:,} | `OK false rate-limited:` | |
| `questions_per_ten_seconds` | 20303 `state` about one game, by all | {RELAY.questions_per_ten_seconds} | `OK false rate-limited:` | |
| `strangers_per_ten_seconds`, `address_strangers_per_ten_seconds`, `all_strangers_per_ten_seconds` | commands in a game by those who do not play it; from an address; in all | {RELAY.strangers_per_ten_seconds}; {RELAY.address_strangers_per_ten_seconds}; {RELAY.all_strangers_per_ten_seconds} | `OK false rate-limited:` | |
"""

NAMES = tuple(
    name for row in TABLE.splitlines()[2:] for name in re.findall("`([a-z_]+)`", row.split("|")[1])
)
