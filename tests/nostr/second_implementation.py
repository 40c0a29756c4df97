"""rust-nostr, by way of the package nostr-sdk: a second reader of the same values."""

import nostr_sdk  # type: ignore[import-untyped]


def verifies(event_text: str) -> bool:
    """Whether the event in this JSON text is its author's."""
    return bool(nostr_sdk.Event.from_json(event_text).verify())


def matches(filter_text: str, event_text: str) -> bool:
    wanted = nostr_sdk.Filter.from_json(filter_text)
    return bool(wanted.match_event(nostr_sdk.Event.from_json(event_text)))


def npub_of(pubkey: str) -> str:
    """The key as people copy it."""
    return str(nostr_sdk.PublicKey.parse(pubkey).to_bech32())


def pubkey_of(seckey: str) -> str:
    """The public key of a secret one."""
    return str(nostr_sdk.Keys.parse(seckey).public_key().to_hex())


def signed_note(seckey: str, content: str, created_at: int) -> str:
    """A text note of kind 1, signed over there, as JSON text."""
    builder = nostr_sdk.EventBuilder(nostr_sdk.Kind(1), content)
    dated = builder.custom_created_at(nostr_sdk.Timestamp.from_secs(created_at))
    return str(dated.finalize(nostr_sdk.Keys.parse(seckey)).as_json())
