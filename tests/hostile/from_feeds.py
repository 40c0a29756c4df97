"""Messages of Scuttlebutt feeds, in envelopes of our bridge."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from arbiter.nostr.keys import SecretKey
from tests.builders import BRIDGE
from tests.envelopes import US, a_feed, a_message
from tests.hostile import scuttlebutt
from tests.hostile.case import Case, shown
from tests.hostile.scenario import MARK, Scenario
from tests.hostile.scenarios import SCENARIOS
from tests.nostr.hostile.case import PLAYER, STRANGER

_ANNA, _BERT, _EVE = (a_feed(name) for name in ("anna", "bert", "eve"))
_ROOT = a_message("the invitation")
_MOVE: dict[str, Any] = {
    "type": "chess_move", "root": _ROOT, "orig": "e2", "dest": "e4", "ply": 1,
}  # fmt: skip
_END = _MOVE | {"type": "chess_game_end"}
_INVITES = {"type": "chess_invite", "inviting": US, "myColor": "white"}

_UNREAD: tuple[dict[str, Any], ...] = (
    *(_MOVE | {"orig": ["e2"]}, _MOVE | {"dest": f"<script>{MARK}"}, _MOVE | {"ply": 10**30}),
    *(_MOVE | {"promotion": ["q"]}, _MOVE | {"fen": "k" * 129}, _MOVE | {"ply": MARK}),
    {"root": _ROOT, "type": ["chess_move"]},
    {"root": _ROOT, "type": "post", "text": MARK},
    {"root": _ROOT, "type": "chess_game_end", "status": "draw", "winner": MARK},
    {"root": _ROOT, "type": "chess_chat", "msg": 7},
)
_RESIGNS = {"type": "chess_game_end", "root": _ROOT, "status": "resigned"}
_ANSWERED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("not-your-turn", _MOVE | {"orig": "e7", "dest": "e5"}, _BERT),
    ("not-a-player", _MOVE, _EVE),
    ("not-a-player", _RESIGNS, _EVE),
    ("illegal-move", _MOVE | {"dest": "e5"}, _ANNA),
    ("wrong-result", _END | {"status": "mate"}, _ANNA),
    ("wrong-result", _END | {"status": "draw"}, _ANNA),
    ("held", _MOVE | {"orig": "g1", "dest": "f3", "ply": 3}, _ANNA),
)


def _invitation(content: dict[str, Any]) -> dict[str, Any]:
    return {"with": {"invite": {"key": _ROOT, "author": _ANNA, "content": content}}}


_NO_ENVELOPES: dict[str, tuple[dict[str, Any], ...]] = {
    "H29": (
        *({"text": MARK}, {"text": "[]"}, {"with": {"invite": None}}, {"message": "AAAA.box"}),
        _invitation(_MOVE),
    ),
    "H24": ({"text": "[" * 60_000},),
    "H21": ({"replace": ('"sequence": 7', '"sequence": NaN')},),
    "H22": ({"replace": (": 7", f": {'7' * 5_000}")},),
    "H25": ({"replace": ('"e2"', '"\\ud83d"')},),
    "H23": ({"with": {"private": 1}},),
    "H06": ({"author": "@x.ed25519"}, {"with": {"us": "@x.ed25519"}}),
    "H08": (
        {"author": "@YBTmrjMN4Il7fCy8EUOpdph/C90ALi/LknqXnMXjNM_=.ed25519"},
        {"author": f"{_ANNA}\n"},
    ),
    "H42": ({"with": {"key": "%../etc"}},),
    "H55": (_invitation(_INVITES | {"myColor": MARK}),),
}
_INVITATIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "unaddressed": (
        *(_INVITES | {"inviting": MARK}, _INVITES | {"inviting": _BERT, "myColor": "red"}),
        _INVITES | {"inviting": _ANNA},
    ),
    "request-bad-terms": (
        *(_INVITES | {"myColor": MARK}, _INVITES | {"myColor": ["white"]}),
        _INVITES | {"root": MARK},
        _INVITES | {"text": f"{PLAYER.pubkey} or {STRANGER.pubkey}"},
    ),
}


def from_feeds() -> Iterator[Case]:
    playing = SCENARIOS["feeds"]
    for message in _UNREAD:
        yield _case("H48", "malformed", {"message": message}, scenario=playing)
    for answer, message, author in _ANSWERED:
        row = {"message": message, "author": author}
        yield _case(
            f"H44 {answer} {message.get('status', author[:4])}", answer, row, scenario=playing
        )
    yield _case("H02 by another key", "not-by-bridge", {"message": _MOVE}, by=STRANGER)
    for number, rows in _NO_ENVELOPES.items():
        for row in rows:
            yield _case(number, "unaddressed", {"message": _MOVE} | row)
    large = {"message": _MOVE | {"x": "x" * 70_000}}
    yield _case("H30", "malformed-too_large", large)
    for answer, invitations in _INVITATIONS.items():
        for content in invitations:
            number = "H54" if content["inviting"] == _ANNA else "H55"
            yield _case(number, answer, {"invites": content})


def _case(
    number: str, answer: str, row: dict[str, Any], by: SecretKey = BRIDGE, scenario: Any = Scenario
) -> Case:
    name = f"{number} a letter {shown(row)}"
    send = partial(_brought, row, by)
    return Case(name, "envelope", answer, send, scenario)


def _brought(row: dict[str, Any], by: SecretKey, scenario: Scenario) -> str:
    return scuttlebutt.brought(scenario, scuttlebutt.text_of(row), by)
