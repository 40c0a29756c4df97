"""Terms, challenges made, accepted and declined, links, and cancelling."""

from hashlib import sha256

import pytest

from arbiter.nostr.event import has_signed
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.terminal.challenges import link_of, read_link
from clients.terminal.effects import LookUp, Subscribe
from clients.terminal.messages import sentence
from clients.terminal.notices import (
    ChallengeCame,
    ChallengesWanted,
    Moved,
    OpenChallenge,
    Queued,
    Refused,
    Remark,
    Source,
    Started,
    StoppedWaiting,
)
from clients.terminal.profiles import Profile
from clients.terminal.session import (
    ANSWER_SECONDS,
    QUEUE_SECONDS,
    SAME_REQUEST_SECONDS,
    CaughtUp,
    FromPeople,
    Phase,
)
from clients.terminal.terms import Terms
from clients.terminal.wire import Cancelled, Challenged, Paired, RequestRefused, Waiting
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import (
    GAME,
    RELAY,
    START,
    Scene,
    connected,
    full,
    playing_full,
)

CHALLENGE, OTHER = "c" * 32, "a" * 32
BLITZ = Terms(time="180+2", rated=True)
FROM_BOB = Challenged(CHALLENGE, BOB.pubkey, BLITZ, expires_at=int(START) + 3600)
FROM_EVE = Challenged(OTHER, EVE.pubkey, BLITZ)
GONE = RequestRefused("unknown-challenge: gone")


def waiting() -> Scene:
    scene = connected()
    scene.hear(Waiting())
    return scene


def idle(*challenges: Challenged) -> Scene:
    """Alice has waited and cancelled, and then got these challenges."""
    scene = waiting()
    scene.enter("cancel")
    assert scene.sent() == [(20300, "cancel")]
    assert scene.hear(Cancelled()) == (StoppedWaiting(),)
    for challenge in challenges:
        scene.hear(challenge)
    return scene


def asked(scene: Scene, text: str) -> tuple[tuple[str, ...], ...]:
    """The tags of the request to play that this input leads to."""
    if scene.enter(text) == (Subscribe(),):
        scene.give(CaughtUp(RELAY))
    (send,) = scene.sends()
    assert send.template.tags[0] == ("p", SERVER.pubkey)
    return send.template.tags[1:]


def challenging() -> Scene:
    """Alice has challenged Bob."""
    scene = idle()
    assert asked(scene, f"challenge {encode_npub(BOB.pubkey)} 3+2")[-1] == ("challenge", BOB.pubkey)
    scene.hear(Waiting(CHALLENGE))
    return scene


def listed(scene: Scene) -> ChallengesWanted:
    (shown,) = scene.enter("challenges")
    assert isinstance(shown, ChallengesWanted)
    return shown


def begins(scene: Scene) -> bool:
    """Whether the arbiter's next game is played."""
    scene.hear(Paired(GAME, int(START)))
    return [type(effect) for effect in scene.hear(full())] == [Started, Moved]


def test_terms_go_with_the_request_and_can_be_changed_while_waiting() -> None:
    scene = idle()
    assert asked(scene, "new 3+2 white") == (("time", "180+2"), ("color", "white"))
    assert scene.hear(Waiting()) == (Queued(Terms(time="180+2", color="white")),)
    assert asked(scene, "new 3d") == (("time", "3d"),)


def test_new_alone_asks_for_the_same_again() -> None:
    scene = playing_full()
    scene.hear(full(version=1, result="*", termination="aborted"))
    assert asked(scene, "new 3d") == (("time", "3d"),)
    assert scene.refusal("new") == "not-now"
    scene.hear(RequestRefused("rate-limited: wait"))
    assert asked(scene, "new") == (("time", "3d"),)


@pytest.mark.parametrize(
    ("scene", "typed", "code"),
    [
        (idle(), "new rated", "bad-terms"),
        (idle(), "challenge 3+2", "bad-terms"),
        (idle(), "accept", "no-challenge"),
        (idle(), "cancel", "not-now"),
        (playing_full(), "cancel", "not-now"),
        *(
            (idle(FROM_BOB), typed, "no-challenge")
            for typed in ("accept 0", "accept 7", "decline 7", "decline 7 later")
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_and_changes_nothing(
    scene: Scene, typed: str, code: str
) -> None:
    before = scene.session
    assert scene.refusal(typed) == code
    assert scene.session == before


def test_a_challenge_is_open_under_its_id_until_it_is_declined() -> None:
    scene = challenging()
    assert scene.effects == (Queued(Terms(time="180+2", challenge=BOB.pubkey), CHALLENGE),)
    assert listed(scene) == ChallengesWanted((), CHALLENGE)
    assert "cancel withdraws it" in sentence(listed(scene))
    declined = scene.hear(RequestRefused("declined: later"))
    assert declined == (Refused(Source.ARBITER, "declined", "later"),)
    assert scene.session.phase is Phase.REFUSED


def test_a_challenge_that_went_unanswered_is_sent_again_as_the_same_event() -> None:
    scene = idle()
    tags = asked(scene, "challenge open 3+2")
    (first,) = scene.sends()
    scene.wait(ANSWER_SECONDS)
    assert scene.sends() == [first]
    scene.lose_the_relay()
    scene.find_the_relay()
    assert scene.sends() == [first]
    scene.lose_the_relay()
    scene.wait(SAME_REQUEST_SECONDS)
    scene.find_the_relay()
    assert scene.sends()[0].template.tags[1:] == tags
    assert scene.sends()[0].event_id != first.event_id


@pytest.mark.parametrize("away", [False, True])
def test_an_open_challenge_is_asked_about_and_not_made_twice(*, away: bool) -> None:
    scene = challenging()
    if away:
        scene.lose_the_relay()
        scene.find_the_relay()
    else:
        scene.wait(QUEUE_SECONDS)
    (send,) = scene.sends()
    assert (send.template.kind, send.template.content) == (20300, f"accept:{CHALLENGE}")
    assert send.template.tags == (("p", SERVER.pubkey),)
    assert scene.hear(GONE) == ()
    assert scene.session.phase is Phase.QUEUED
    assert begins(scene)
    assert scene.session.own_challenge is None


@pytest.mark.parametrize("typed", ["accept", f"accept {CHALLENGE}", "accept 1"])
def test_a_challenge_is_accepted_and_its_game_begins(typed: str) -> None:
    scene = idle(FROM_BOB)
    scene.enter(typed)
    assert scene.sent() == [(20300, f"accept:{CHALLENGE}")]
    assert scene.hear(Waiting()) == ()
    assert begins(scene)
    assert scene.session.challenges == ()


def test_a_link_is_shown_to_who_asks_for_one_and_its_secret_is_in_no_event() -> None:
    scene = idle()
    tags = asked(scene, "challenge link 3+2")
    (queued,) = scene.hear(Waiting(CHALLENGE))
    assert isinstance(queued, Queued)
    challenge, key = read_link(queued.link or "") or ("", None)
    assert challenge == CHALLENGE
    assert key is not None
    assert tags == (("time", "180+2"), ("challenge", "open", key.pubkey))
    assert f"accept {queued.link}" in sentence(queued)
    assert listed(scene) == ChallengesWanted((), queued.link)
    assert key.to_hex() not in repr(scene.session)
    assert key.to_hex() not in repr(queued)

    scene.now += 1
    assert asked(scene, "challenge link 3+2")[-1] != tags[-1]
    scene.hear(Waiting(OTHER))
    assert asked(scene, "challenge open 3+2")[-1] == ("challenge", "open")
    assert scene.hear(Waiting("b" * 32)) == (Queued(scene.session.terms, "b" * 32),)


def test_a_link_is_accepted_with_a_signature_that_names_the_player() -> None:
    key = SecretKey.from_hex("7" * 64)
    scene = idle()
    ((name, proof),) = asked(scene, f"accept {link_of(CHALLENGE, key)}")
    assert scene.sent() == [(20300, f"accept:{CHALLENGE}")]
    signed = sha256(f"accept:{CHALLENGE}:{ALICE.pubkey}".encode()).digest()
    assert name == "proof"
    assert has_signed(key.pubkey, proof, signed)
    scene.wait(ANSWER_SECONDS)
    assert scene.sends()[0].template.tags[1:] == (("proof", proof),)
    scene.hear(GONE)
    assert asked(scene, f"accept {CHALLENGE}") == ()


@pytest.mark.parametrize("text", ["", CHALLENGE, f"{CHALLENGE}-{'0' * 64}", f"{CHALLENGE}-7"])
def test_what_is_no_link_is_not_read_as_one(text: str) -> None:
    assert read_link(text) is None


def test_declining_does_not_end_our_own_waiting() -> None:
    scene = waiting()
    for challenge, answer, shown in ((FROM_BOB, Cancelled(), Remark), (FROM_EVE, GONE, Refused)):
        scene.hear(challenge)
        scene.enter("decline")
        assert scene.sent() == [(20300, f"decline:{challenge.challenge}:generic")]
        assert [type(effect) for effect in scene.hear(answer)] == [shown]
        assert scene.hear(challenge) == ()
        assert scene.session.phase is Phase.QUEUED
    assert scene.hear(Cancelled()) == ()
    scene.hear(Challenged("b" * 32, EVE.pubkey, BLITZ))
    scene.lose_the_relay()
    assert scene.refusal("decline") == "no-relay"


def test_in_a_game_a_challenge_is_declined_or_has_to_wait() -> None:
    scene = playing_full("e4")
    assert scene.hear(FROM_BOB) == (ChallengeCame(OpenChallenge(1, FROM_BOB)),)
    assert scene.refusal("accept") == "not-now"
    scene.enter("decline later")
    assert scene.sent() == [(20300, f"decline:{CHALLENGE}:later")]


def test_challenges_are_answered_by_number_which_each_keeps() -> None:
    soon = Challenged(OTHER, EVE.pubkey, BLITZ, expires_at=int(START) + 60)
    scene = idle(soon, FROM_BOB)
    assert [each.number for each in listed(scene).challenges] == [1, 2]
    scene.enter("accept 1")
    assert scene.sent() == [(20300, f"accept:{OTHER}")]
    scene.hear(GONE)
    scene.enter("decline 2 tooFast")
    assert scene.sent() == [(20300, f"decline:{CHALLENGE}:tooFast")]
    late = Challenged("b" * 32, EVE.pubkey, BLITZ)
    assert scene.hear(late) == (ChallengeCame(OpenChallenge(3, late)),)
    scene.enter("accept")
    assert scene.sent() == [(20300, f"accept:{'b' * 32}")]

    scene = idle(soon, FROM_BOB)
    scene.wait(60)
    assert listed(scene).challenges == (OpenChallenge(2, FROM_BOB),)
    scene.enter("accept 2")
    assert scene.sent() == [(20300, f"accept:{CHALLENGE}")]
    assert scene.refusal("accept 2") == "no-challenge"


def test_a_challenger_is_listed_by_name_once_it_is_known() -> None:
    scene = idle(FROM_BOB)
    assert scene.looked_up == [LookUp((BOB.pubkey,))]
    scene.give(FromPeople(Profile(BOB.pubkey, "Bob", 1)))
    assert sentence(listed(scene)).startswith("  1  Bob (npub1v6rfl…dawz): 3+2, rated\n")
