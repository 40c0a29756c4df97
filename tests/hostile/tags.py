"""H42 to H47: whose game, whose turn, whose state."""

import json
from collections.abc import Iterator
from dataclasses import replace

import chess

from arbiter.core.game import Outcome, Termination
from tests.hostile.case import Body, Case, a_word, bytes_of, once, sent, signed
from tests.hostile.stage import BEGUN_MS, CANARY, NOW_MS, RIVAL, Stage, a_game
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER

_ELSEWHERE = "ff" * 16

_STRANGE_IDS = {
    "with slashes": "../" + GAME[:29],
    "with a hash": "#" + GAME[1:],
    "with dots": ".." * 16,
    "with %00": "%00" + GAME[3:],
    "with a NUL": GAME[:31] + "\0",
    "with a newline after it": GAME + "\n",
    "with a blank before it": " " + GAME,
    "in upper case": GAME.upper(),
    "with a 0x before it": "0x" + GAME,
    "in Arabic digits": GAME.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
    "of 129 characters": "a" * 129,
    "of 1,024 characters": "a" * 1_024,
    "of 64 digits": GAME * 2,
    "of 31 digits": GAME[:31],
    "that is a key of the table": "g#" + GAME,
    "that is an expression": "attribute_exists(pk)",
    "that is nothing": "",
    "that is the canary": CANARY,
}


def game_ids() -> Iterator[Case]:
    """H42, and H69 at its first door."""
    for name, text in _STRANGE_IDS.items():
        yield from sent(
            f"H42 a game's id {name}",
            "ids are 32 hexadecimal digits; the queue's group is a hash of whatever stands there",
            once(a_word(PLAYER, "e2e4", ("d", text))),
            "unaddressed",
        )
    yield from sent(
        "H42 the id of no game",
        "sound in shape: another server's, perhaps",
        once(a_word(PLAYER, "e2e4", ("d", _ELSEWHERE))),
        "unknown-game",
    )
    yield from sent(
        "H42 a d tag without a value", "no id", once(a_word(PLAYER, "e2e4", ("d",))), "unaddressed"
    )
    no_game = bytes_of(signed(PLAYER, 20303, "e2e4", ("p", SERVER.pubkey)))
    yield from sent("H42 no d tag", "no id", once(no_game), "unaddressed")
    yield from sent(
        "H42 our game behind another",
        "the queue's group goes by the first, so both must be one",
        once(a_word(PLAYER, "e2e4", ("d", _ELSEWHERE), ("d", GAME))),
        "unaddressed",
    )


def strangers() -> Iterator[Case]:
    """H43 and H45."""
    for content in (
        *("e2e4", "resign", "abort", "quit", "draw", "draw-decline", "takeback", "rematch"),
        *("claim", "flag", CANARY),
    ):
        yield from sent(
            f"H43 a spectator says {content}",
            "he has no seat, and his refusal is not even written down",
            once(a_word(STRANGER, content)),
            "not-a-player",
        )
    tags = (("p", PLAYER.pubkey), ("p", RIVAL.pubkey))
    yield from sent(
        "H43 a spectator who names both players",
        "a p tag is an address and no authority",
        once(a_word(STRANGER, "resign", *tags)),
        "not-a-player",
    )
    yield from sent(
        "H45 a key that sat here in a dream",
        "a seat is a key; whoever changes his plays no more games of the old one",
        once(a_word(STRANGER, "e2e4", ("delegation", PLAYER.pubkey, "kind=20303", "00" * 64))),
        "not-a-player",
    )
    to_former = bytes_of(signed(PLAYER, 20303, "e2e4", ("d", GAME), ("p", STRANGER.pubkey)))
    yield from sent(
        "H45 a move to the arbiter's former key",
        "its p tag names a key that is ours no more",
        once(to_former),
        "not-for-us",
        "refused-blocked",
    )


def turns() -> Iterator[Case]:
    """H44."""
    for content in ("e7e5", "e2e4", "b8c6"):
        yield from sent(
            f"H44 Black says {content} in White's turn",
            "nobody moves for another, be it with his pieces or one's own",
            once(a_word(RIVAL, content)),
            "not-your-turn",
        )
    yield from sent(
        "H44 White says Black's move",
        "an illegal move of his own: counted against him, and nothing else",
        once(a_word(PLAYER, "e7e5")),
        "illegal-move",
    )


def _shown(stage: Stage) -> str:
    """The id of the state that a player is shown."""
    stage.from_relay([b'["EVENT","arbiter",' + a_word(PLAYER, "state") + b"]"])
    return stage.world.publisher.taken_events[-1].id


def _says_after_black(stage: Stage) -> Iterator[bytes]:
    """White's second move, naming the state before his first."""
    old = _shown(stage)
    yield a_word(PLAYER, "e2e4")
    yield a_word(RIVAL, "e7e5")
    yield a_word(PLAYER, "d2d4", ("e", old))


def states() -> Iterator[Case]:
    """H46."""
    yield from sent(
        "H46 a move that names the state before",
        "stale: he has not seen the present one",
        _says_after_black,
        "stale",
        heeded=True,
    )
    for name, text in (
        ("nobody ever signed", "ab" * 32),
        ("of zeros", "00" * 32),
        ("that is the player's key", PLAYER.pubkey),
    ):
        yield from sent(
            f"H46 a state {name}",
            "stale: it is none of ours",
            once(a_word(PLAYER, "e2e4", ("e", text))),
            "stale",
        )
    for name, text in (
        ("in upper case", "AB" * 32),
        ("of 62 digits", "ab" * 31),
        ("that is a note", "note1" + "q" * 58),
        ("that is the canary", CANARY),
        ("that is nothing", ""),
    ):
        yield from sent(
            f"H46 a state's id {name}",
            "an id is 64 lower-case hexadecimal digits",
            once(a_word(PLAYER, "e2e4", ("e", text))),
            "malformed",
        )
    two = (("e", "ab" * 32), ("e", "cd" * 32))
    yield from sent(
        "H46 two states at once", "which?", once(a_word(PLAYER, "e2e4", *two)), "malformed"
    )
    yield from sent(
        "H46 a refused move's id for a state",
        "stale: an error is no state",
        lambda _: (
            first := a_word(PLAYER, "e2e5"),
            a_word(PLAYER, "e2e4", ("e", _id(first))),
        ),
        "stale",
    )


def _id(event: bytes) -> str:
    return str(json.loads(event)["id"])


def _old_game() -> Stage:
    """The two have played before; that game is over."""
    stage = Stage()
    over = Outcome(Termination.RESIGNATION, winner=chess.WHITE)
    old = replace(a_game(id=_ELSEWHERE), outcome=over, ended_at_ms=BEGUN_MS)
    stage.world.games.standing[old.id] = old
    return stage


def replays() -> Iterator[Case]:
    """H47."""
    yield from sent(
        "H47 a move of the game before, once more",
        "its game's id is under the signature, and that game is over",
        once(a_word(PLAYER, "e2e4", ("d", _ELSEWHERE))),
        "game-over",
        stage=_old_game,
    )
    old: Body = signed(PLAYER, 20303, "e2e4", ("d", _ELSEWHERE), ("p", SERVER.pubkey))
    moved = {**old, "tags": [["d", GAME], ["p", SERVER.pubkey]]}
    yield from sent(
        "H47 a move of the game before, moved into this one",
        "the signature is that of another text",
        once(bytes_of(moved)),
        "forged",
        "refused-invalid",
        stage=_old_game,
    )
    yield from sent(
        "H47 a move from before this game's position",
        "it names no state and was signed long before the one that stands",
        once(a_word(PLAYER, "e2e4", at=BEGUN_MS // 1000 - 90)),
        "stale",
    )
    yield from sent(
        "H47 a move that was refused, when its turn has come",
        "refused once is refused for good: neither listener nor queue lets a copy through",
        lambda _: (
            early := a_word(RIVAL, "e7e5"),
            a_word(PLAYER, "e2e4"),
            early,
        ),
        "repeated",
        "queued",
        heeded=True,
    )
    yield from sent(
        "H47 a move dated a quarter of an hour ahead and more",
        "its date would outlive every memory of it",
        once(a_word(PLAYER, "e2e4", at=NOW_MS // 1000 + 16 * 60)),
        "bad-time",
        "refused-invalid",
    )
