"""What feeds of Scuttlebutt may write: in letters of our bridge, and in a log in a file."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from arbiter.dialects.ssb.messages import ENVELOPE
from tests.builders import BRIDGE
from tests.fuzz.letters import Content, Said
from tests.fuzz.logs import Written, read
from tests.hostile.case import Case, Door, bytes_of, signed
from tests.hostile.stage import CANARY, NOW_MS, Stage
from tests.letters import US, a_feed, a_message
from tests.nostr.hostile.case import PLAYER, SERVER, STRANGER

_ANNA, _BERT, _EVE = (a_feed(name) for name in ("anna", "bert", "eve"))
_ROOT = a_message("the invitation")
_INVITE = (_ROOT, _ANNA, {"type": "chess_invite", "inviting": _BERT, "myColor": "white"})


def _letter(author: str, content: object, **other: object) -> str:
    """A letter's text: this message about the game of Anna and Bert, with ``other`` fields."""
    key, inviter, invited = _INVITE
    letter = {
        "key": a_message(json.dumps([author, str(content)])),
        "author": author,
        "sequence": 7,
        "timestamp": NOW_MS - 5,
        "private": False,
        "us": US,
        "content": content,
        "invite": {"key": key, "author": inviter, "content": invited},
    }
    return json.dumps({**letter, **other})


def _record(text: str, by: Any = BRIDGE) -> str:
    event = json.loads(bytes_of(signed(by, ENVELOPE, text, ("p", SERVER.pubkey))))
    return json.dumps({"event": event, "received_at_ms": NOW_MS})


def _about(**fields: object) -> Content:
    return {"type": "chess_move", "root": _ROOT, "orig": "e2", "dest": "e4", "ply": 1, **fields}


_BEGUN = (
    _letter(_ANNA, _INVITE[2], key=_ROOT),
    _letter(_BERT, {"type": "chess_invite_accept", "root": _ROOT}),
)


def _after(earlier: Sequence[str], text: str, stage: Stage) -> str:
    """The status of this letter after those, none of which has a move in it."""
    for before in earlier:
        stage.from_queue(_record(before))
    status = stage.from_queue(_record(text))
    assert [game for game in stage.world.games.standing.values() if game.ply != 0] == []
    for said in stage.world.outbox.said:
        assert CANARY not in json.dumps(dict(said.content))
    return status


def _case(name: str, note: str, text: str, answer: str, earlier: Sequence[str] = _BEGUN) -> Case:
    knock = partial(_after, earlier, text)
    return Case(
        name=name, note=note, door=Door.LETTER, answer=answer, knock=knock, heeded=bool(earlier)
    )


def letters() -> Iterator[Case]:
    """H29 to H51 as feeds would do it."""
    yield from _envelopes()
    for name, field, value in (
        *(("from no square", "orig", "e9"), ("from a list", "orig", ["e2"])),
        *(("from a square in upper case", "orig", "E2"), ("to nowhere", "dest", None)),
        *(("to a script", "dest", f"<script>{CANARY}"), ("at ply 0", "ply", 0)),
        *(("at ply -1", "ply", -1), ("at ply true", "ply", True), ("at ply 1.0", "ply", 1.0)),
        *(("at ply 20,001", "ply", 20_001), ("at ply 10^40", "ply", 10**30)),
        *(("at a ply of words", "ply", CANARY), ("that becomes a king", "promotion", "k")),
        *(("that becomes a list", "promotion", ["q"]), ("that becomes a Queen", "promotion", "Q")),
        *(("with a SAN of 17 letters", "pgnMove", "e" * 17), ("with a SAN of 7", "pgnMove", 7)),
        *(("with a FEN of 129 letters", "fen", "k" * 129), ("with a FEN of lists", "fen", [])),
    ):
        yield _case(
            f"H48 a feed's move {name}",
            "squares, a count and perhaps a piece; all else is refused by name",
            _letter(_ANNA, _about(**{field: value})),
            "malformed",
        )
    for name, content in (
        ("no content", {}),
        ("a type of nobody's", {"type": CANARY}),
        ("a type that is a list", {"type": ["chess_move"]}),
        ("a post", {"type": "post", "text": CANARY}),
        ("a mate without a move", {"type": "chess_game_end", "status": "mate"}),
        ("an end of no kind", {"type": "chess_game_end", "status": CANARY}),
        ("a winner who is nobody", {"type": "chess_game_end", "status": "draw", "winner": CANARY}),
        ("a chat of numbers", {"type": "chess_chat", "msg": 7}),
    ):
        yield _case(
            f"H29 a feed's message of {name}",
            "none of the five, or not its shape",
            _letter(_ANNA, {"root": _ROOT, **content}),
            "malformed",
        )
    for name, author, content, answer in (
        ("Black moves in White's turn", _BERT, _about(orig="e7", dest="e5"), "not-your-turn"),
        ("a third feed moves", _EVE, _about(), "not-a-player"),
        ("a third feed resigns", _EVE, _end("resigned"), "not-a-player"),
        ("a move that is not legal", _ANNA, _about(dest="e5"), "illegal-move"),
        ("a mate that is none", _ANNA, {**_about(), **_end("mate")}, "wrong-result"),
        (
            "a draw by a move that draws nothing",
            _ANNA,
            {**_about(), **_end("draw")},
            "wrong-result",
        ),
        ("a move of tomorrow", _ANNA, _about(ply=3, orig="g1", dest="f3"), "held"),
    ):
        yield _case(
            f"H44 {name} on Scuttlebutt",
            "a claim is compared with the game, and a feed moves for itself alone",
            _letter(author, content),
            answer,
        )


def _end(status: str) -> Content:
    return {"type": "chess_game_end", "root": _ROOT, "status": status}


def _envelopes() -> Iterator[Case]:
    """H01 to H33: letters that no bridge of ours would write."""
    text = _letter(_ANNA, _about())
    yield Case(
        name="H02 a letter by another key",
        note="the arbiter believes one bridge, by its key",
        door=Door.LETTER,
        answer="not-by-bridge",
        knock=lambda stage: stage.from_queue(_record(text, STRANGER)),
    )
    for number, name, spoilt in (
        ("H29", "of words", CANARY),
        ("H29", "of an array", "[]"),
        ("H24", "of an abyss", "[" * 60_000),
        ("H20", "with one field twice", text[:-1] + f',"us":"{US}"}}'),
        ("H21", "with NaN in it", text.replace('"sequence": 7', '"sequence": NaN')),
        ("H22", "with a number of 5,000 digits", text.replace(": 7", ": " + "7" * 5_000)),
        ("H25", "with half a character", text.replace('"e2"', '"\\ud83d"')),
        ("H29", "without an invitation", _letter(_ANNA, _about(), invite=None)),
        ("H29", "whose content is text", _letter(_ANNA, "AAAA.box")),
        ("H23", "that is private 1", _letter(_ANNA, _about(), private=1)),
        ("H06", "by no feed", _letter("@x.ed25519", _about())),
        ("H08", "by a feed spelt otherwise", _letter(_ANNA[:43] + "_=.ed25519", _about())),
        ("H08", "by a feed with a newline", _letter(_ANNA + "\n", _about())),
        ("H42", "of no message", _letter(_ANNA, _about(), key="%../etc")),
        ("H30", "of 70,000 bytes", _letter(_ANNA, _about(x="x" * 70_000))),
    ):
        flaw = "malformed-too_large" if name == "of 70,000 bytes" else "unaddressed"
        yield _case(
            f"{number} a letter {name}", "no letter that can be read", spoilt, flaw, earlier=()
        )
    invites = {"type": "chess_invite", "inviting": US, "myColor": "white"}
    for name, invited, answer in (
        ("that invites nobody", {**invites, "inviting": CANARY}, "unaddressed"),
        ("of another in no colour", {**_INVITE[2], "myColor": "red"}, "unaddressed"),
        ("in no colour", {**invites, "myColor": CANARY}, "request-bad-terms"),
        ("in a list of colours", {**invites, "myColor": ["white"]}, "request-bad-terms"),
        ("after no game", {**invites, "root": CANARY}, "request-bad-terms"),
    ):
        mine = {"key": _ROOT, "author": _ANNA, "content": invited}
        yield _case(
            f"H55 an invitation {name}",
            "a game is its invitation, and this is none",
            _letter(_ANNA, invited, key=_ROOT, invite=mine),
            answer,
            earlier=(),
        )
    mine = {"key": _ROOT, "author": _ANNA, "content": {**invites, "myColor": CANARY}}
    yield _case(
        "H55 a move where an invitation was none",
        "a game is its invitation, and there is none",
        _letter(_ANNA, _about(), invite=mine),
        "unaddressed",
        earlier=(),
    )
    himself = {**invites, "inviting": _ANNA}
    mine = {"key": _ROOT, "author": _ANNA, "content": himself}
    yield _case(
        "H54 a feed that invites itself",
        "you cannot play yourself",
        _letter(_ANNA, himself, key=_ROOT, invite=mine),
        "unaddressed",
        earlier=(),
    )
    two = {**invites, "text": f"{PLAYER.pubkey} or {STRANGER.pubkey}"}
    mine = {"key": _ROOT, "author": _ANNA, "content": two}
    yield _case(
        "H55 an invitation that names two opponents",
        "which?",
        _letter(_ANNA, two, key=_ROOT, invite=mine),
        "request-bad-terms",
        earlier=(),
    )


_Signed = tuple[Said, dict[str, object]]


def logs() -> Iterator[Case]:
    """A log in a file (``python -m bridge.archive``): every message in it is well signed."""
    white: Content = {"type": "chess_invite", "myColor": "white"}
    begun: tuple[_Signed, ...] = (
        (Said(0, 2, white), {}),
        (Said(1, 0, {"type": "chess_invite_accept"}), {}),
    )
    move: Content = {"type": "chess_move", "orig": "e2", "dest": "e4", "ply": 1}
    whole = "Message Message"
    for number, name, said, fields, answer in (
        ("H22", "dated beyond all time", move, {"timestamp": 1e300}, f"{whole} Message game-1"),
        ("H22", "dated before all time", move, {"timestamp": -1e300}, f"{whole} Message game-1"),
        ("H22", "dated by words", move, {"timestamp": CANARY}, f"{whole} Refused game-0"),
        ("H23", "of number true", move, {"sequence": True}, f"{whole} Refused game-0"),
        ("H29", "whose type is a list", {"type": ["chess_move"]}, {}, f"{whole} NoneType game-0"),
        ("H29", "whose type is an object", {"type": {"chess_": 1}}, {}, f"{whole} NoneType game-0"),
        ("H42", "of no game", {**move, "root": 7}, {}, f"{whole} Refused game-0"),
        ("H25", "with half a character", {**move, "x": "\ud83d"}, {}, f"{whole} Message game-1"),
        ("H24", "of nine brackets", {**move, "x": [[[[[[[[]]]]]]]]}, {}, f"{whole} Message game-1"),
        (
            "H48",
            "that is not legal",
            {**move, "dest": "e5"},
            {},
            f"{whole} Message game-0 illegal-move",
        ),
    ):
        last: _Signed = (Said(0, 0, said), {**fields})
        log = Written((*begun, last), None)
        yield _log(f"{number} a message in a log {name}", log, answer)
    for name, spoilt in (
        ("that is cut short", b'{"key":"%x","value":{'),
        ("that is an abyss", b"[" * 100_000),
        ("that is words", CANARY.encode()),
        ("that is UTF-16", '{"key":1}'.encode("utf-16")),
        ("with a number of 5,000 digits", b'{"key":' + b"9" * 5_000 + b"}"),
    ):
        yield _log(f"H28 a log {name}", Written((), spoilt), "no-log")
    yield _log("H29 a log of numbers", Written((), b"1 2 3"), "Refused Refused Refused")


def _log(name: str, log: Written, answer: str) -> Case:
    note = "left out or read; what comes of it is PGN that can be read again"
    return Case(name=name, note=note, door=Door.LOG, answer=answer, knock=lambda _: read(log))
