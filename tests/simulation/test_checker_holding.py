"""The checker notices that what a game holds is not what its author wrote."""

import base64
import json
from dataclasses import replace

import pytest

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.core.commands import Claims, Ends, PendingCommand, PlayMove
from arbiter.core.game import BLACK, WHITE, Seat
from arbiter.nostr.keys import placeholder_key
from tests.builders import NOW_MS, SERVER, a_game
from tests.simulation.checker.changes import what_is_held_was_said
from tests.simulation.checker.evidence import Evidence
from tests.simulation.checker.verdict import Law
from tests.simulation.history import Authored, History, Wrote

CAUSE = bytes(range(32))
KEY = f"%{base64.b64encode(CAUSE).decode()}.sha256"
FEEDS = {WHITE: f"@{'w' * 43}=.ed25519", BLACK: f"@{'b' * 43}=.ed25519"}


@pytest.mark.parametrize("author", [WHITE, BLACK])
@pytest.mark.parametrize("winner", [WHITE, BLACK, None])
@pytest.mark.parametrize("lost", ["winner", "ply", "ends", "fen", "by"])
def test_a_claim_that_is_lost_while_its_move_is_held_is_noticed(
    lost: str, *, author: bool, winner: bool | None
) -> None:
    history = _held(author, winner)
    assert _found(history) == []
    is_claimed = lost != "winner" or winner is not None
    assert _found(_without(history, lost)) == ([Law.NOTHING_LOST] if is_claimed else [])


def _found(history: History) -> list[Law]:
    return [violation.law for violation in what_is_held_was_said(Evidence(history))]


def _held(author: bool, winner: bool | None) -> History:  # noqa: FBT001 - colours
    players = {color: placeholder_key(SERVER.pubkey, "ssb", feed) for color, feed in FEEDS.items()}
    content = {
        "type": "chess_game_end",
        "status": "mate",
        "root": KEY,
        "ply": 0,
        "orig": "d8",
        "dest": "h4",
        "fen": "",
    }
    if winner is not None:
        content["winner"] = FEEDS[winner]
    move = PlayMove(
        player=players[author],
        uci="d8h4",
        made_at_ms=NOW_MS,
        received_at_ms=NOW_MS,
        ply=0,
        ends=Ends.CHECKMATE,
        claims=Claims("", None, winner),
    )
    game = replace(
        a_game(),
        white=Seat(players[WHITE], "ssb", f"{FEEDS[WHITE]} {KEY} guest"),
        black=Seat(players[BLACK], "ssb", f"{FEEDS[BLACK]} {KEY} host"),
        pending=(PendingCommand(CAUSE, move),),
    )
    wrote = Authored(
        at_ms=NOW_MS,
        who="a player",
        author=FEEDS[author],
        key=KEY,
        sequence=1,
        content=json.dumps(content),
    )
    item = item_of_game(game)
    write = Wrote(at_ms=NOW_MS, who="worker", items=((item["pk"]["S"], None, item),))
    return History(seed=1, servers=(SERVER.pubkey,), actors=(), happenings=(wrote, write))


def _without(history: History, name: str) -> History:
    wrote, write = history.happenings
    assert isinstance(write, Wrote)
    ((key, _, item),) = write.items
    assert item is not None
    (held,) = json.loads(item["hd"]["S"])
    other = {"by": "b" if held["by"] == "w" else "w"} if name == "by" else {}
    kept = {one: value for one, value in held.items() if one != name} | other
    spoilt = {**item, "hd": {"S": json.dumps([kept])}}
    return replace(history, happenings=(wrote, replace(write, items=((key, None, spoilt),))))
