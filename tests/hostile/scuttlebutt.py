"""H01 to H67 as feeds of Scuttlebutt would do it: in letters of our bridge, and
in chat that the arbiter carries for a game with a feed.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from arbiter.core.game import BLACK
from arbiter.dialects.ssb.address import Role, seat_of
from arbiter.dialects.ssb.messages import ENVELOPE
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import KeyEncrypter
from tests.builders import BRIDGE
from tests.hostile.case import Case, events, signed
from tests.hostile.stage import CANARY, NOW_MS, Stage, a_game
from tests.letters import US, Content, a_feed, a_message
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, bytes_of

_ANNA, _BERT, _EVE = (a_feed(name) for name in ("anna", "bert", "eve"))
_ROOT = a_message("the invitation")
_INVITED: Content = {"type": "chess_invite", "inviting": _BERT, "myColor": "white"}


def _letter(author: str, content: object, **other: object) -> str:
    """A letter's text: this message about the game of Anna and Bert, with ``other`` fields."""
    letter = {
        "key": a_message(json.dumps([author, str(content)])),
        "author": author,
        "sequence": 7,
        "timestamp": NOW_MS - 5,
        "private": False,
        "us": US,
        "content": content,
        "invite": {"key": _ROOT, "author": _ANNA, "content": _INVITED},
    }
    return json.dumps({**letter, **other})


def _record(text: str, by: Any = BRIDGE) -> str:
    event = json.loads(bytes_of(signed(by, ENVELOPE, text, ("p", SERVER.pubkey))))
    return json.dumps({"event": event, "received_at_ms": NOW_MS})


def _move(**fields: object) -> Content:
    return {"type": "chess_move", "root": _ROOT, "orig": "e2", "dest": "e4", "ply": 1, **fields}


def _end(status: str) -> Content:
    return {"type": "chess_game_end", "root": _ROOT, "status": status}


_BEGUN = (
    _letter(_ANNA, _INVITED, key=_ROOT),
    _letter(_BERT, {"type": "chess_invite_accept", "root": _ROOT}),
)


def _case(name: str, answer: str, text: str, *, begun: bool = True) -> Case:
    def knock(stage: Stage) -> str:
        """The status of this letter after those, none of which has a move in it."""
        for before in _BEGUN if begun else ():
            stage.from_queue([_record(before)])
        status = stage.from_queue([_record(text)])
        assert [game for game in stage.world.games.standing.values() if game.ply != 0] == []
        for said in stage.world.outbox.said:
            assert CANARY not in json.dumps(dict(said.content))
        return status

    return Case(name, "letter", f"{answer}, heeded" if begun else answer, knock)


_ALTERED: tuple[tuple[str, str, object], ...] = (
    *(("from a list", "orig", ["e2"]), ("to a script", "dest", f"<script>{CANARY}")),
    *(("at ply 10^40", "ply", 10**30), ("that becomes a list", "promotion", ["q"])),
    *(("with a FEN of 129 letters", "fen", "k" * 129), ("at a ply of words", "ply", CANARY)),
)
_OF_NO_SHAPE: Mapping[str, Content] = {
    "a type that is a list": {"type": ["chess_move"]},
    "a post": {"type": "post", "text": CANARY},
    "a winner who does not play": {"type": "chess_game_end", "status": "draw", "winner": CANARY},
    "a chat of numbers": {"type": "chess_chat", "msg": 7},
}
_REFUSED: tuple[tuple[str, str, str, Content], ...] = (
    ("Black moves in White's turn", "not-your-turn", _BERT, _move(orig="e7", dest="e5")),
    ("a third feed moves", "not-a-player", _EVE, _move()),
    ("a third feed resigns", "not-a-player", _EVE, _end("resigned")),
    ("a move that is not legal", "illegal-move", _ANNA, _move(dest="e5")),
    ("a mate that is none", "wrong-result", _ANNA, _move() | _end("mate")),
    ("a draw by a move that draws nothing", "wrong-result", _ANNA, _move() | _end("draw")),
    ("a move of tomorrow", "held", _ANNA, _move(ply=3, orig="g1", dest="f3")),
)


def letters() -> Iterator[Case]:
    for name, field, value in _ALTERED:
        text = _letter(_ANNA, _move(**{field: value}))
        yield _case(f"H48 a feed's move {name}", "malformed", text)
    for name, content in _OF_NO_SHAPE.items():
        text = _letter(_ANNA, {"root": _ROOT, **content})
        yield _case(f"H29 a feed's message of {name}", "malformed", text)
    for name, answer, author, content in _REFUSED:
        yield _case(f"H44 {name} on Scuttlebutt", answer, _letter(author, content))
    text = _letter(_ANNA, _move())
    another = "H02 a letter by another key"
    yield Case(
        another, "letter", "not-by-bridge", lambda it: it.from_queue([_record(text, STRANGER)])
    )
    for name, spoilt in _unread(text).items():
        flaw = "malformed-too_large" if "70,000" in name else "unaddressed"
        yield _case(name, flaw, spoilt, begun=False)
    for name, (answer, invited) in _INVITATIONS.items():
        mine = {"key": _ROOT, "author": _ANNA, "content": invited}
        yield _case(name, answer, _letter(_ANNA, invited, key=_ROOT, invite=mine), begun=False)
    mine = {"key": _ROOT, "author": _ANNA, "content": _TO_US | {"myColor": CANARY}}
    nowhere = "H55 a move where an invitation was none"
    yield _case(nowhere, "unaddressed", _letter(_ANNA, _move(), invite=mine), begun=False)


_TO_US: Content = {"type": "chess_invite", "inviting": US, "myColor": "white"}
_INVITATIONS: Mapping[str, tuple[str, Content]] = {
    "H55 an invitation that names no feed": ("unaddressed", _TO_US | {"inviting": CANARY}),
    "H55 an invitation of another in no colour": ("unaddressed", _INVITED | {"myColor": "red"}),
    "H55 an invitation in no colour": ("request-bad-terms", _TO_US | {"myColor": CANARY}),
    "H55 an invitation in a list of colours": (
        "request-bad-terms",
        _TO_US | {"myColor": ["white"]},
    ),
    "H55 an invitation after no game": ("request-bad-terms", _TO_US | {"root": CANARY}),
    "H54 a feed that invites itself": ("unaddressed", _TO_US | {"inviting": _ANNA}),
    "H55 an invitation that names two opponents": (
        "request-bad-terms",
        _TO_US | {"text": f"{PLAYER.pubkey} or {STRANGER.pubkey}"},
    ),
}


def _unread(text: str) -> dict[str, str]:
    """Letters that no bridge of ours would write, most of them from this one."""
    return {
        "H29 a letter of words": CANARY,
        "H29 a letter of an array": "[]",
        "H24 a letter of an abyss": "[" * 60_000,
        "H20 a letter with one field twice": text[:-1] + f',"us":"{US}"}}',
        "H21 a letter with NaN in it": text.replace('"sequence": 7', '"sequence": NaN'),
        "H22 a letter with a number of 5,000 digits": text.replace(": 7", ": " + "7" * 5_000),
        "H25 a letter with half a character": text.replace('"e2"', '"\\ud83d"'),
        "H29 a letter without an invitation": _letter(_ANNA, _move(), invite=None),
        "H29 a letter whose content is text": _letter(_ANNA, "AAAA.box"),
        "H23 a letter that is private 1": _letter(_ANNA, _move(), private=1),
        "H06 a letter by no feed": _letter("@x.ed25519", _move()),
        "H06 a letter to no feed": _letter(_ANNA, _move(), us="@x.ed25519"),
        "H29 a letter whose invitation is a move": _letter(
            _ANNA, _move(), invite={"key": _ROOT, "author": _ANNA, "content": _move()}
        ),
        "H08 a letter by a feed spelt otherwise": _letter(_ANNA[:43] + "_=.ed25519", _move()),
        "H08 a letter by a feed with a newline": _letter(_ANNA + "\n", _move()),
        "H42 a letter of no message": _letter(_ANNA, _move(), key="%../etc"),
        "H30 a letter of 70,000 bytes": _letter(_ANNA, _move(x="x" * 70_000)),
    }


BRIDGED = seat_of(SERVER.pubkey, _ANNA, a_message("root"), Role.HOST, BLACK)
"""A feed's seat: chat of Nostr reaches its player through the arbiter alone."""


def sealed(text: str, by: SecretKey = PLAYER, to: str = SERVER.pubkey) -> str:
    """Sealed as NIP-44 has it."""
    payload = KeyEncrypter(lambda: by).encrypt(to, text, "ab" * 32)
    assert payload is not None
    return payload


def _bridged() -> Stage:
    return Stage(game=a_game(black=BRIDGED))


def _said(kind: int, content: str, *tags: tuple[str, ...], by: SecretKey = PLAYER) -> bytes:
    named = tags or (("d", GAME),)
    return bytes_of(signed(by, kind, content, *named, ("p", SERVER.pubkey)))


def carried_chat() -> Iterator[Case]:
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
    elsewhere, strange = ("d", "ff" * 16), (("d", "../etc"),)
    private = _said(20305, sealed("hello", by=STRANGER), by=STRANGER)
    carried = {name: ("chat-unreadable", _said(20305, it)) for name, it in spoilt.items()} | {
        "for spectators of blanks": ("chat-unreadable", _said(20306, " \t ")),
        "for spectators that cannot be seen": ("chat-unreadable", _said(20306, "\u200b\u202e")),
        "between players, by a spectator": ("chat-not-carried", private),
        "in no game of ours": ("chat-not-carried", _said(20306, CANARY, elsewhere)),
        "in a game of a strange id, carried": ("unaddressed", _said(20306, CANARY, *strange)),
        "in two games, carried": ("unaddressed", _said(20306, CANARY, ("d", GAME), elsewhere)),
        "without a game, carried": ("unaddressed", _said(20306, CANARY, ("d",))),
    }
    rows = ((f"H67 chat {name}", answer, event) for name, (answer, event) in carried.items())
    yield from events(rows, _bridged)
    for name, kind in (("private", 20305), ("public", 20306)):
        row = (f"H67 chat that is {name}, where both are on Nostr", "chat-not-carried")
        yield from events(((*row, _said(kind, sound)),))
    for name, by in (("of one key", PLAYER), ("of a stranger", STRANGER)):
        lines = [_said(20306, f"line {number}", by=by) for number in range(6)]
        sixth = f"H67 the sixth line {name} in ten seconds, carried"
        yield Case(sixth, "relay", "chat-rate-limited", partial(_flood, lines), _bridged)


def _flood(lines: list[bytes], stage: Stage) -> str:
    answer = stage.from_relay(b'["EVENT","arbiter",' + it + b"]" for it in lines)
    assert len(stage.world.outbox.said) == len(lines) - 1
    return answer
