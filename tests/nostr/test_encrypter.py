from arbiter.nostr.nip44 import KeyEncrypter, conversation_key, decrypt
from tests.builders import ALICE, BOB, EVE, SERVER

CAUSE, OTHER = "ab" * 32, "cd" * 32
OURS = KeyEncrypter(lambda: SERVER)


def test_a_line_is_read_only_by_the_reader_it_is_sealed_for_and_by_us() -> None:
    payload = OURS.encrypt(ALICE.pubkey, "well played", CAUSE)

    assert payload is not None
    for reader, text in ((ALICE, "well played"), (EVE, None)):
        key = conversation_key(bytes.fromhex(reader.to_hex()), SERVER.pubkey)
        assert decrypt(payload, key) == text
        # The key that two share is the same from either side.
        assert OURS.decrypt(reader.pubkey, payload) == text


def test_the_same_line_is_the_same_payload_and_any_other_has_another_nonce() -> None:
    payloads = [
        OURS.encrypt(to, text, event_key) or ""
        for to in (ALICE.pubkey, BOB.pubkey)
        for text in ("hello", "hallo")
        for event_key in (CAUSE, OTHER)
    ]

    assert OURS.encrypt(ALICE.pubkey, "hello", CAUSE) == payloads[0]
    assert len({it[:44] for it in payloads}) == 8


def test_nonsense_is_none_and_never_raises() -> None:
    assert OURS.encrypt("f" * 64, "hello", CAUSE) is None, "no point of the curve"
    assert OURS.encrypt(ALICE.pubkey, "", CAUSE) is None
    assert OURS.encrypt(ALICE.pubkey, "x" * 70_000, CAUSE) is None
    for payload in ("", "#", "A" * 200, "é" * 200, "A" * 100_000):
        assert OURS.decrypt(ALICE.pubkey, payload) is None
