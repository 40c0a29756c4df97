"""H20 to H41: JSON and UTF-8 that two readers would read differently, or not survive; fields of the
wrong shape, and too much of everything; and what may stand in a websocket frame.
"""

import hashlib

from tests.nostr.hostile.case import (
    CREATED_AT,
    GAME,
    PLAYER,
    Body,
    Table,
    a_move,
    bytes_of,
    edited,
    text_of,
    written,
)


def numbers_and_keys() -> Table:
    def at(number: object) -> bytes:
        return written(f'"created_at":{CREATED_AT}', f'"created_at":{number}')

    def kind(number: object) -> bytes:
        return written('"kind":20303', f'"kind":{number}')

    kinds = ("true", "20303.0", "2.0303e4", '"20303"', "null", "[20303]")
    dates = ("false", f"{CREATED_AT}.0", "1.79e9", '"0"', "null")
    infinite = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999")
    return {
        # The last value counts, in the id as in the move.
        "wrong_id": {
            # A plain zero, so the event is another than was signed.
            "H23 created_at -0": at("-0"),
            "H23 kind -0": kind("-0"),
            "H20 two contents": written('"content":"e2e4"', '"content":"e2e4","content":"d2d4"'),
        },
        "": {
            "H20 two contents, the last as signed": written(
                '"content":"e2e4"', '"content":"d2d4","content":"e2e4"'
            ),
            "H20 the same key twice where we drop it": written(
                '"content"', '"x":{"y":1,"y":2},"content"'
            ),
        },
        "not_json": {
            **{f"H21 {it} for created_at": at(it) for it in infinite},
            "H22 5,000 digits": at("9" * 5_000),
        },
        "bad_created_at": {
            # JavaScript computes another id from 2^53 on; 2^63 overflows a database's integer.
            "H22 2^53": at(2**53),
            "H22 2^63": at(2**63),
            "H22 40 digits": at("9" * 40),
            "H22 5,000 digits after the point": at("1." + "9" * 5_000),
            "H22 a negative created_at": at(-1),
            **{f"H23 created_at {it}": at(it) for it in dates},
        },
        "bad_kind": {
            **{f"H22 kind {it}": kind(it) for it in ("65536", "-1")},
            **{f"H23 kind {it}": kind(it) for it in kinds},
        },
    }


def depth() -> Table:
    deep = "[" * 500 + "]" * 500
    deeper = "[" * 2_000 + "]" * 2_000
    return {
        "not_json": {
            "H24 a string that never ends": b'["' + b'\\"' * 30_000,
            "H24 an abyss of arrays": b"[" * 60_000,
            "H24 an abyss of objects": b'{"a":' * 13_000,
            "H24 an abyss in a tag": written('[["d"', "[" * 30_000 + '[["d"'),
            "H24 an abyss in a field we drop": written('"content"', f'"x":{deeper},"content"'),
        },
        "": {
            "H24 a depth in a field we drop": written('"content"', f'"x":{deep},"content"'),
            "H24 brackets that are only text": bytes_of(a_move("[" * 9_000 + r'{"\"')),
        },
    }


def encodings() -> Table:
    text = text_of(a_move())
    raw = text.encode()
    return {
        "not_json": {
            "H25 a high half in the content": written('"e2e4"', r'"\ud83d"'),
            "H25 a low half in the content": written('"e2e4"', r'"\ude00"'),
            "H25 halves the wrong way round": written('"e2e4"', r'"\ude00\ud83d"'),
            "H25 half a character in a tag": written('["d",', r'["\udfff",'),
            "H25 half a character in a field we drop": written(
                '"content"', r'"x":["\uD800"],"content"'
            ),
            "H25 half a character in a key we drop": written('"content"', r'"\udbff":1,"content"'),
            "H25 a surrogate as bytes": written("e2e4", "\ud83d"),
            "H28 UTF-16 with its mark": text.encode("utf-16"),
            "H28 UTF-32 with its mark": text.encode("utf-32"),
            "H28 a stray byte": raw.replace(b"e2e4", b"e2\xff4"),
            "H28 an overlong dot": raw.replace(b"e2e4", b"e2\xc0\xae"),
            "H28 half a character": raw.replace(b"e2e4", b"e2\xe2\x82"),
            "H28 UTF-16 without": text.encode("utf-16-le"),
            "H28 UTF-32 without": text.encode("utf-32-be"),
            "H28 a byte order mark": text.encode("utf-8-sig"),
        },
    }


def characters() -> Table:
    def with_id_of(content_in_json: str, content: str) -> bytes:
        """An event whose id hashes another serialisation of the same fields, properly signed."""
        serialized = f'[0,"{PLAYER.pubkey}",{CREATED_AT},1,[],{content_in_json}]'
        digest = hashlib.sha256(serialized.encode()).digest()
        sig = PLAYER.sign_bytes(digest).hex()
        body: Body = {"id": digest.hex(), "pubkey": PLAYER.pubkey, "created_at": CREATED_AT}
        return bytes_of({**body, "kind": 1, "tags": [], "content": content, "sig": sig})

    controls = "".join(chr(code) for code in range(0x20))
    texts = {
        "H26 every control character, escaped": controls,
        "H27 DEL": "\x7f",
        "H27 line and paragraph separators": "\u2028\u2029",
        "H27 a decomposed letter": "e\u0301",
        "H27 right-to-left and zero-width marks": "\u202e\u200b\u200d",
        "H27 an astral character": "\U0001f600",
        "H27 a non-character": "\uffff",
    }
    slash = text_of(a_move("a/b")).replace("a/b", r"a\/b").encode()
    return {
        # NIP-01 says verbatim, JSON says no.
        "not_json": {"H26 a control character as it is": written("e2e4", "e2\x01e4")},
        "wrong_id": {
            "H26 an id over control characters verbatim": with_id_of('"\x01"', "\x01"),
            "H26 an id over escapes in upper case": with_id_of(r'"\u001F"', "\x1f"),
            # json.dumps without ensure_ascii=False computes this one.
            "H27 an id over escaped letters": with_id_of(r'"\u00e9"', "é"),
            "H27 an id over the composed letter": with_id_of('"é"', "e\u0301"),
        },
        "": {
            **{name: bytes_of(a_move(content)) for name, content in texts.items()},
            "H27 a letter needlessly escaped": written("e2e4", r"\u0065\u0032e4"),
            "H27 a slash needlessly escaped": slash,
        },
    }


def shapes() -> Table:
    move = a_move()
    missing = {
        f"H29 no {field}": bytes_of({name: move[name] for name in move if name != field})
        for field in move
    }

    def keys(count: int) -> bytes:
        return written('"id"', "".join(f'"{number}":0,' for number in range(count)) + '"id"')

    return {
        "not_an_object": {
            "H29 an array for an event": b"[]",
            "H29 a string for an event": b'"EVENT"',
            "H29 null for an event": b"null",
        },
        "not_json": {
            "H29 nothing for an event": b"",
            "H29 blanks for an event": b" \n",
            "H29 two events for an event": edited() * 2,
        },
        "missing_field": missing,
        "bad_id": {"H29 id is null": edited(id=None)},
        "bad_pubkey": {"H29 pubkey is null": edited(pubkey=None)},
        "bad_tags": {"H29 tags is null": edited(tags=None)},
        "bad_content": {
            "H29 content is null": edited(content=None),
            "H29 an object for content": edited(content={}),
        },
        "bad_sig": {"H29 sig is null": edited(sig=None)},
        "too_large": {
            "H30 an inflated event": bytes_of(a_move("x" * 65_536)),
            "H30 an event large in bytes": bytes_of(a_move("é" * 32_768)),
            "H33 a hundred thousand keys": keys(100_000),
        },
        "": {"H33 as many keys as fit": keys(5_000)},
    }


def tags() -> Table:
    bad: dict[str, object] = {
        "tags is an object": {"d": GAME},
        "tags is a string": "d",
        "a tag is a string": ["d"],
        "a tag is an object": [{"d": GAME}],
        "a tag is null": [None],
        "a tag is empty": [["d", GAME], []],
        "a number in a tag": [["d", 7]],
        "null in a tag": [["d", None]],
        "true in a tag": [["d", True]],
        "a tag in a tag": [["d", ["d"]]],
    }
    twice = {name: ((name, "00" * 32), (name, "11" * 32)) for name in "dpe"}
    return {
        "bad_tags": {f"H40 {name}": edited(tags=it) for name, it in bad.items()},
        "too_many_tags": {"H41 two thousand tags": edited(tags=[["p"]] * 2_000)},
        "too_large": {"H41 a tag of 64 KiB": edited(tags=[["d", "x" * 65_536]])},
        "tag_too_large": {
            "H41 a tag value of 2 KiB": edited(tags=[["d", "x" * 2_048]]),
            "H41 a tag value large in bytes": edited(tags=[["d", "é" * 600]]),
            "H41 a tag name of 2 KiB": edited(tags=[["x" * 2_048]]),
            "H41 a tag of three thousand items": edited(tags=[["d"] * 3_000]),
        },
        # NIP-01 allows it: the dialect asks for exactly one.
        "": {
            f"H41 two {name} tags that disagree": bytes_of(a_move("e2e4", *both))
            for name, both in twice.items()
        },
    }


def frames() -> Table:
    move = text_of(a_move())
    whole = f'["EVENT","s",{move}]'
    large, forged = text_of(a_move("x" * 65_536)), text_of({**a_move(), "content": "e2e3"})
    bad = {
        "EVENT without an event": '["EVENT","s"]',
        "EVENT without a subscription": f'["EVENT",{move}]',
        "EVENT for a number": f'["EVENT",7,{move}]',
        "EVENT for the empty subscription": f'["EVENT","",{move}]',
        "EVENT for a long subscription": f'["EVENT","{"s" * 65}",{move}]',
        "OK without a verdict": f'["OK","{"0" * 64}"]',
        "OK with a verdict in words": f'["OK","{"0" * 64}","true",""]',
        "OK with a number for a verdict": f'["OK","{"0" * 64}",1,""]',
        "OK for no id": '["OK","",true,""]',
        "EOSE without a subscription": '["EOSE"]',
        "EOSE for null": '["EOSE",null]',
        "CLOSED without a subscription": '["CLOSED"]',
        "NOTICE with an object": '["NOTICE",{}]',
        "AUTH with an event": f'["AUTH",{move}]',
        "AUTH with an empty challenge": '["AUTH",""]',
        "AUTH with an endless challenge": f'["AUTH","{"x" * 5_000}"]',
    }
    cuts = (1, 7, 12, 20, 200, len(whole) - 1)
    return {
        "too_large": {
            "H30 an inflated frame": b"[" + b" " * 131_072 + b"]",
            "H30 too large an event in a frame": f'["EVENT","s",{large}]'.encode(),
            "H31 a NOTICE of a megabyte": b'["NOTICE","' + b"x" * 2**20 + b'"]',
        },
        "not_an_array": {
            "H31 a frame that is an object": move.encode(),
            "H31 a frame that is text": b'"EOSE"',
        },
        "not_json": {
            "H24 an abyss in a frame": b"[" * 100_000,
            "H31 a frame that is nothing": b"",
            **{f"H32 an EVENT cut after {length}": whole[:length].encode() for length in cuts},
        },
        "unknown_message": {
            "H31 an empty array": b"[]",
            "H31 an unknown verb": b'["COUNT","s",{}]',
            "H31 a verb in lower case": b'["eose","s"]',
            "H31 a verb that is an array": b'[["EOSE"],"s"]',
        },
        "bad_message": {f"H31 {name}": text.encode() for name, text in bad.items()},
        "not_an_object": {"H32 no event in EVENT": b'["EVENT","s",null]'},
        "wrong_id": {"H04 an altered event in a frame": f'["EVENT","s",{forged}]'.encode()},
        "": {
            "H31 an event for no subscription of ours": f'["EVENT","never asked",{move}]'.encode(),
            "H31 one EOSE of a flood": b'["EOSE","s"]',
        },
    }
