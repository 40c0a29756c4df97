"""H01 to H41: envelopes of `tests/nostr/hostile` at every entry point, where their move would be
legal.

There each is read by itself; here it would be played if one look fewer were taken at it.
"""

from collections.abc import Iterator

from arbiter.nostr.event import ParseErrorCode
from tests.hostile.case import Case, Row, events, frames
from tests.nostr.hostile import HOSTILE
from tests.nostr.hostile.case import Hostile

_SOCKET_BYTES = 32_768
_LIES = (ParseErrorCode.WRONG_ID, ParseErrorCode.WRONG_SIG)
_NOT_A_VALUE = ("too_large", "not_json")
"""Flaws of a text that stay at the entry point: a body of the queue is written anew, by us."""

_PLAYED = "played, heeded"
_PLAYED_AT_ALL = "|".join([_PLAYED] * 3)
_BLOCKED, _WRONG_ID = "not-listened-kind|refused-blocked", "malformed-wrong_id"
_BAD_KEY = "forged|refused-invalid|malformed-bad_pubkey"
_ANSWERS = {
    "H04 created_at altered under its signature": f"not-asked-for|refused-invalid|{_WRONG_ID}",
    "H04 tags altered under its signature": f"not-for-us|refused-blocked|{_WRONG_ID}",
    "H06 a key off the curve": _BAD_KEY,
    "H06 a key not below p": _BAD_KEY,
    "H11 unsigned fields": _PLAYED_AT_ALL,
    "H12 a second signature of the same id": _PLAYED_AT_ALL,
    "H13 an event of our own key": "own|refused-blocked|our-own",
    "H14 a delegated move": _PLAYED_AT_ALL,
    "H14 an AUTH event as a move": f"{_BLOCKED}|unknown-kind",
    "H15 a move for another server": "not-for-us|refused-blocked|not-for-us",
    "H20 two contents, the last as signed": _PLAYED_AT_ALL,
    "H23 created_at -0": f"not-asked-for|refused-invalid|{_WRONG_ID}",
    "H24 a depth in a field we drop": _PLAYED_AT_ALL,
    "H24 brackets that are only text": "malformed|refused-invalid|malformed",
    "H26 an id over control characters verbatim": f"{_BLOCKED}|{_WRONG_ID}",
    "H26 an id over escapes in upper case": f"{_BLOCKED}|{_WRONG_ID}",
    "H27 a letter needlessly escaped": _PLAYED_AT_ALL,
    "H27 an id over escaped letters": f"{_BLOCKED}|{_WRONG_ID}",
    "H27 an id over the composed letter": f"{_BLOCKED}|{_WRONG_ID}",
    "H33 as many keys as fit": f"{_PLAYED}|malformed-too_large|{_PLAYED}",
    "H41 two d tags that disagree": "unaddressed|unaddressed|unaddressed",
    "H41 two p tags that disagree": _PLAYED_AT_ALL,
}
"""At the relay, the socket and in the queue, where another look comes first."""

_FRAMES_AT_THE_SOCKET = {
    "H04 an altered event in a frame": "malformed-bad_message",
    "H31 AUTH with an empty challenge": "malformed-not_an_object",
    "H31 AUTH with an endless challenge": "malformed-not_an_object",
    "H31 AUTH with an event": "refused-invalid",
    "H31 EVENT without a subscription": _PLAYED,
    "H31 EVENT without an event": "malformed-not_an_object",
    "H31 an event for no subscription of ours": "malformed-bad_message",
    "H31 one EOSE of a flood": "malformed-unknown_message",
    "H32 no event in EVENT": "malformed-bad_message",
}
"""A relay's message is none of a client's: but for AUTH and EVENT, which both say."""


def envelopes() -> Iterator[Case]:
    """One envelope for each number and flaw, and those with an answer of their own, at every
    entry point. `tests/nostr/test_hostile.py` has all of them where they are decided.
    """
    seen = set()
    for case in HOSTILE:
        kind = (case.name[:3], case.is_frame, case.flaw)
        if kind not in seen or case.name in {*_ANSWERS, *_FRAMES_AT_THE_SOCKET}:
            yield from _frame(case) if case.is_frame else _event(case)
        seen.add(kind)


def _event(case: Hostile) -> Iterator[Case]:
    row: Row = (case.name, _ANSWERS.get(case.name, _usual(case)), case.raw)
    # A text that is no value cannot stand in a body of the queue.
    entry_points = "relay socket" if case.flaw in _NOT_A_VALUE else "relay socket queue"
    yield from events([row], entry_points=entry_points)


def _usual(case: Hostile) -> str:
    if case.flaw is None:
        return "malformed|malformed|malformed"
    if case.flaw in _LIES:
        return f"forged|refused-invalid|malformed-{case.flaw}"
    is_large = len(case.raw) + len('["EVENT",]') > _SOCKET_BYTES
    return f"malformed|malformed-{'too_large' if is_large else case.flaw}|malformed-{case.flaw}"


def _frame(case: Hostile) -> Iterator[Case]:
    is_foreign = case.flaw in {None, ParseErrorCode.WRONG_ID}
    relay = "foreign-subscription" if is_foreign else "malformed"
    yield from frames("relay", [(case.name, relay, case.raw)])
    is_relays = case.name.split()[1] in {"OK", "EOSE", "CLOSED", "NOTICE"}
    flaw = ParseErrorCode.UNKNOWN_MESSAGE if is_relays else case.flaw
    usual = f"malformed-{'too_large' if len(case.raw) > _SOCKET_BYTES else flaw}"
    answer = _FRAMES_AT_THE_SOCKET.get(case.name, usual)
    yield from frames("socket", [(case.name, answer, case.raw)])
