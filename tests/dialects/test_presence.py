"""What the arbiter says of itself on relays."""

import json

from arbiter.dialects.arbiter_events import ABOUT, HANDLER, PROFILE, RELAY_LIST, announcement_events

AT = 1_800_000_000


def test_a_profile_a_relay_list_and_what_is_handled_are_published() -> None:
    profile, relays, handler = announcement_events(
        "Árbiter", ["ws://a", "ws://b"], [20300, 20303], AT
    )

    assert [it.kind for it in (profile, relays, handler)] == [PROFILE, RELAY_LIST, HANDLER]
    assert {it.created_at for it in (profile, relays, handler)} == {AT}
    assert json.loads(profile.content) == {"name": "Árbiter", "about": ABOUT, "bot": True}
    assert "Árbiter" in profile.content, "not escaped"
    assert (profile.tags, relays.content) == ((), "")
    assert relays.tags == (("r", "ws://a"), ("r", "ws://b"))
    assert handler.content == profile.content
    assert handler.tags == (("d", "chess"), ("k", "20300"), ("k", "20303"))
