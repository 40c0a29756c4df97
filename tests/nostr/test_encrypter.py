from arbiter.nostr.nip44 import KeyEncrypter, conversation_key, decrypt
from tests.builders import ALICE, BOB, EVE, SERVER

CAUSE, OTHER = "ab" * 32, "cd" * 32


def a_sealer() -> KeyEncrypter:
    return KeyEncrypter(lambda: SERVER)


def read_by(reader: str, payload: str | None) -> str | None:
    secret = bytes.fromhex({ALICE.pubkey: ALICE, BOB.pubkey: BOB, EVE.pubkey: EVE}[reader].to_hex())
    assert payload is not None
    return decrypt(payload, conversation_key(secret, SERVER.pubkey))


def test_a_line_is_read_only_by_the_reader_it_is_sealed_for() -> None:
    payload = a_sealer().encrypt(ALICE.pubkey, "well played", CAUSE)

    assert read_by(ALICE.pubkey, payload) == "well played"
    assert read_by(EVE.pubkey, payload) is None


def test_what_a_player_seals_for_the_server_is_opened() -> None:
    """The key that two share is the same from either side."""
    payload = a_sealer().encrypt(BOB.pubkey, "hello", CAUSE)

    assert payload is not None
    assert a_sealer().decrypt(BOB.pubkey, payload) == "hello"
    assert a_sealer().decrypt(ALICE.pubkey, payload) is None


def test_the_same_line_is_the_same_payload_and_any_other_has_another_nonce() -> None:
    sealer = a_sealer()
    first = sealer.encrypt(ALICE.pubkey, "hello", CAUSE)

    assert sealer.encrypt(ALICE.pubkey, "hello", CAUSE) == first
    nonces = {
        (sealer.encrypt(to, text, event_key) or "")[:44]
        for to in (ALICE.pubkey, BOB.pubkey)
        for text in ("hello", "hallo")
        for event_key in (CAUSE, OTHER)
    }
    assert len(nonces) == 8


def test_nonsense_is_none_and_never_raises() -> None:
    sealer = a_sealer()

    assert sealer.encrypt("f" * 64, "hello", CAUSE) is None, "no point of the curve"
    assert sealer.encrypt(ALICE.pubkey, "", CAUSE) is None
    assert sealer.encrypt(ALICE.pubkey, "x" * 70_000, CAUSE) is None
    for payload in ("", "#", "A" * 200, "é" * 200, "A" * 100_000):
        assert sealer.decrypt(ALICE.pubkey, payload) is None
