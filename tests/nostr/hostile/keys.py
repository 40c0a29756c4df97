"""H01 to H15: forged, stolen and misspelt ids, keys and signatures, and sound events for others."""

import hashlib

from coincurve import PrivateKey

from arbiter.nostr.event import EventTemplate, event_id, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.nostr.hostile.case import (
    CREATED_AT,
    GAME,
    PLAYER,
    SERVER,
    STRANGER,
    Table,
    a_move,
    bytes_of,
    edited,
)

_CURVE_ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
_FIELD_SIZE = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"
# BIP-340 row 5: "public key not on the curve".
_OFF_CURVE = "eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34"


def _signed_as(pubkey: str) -> bytes:
    """A move that claims ``pubkey``: its id is right, its signature the player's."""
    id_ = event_id(pubkey, CREATED_AT, 20303, [["d", GAME], ["p", SERVER.pubkey]], "e2e4")
    sig = PLAYER.sign_bytes(bytes.fromhex(id_)).hex()
    return bytes_of({**a_move(), "id": id_, "pubkey": pubkey, "sig": sig})


def forgeries() -> Table:
    sig, id_ = str(a_move()["sig"]), str(a_move()["id"])
    other_id = hashlib.sha256(b"another event").hexdigest()
    stolen = PLAYER.sign_bytes(bytes.fromhex(other_id)).hex()
    another_sig = PrivateKey.from_hex(PLAYER.to_hex()).sign_schnorr(bytes.fromhex(id_), b"\1" * 32)
    of_stranger = STRANGER.sign_bytes(bytes.fromhex(id_)).hex()
    return {
        "wrong_sig": {
            "H01 a forged signature": edited(sig=f"{int(sig, 16) ^ 1:0128x}"),
            "H02 another key's signature": edited(sig=of_stranger),
            "H05 a signature of zeros": edited(sig="0" * 128),
            # BIP-340 rows 12, 13 and 11.
            "H05 r is p": edited(sig=_FIELD_SIZE + sig[64:]),
            "H05 s is n": edited(sig=sig[:64] + _CURVE_ORDER),
            "H05 r off the curve": edited(sig=_OFF_CURVE + sig[64:]),
        },
        "wrong_id": {
            # The signature of that id is valid, so only computing the id again tells.
            "H03 an id of something else": edited(id=other_id, sig=stolen),
            "H04 content altered under its signature": edited(content="e2e3"),
            "H04 kind altered under its signature": edited(kind=20300),
            "H04 tags altered under its signature": edited(tags=[]),
            "H04 created_at altered under its signature": edited(created_at=1),
        },
        # Both are valid: deduplicate by id, never by signature or by text.
        "": {"H12 a second signature of the same id": edited(sig=another_sig.hex())},
    }


def keys() -> Table:
    pubkey = PLAYER.pubkey
    compressed = PrivateKey.from_hex(PLAYER.to_hex()).public_key.format().hex()
    npub = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
    arabic = pubkey.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
    return {
        "bad_pubkey": {
            "H06 a key off the curve": _signed_as(_OFF_CURVE),
            "H06 a key not below p": _signed_as(_FIELD_SIZE),
            "H07 a key of 31 bytes": _signed_as(pubkey[:62]),
            # The same key, another id, a valid signature: a second name for one player.
            "H08 an upper-case key": _signed_as(pubkey.upper()),
            "H08 a 0x before the key": _signed_as("0x" + pubkey),
            "H08 a newline after the key": _signed_as(pubkey + "\n"),
            "H08 spaces in the key": _signed_as(" " + pubkey),
            "H08 Arabic digits in the key": _signed_as(arabic),
            "H09 an npub for a key": _signed_as(npub),
            "H10 a compressed key of 33 bytes": _signed_as(compressed),
        },
        "bad_id": {
            "H08 an upper-case id": edited(id=str(a_move()["id"]).upper()),
            "H08 a number for an id": edited(id=7),
        },
        "bad_sig": {
            "H08 an upper-case signature": edited(sig=str(a_move()["sig"]).upper()),
            "H08 a short signature": edited(sig="00" * 63),
        },
    }


def sound_but_not_for_us() -> Table:
    def signed(key: SecretKey, kind: int, *tags: tuple[str, ...]) -> bytes:
        return bytes_of(event_to_json(key.sign(EventTemplate(kind, tags, "e2e4", CREATED_AT))))

    game, to_server, to_other = ("d", GAME), ("p", SERVER.pubkey), ("p", STRANGER.pubkey)
    delegation = ("delegation", STRANGER.pubkey, "kind=20303", "00" * 64)
    unsigned = edited(verified=True, relay="wss://relay.example")
    return {
        "": {
            "H11 unsigned fields": unsigned,
            "H13 an event of our own key": signed(SERVER, 20303, game, to_server),
            "H14 an AUTH event as a move": signed(PLAYER, 22242, game, to_server),
            "H14 a delegated move": signed(PLAYER, 20303, game, to_server, delegation),
            "H15 a move for another server": signed(PLAYER, 20303, game, to_other),
        }
    }
