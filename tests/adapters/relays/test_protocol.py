"""The listener's side of a connection, without a socket: what is received, and what is done."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import Pong, RelayFailure
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.followed_games import FollowedGames
from arbiter.adapters.relays.ingest import Drop, screened
from arbiter.adapters.relays.loopback_probe import LOOPBACK_KIND, LoopbackPacing, LoopbackProbe
from arbiter.adapters.relays.protocol import (
    GAMES,
    MESSAGES,
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
from arbiter.application.intake.routing import LISTENED_KINDS
from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    event_from_json,
    event_to_json,
    verify,
)
from arbiter.nostr.limits import GIFT_WRAP_AGE_SECONDS, MAX_AGE_SECONDS
from arbiter.nostr.nip11 import RelayLimits
from tests.adapters.relays.stand_ins import json_of
from tests.builders import ALICE, EVE, SERVER, an_event

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
        self.counters = Counters()
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
            counters=self.counters,
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
        """The actions after a word of ``talks.jsonl``."""
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
                return self.protocol.receive(Pong(b""), self.now)
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


@pytest.mark.parametrize("last_heard", [0.0, 0.1, 3.9, 4.0, 10.0, 19.9, 25.0])
def test_a_relay_that_falls_silent_is_left_within_eight_seconds_whenever_it_begins(
    last_heard: float,
) -> None:
    talk = Talk(Pacing())
    talk.does("eose")
    while talk.protocol.next_deadline() <= last_heard:
        talk.waits()
        talk.does("pong")
    talk.now = last_heard
    talk.does("notice")

    while not (actions := talk.waits()) or not isinstance(actions[-1], Disconnect):
        assert talk.now < last_heard + 60

    assert actions == (Disconnect(RelayFailure.SILENT),)
    assert talk.now - last_heard <= 8


def sent_by(actions: Sequence[Action], *, messages: bool = False) -> list[Any]:
    said = [json.loads(action.text) for action in actions if isinstance(action, Send)]
    return [one for one in said if (one[1] == MESSAGES) is messages]


def words_for(actions: Sequence[Action]) -> str:
    words = []
    for action in actions:
        match action:
            case Send(text) if json.loads(text)[1] == MESSAGES:
                pass
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


TALKS = [
    json.loads(line)
    for line in Path(__file__).with_name("talks.jsonl").read_text("utf-8").splitlines()
]
"""Of each step the second, what is received (``wait`` for nothing), what is done and, where it
matters, the next deadline, or that the relay is not healthy.
"""


@pytest.mark.parametrize("row", TALKS, ids=[row["case"] for row in TALKS])
def test_each_message_has_its_actions_and_its_deadline(row: Any) -> None:
    talk, seen = Talk(PROBES if row["probes"] else NO_PROBES), []
    for at, word, _, *after in row["steps"]:
        talk.now = at
        done = words_for(talk.does(word))
        state = talk.protocol.next_deadline() if talk.probe.is_healthy else "unhealthy"
        seen.append([at, word, done, *([state] if after or state == "unhealthy" else [])])
    assert seen == row["steps"]


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


def test_messages_have_a_req_of_their_own_which_a_relay_may_refuse() -> None:
    talk = Talk()
    ((_, _, wanted),) = sent_by(talk.first, messages=True)
    since = UNIX - GIFT_WRAP_AGE_SECONDS
    assert wanted == {"kinds": [1059], "#p": [SERVER.pubkey], "since": since, "limit": 5}
    assert talk.receives("CLOSED", MESSAGES, "restricted: not yours") == ()
    assert talk.receives("EOSE", MESSAGES) == ()
    talk.does("eose")
    wrap = an_event(EVE, 1059, "sealed", (("p", SERVER.pubkey),), UNIX - 86_400)
    (offered,) = talk.receives("EVENT", MESSAGES, json_of(wrap))
    assert isinstance(offered, EventReceived)
    drop = screened(offered.event, offered.wanted, SERVER.pubkey)
    assert not isinstance(drop, Drop), "a message is dated back"
    long = an_event(EVE, 1059, "x" * 9000, (("p", SERVER.pubkey),), UNIX)
    (offered,) = talk.receives("EVENT", MESSAGES, json_of(long))
    assert isinstance(offered, EventReceived)
    assert screened(offered.event, offered.wanted, SERVER.pubkey) is Drop.NOT_ASKED_FOR
    assert talk.receives("EVENT", MESSAGES, json_of(long)), "the connection goes on"


def test_strangers_games_renew_no_req_for_moves_and_take_a_tenth_of_a_relays_time() -> None:
    """Moves wait behind the stored events that a renewed REQ brings."""
    talk = Talk()
    followed = FollowedGames(SERVER.pubkey, lambda: UNIX, days=30)
    talk.config = replace(talk.config, followed=followed)
    talk.connects()
    talk.does("eose")
    asked: list[tuple[float, str]] = []
    for number in range(120):
        content = json.dumps({"kind": 0, "history": []})
        start = EVE.sign(EventTemplate(30, (("p", SERVER.pubkey),), content, UNIX - number))
        read = event_from_json(event_to_json(start))
        assert isinstance(read, NostrEvent)
        followed.learn(read)
        talk.now = number + 1.0
        sent = sent_by(talk.does("wait")) if talk.protocol.next_deadline() <= talk.now else []
        asked += [(talk.now, name) for _, name, *_ in sent]
        talk.now += 0.5
        for _, name, *_ in sent:
            talk.receives("EOSE", name)
    of_games = [at for at, name in asked if name == GAMES]
    pauses = [after - before for before, after in pairwise(of_games)]
    assert 10 * 0.5 <= min(pauses) <= max(pauses) <= 6
    assert [at for at, name in asked if name == SUBSCRIPTION] == [60.0]


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
    assert talk.counters.counts() == {count: len(texts)}
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
    assert talk.counters.counts()["auth-accepted"] == 0
    talk.does("ok:auth")
    assert talk.counters.counts()["auth-accepted"] == 1


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
    assert words_for(talk.waits()) == "probe-lost"


@pytest.mark.parametrize("text", ["blocked: kind not allowed", "mute: no subscribers", ""])
def test_whatever_a_refusal_of_a_probe_says_it_is_counted(text: str) -> None:
    talk = Talk(PROBES)
    talk.does("eose")
    talk.waits()
    talk.receives("OK", talk.probes[-1]["id"], False, text)
    assert talk.counters.counts() == {"eose": 1, "probe-sent": 1, "probe-refused": 1}


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
        assert words_for(talk.waits()) == "probe-lost"
        began = talk.now
        talk.does("connects")
        talk.does("eose")
        lasted.append(talk.protocol.next_deadline() - began)
    assert lasted == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_relay_that_never_returned_a_probe_is_soon_believed_without() -> None:
    talk, left = Talk(PROBES), []
    while talk.now < 3600.0:
        talk.does("eose")
        if words_for(talk.waits()) == "probe-lost":
            assert talk.probe.is_healthy
            left.append(talk.now)
            talk.does("connects")
    # After two losses it rests from probes for ten minutes, then for twenty.
    assert left == [40.0, 51.0, 51.0 + 600.0 + 12.0, 663.0 + 1200.0 + 14.0]
