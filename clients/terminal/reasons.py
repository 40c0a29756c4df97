"""Refusals in sentences."""

from typing import assert_never

from clients.terminal.notices import Refused, Source

_REASONS = {
    "illegal-move": "that move is not legal; such moves are counted",
    "not-your-turn": "it is the other side's turn",
    "stale": "that answers another position than the present one",
    "game-over": "the game is over",
    "too-late": "it is too late for that",
    "malformed": "it could not be read",
    "bad-time": "the date is wrong: set your clock",
    "not-a-player": "you have no seat in this game",
    "unknown-game": "no game has this id",
    "rate-limited": "not now: wait a while",
    "no-offer": "there is no such offer",
    "no-claim": "there is nothing to claim yet",
    "not-offered-here": "that is not available here",
    "time-left": "both players have time left",
    "bad-terms": "a game cannot be played on these terms",
    "unknown-challenge": "there is no such challenge to you",
    "playing": "finish your game first",
}
"""For servers that send only the machine word."""

_DECLINED = {
    "later": "not now, perhaps later",
    "tooFast": "the time is too short",
    "tooSlow": "the time is too long",
    "timeControl": "another time control, please",
    "rated": "a rated game, please",
    "casual": "a casual game, please",
    "variant": "not this kind of chess",
    "noBot": "no bots, please",
}


def refusal_in_words(notice: Refused) -> str:
    """Say who refused what, and why."""
    match notice.source:
        case Source.CLIENT:
            return notice.text
        case Source.RELAY:
            return f"A relay refused: {notice.text}"
        case Source.ARBITER if notice.code in ("declined", "pow"):
            return _declined(notice)
        case Source.ARBITER:
            bare = notice.text == notice.code
            text = _REASONS.get(notice.code, notice.text) if bare else notice.text
            whose = "" if notice.mine else " something of your opponent"
            return f"The arbiter refused{whose}: {text} ({notice.code})"
        case never:
            assert_never(never)


def _declined(notice: Refused) -> str:
    if notice.code == "pow":
        return (
            f"The arbiter asks {notice.text} bits of proof of work of players new to it, which "
            "this client does not do: play a first game in the browser with this key"
        )
    why = _DECLINED.get(notice.text)
    return f"Challenge declined: {why}" if why else "Challenge declined"
