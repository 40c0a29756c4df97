"""H30 to H32: what a relay, or a broken line, may put into a websocket frame."""

from collections.abc import Iterator

from arbiter.nostr.event import ParseErrorCode
from tests.nostr.hostile.case import Hostile, a_frame, a_move, text_of


def frames() -> Iterator[Hostile]:
    move = text_of(a_move())
    whole = f'["EVENT","s",{move}]'
    bad, unknown = ParseErrorCode.BAD_MESSAGE, ParseErrorCode.UNKNOWN_MESSAGE
    yield a_frame(
        "H30 an inflated frame", "[" + " " * 131_072 + "]", ParseErrorCode.TOO_LARGE, "by size"
    )
    large = f'["EVENT","s",{text_of(a_move("x" * 65_536))}]'
    yield a_frame(
        "H30 too large an event in a frame", large, ParseErrorCode.TOO_LARGE, "the frame is not"
    )
    yield a_frame(
        "H31 a frame that is an object", move, ParseErrorCode.NOT_AN_ARRAY, "an event by itself"
    )
    yield a_frame("H31 a frame that is text", '"EOSE"', ParseErrorCode.NOT_AN_ARRAY, "valid JSON")
    yield a_frame("H31 a frame that is nothing", "", ParseErrorCode.NOT_JSON, "empty")
    yield a_frame("H31 an empty array", "[]", unknown, "no verb")
    yield a_frame("H31 an unknown verb", '["COUNT","s",{}]', unknown, "later NIPs add them")
    yield a_frame("H31 a verb in lower case", '["eose","s"]', unknown, "verbs are upper case")
    yield a_frame("H31 a verb that is an array", '[["EOSE"],"s"]', unknown, "not a string")
    yield a_frame(
        "H31 an event for no subscription of ours",
        f'["EVENT","never asked",{move}]',
        None,
        "sound; who holds the subscriptions drops it",
    )
    yield a_frame(
        "H31 one EOSE of a flood", '["EOSE","s"]', None, "sound; it changes nothing twice"
    )
    yield a_frame(
        "H31 a NOTICE of a megabyte",
        f'["NOTICE","{"x" * 2**20}"]',
        ParseErrorCode.TOO_LARGE,
        "size",
    )
    for name, frame in (
        ("EVENT without an event", '["EVENT","s"]'),
        ("EVENT without a subscription", f'["EVENT",{move}]'),
        ("EVENT for a number", f'["EVENT",7,{move}]'),
        ("EVENT for the empty subscription", f'["EVENT","",{move}]'),
        ("EVENT for a long subscription", f'["EVENT","{"s" * 65}",{move}]'),
        ("OK without a verdict", f'["OK","{"0" * 64}"]'),
        ("OK with a verdict in words", f'["OK","{"0" * 64}","true",""]'),
        ("OK with a number for a verdict", f'["OK","{"0" * 64}",1,""]'),
        ("OK for no id", '["OK","",true,""]'),
        ("EOSE without a subscription", '["EOSE"]'),
        ("EOSE for null", '["EOSE",null]'),
        ("CLOSED without a subscription", '["CLOSED"]'),
        ("NOTICE with an object", '["NOTICE",{}]'),
        ("AUTH with an event", f'["AUTH",{move}]'),
        ("AUTH with an empty challenge", '["AUTH",""]'),
        ("AUTH with an endless challenge", f'["AUTH","{"x" * 5_000}"]'),
    ):
        yield a_frame(f"H31 {name}", frame, bad, "the verb is known, the rest is not its shape")
    for length in (1, 7, 12, 20, 200, len(whole) - 1):
        yield a_frame(
            f"H32 an EVENT cut after {length}",
            whole[:length],
            ParseErrorCode.NOT_JSON,
            "go-nostr panicked",
        )
    yield a_frame(
        "H32 no event in EVENT", '["EVENT","s",null]', ParseErrorCode.NOT_AN_OBJECT, "null"
    )
    forged = f'["EVENT","s",{text_of({**a_move(), "content": "e2e3"})}]'
    yield a_frame(
        "H04 an altered event in a frame", forged, ParseErrorCode.WRONG_ID, "relays can lie"
    )
