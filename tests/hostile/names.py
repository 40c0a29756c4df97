"""Names for a key, an id or a long text in a row of ``cases/``."""

import re
from typing import Any

from tests.builders import BRIDGE
from tests.envelopes import US, a_feed, a_message
from tests.hostile.scenario import MARK, NOW_MS, RIVAL
from tests.hostile.scenarios import CHALLENGE
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, a_move

KEYS = {"player": PLAYER, "rival": RIVAL, "stranger": STRANGER, "server": SERVER, "bridge": BRIDGE}

_TEXTS = {
    **{name: key.pubkey for name, key in KEYS.items()},
    **{name: a_feed(name) for name in ("anna", "bert", "eve")},
    "us": US,
    "root": a_message("the invitation"),
    "game": GAME,
    "challenge": str(CHALLENGE["id"])[:32],
    "mark": MARK,
}
_NAMES = {f"${name}": text for name, text in _TEXTS.items()}
_UPPER = {name.upper(): text.upper() for name, text in _NAMES.items()}
_ANY_NAME = re.compile("|".join(re.escape(name) for name in {**_NAMES, **_UPPER}))


def filled(value: Any) -> Any:
    """With each name in its texts replaced: ``$game`` by its id, ``$GAME`` by that in upper case.

    ``{"after": "1. e4 ", "times": 9, "of": "x", "before": ")"}`` is one text, ``$move`` a sound
    move, and ``$now`` this moment's milliseconds.
    """
    if isinstance(value, list):
        return [filled(it) for it in value]
    if isinstance(value, dict):
        texts = {name: filled(it) for name, it in value.items()}
        if isinstance(texts.get("of"), str):
            return texts.get("after", "") + texts["of"] * texts["times"] + texts.get("before", "")
        return texts
    if not isinstance(value, str):
        return value
    if value in ("$move", "$now"):
        return a_move() if value == "$move" else NOW_MS
    return _ANY_NAME.sub(lambda name: {**_NAMES, **_UPPER}[name[0]], value)
