"""NIP-44 version 2, held to the vectors that the NIP names by their hash."""

import base64
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from coincurve import PrivateKey
from nostr_sdk import Keys, Nip44Version, PublicKey, nip44_decrypt, nip44_encrypt  # type: ignore[import-untyped]

from arbiter.nostr.nip44 import conversation_key, decrypt, encrypt, message_keys, padded_bytes
from tests.builders import ALICE, BOB

FILE = Path(__file__).parent / "vectors" / "nip44.vectors.json"
VECTORS: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["v2"]
VALID, INVALID = VECTORS["valid"], VECTORS["invalid"]
KEY = bytes(range(32))


def a_pubkey(secret: str) -> str:
    return PrivateKey(bytes.fromhex(secret)).public_key_xonly.format().hex()


def test_the_vectors_are_those_that_the_nip_names() -> None:
    named = "269ed0f69e4c192512cc779e78c555090cebc7c785b609e338a62afc3ce25040"
    assert sha256(FILE.read_bytes()).hexdigest() == named


@pytest.mark.parametrize("case", VALID["get_conversation_key"])
def test_two_keys_give_one_conversation_key(case: dict[str, str]) -> None:
    key = conversation_key(bytes.fromhex(case["sec1"]), case["pub2"])
    assert key.hex() == case["conversation_key"]


@pytest.mark.parametrize("case", VALID["get_message_keys"]["keys"])
def test_a_nonce_gives_three_keys(case: dict[str, str]) -> None:
    shared = bytes.fromhex(VALID["get_message_keys"]["conversation_key"])
    keys = message_keys(shared, bytes.fromhex(case["nonce"]))
    assert keys.cipher_key.hex() == case["chacha_key"]
    assert keys.cipher_nonce.hex() == case["chacha_nonce"]
    assert keys.mac_key.hex() == case["hmac_key"]


@pytest.mark.parametrize(("length", "padded"), VALID["calc_padded_len"])
def test_a_text_is_padded(length: int, padded: int) -> None:
    assert padded_bytes(length) == padded


@pytest.mark.parametrize("case", VALID["encrypt_decrypt"])
def test_a_conversation_is_sealed_and_opened_as_the_vectors_say(case: dict[str, str]) -> None:
    for secret, other in ((case["sec1"], case["sec2"]), (case["sec2"], case["sec1"])):
        key = conversation_key(bytes.fromhex(secret), a_pubkey(other))
        assert key.hex() == case["conversation_key"]
        assert encrypt(case["plaintext"], key, bytes.fromhex(case["nonce"])) == case["payload"]
        assert decrypt(case["payload"], key) == case["plaintext"]


@pytest.mark.parametrize("case", VALID["encrypt_decrypt_long_msg"])
def test_a_long_text_is_sealed_as_the_vectors_say(case: dict[str, Any]) -> None:
    text, key = case["pattern"] * case["repeat"], bytes.fromhex(case["conversation_key"])
    payload = encrypt(text, key, bytes.fromhex(case["nonce"]))
    assert sha256(text.encode()).hexdigest() == case["plaintext_sha256"]
    assert sha256(payload.encode()).hexdigest() == case["payload_sha256"]
    assert decrypt(payload, key) == text


@pytest.mark.parametrize("length", INVALID["encrypt_msg_lengths"])
def test_a_text_of_no_bytes_or_too_many_is_not_sealed(length: int) -> None:
    with pytest.raises(ValueError, match="a text is"):
        encrypt("a" * length, KEY, KEY)


@pytest.mark.parametrize("case", INVALID["get_conversation_key"])
def test_what_is_no_key_gives_none(case: dict[str, str]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the library's words
        conversation_key(bytes.fromhex(case["sec1"]), case["pub2"])


@pytest.mark.parametrize("case", INVALID["decrypt"])
def test_a_payload_that_is_none_is_not_opened(case: dict[str, str]) -> None:
    assert decrypt(case["payload"], bytes.fromhex(case["conversation_key"])) is None


def test_a_changed_byte_is_noticed_and_no_stranger_s_bytes_raise() -> None:
    for place in (0, 5, 40, -1):
        data = bytearray(base64.b64decode(encrypt("good game", KEY, KEY)))
        data[place] ^= 1
        assert decrypt(base64.b64encode(data).decode(), KEY) is None
    for payload in ("", "A" * 10, "é" * 132, "A" * 131 + "\n", "A" * 90_000):
        assert decrypt(payload, KEY) is None


def test_another_program_understands_us_and_is_understood_and_a_third_key_reads_nothing() -> None:
    bob = Keys.parse(BOB.to_hex())
    key = conversation_key(bytes.fromhex(ALICE.to_hex()), BOB.pubkey)
    alice = PublicKey.parse(ALICE.pubkey)
    ours = encrypt("good game", key, KEY)
    assert nip44_decrypt(bob.secret_key(), alice, ours) == "good game"
    theirs = nip44_encrypt(bob.secret_key(), alice, "thank you", Nip44Version.V2)
    assert decrypt(theirs, key) == "thank you"
    assert decrypt(ours, conversation_key(b"\x07" * 32, ALICE.pubkey)) is None
