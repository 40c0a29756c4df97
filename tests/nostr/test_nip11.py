"""The document tells what is enforced, and nothing that is not."""

import json

from arbiter.nostr.house import HousePlayer
from arbiter.nostr.nip11 import RelayLimits, relay_information

PUBKEY = "ab" * 32


def test_the_document_tells_the_limits_that_are_enforced() -> None:
    limits = RelayLimits(message_bytes=1, subscriptions=2, filters=3, events=4, event_tags=5)
    document = relay_information("Arbiter", PUBKEY, "1.2.3", (64, 20300), limits)

    limitation = document["limitation"]
    assert isinstance(limitation, dict)
    told = ("max_message_length", "max_subscriptions", "max_filters", "max_limit", "max_event_tags")
    assert [limitation[name] for name in told] == [1, 2, 3, 4, 5]
    assert limitation["restricted_writes"] is True
    assert limitation["auth_required"] is False


def test_the_document_is_json_and_says_whose_relay_it_is_and_who_its_house_is() -> None:
    house = (HousePlayer("cd" * 32, 3),)
    made = relay_information("A" * 40, PUBKEY, "1.2.3", (64, 20300), house=house)
    document = json.loads(json.dumps(made))

    # A long name is not left to clients to cut.
    assert (document["name"], document["self"], document["version"]) == ("A" * 30, PUBKEY, "1.2.3")
    assert "64, 20300" in document["description"]
    assert document["supported_nips"] == [1, 11, 40, 42, 70]
    assert document.pop("house") == [{"pubkey": "cd" * 32, "level": 3}]
    assert document == relay_information("A" * 40, PUBKEY, "1.2.3", (64, 20300))
