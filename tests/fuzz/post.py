"""Letters of the bridge as no bridge of ours would write them: sound ones of games that go on, with
a field written over or gone, or their bytes spoilt.

The arbiter must not need the gate: it reads itself whatever is signed with the bridge's key.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from arbiter.dialects.ssb.messages import ENVELOPE
from bridge.messages import Message
from tests.bridge.logs import ANNA, BERT, CARL, US, Author, key
from tests.builders import BRIDGE
from tests.fuzz.choices import Choices
from tests.fuzz.letters import Said, addressed, check_uttered, talks
from tests.fuzz.oracle import check
from tests.fuzz.texts import anything, scrap
from tests.fuzz.values import a_value, alter
from tests.hostile.case import signed
from tests.hostile.stage import Stage
from tests.nostr.hostile.case import SERVER, bytes_of

_FEEDS = (ANNA, BERT, CARL)
_IDS = (US, *_FEEDS, key(f"{ANNA} 1"), key(f"{BERT} 1"), key("absent"))
_OF_NO_GAME = Author(CARL).invites(US)
_FORK: dict[str, object] = {"sequence": 3, "known": key(f"{ANNA} 2")}


def letters(choices: Choices) -> tuple[str, ...]:
    """What is in the letters, one after the other."""
    return tuple(_text(choices, sound) for sound in _sound(talks(choices)))


def _sound(said: Sequence[Said]) -> Iterator[dict[str, Any]]:
    """As the bridge writes them; but of games, too, that it would not bring to us."""
    authors, invites = [Author(feed) for feed in _FEEDS], [_OF_NO_GAME]
    for one in said:
        roots = [invite.key for invite in invites]
        content = addressed(one, (US, *_FEEDS), roots)
        written = authors[one.by].writes(content, private=one.private)
        if written.is_invite:
            invites.append(written)
        known = {invite.key: invite for invite in invites}
        yield _letter(written, known.get(written.root, invites[-1]))


def _letter(message: Message, invite: Message) -> dict[str, Any]:
    return {
        "key": message.key,
        "author": message.author,
        "sequence": message.sequence,
        "timestamp": message.timestamp,
        "private": message.private,
        "us": US,
        "content": dict(message.content),
        "invite": {"key": invite.key, "author": invite.author, "content": dict(invite.content)},
    }


def _text(choices: Choices, letter: dict[str, Any]) -> str:
    if choices.chance(40):
        return anything(choices)
    if choices.chance(12):
        letter["fork"] = a_value(choices) if choices.chance(2) else _FORK
    for _ in range(choices.pick((0, 0, 0, 0, 0, 0, 1, 1, 2))):
        alter(choices, letter, _IDS)
    text = json.dumps(letter)
    return (
        scrap(choices, (text.encode(),)).decode("utf-8", "replace") if choices.chance(12) else text
    )


def post(texts: tuple[str, ...]) -> str:
    """Sign them as the bridge does, and hand them over."""
    with Stage() as stage:
        words: list[str] = []
        for text in texts:
            event = bytes_of(signed(BRIDGE, ENVELOPE, text, ("p", SERVER.pubkey)))
            at = b',"received_at_ms":%d}' % stage.world.clock.ms
            words.append(stage.from_queue([b'{"event":' + event + at]))
            stage.world.clock.ms += 1_000
        check(stage)
        check_uttered(stage)
    return " ".join(words)
