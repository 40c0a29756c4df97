"""H29 to H33, H40, H41: fields of the wrong shape, and too much of everything."""

from collections.abc import Iterator

from arbiter.nostr.event import ParseErrorCode
from tests.nostr.hostile.case import GAME, Hostile, a_move, an_event, bytes_of, edited, written


def shapes() -> Iterator[Hostile]:
    for name, raw in (("an array", b"[]"), ("a string", b'"EVENT"'), ("null", b"null")):
        yield an_event(
            f"H29 {name} for an event", raw, ParseErrorCode.NOT_AN_OBJECT, "valid JSON, no event"
        )
    for name, raw in (("nothing", b""), ("blanks", b" \n"), ("two events", edited() * 2)):
        yield an_event(
            f"H29 {name} for an event", raw, ParseErrorCode.NOT_JSON, "not one JSON text"
        )
    for field in a_move():
        body = {name: value for name, value in a_move().items() if name != field}
        yield an_event(
            f"H29 no {field}", bytes_of(body), ParseErrorCode.MISSING_FIELD, "all seven or none"
        )
    for field, flaw in (
        ("id", ParseErrorCode.BAD_ID),
        ("pubkey", ParseErrorCode.BAD_PUBKEY),
        ("tags", ParseErrorCode.BAD_TAGS),
        ("content", ParseErrorCode.BAD_CONTENT),
        ("sig", ParseErrorCode.BAD_SIG),
    ):
        yield an_event(f"H29 {field} is null", edited(**{field: None}), flaw, "present and empty")
    yield an_event(
        "H29 an object for content", edited(content={}), ParseErrorCode.BAD_CONTENT, "not text"
    )
    bomb = bytes_of(a_move("x" * 65_536))
    yield an_event(
        "H30 an inflated event", bomb, ParseErrorCode.TOO_LARGE, "measured before it is read"
    )
    wide = bytes_of(a_move("é" * 32_768))
    yield an_event(
        "H30 an event large in bytes", wide, ParseErrorCode.TOO_LARGE, "characters would be few"
    )
    keys = "".join(f'"{number}":0,' for number in range(100_000))
    yield an_event(
        "H33 a hundred thousand keys",
        written('"id"', keys + '"id"'),
        ParseErrorCode.TOO_LARGE,
        "by size",
    )
    keys = "".join(f'"{number}":0,' for number in range(5_000))
    yield an_event(
        "H33 as many keys as fit", written('"id"', keys + '"id"'), None, "read once and dropped"
    )


def tags() -> Iterator[Hostile]:
    bad = ParseErrorCode.BAD_TAGS
    for name, value in (
        ("tags is an object", {"d": GAME}),
        ("tags is a string", "d"),
        ("a tag is a string", ["d"]),
        ("a tag is an object", [{"d": GAME}]),
        ("a tag is null", [None]),
        ("a tag is empty", [["d", GAME], []]),
        ("a number in a tag", [["d", 7]]),
        ("null in a tag", [["d", None]]),
        ("true in a tag", [["d", True]]),
        ("a tag in a tag", [["d", ["d"]]]),
    ):
        yield an_event(
            f"H40 {name}", edited(tags=value), bad, "an array of one or more strings each"
        )
    yield an_event(
        "H41 two thousand tags",
        edited(tags=[["p"]] * 2_000),
        ParseErrorCode.TOO_MANY_TAGS,
        "each is walked",
    )
    yield an_event(
        "H41 a tag of 64 KiB",
        edited(tags=[["d", "x" * 65_536]]),
        ParseErrorCode.TOO_LARGE,
        "by size",
    )
    for name, tag in (
        ("a tag value of 2 KiB", ["d", "x" * 2_048]),
        ("a tag value large in bytes", ["d", "é" * 600]),
        ("a tag name of 2 KiB", ["x" * 2_048]),
        ("a tag of three thousand items", ["d"] * 3_000),
    ):
        yield an_event(
            f"H41 {name}", edited(tags=[tag]), ParseErrorCode.TAG_TOO_LARGE, "no NIP needs it"
        )
    for name in ("d", "p", "e"):
        twice = ((name, "00" * 32), (name, "11" * 32))
        yield an_event(
            f"H41 two {name} tags that disagree",
            bytes_of(a_move("e2e4", *twice)),
            None,
            "NIP-01 allows it: the dialect asks for exactly one",
        )
