"""A log of Scuttlebutt in a file: signed by its authors, whatever is in it."""

import base64
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import chess.pgn
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from arbiter.core.pgn import pgn
from arbiter.dialects import arbiter_events
from bridge.archive import archived
from bridge.log_file import NoLog, message_of, values
from bridge.messages import Message
from tests.nostr.hostile.case import SERVER

Content = dict[str, Any]
_KEYS = tuple(Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2, 3))


def _feed(key: Ed25519PrivateKey) -> str:
    octets = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return f"@{base64.b64encode(octets).decode()}.ed25519"


_FEEDS = tuple(map(_feed, _KEYS))
_US = f"@{'B' * 43}=.ed25519"


@dataclass(frozen=True, slots=True)
class Said:
    """One message: by which feed. ``about`` is whom it invites (of us and the feeds), or how many
    invitations ago its game began.
    """

    by: int
    about: int
    content: Content


@dataclass(frozen=True, slots=True)
class Written:
    """A log as it is printed: what was said, with fields of the messages' own written over, and
    where its bytes were spoilt after that (none: not at all).
    """

    said: tuple[tuple[Said, dict[str, object]], ...]
    spoilt: bytes | None


def read(log: Written) -> str:
    """Read it, play its games again, write them as PGN and as notes, and read those."""
    text = _printed(log.said) if log.spoilt is None else log.spoilt.decode("utf-8", "replace")
    try:
        found = [message_of(value, at) for at, value in enumerate(values(text))]
    except NoLog:
        return "no-log"
    words = [type(one).__name__ for one in found]
    messages = [one for one in found if isinstance(one, Message)]
    for one in archived(messages, SERVER):
        record = pgn(one.game, white=one.white, black=one.black, site=f"ssb:{one.root}")
        read_back = chess.pgn.read_game(io.StringIO(record))
        assert read_back is not None
        assert not read_back.errors
        assert tuple(read_back.mainline_moves()) == one.game.moves
        if one.game.outcome is not None:
            SERVER.sign(arbiter_events.note_event(one.game, SERVER.pubkey))
        words.append(f"game-{min(one.game.ply, 9)}")
        words += [text.split(": ")[1].partition(" ")[0] for text in one.wrong]
    return " ".join(words)


def _printed(said: tuple[tuple[Said, dict[str, object]], ...]) -> str:
    """As ``ssb-server log`` prints it."""
    roots: list[str] = []
    lines: list[str] = []
    for number, (one, fields) in enumerate(said):
        content = _addressed(one, (_US, *_FEEDS), roots)
        value = {
            "previous": None,
            "sequence": number + 1,
            "author": _FEEDS[one.by],
            "timestamp": 1_700_000_000_000 + number,
            "hash": "sha256",
            "content": content,
            **fields,
        }
        key, signed = _signed(value, _KEYS[one.by])
        if str(content["type"]).endswith("chess_invite"):
            roots.append(key)
        lines.append(json.dumps({"key": key, "value": signed, "timestamp": 1}))
    return "\n\n".join(lines)


def _signed(value: dict[str, object], by: Ed25519PrivateKey) -> tuple[str, dict[str, object]]:
    octets = json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace")
    signature = base64.b64encode(by.sign(octets)).decode() + ".sig.ed25519"
    whole = json.dumps(signed := {**value, "signature": signature}, indent=2, ensure_ascii=False)
    digest = hashlib.sha256(whole.encode("utf-16-le", "surrogatepass")[::2]).digest()
    return f"%{base64.b64encode(digest).decode()}.sha256", signed


def _addressed(said: Said, feeds: Sequence[str], roots: Sequence[str]) -> Content:
    """The content with whom or which game it is about; ``roots`` are the invitations so far."""
    kind = said.content["type"]
    if isinstance(kind, str) and kind.endswith("chess_invite"):
        return {"inviting": feeds[said.about % len(feeds)], **said.content}
    if kind == "contact":
        return said.content
    root = roots[-1 - said.about % len(roots)] if roots else f"%{'A' * 43}=.sha256"
    return {"root": root, **said.content}
