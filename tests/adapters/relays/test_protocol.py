"""The listener's side of a connection, without a socket: what is received, and what is done."""

import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import Pong
from arbiter.adapters.relays.counters import MemoryCounters
from arbiter.adapters.relays.deadline_socket import RelayFailure
from arbiter.adapters.relays.loopback_probe import LOOPBACK_KIND, LoopbackPacing, LoopbackProbe
from arbiter.adapters.relays.protocol import (
    SUBSCRIPTION,
    Action,
    Disconnect,
    EventReceived,
    ListenerConfig,
    Pacing,
    Ping,
    RelayProtocol,
    Send,
)
from arbiter.application.routing import LISTENED_KINDS
from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, event_from_json, verify
from arbiter.nostr.limits import MAX_AGE_SECONDS
from arbiter.nostr.nip11 import RelayLimits
from tests.adapters.relays.watching import json_of
from tests.builders import ALICE, EVE, SERVER

UNIX = 1_800_000_000
URL = "wss://relay.example/"
NO_PROBES = Pacing(
    ping_after_seconds=20.0,
    pong_within_seconds=10.0,
    answer_within_seconds=15.0,
    refresh_after_seconds=60.0,
    resubscribe=Backoff(first_seconds=1.0, longest_seconds=8.0),
    probe=LoopbackPacing(silence=Backoff(first_seconds=1e6, longest_seconds=1e6)),
)
PROBES = Pacing(
    ping_after_seconds=1e6,
    answer_within_seconds=1e6,
    refresh_after_seconds=60.0,
    resubscribe=Backoff(first_seconds=1.0, longest_seconds=1.0),
)


class Talk:
    """Connections to one relay, one after the other; the first is opened at 0."""

    def __init__(self, pacing: Pacing = NO_PROBES, chance: float = 1.0) -> None:
        self.tally = MemoryCounters()
        self.probe = LoopbackProbe(pacing.probe, lambda: chance)
        self.now = 0.0
        self.probes: list[Any] = []
        self.auths: list[Any] = []
        self.config = ListenerConfig(
            kinds=LISTENED_KINDS,
            server_pubkey=SERVER.pubkey,
            pacing=pacing,
            unix_seconds=lambda: UNIX + int(self.now),
            chance=lambda: chance,
            pubkey=EVE.pubkey,
            sign=EVE.sign,
            counters=self.tally,
        )
        self.first = self.connects()

    def connects(self) -> Sequence[Action]:
        self.protocol = RelayProtocol(URL, self.config, self.probe)
        return self.protocol.connected(self.now)

    def receives(self, *message: Any) -> Sequence[Action]:
        return self.protocol.receive(json.dumps(message).encode(), self.now)

    def waits(self) -> Sequence[Action]:
        """Nothing is received until something is due."""
        self.now = self.protocol.next_deadline()
        return self.does("wait")

    def does(self, word: str) -> Sequence[Action]:
        """What follows a word of the scripts below."""
        actions = self._does(word)
        for verb, sent, *_ in sent_by(actions):
            if verb in ("EVENT", "AUTH"):
                (self.probes if verb == "EVENT" else self.auths).append(sent)
        return actions

    def _does(self, word: str) -> Sequence[Action]:
        verb, _, rest = word.partition(":")
        match verb:
            case "wait":
                return self.protocol.on_timeout(self.now)
            case "connects":
                return self.connects()
            case "pong":
                return self.protocol.receive(Pong(), self.now)
            case "move":
                tags = (("p", SERVER.pubkey),)
                move = ALICE.sign(EventTemplate(20303, tags, "e2e4", self.config.unix_seconds()))
                return self.receives("EVENT", SUBSCRIPTION, json_of(move))
            case "probe":
                return self.receives("EVENT", rest or SUBSCRIPTION, self.probes[-1])
            case "first-probe":
                return self.receives("EVENT", SUBSCRIPTION, self.probes[0])
            case "ok" | "no":
                asked = {"probe": self.probes, "auth": self.auths}[rest][-1]
                return self.receives("OK", asked["id"], verb == "ok", "")
            case "auth" | "notice":
                return self.receives(verb.upper(), "la")
            case _:
                return self.receives(verb.upper(), SUBSCRIPTION, "")


def sent_by(actions: Sequence[Action]) -> list[Any]:
    return [json.loads(action.text) for action in actions if isinstance(action, Send)]


def words_for(actions: Sequence[Action]) -> str:
    words = []
    for action in actions:
        match action:
            case Send(text):
                verb, _, *filters = json.loads(text)
                words.append("REQ without probe" if verb == "REQ" and filters[1:] == [] else verb)
            case Ping():
                words.append("PING")
            case EventReceived():
                words.append("offer")
            case Disconnect(failure):
                words.append(failure.value)
    return " ".join(words)


# Each line: seconds, what is received ("wait" for nothing), what is done, and the next deadline or
# "unhealthy" after "@".
SCRIPTS_WITHOUT_PROBES = {
    "a quiet relay is pinged, and left when no pong comes": """
        0 eose @ 20
        19.9 wait @ 20
        20 wait -> PING @ 30
        30 wait -> silent""",
    "a pong shows that the relay is there": """
        0 eose @ 20
        20 wait -> PING @ 30
        21 pong @ 41
        30 wait @ 41""",
    "a relay that leaves the subscription unanswered is left": """
        14 notice @ 15
        15 wait -> silent""",
    "messages put off pings, and not the renewal of the subscription": """
        0 eose @ 20
        19 notice @ 39
        38 notice @ 58
        57 notice @ 60""",
    "events answer the subscription and do not put off its renewal": """
        0 move -> offer @ 20
        15 move -> offer @ 35
        49 move -> offer @ 60""",
    "a relay that forgot the subscription is found out when it is renewed": """
        1 eose @ 21
        59 pong @ 61
        61 wait -> REQ @ 76
        75 pong @ 76
        76 wait -> silent""",
    "a closed subscription is made again, each time later": """
        0 closed @ 1
        1 wait -> REQ without probe @ 16
        1 closed @ 3
        3 wait -> REQ without probe
        3 closed @ 7
        7 wait -> REQ without probe
        7 closed @ 15
        15 wait -> REQ without probe
        15 closed @ 23""",
    "EOSE right before CLOSED does not hurry it": """
        0 eose @ 20
        0 closed @ 1
        1 wait -> REQ
        1 eose
        1 closed @ 3
        3 wait -> REQ
        3 eose
        3 closed @ 7""",
    "a subscription that lasted until its renewal clears the count": """
        0 closed @ 1
        0 closed @ 2
        2 wait -> REQ without probe
        2 eose
        61 pong @ 62
        62 wait -> REQ without probe
        62 closed @ 63""",
    "after an accepted AUTH a closed subscription is made at once": """
        1 auth -> AUTH @ 15
        1 closed @ 2
        1 ok:auth -> REQ without probe @ 16
        5 wait @ 16""",
    "after a refused AUTH it waits": """
        1 auth -> AUTH @ 15
        1 closed @ 2
        1 no:auth @ 2""",
}
PROVEN = """
        0 eose @ 30
        30 wait -> EVENT @ 40
        30 probe @ 60
        60 wait -> EVENT @ 70"""
LOST = (
    PROVEN
    + """
        70 wait -> canary-lost @ unhealthy
        70 connects -> REQ @ unhealthy"""
)
SCRIPTS_WITH_PROBES = {
    "a probe that comes back is offered to no queue, and another follows": """
        0 eose @ 30
        30 wait -> EVENT @ 40
        31 ok:probe @ 40
        31 probe @ 60
        60 wait -> REQ
        60 eose @ 90
        90 wait -> EVENT @ 100""",
    "a relay that accepts the probe and does not return it is left": PROVEN
    + """
        61 ok:probe @ 70
        65 pong @ 70
        70 wait -> canary-lost @ unhealthy""",
    "no probe is sent while players' events come": """
        0 eose @ 30
        10 move -> offer @ 40
        20 move -> offer @ 50
        35 move -> offer @ 60""",
    "a player's event proves as much as the probe": PROVEN
    + """
        69 move -> offer @ 60
        70 wait -> REQ""",
    "stored events prove nothing": """
        0 move -> offer @ 60
        0 eose @ 30
        30 wait -> EVENT @ 40""",
    "the subscription is not renewed while a probe is awaited": """
        0 eose @ 30
        25 move -> offer @ 55
        55 wait -> EVENT @ 65
        60 wait @ 65
        62 move -> offer @ 60
        62 wait -> REQ
        62 eose @ 92""",
    "a probe that comes over another subscription does not count": PROVEN
    + """
        61 probe:another @ 70
        70 wait -> canary-lost @ unhealthy""",
    "an earlier probe does not count, and puts nothing off": PROVEN
    + """
        61 first-probe -> offer @ 70
        70 wait -> canary-lost @ unhealthy""",
    "copies of a probe that came back put off nothing": """
        0 eose @ 30
        30 wait -> EVENT @ 40
        30 probe @ 60
        31 probe -> offer @ 60
        59 probe -> offer @ 60""",
    "a relay that refuses a probe is kept, and sent none for a while": """
        0 eose @ 30
        30 wait -> EVENT @ 40
        30 no:probe @ 60
        60 wait -> REQ without probe
        60 eose @ 120
        120 wait -> REQ""",
    "a NOTICE in place of the OK refuses it too": """
        0 eose @ 30
        30 wait -> EVENT @ 40
        30 notice @ 60
        60 wait -> REQ without probe""",
    "a NOTICE after the OK refuses nothing": PROVEN
    + """
        61 ok:probe @ 70
        61 notice @ 70
        70 wait -> canary-lost @ unhealthy""",
    "a subscription that is closed at once is made without the probe": """
        0 closed @ 1
        1 wait -> REQ without probe
        1 eose @ 61""",
    "a probe cannot come back over a closed subscription": PROVEN
    + """
        62 closed @ 63
        63 wait -> REQ
        63 eose @ 93
        93 wait -> EVENT @ 103""",
    "a relay that lost a probe is healthy again when it returns one": LOST
    + """
        70 eose @ unhealthy
        71 wait -> EVENT @ unhealthy
        72 probe @ 102""",
    "or when it delivers a player's new event": LOST
    + """
        70 move -> offer @ unhealthy
        70 eose @ unhealthy
        70 move -> offer @ 100""",
    "or when it refuses one": LOST
    + """
        70 eose @ unhealthy
        71 wait -> EVENT @ unhealthy
        71 no:probe @ 130""",
    "a relay that hangs up on its first probe has refused it": """
        0 eose @ 30
        30 wait -> EVENT @ 40
        31 connects -> REQ without probe""",
    "a relay that returned one may lose its connection during the next": PROVEN
    + """
        61 connects -> REQ""",
}
SCRIPTS = [(NO_PROBES, script) for script in SCRIPTS_WITHOUT_PROBES.values()] + [
    (PROBES, script) for script in SCRIPTS_WITH_PROBES.values()
]


@pytest.mark.parametrize(
    ("pacing", "script"), SCRIPTS, ids=[*SCRIPTS_WITHOUT_PROBES, *SCRIPTS_WITH_PROBES]
)
def test_each_message_has_its_actions_and_its_deadline(pacing: Pacing, script: str) -> None:
    talk = Talk(pacing)
    for line in script.strip().splitlines():
        happens, _, after = line.strip().partition(" @ ")
        heard, _, actions = happens.partition(" -> ")
        at, word = heard.split()
        talk.now = float(at)
        assert words_for(talk.does(word)) == actions, line
        assert talk.probe.is_healthy == (after != "unhealthy"), line
        if after not in ("", "unhealthy"):
            assert talk.protocol.next_deadline() == float(after), line


def test_every_req_asks_for_moves_and_probes_as_far_back_as_a_players_clock_may_be_slow() -> None:
    """Relays apply ``since`` to new events too."""
    talk = Talk()
    requests = sent_by(talk.first)
    talk.does("eose")
    talk.now = 61.0
    requests += sent_by(talk.does("wait"))
    talk.does("eose")
    talk.does("closed")
    talk.now = 70.0
    requests += sent_by(talk.does("wait"))

    for (verb, name, players, probe), now, limit in zip(
        requests, (0, 61, 70), ({}, {"limit": 500}, {}), strict=True
    ):
        since = UNIX + now - MAX_AGE_SECONDS
        assert (verb, name) == ("REQ", SUBSCRIPTION)
        assert players == {
            "kinds": [*LISTENED_KINDS], "#p": [SERVER.pubkey], "since": since, **limit,
        }  # fmt: skip
        assert probe == {"kinds": [LOOPBACK_KIND], "authors": [EVE.pubkey], "since": since}
    assert MAX_AGE_SECONDS == RelayLimits().past_seconds == 15 * 60


def test_an_event_is_offered_with_the_filter_that_asked_for_it() -> None:
    talk = Talk()
    (action,) = talk.does("move")
    assert isinstance(action, EventReceived)
    assert (action.event.content, action.wanted.since) == ("e2e4", UNIX - MAX_AGE_SECONDS)


WHOLE = json.dumps(["EVENT", SUBSCRIPTION, json_of(ALICE.sign(EventTemplate(20303, (), "", UNIX)))])


@pytest.mark.parametrize(
    ("count", "texts"),
    [
        ("malformed", ["", "{", "[]", '["EVENT"]', "[[[[[[[[]]]]]]]]", "null", WHOLE[:-30]]),
        ("malformed", [b"\xff\xfe"]),
        ("foreign-subscription", [WHOLE.replace(SUBSCRIPTION, "x"), '["EOSE","x"]']),
        ("foreign-subscription", ['["CLOSED","x",""]']),
        ("notice", ['["NOTICE","hello"]']),
        ("foreign-ok", [json.dumps(["OK", "00" * 32, True, ""])]),
    ],
)
def test_other_messages_are_counted_and_ignored(count: str, texts: list[str | bytes]) -> None:
    talk = Talk()
    for text in texts:
        frame = text.encode() if isinstance(text, str) else text
        assert talk.protocol.receive(frame, 1.0) == ()
    assert talk.tally.counts() == {count: len(texts)}
    assert talk.protocol.next_deadline() == 15.0


def signed(event: Any) -> NostrEvent:
    parsed = event_from_json(event)
    assert isinstance(parsed, NostrEvent)
    assert isinstance(verify(parsed), VerifiedEvent)
    return parsed


def test_a_challenge_is_answered_with_the_throw_away_key() -> None:
    talk = Talk()
    ((verb, answer),) = sent_by(talk.receives("AUTH", "prove it"))
    event = signed(answer)
    assert (verb, event.pubkey, event.kind, event.created_at) == ("AUTH", EVE.pubkey, 22242, UNIX)
    assert set(event.tags) == {("relay", URL), ("challenge", "prove it")}


def test_only_the_answer_to_the_latest_challenge_is_awaited() -> None:
    talk = Talk()
    ((_, stale),) = sent_by(talk.receives("AUTH", "one"))
    talk.does("auth")
    talk.receives("OK", stale["id"], True, "")
    assert talk.tally.counts()["auth-accepted"] == 0
    talk.does("ok:auth")
    assert talk.tally.counts()["auth-accepted"] == 1


def test_a_connection_answers_eight_challenges_and_no_more() -> None:
    talk = Talk()
    assert sum(len(talk.receives("AUTH", str(number))) for number in range(100)) == 8


def test_a_relay_that_goes_on_forging_is_left() -> None:
    talk = Talk()
    actions = [talk.protocol.caught_forging(1.0) for _ in range(51)]
    assert actions == [()] * 50 + [(Disconnect(RelayFailure.HOSTILE),)]


def test_a_probe_is_a_small_event_of_the_throw_away_key_that_names_its_relay() -> None:
    talk = Talk(PROBES)
    talk.does("eose")
    ((_, sent),) = sent_by(talk.waits())
    event = signed(sent)
    assert (event.pubkey, event.kind, event.tags) == (EVE.pubkey, LOOPBACK_KIND, (("relay", URL),))
    assert len(json.dumps(sent)) < 500


def test_half_of_the_silence_before_a_probe_is_random() -> None:
    talk = Talk(PROBES, chance=0.0)
    talk.does("eose")
    assert talk.protocol.next_deadline() == 15.0


@pytest.mark.parametrize(
    "forgery",
    [{"content": "forged"}, {"created_at": 1}, {"sig": "00" * 64}, {"id": "00" * 32}, {"tags": []}],
)
def test_only_the_probes_own_bytes_are_the_probe(forgery: dict[str, Any]) -> None:
    talk = Talk(PROBES)
    talk.does("eose")
    talk.waits()
    (action,) = talk.receives("EVENT", SUBSCRIPTION, {**talk.probes[-1], **forgery})
    assert isinstance(action, EventReceived)
    assert words_for(talk.waits()) == "canary-lost"


@pytest.mark.parametrize("text", ["blocked: kind not allowed", "mute: no subscribers", ""])
def test_whatever_a_refusal_of_a_probe_says_it_is_counted(text: str) -> None:
    talk = Talk(PROBES)
    talk.does("eose")
    talk.waits()
    talk.receives("OK", talk.probes[-1]["id"], False, text)
    assert talk.tally.counts() == {"eose": 1, "canary-sent": 1, "canary-refused": 1}


def test_each_refusal_is_believed_for_longer_for_an_hour_at_most() -> None:
    talk, at = Talk(PROBES), []
    while talk.now < 6 * 3600.0:
        talk.does("eose")
        if words_for(talk.waits()) == "EVENT":
            at.append(talk.now)
            talk.does("no:probe")
    pauses = [later - earlier for earlier, later in itertools.pairwise(at)]
    assert pauses == sorted(pauses)
    assert 60.0 <= pauses[0] <= 180.0
    assert 3600.0 <= pauses[-1] <= 3600.0 + 120.0


def test_a_proven_relay_that_goes_on_losing_probes_is_left_again_each_time_later() -> None:
    talk, lasted = Talk(PROBES), []
    for word in ("eose", "wait", "probe"):
        talk.now = 30.0 * (word != "eose")
        talk.does(word)
    for _ in range(8):
        assert words_for(talk.waits()) == "EVENT"
        assert words_for(talk.waits()) == "canary-lost"
        began = talk.now
        talk.does("connects")
        talk.does("eose")
        lasted.append(talk.protocol.next_deadline() - began)
    assert lasted == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_relay_that_never_returned_a_probe_is_soon_believed_without() -> None:
    talk, left = Talk(PROBES), []
    while talk.now < 3600.0:
        talk.does("eose")
        if words_for(talk.waits()) == "canary-lost":
            assert talk.probe.is_healthy
            left.append(talk.now)
            talk.does("connects")
    # After two losses it rests from probes for ten minutes, then for twenty.
    assert left == [40.0, 51.0, 51.0 + 600.0 + 12.0, 663.0 + 1200.0 + 14.0]
