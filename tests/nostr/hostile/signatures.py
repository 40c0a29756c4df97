"""H01 to H15: forged, stolen and misspelt ids, keys and signatures, and sound events for others."""

import hashlib
from collections.abc import Iterator

from coincurve import PrivateKey

from arbiter.nostr.event import EventTemplate, ParseErrorCode, event_id, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.nostr.hostile.case import (
    CREATED_AT,
    GAME,
    PLAYER,
    SERVER,
    STRANGER,
    Hostile,
    a_move,
    an_event,
    bytes_of,
    edited,
)

_CURVE_ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
_FIELD_SIZE = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"
# BIP-340 row 5: "public key not on the curve".
_OFF_CURVE = "eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34"


def _signed_as(pubkey: str) -> bytes:
    """A move that claims ``pubkey``: its id is right, its signature the player's."""
    body = a_move()
    id_ = event_id(pubkey, CREATED_AT, 20303, [["d", GAME], ["p", SERVER.pubkey]], "e2e4")
    sig = PLAYER.sign_bytes(bytes.fromhex(id_)).hex()
    return bytes_of({**body, "id": id_, "pubkey": pubkey, "sig": sig})


def forgeries() -> Iterator[Hostile]:
    move = a_move()
    sig, id_ = str(move["sig"]), str(move["id"])
    other_id = hashlib.sha256(b"another event").hexdigest()
    stolen = PLAYER.sign_bytes(bytes.fromhex(other_id)).hex()
    another_sig = PrivateKey.from_hex(PLAYER.to_hex()).sign_schnorr(bytes.fromhex(id_), b"\1" * 32)
    flipped = f"{int(sig, 16) ^ 1:0128x}"
    of_stranger = STRANGER.sign_bytes(bytes.fromhex(id_)).hex()
    wrong = ParseErrorCode.WRONG_SIG
    yield an_event("H01 a forged signature", edited(sig=flipped), wrong, "one bit is off")
    yield an_event("H02 another key's signature", edited(sig=of_stranger), wrong, "valid, not his")
    yield an_event(
        "H03 an id of something else",
        edited(id=other_id, sig=stolen),
        ParseErrorCode.WRONG_ID,
        "the signature of that id is valid, so only computing the id again tells",
    )
    for field, value in (("content", "e2e3"), ("kind", 20300), ("tags", []), ("created_at", 1)):
        yield an_event(
            f"H04 {field} altered under its signature",
            edited(**{field: value}),
            ParseErrorCode.WRONG_ID,
            "id and signature are those of the true event",
        )
    yield an_event("H05 a signature of zeros", edited(sig="0" * 128), wrong, "r has no point")
    yield an_event("H05 r is p", edited(sig=_FIELD_SIZE + sig[64:]), wrong, "BIP-340 row 12")
    yield an_event("H05 s is n", edited(sig=sig[:64] + _CURVE_ORDER), wrong, "BIP-340 row 13")
    yield an_event(
        "H05 r off the curve", edited(sig=_OFF_CURVE + sig[64:]), wrong, "BIP-340 row 11"
    )
    yield an_event(
        "H12 a second signature of the same id",
        edited(sig=another_sig.hex()),
        None,
        "both are valid: deduplicate by id, never by signature or by text",
    )


def keys() -> Iterator[Hostile]:
    bad = ParseErrorCode.BAD_PUBKEY
    pubkey = PLAYER.pubkey
    compressed = PrivateKey.from_hex(PLAYER.to_hex()).public_key.format().hex()
    npub = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
    arabic = pubkey.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
    yield an_event("H06 a key off the curve", _signed_as(_OFF_CURVE), bad, "coincurve raises")
    yield an_event("H06 a key not below p", _signed_as(_FIELD_SIZE), bad, "coincurve raises")
    yield an_event("H07 a key of 31 bytes", _signed_as(pubkey[:62]), bad, "coincurve would pad it")
    yield an_event(
        "H08 an upper-case key",
        _signed_as(pubkey.upper()),
        bad,
        "same key, other id, valid signature: a second name for one player",
    )
    yield an_event("H08 a 0x before the key", _signed_as("0x" + pubkey), bad, "strfry takes it")
    yield an_event("H08 a newline after the key", _signed_as(pubkey + "\n"), bad, "$ would match")
    yield an_event("H08 spaces in the key", _signed_as(" " + pubkey), bad, "fromhex takes spaces")
    yield an_event("H08 Arabic digits in the key", _signed_as(arabic), bad, "int() takes them")
    yield an_event("H09 an npub for a key", _signed_as(npub), bad, "NIP-19 is not for the wire")
    yield an_event("H10 a compressed key of 33 bytes", _signed_as(compressed), bad, "not x-only")
    upper_id, upper_sig = str(a_move()["id"]).upper(), str(a_move()["sig"]).upper()
    yield an_event(
        "H08 an upper-case id", edited(id=upper_id), ParseErrorCode.BAD_ID, "breaks look-ups by id"
    )
    yield an_event(
        "H08 an upper-case signature", edited(sig=upper_sig), ParseErrorCode.BAD_SIG, "not NIP-01"
    )
    yield an_event(
        "H08 a short signature", edited(sig="00" * 63), ParseErrorCode.BAD_SIG, "coincurve raises"
    )
    yield an_event("H08 a number for an id", edited(id=7), ParseErrorCode.BAD_ID, "not a string")


def sound_but_not_for_us() -> Iterator[Hostile]:
    def signed(key: SecretKey, kind: int, *tags: tuple[str, ...]) -> bytes:
        return bytes_of(event_to_json(key.sign(EventTemplate(kind, tags, "e2e4", CREATED_AT))))

    game, to_server = ("d", GAME), ("p", SERVER.pubkey)
    delegation = ("delegation", STRANGER.pubkey, "kind=20303", "00" * 64)
    yield an_event(
        "H11 fields that nobody signed",
        edited(verified=True, relay="wss://relay.example"),
        None,
        "dropped: the value has seven fields and no more",
    )
    yield an_event(
        "H13 an event of our own key",
        signed(SERVER, 20303, game, to_server),
        None,
        "the application must not play against itself",
    )
    yield an_event(
        "H14 an AUTH event as a move",
        signed(PLAYER, 22242, game, to_server),
        None,
        "no dialect reads kind 22242",
    )
    yield an_event(
        "H14 a delegated move",
        signed(PLAYER, 20303, game, to_server, delegation),
        None,
        "its author is the signer, whatever the tag says",
    )
    yield an_event(
        "H15 a move for another server",
        signed(PLAYER, 20303, game, ("p", STRANGER.pubkey)),
        None,
        "the dialect asks for our key in its p tag",
    )
