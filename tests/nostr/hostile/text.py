"""H20 to H28: JSON and UTF-8 that two readers would read differently, or not survive."""

import hashlib
from collections.abc import Iterator

from arbiter.nostr.event import ParseErrorCode
from tests.nostr.hostile.case import (
    CREATED_AT,
    PLAYER,
    Body,
    Hostile,
    a_frame,
    a_move,
    an_event,
    bytes_of,
    text_of,
    written,
)


def _with_id_of(serialized: str, content: str) -> bytes:
    """An event whose id hashes another serialisation of the same fields, properly signed."""
    digest = hashlib.sha256(serialized.encode()).digest()
    sig = PLAYER.sign_bytes(digest).hex()
    body: Body = {"id": digest.hex(), "pubkey": PLAYER.pubkey, "created_at": CREATED_AT}
    return bytes_of({**body, "kind": 1, "tags": [], "content": content, "sig": sig})


def _serialized(content_in_json: str) -> str:
    return f'[0,"{PLAYER.pubkey}",{CREATED_AT},1,[],{content_in_json}]'


def numbers_and_keys() -> Iterator[Hostile]:
    at, kind = f'"created_at":{CREATED_AT}', '"kind":20303'
    twice = '"content":"e2e4","content":"e2e4"'
    yield an_event(
        "H20 the same key twice",
        written('"content":"e2e4"', twice),
        ParseErrorCode.DUPLICATE_KEY,
        "last wins",
    )
    yield an_event(
        "H20 the same key twice where we drop it",
        written('"content"', '"x":{"y":1,"y":2},"content"'),
        ParseErrorCode.DUPLICATE_KEY,
        "whoever writes this means two readers to differ",
    )
    for token in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999"):
        yield an_event(
            f"H21 {token} for created_at",
            written(at, f'"created_at":{token}'),
            ParseErrorCode.NOT_FINITE,
            "Python's reader takes it",
        )
    huge, created, bad_kind = (
        ParseErrorCode.HUGE_NUMBER,
        ParseErrorCode.BAD_CREATED_AT,
        ParseErrorCode.BAD_KIND,
    )
    for name, number, flaw, note in (
        ("5,000 digits", "9" * 5_000, huge, "int() raises beyond 4,300"),
        ("40 digits", "9" * 40, huge, "another reader would round it to a float"),
        ("5,000 digits after the point", "1." + "9" * 5_000, huge, "nobody needs them"),
        ("2^53", str(2**53), created, "JavaScript computes another id from here on"),
        ("2^63", str(2**63), created, "overflows a database's integer"),
        ("a negative created_at", "-1", created, "before 1970"),
    ):
        raw = written(at, f'"created_at":{number}')
        yield an_event(f"H22 {name}", raw, flaw, note)
    for number in ("65536", "-1"):
        yield an_event(
            f"H22 kind {number}", written(kind, f'"kind":{number}'), bad_kind, "0 to 65535"
        )
    for number in ("true", "20303.0", "2.0303e4", "-0", '"20303"', "null", "[20303]"):
        yield an_event(
            f"H23 kind {number}", written(kind, f'"kind":{number}'), bad_kind, "not an integer"
        )
    for number in ("false", f"{CREATED_AT}.0", "1.79e9", "-0", '"0"', "null"):
        yield an_event(
            f"H23 created_at {number}",
            written(at, f'"created_at":{number}'),
            created,
            "not an integer",
        )


def depth() -> Iterator[Hostile]:
    deep = ParseErrorCode.TOO_DEEP
    yield an_event("H24 an abyss of arrays", b"[" * 60_000, deep, "the reader recurses")
    yield an_event("H24 an abyss of objects", b'{"a":' * 13_000, deep, "the reader recurses")
    yield an_event(
        "H24 an abyss in a tag",
        written('[["d"', "[" * 30_000 + '[["d"'),
        deep,
        "brackets are counted before they are read",
    )
    yield an_event(
        "H24 an abyss in a field we drop",
        written('"content"', '"x":' + "[" * 500 + "]" * 500 + ',"content"'),
        deep,
        "read before it is dropped",
    )
    yield an_event(
        "H24 an abyss behind an escaped quote",
        written('"content"', r'"x\"":' + "[" * 500 + "]" * 500 + ',"content"'),
        deep,
        "the string ends where JSON says, not at the first quote",
    )
    yield an_event(
        "H24 a string that never ends",
        b'["' + b'\\"' * 30_000,
        ParseErrorCode.NOT_JSON,
        "linear time",
    )
    yield an_event(
        "H24 brackets that are only text",
        bytes_of(a_move("[" * 9_000 + r'{"\"')),
        None,
        "no depth at all; the dialect finds no move in it",
    )
    yield a_frame("H24 an abyss in a frame", b"[" * 100_000, deep, "the reader recurses")


def encodings() -> Iterator[Hostile]:
    lone, text = ParseErrorCode.LONE_SURROGATE, text_of(a_move())
    surrogates = {
        "a high half in the content": ('"e2e4"', r'"\ud83d"'),
        "a low half in the content": ('"e2e4"', r'"\ude00"'),
        "halves the wrong way round": ('"e2e4"', r'"\ude00\ud83d"'),
        "half a character in a tag": ('["d",', r'["\udfff",'),
        "half a character in a field we drop": ('"content"', r'"x":["\uD800"],"content"'),
        "half a character in a key we drop": ('"content"', r'"\udbff":1,"content"'),
    }
    for name, (before, after) in surrogates.items():
        yield an_event(f"H25 {name}", written(before, after), lone, "it has no UTF-8, so no id")
    not_utf8, not_json = ParseErrorCode.NOT_UTF8, ParseErrorCode.NOT_JSON
    yield an_event("H25 a surrogate as bytes", written("e2e4", "\ud83d"), not_utf8, "CESU-8")
    yield an_event(
        "H28 UTF-16 with its mark", text.encode("utf-16"), not_utf8, "json would guess it"
    )
    yield an_event("H28 UTF-16 without", text.encode("utf-16-le"), not_json, "json would guess it")
    yield an_event(
        "H28 UTF-32 with its mark", text.encode("utf-32"), not_utf8, "json would guess it"
    )
    yield an_event("H28 UTF-32 without", text.encode("utf-32-be"), not_json, "json would guess it")
    yield an_event(
        "H28 a byte order mark", text.encode("utf-8-sig"), not_json, "RFC 8259 forbids it"
    )
    raw = text.encode()
    yield an_event("H28 a stray byte", raw.replace(b"e2e4", b"e2\xff4"), not_utf8, "not UTF-8")
    yield an_event(
        "H28 an overlong dot", raw.replace(b"e2e4", b"e2\xc0\xae"), not_utf8, "two spellings"
    )
    yield an_event(
        "H28 half a character", raw.replace(b"e2e4", b"e2\xe2\x82"), not_utf8, "cut short"
    )


def characters() -> Iterator[Hostile]:
    yield an_event(
        "H26 a control character as it is",
        written("e2e4", "e2\x01e4"),
        ParseErrorCode.NOT_JSON,
        "NIP-01 says verbatim, JSON says no",
    )
    controls = "".join(chr(code) for code in range(0x20))
    yield an_event(
        "H26 every control character, escaped",
        bytes_of(a_move(controls)),
        None,
        r"the id hashes \u00xx in lower case; our kinds' dialects refuse them",
    )
    yield an_event(
        "H26 an id over control characters verbatim",
        _with_id_of(_serialized('"\x01"'), "\x01"),
        ParseErrorCode.WRONG_ID,
        "to the letter of NIP-01, and like no library",
    )
    yield an_event(
        "H26 an id over escapes in upper case",
        _with_id_of(_serialized(r'"\u001F"'), "\x1f"),
        ParseErrorCode.WRONG_ID,
        "like no library",
    )
    for name, content in (
        ("DEL", "\x7f"),
        ("line and paragraph separators", "\u2028\u2029"),
        ("a decomposed letter", "e\u0301"),
        ("right-to-left and zero-width marks", "\u202e\u200b\u200d"),
        ("an astral character", "\U0001f600"),
        ("a non-character", "\uffff"),
    ):
        raw = bytes_of(a_move(content))
        yield an_event(f"H27 {name}", raw, None, "hashed as it is; the dialect finds no move in it")
    yield an_event(
        "H27 a letter needlessly escaped",
        written("e2e4", r"\u0065\u0032e4"),
        None,
        "the same text",
    )
    slash = text_of(a_move("a/b")).replace("a/b", r"a\/b").encode()
    yield an_event("H27 a slash needlessly escaped", slash, None, "the same text")
    yield an_event(
        "H27 an id over escaped letters",
        _with_id_of(_serialized(r'"\u00e9"'), "é"),
        ParseErrorCode.WRONG_ID,
        "json.dumps without ensure_ascii=False computes this one",
    )
    yield an_event(
        "H27 an id over the composed letter",
        _with_id_of(_serialized('"é"'), "e\u0301"),
        ParseErrorCode.WRONG_ID,
        "nobody normalises",
    )
