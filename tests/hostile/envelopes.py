"""H01 to H41: envelopes that `tests/nostr/hostile` makes, thrown at the real doors.

There each is read by itself; here it goes the whole way, into a game in which its move would be
legal. So each of them would be played if one look fewer were taken at it.
"""

from collections.abc import Callable, Iterator

from arbiter.nostr.event import ParseErrorCode
from tests.hostile.case import Case, Door, by_queue, by_relay, by_socket, once
from tests.hostile.stage import Stage
from tests.nostr.hostile import HOSTILE
from tests.nostr.hostile.case import Hostile

_SOCKET_BYTES = 32_768
_LIES = (ParseErrorCode.WRONG_ID, ParseErrorCode.WRONG_SIG)
_NOT_A_VALUE = frozenset(
    (
        *(
            ParseErrorCode.TOO_LARGE,
            ParseErrorCode.NOT_UTF8,
            ParseErrorCode.NOT_JSON,
            ParseErrorCode.TOO_DEEP,
            ParseErrorCode.DUPLICATE_KEY,
        ),
        *(ParseErrorCode.NOT_FINITE, ParseErrorCode.HUGE_NUMBER, ParseErrorCode.LONE_SURROGATE),
    )
)
"""What is wrong with a text stays at the door: a body of the queue is written anew, by us."""

_MINUS_ZERO = frozenset(("H23 kind -0", "H23 created_at -0"))
"""To the reader of the queue it is a plain zero, and so the event is another than was signed."""

_HEEDED = frozenset(
    (
        "H11 fields that nobody signed",
        "H12 a second signature of the same id",
        "H14 a delegated move",
        "H27 a letter needlessly escaped",
        "H33 as many keys as fit",
        "H41 two p tags that disagree",
    )
)
"""The player's own move to the last bit that counts: it is played."""

_AT = {
    "H04 created_at altered under its signature": ("not-asked-for", "refused-invalid"),
    "H04 tags altered under its signature": ("not-for-us", "refused-blocked"),
    "H06 a key off the curve": ("forged", "refused-invalid"),
    "H06 a key not below p": ("forged", "refused-invalid"),
    "H13 an event of our own key": ("own", "refused-blocked", "our-own"),
    "H14 an AUTH event as a move": ("not-listened-kind", "refused-blocked", "unknown-kind"),
    "H15 a move for another server": ("not-for-us", "refused-blocked", "not-for-us"),
    "H24 brackets that are only text": ("malformed", "refused-invalid", "malformed"),
    "H26 an id over control characters verbatim": ("not-listened-kind", "refused-blocked"),
    "H26 an id over escapes in upper case": ("not-listened-kind", "refused-blocked"),
    "H27 an id over escaped letters": ("not-listened-kind", "refused-blocked"),
    "H27 an id over the composed letter": ("not-listened-kind", "refused-blocked"),
    "H33 as many keys as fit": ("played", "malformed-too_large", "played"),
    "H41 two d tags that disagree": ("unaddressed", "unaddressed", "unaddressed"),
}
"""Words at the relay, at the socket and in the queue, where another look comes first."""

_FRAMES_AT_THE_SOCKET = {
    "H04 an altered event in a frame": "malformed-bad_message",
    "H31 AUTH with an empty challenge": "malformed-not_an_object",
    "H31 AUTH with an endless challenge": "malformed-not_an_object",
    "H31 AUTH with an event": "refused-invalid",
    "H31 EVENT without a subscription": "played",
    "H31 EVENT without an event": "malformed-not_an_object",
    "H31 an event for no subscription of ours": "malformed-bad_message",
    "H31 one EOSE of a flood": "malformed-unknown_message",
    "H32 no event in EVENT": "malformed-bad_message",
}
"""A relay's message is none of a client's: but for AUTH and EVENT, which both say."""

_RELAYS_VERBS = frozenset(("OK", "EOSE", "CLOSED", "NOTICE"))


def envelopes() -> Iterator[Case]:
    """One envelope for each number and flaw, and those with a word of their own, at every door.
    `tests/nostr/test_hostile.py` has all of them where they are decided.
    """
    known = {*_AT, *_FRAMES_AT_THE_SOCKET, *_HEEDED, *_MINUS_ZERO}
    seen = set()
    for case in HOSTILE:
        kind = (case.name[:3], case.surface, case.flaw)
        if kind not in seen or case.name in known:
            yield from _frame(case) if case.surface == "frame" else _event(case)
        seen.add(kind)


def _event(case: Hostile) -> Iterator[Case]:
    script, flaw = once(case.raw), case.flaw
    relay, socket, *queue = _AT.get(case.name, _usual(case))
    yield _case(case, Door.RELAY, relay)
    yield _case(case, Door.SOCKET, socket)
    if flaw not in _NOT_A_VALUE:
        usual = "malformed-wrong_id" if case.name in _MINUS_ZERO else _in_queue(case)
        answer = queue[0] if queue else usual
        knock = by_queue(script)
        yield _made(case, Door.QUEUE, answer, knock)


def _usual(case: Hostile) -> tuple[str, str]:
    if case.flaw is None:
        word = "played" if case.name in _HEEDED else "malformed"
        return word, word
    if case.flaw in _LIES:
        return "forged", "refused-invalid"
    is_large = len(case.raw) + len('["EVENT",]') > _SOCKET_BYTES
    return "malformed", f"malformed-{ParseErrorCode.TOO_LARGE if is_large else case.flaw}"


def _in_queue(case: Hostile) -> str:
    return _usual(case)[0] if case.flaw is None else f"malformed-{case.flaw}"


def _case(case: Hostile, door: Door, answer: str) -> Case:
    knock = (by_relay if door is Door.RELAY else by_socket)(once(case.raw))
    return _made(case, door, answer, knock)


def _made(case: Hostile, door: Door, answer: str, knock: Callable[[Stage], str]) -> Case:
    return Case(
        name=case.name,
        note=case.note,
        door=door,
        answer=answer,
        knock=knock,
        heeded=answer == "played",
    )


def _frame(case: Hostile) -> Iterator[Case]:
    frames = (case.raw,)
    foreign = case.flaw in {None, ParseErrorCode.WRONG_ID}
    relay = "foreign-subscription" if foreign else "malformed"
    yield _made(case, Door.RELAY, relay, lambda stage: stage.from_relay(frames))
    is_large = len(case.raw) > _SOCKET_BYTES
    is_relays = case.name.split()[1] in _RELAYS_VERBS
    flaw = ParseErrorCode.UNKNOWN_MESSAGE if is_relays else case.flaw
    socket = f"malformed-{ParseErrorCode.TOO_LARGE if is_large else flaw}"
    answer = _FRAMES_AT_THE_SOCKET.get(case.name, socket)
    yield _made(case, Door.SOCKET, answer, lambda stage: stage.from_socket(frames))
