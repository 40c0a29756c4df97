"""H67 where the arbiter carries chat: a game with a feed of Scuttlebutt, over relays."""

import base64
from collections.abc import Iterator
from functools import partial

from arbiter.adapters.encrypter import KeyEncrypter
from arbiter.core.game import BLACK
from arbiter.dialects.ssb.address import Role, seat_of
from arbiter.nostr.keys import SecretKey
from tests.hostile.case import Case, Door, by_relay, bytes_of, once, signed
from tests.hostile.stage import CANARY, Stage, a_game
from tests.letters import a_feed, a_message
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER

BRIDGED = seat_of(SERVER.pubkey, a_feed("anna"), a_message("root"), Role.HOST, BLACK)
"""A feed's seat: whoever sits there hears of Nostr what the arbiter carries, and nothing else."""

_CAUSE = "ab" * 32


def sealed(text: str, by: SecretKey = PLAYER, to: str = SERVER.pubkey) -> str:
    """Sealed as NIP-44 has it."""
    payload = KeyEncrypter(lambda: by).encrypt(to, text, _CAUSE)
    assert payload is not None
    return payload


def _bridged() -> Stage:
    return Stage(game=a_game(black=BRIDGED))


def _said(kind: int, content: str, *tags: tuple[str, ...], by: SecretKey = PLAYER) -> bytes:
    named = tags or (("d", GAME),)
    return bytes_of(signed(by, kind, content, *named, ("p", SERVER.pubkey)))


def _one(name: str, event: bytes, answer: str, *, is_bridged: bool = True) -> Case:
    return Case(
        name=f"H67 chat {name}",
        note="carried only across a border, by who plays there, clean and short; else dropped",
        door=Door.RELAY,
        answer=answer,
        knock=by_relay(once(event)),
        stage=_bridged if is_bridged else Stage,
    )


def carried_chat() -> Iterator[Case]:
    """What cannot be opened, what is not seen when it is, and what is nobody's business."""
    sound = sealed("hello")
    raw = base64.b64decode(sound)
    spoilt = {
        "that is not sealed": CANARY,
        "of nothing": "",
        "sealed and cut short": sound[:-4],
        "sealed and cut by a letter": sound[:-1],
        "sealed and altered": base64.b64encode(raw[:40] + b"\0" + raw[41:]).decode(),
        "sealed with another's code": base64.b64encode(raw[:-32] + bytes(32)).decode(),
        "sealed by version 1": base64.b64encode(b"\x01" + raw[1:]).decode(),
        "sealed by version 255": base64.b64encode(b"\xff" + raw[1:]).decode(),
        "marked as of the future": "#" + sound[1:],
        "sealed for another": sealed("hello", to=STRANGER.pubkey),
        "sealed by another": sealed("hello", by=STRANGER),
        "that is 60,000 letters of base64": "A" * 60_000,
        "that is a line break in base64": sound[:50] + "\n" + sound[50:],
        "that is 131 letters": "A" * 131,
        "that cannot be seen": sealed("\u202e\u200b\u2066\ufeff"),
        "of breaks and controls": sealed("\n\r\x1b\x07\0"),
    }
    for name, content in spoilt.items():
        yield _one(name, _said(20305, content), "chat-unreadable")
    for name, content in (("of blanks", " \t "), ("that cannot be seen", "\u200b\u202e")):
        yield _one(f"for spectators {name}", _said(20306, content), "chat-unreadable")
    private = _said(20305, sealed("hello", by=STRANGER), by=STRANGER)
    yield _one("between players, by a spectator", private, "chat-not-carried")
    for name, kind in (("private", 20305), ("public", 20306)):
        yield _one(
            f"that is {name}, where both are on Nostr",
            _said(kind, sound),
            "chat-not-carried",
            is_bridged=False,
        )
    for name, answer, tags in (
        ("in no game of ours", "chat-not-carried", (("d", "ff" * 16),)),
        ("in a game of a strange id, carried", "unaddressed", (("d", "../etc"),)),
        ("in two games, carried", "unaddressed", (("d", GAME), ("d", "ff" * 16))),
        ("without a game, carried", "unaddressed", (("d",),)),
    ):
        yield _one(name, _said(20306, CANARY, *tags), answer)
    for name, by, most in (("of one key", PLAYER, 5), ("of a stranger", STRANGER, 5)):
        lines = [_said(20306, f"line {number}", by=by) for number in range(most + 1)]
        yield Case(
            name=f"H67 the sixth line {name} in ten seconds, carried",
            note="some networks forget nothing",
            door=Door.RELAY,
            answer="chat-rate-limited",
            knock=partial(_all, lines),
            stage=_bridged,
        )


def _all(lines: list[bytes], stage: Stage) -> str:
    answer = by_relay(once(*lines))(stage)
    assert len(stage.world.outbox.said) == len(lines) - 1
    return answer
