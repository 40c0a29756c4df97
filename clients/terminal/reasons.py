"""Why something was refused, in words."""

from typing import assert_never

from clients.terminal.effects import Refused, Source

_REASONS = {
    "illegal-move": "that move is not legal; three of them lose the game",
    "not-your-turn": "it is the other side's turn",
    "stale": "that answers an older state of the game",
    "game-over": "the game is over",
    "too-late": "it is too late for that",
    "malformed": "it could not be read",
    "bad-time": "the date is wrong: set your clock",
    "not-a-player": "you have no seat in this game",
    "unknown-game": "no game has this id",
    "rate-limited": "too often: wait a while",
    "no-offer": "nothing of the kind is offered",
    "no-claim": "neither threefold repetition nor fifty moves stand on the board",
    "not-offered-here": "that is not to be had here",
    "time-left": "nobody has run out of time",
    "bad-terms": "no game can be played on these terms",
    "unknown-challenge": "no such challenge stands for you",
    "playing": "finish your game first",
}
"""The protocol's reasons, for servers that send no more than the word."""

_DECLINED = {
    "later": "not now, perhaps later",
    "tooFast": "the time is too short",
    "tooSlow": "the time is too long",
    "timeControl": "another time control would do",
    "rated": "a rated game would do",
    "casual": "a casual game would do",
    "variant": "not this kind of chess",
    "noBot": "no programs, please",
}


def refusal_in_words(notice: Refused) -> str:
    """Who refused what, and why."""
    match notice.source:
        case Source.CLIENT:
            return notice.text
        case Source.RELAY:
            return f"A relay refused: {notice.text}"
        case Source.ARBITER if notice.code in ("declined", "pow"):
            return _declined(notice)
        case Source.ARBITER:
            # Some servers send no more than the word.
            bare = notice.text == notice.code
            text = _REASONS.get(notice.code, notice.text) if bare else notice.text
            whose = "" if notice.mine else " something of your opponent"
            return f"The arbiter refused{whose}: {text} ({notice.code})"
        case never:
            assert_never(never)


def _declined(notice: Refused) -> str:
    if notice.code == "pow":
        return f"The arbiter asks {notice.text} bits of proof of work of players it has never met"
    return f"Your challenge was declined: {_DECLINED.get(notice.text, 'for no reason given')}"
