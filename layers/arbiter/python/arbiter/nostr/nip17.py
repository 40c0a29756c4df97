"""NIP-17 direct messages: a kind 14 rumor, in a kind 13 seal, in a kind 1059 gift wrap (NIP-59).
The caller brings time and chance; a wrap is bounded before it is decrypted.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    ParseError,
    VerifiedEvent,
    all_tags,
    event_id,
    event_to_json,
    parse_event,
    verify,
)
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.limits import GIFT_WRAP, MAX_WRAP_CHARS
from arbiter.nostr.nip44 import NONCE_BYTES, conversation_key, decrypt, encrypt
from arbiter.nostr.strict_json import read_json, write_json

MESSAGE, SEAL = 14, 13

MAX_RELAYS = 3
"""NIP-17: "Clients SHOULD guide users to keep kind:10050 lists small (1-3 relays)"."""

_URL = re.compile(
    r"wss?://(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.-]{1,120})(:[0-9]{1,5})?(/[!-~]{0,100})?"
)

_BACKDATED_SECONDS = 2 * 24 * 60 * 60

Entropy = Callable[[int], bytes]
"""So many random bytes."""


@dataclass(frozen=True, slots=True)
class DirectMessage:
    """A text that the player of this key (64 hex) signed for the reader, ``at`` (unix seconds)."""

    author: str
    text: str
    at: int


def wrap_message(
    sender: SecretKey, to: str, text: str, at: int, entropy: Entropy
) -> VerifiedEvent | None:
    """The gift wrap of this text for the key ``to``, said ``at`` (unix seconds); or None."""
    tags = (("p", to),)
    rumor = {
        "id": event_id(sender.pubkey, at, MESSAGE, tags, text),
        "pubkey": sender.pubkey,
        "created_at": at,
        "kind": MESSAGE,
        "tags": tags,
        "content": text,
    }
    once = SecretKey.generate(entropy(32))
    try:
        seal = EventTemplate(SEAL, (), _sealed(sender, to, rumor, entropy), _past(at, entropy))
        signed = event_to_json(sender.sign(seal))
        wrap = EventTemplate(
            GIFT_WRAP, tags, _sealed(once, to, signed, entropy), _past(at, entropy)
        )
    except ValueError:
        return None
    return once.sign(wrap)


def unwrap_message(reader: SecretKey, wrap: VerifiedEvent) -> DirectMessage | None:
    if wrap.kind != GIFT_WRAP or len(wrap.content) > MAX_WRAP_CHARS:
        return None
    seal = parse_event(_opened(reader, wrap.pubkey, wrap.content) or "")
    signed = None if isinstance(seal, ParseError) or seal.kind != SEAL else verify(seal)
    if not isinstance(signed, VerifiedEvent):
        return None
    match read_json(_opened(reader, signed.pubkey, signed.content) or "", MAX_WRAP_CHARS):
        # NIP-17: "Clients MUST verify if pubkey of the kind:13 is the same pubkey on the kind:14".
        case {"kind": 14, "pubkey": signed.pubkey, "content": str(text), "created_at": int(at)}:
            return DirectMessage(signed.pubkey, text, at)
        case _:
            return None


def relays_in(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    """The first relays of a kind 10050 list that can be dialled."""
    named = (tag[1] for tag in all_tags(event, "relay")[: 4 * MAX_RELAYS] if len(tag) > 1)
    return tuple(dict.fromkeys(filter(_URL.fullmatch, named)))[:MAX_RELAYS]


def _sealed(sender: SecretKey, to: str, value: object, entropy: Entropy) -> str:
    """Raises ValueError if ``to`` is no key."""
    shared = conversation_key(bytes.fromhex(sender.to_hex()), to)
    return encrypt(write_json(value), shared, entropy(NONCE_BYTES))


def _opened(reader: SecretKey, author: str, payload: str) -> str | None:
    try:
        return decrypt(payload, conversation_key(bytes.fromhex(reader.to_hex()), author))
    except ValueError:
        return None


def _past(at: int, entropy: Entropy) -> int:
    return max(at - int.from_bytes(entropy(4), "big") % _BACKDATED_SECONDS, 0)
