"""Terms, challenges made, accepted and declined, and taking it all back."""

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
    FromArbiter,
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

CHALLENGE = "c" * 32
BLITZ = Terms(time="180+2", rated=True)
FROM_BOB = Challenged(CHALLENGE, BOB.pubkey, BLITZ, expires_at=int(START) + 3600)


def idle() -> Scene:
    """Alice has waited, and cancelled."""
    scene = connected()
    scene.hear(Waiting())
    scene.enter("cancel")
    scene.hear(Cancelled())
    return scene


def challenging() -> Scene:
    """Alice has challenged Bob, and the challenge stands."""
    scene = idle()
    scene.enter(f"challenge {encode_npub(BOB.pubkey)} 3+2")
    scene.give(CaughtUp(RELAY))
    scene.hear(Waiting(CHALLENGE))
    return scene


def test_terms_go_with_the_request() -> None:
    scene = idle()
    assert scene.enter("new 3+2 white") == (Subscribe(),)
    scene.give(CaughtUp(RELAY))
    (send,) = scene.sends()
    assert send.template.tags == (
        ("p", SERVER.pubkey),
        ("time", "180+2"),
        ("color", "white"),
    )
    assert scene.hear(Waiting()) == (Queued(Terms(time="180+2", color="white")),)


def test_a_waiting_player_may_ask_for_something_else() -> None:
    scene = connected()
    scene.hear(Waiting())
    scene.enter("new 3d")
    assert scene.sends()[0].template.tags[1:] == (("time", "3d"),)


def test_new_alone_asks_for_the_same_again() -> None:
    scene = playing_full()
    scene.hear(full(version=1, result="*", termination="aborted"))
    scene.enter("new 3d")
    scene.give(CaughtUp(RELAY))
    scene.hear(RequestRefused("rate-limited: wait"))
    scene.enter("new")
    scene.give(CaughtUp(RELAY))
    assert scene.sends()[0].template.tags[1:] == (("time", "3d"),)


def test_bad_terms_are_told_and_change_nothing() -> None:
    scene = idle()
    before = scene.session
    (refused,) = scene.enter("new rated")
    assert isinstance(refused, Refused)
    assert refused.code == "bad-terms"
    (refused,) = scene.enter("challenge 3+2")
    assert isinstance(refused, Refused)
    assert scene.session == before


def test_a_challenge_stands_under_its_id() -> None:
    scene = challenging()
    assert scene.effects == (Queued(Terms(time="180+2", challenge=BOB.pubkey), CHALLENGE),)
    assert scene.session.phase is Phase.QUEUED


def test_a_challenge_that_went_unanswered_is_sent_again_as_the_very_same_event() -> None:
    scene = idle()
    scene.enter("challenge open 3+2")
    scene.give(CaughtUp(RELAY))
    (first,) = scene.sends()
    scene.wait(ANSWER_SECONDS)
    assert scene.sends() == [first]
    scene.lose_the_relay()
    scene.find_the_relay()
    assert scene.sends() == [first]
    scene.lose_the_relay()
    scene.wait(SAME_REQUEST_SECONDS)
    scene.find_the_relay()
    assert scene.sends()[0].template.tags == first.template.tags
    assert scene.sends()[0].event_id != first.event_id


@pytest.mark.parametrize("away", [False, True])
def test_a_standing_challenge_is_asked_after_and_not_made_twice(*, away: bool) -> None:
    scene = challenging()
    if away:
        scene.lose_the_relay()
        scene.find_the_relay()
    else:
        scene.wait(QUEUE_SECONDS)
    (send,) = scene.sends()
    assert (send.template.kind, send.template.content) == (20300, f"accept:{CHALLENGE}")
    assert send.template.tags == (("p", SERVER.pubkey),)
    assert scene.hear(RequestRefused("unknown-challenge: no such challenge stands for you")) == ()
    assert scene.session.phase is Phase.QUEUED


def test_a_game_that_came_of_a_challenge_while_away_is_found() -> None:
    scene = challenging()
    scene.lose_the_relay()
    scene.find_the_relay()
    scene.hear(Paired(GAME, int(START)))
    assert [type(effect) for effect in scene.hear(full("e4"))] == [Started, Moved]
    assert scene.session.own_challenge is None


def test_a_declined_challenge_is_told_with_its_reason() -> None:
    scene = challenging()
    told = scene.hear(RequestRefused("declined: later"))
    assert told == (Refused(Source.ARBITER, "declined", "later"),)
    assert scene.session.phase is Phase.REFUSED


def test_a_challenge_is_shown_once_with_its_terms() -> None:
    scene = connected()
    assert scene.hear(FROM_BOB) == (ChallengeCame(OpenChallenge(1, FROM_BOB)),)
    assert scene.hear(FROM_BOB) == ()
    assert scene.give(FromArbiter(FROM_BOB, stored=True)) == ()


def test_a_stored_challenge_still_stands_until_it_expires() -> None:
    scene = connected()
    assert scene.give(FromArbiter(FROM_BOB, stored=True)) == (
        ChallengeCame(OpenChallenge(1, FROM_BOB)),
    )
    late = connected()
    late.now += 3600
    assert late.give(FromArbiter(FROM_BOB, stored=True)) == ()


@pytest.mark.parametrize("typed", ["accept", f"accept {CHALLENGE}"])
def test_a_challenge_is_accepted_and_its_game_begins(typed: str) -> None:
    scene = idle()
    scene.hear(FROM_BOB)
    scene.enter(typed)
    assert scene.sent() == [(20300, f"accept:{CHALLENGE}")]
    assert scene.hear(Waiting()) == ()
    scene.hear(Paired(GAME, int(START)))
    assert [type(effect) for effect in scene.hear(full())] == [Started, Moved]
    assert scene.session.challenges == ()


def test_a_link_is_told_to_who_asks_for_one_and_its_secret_is_in_no_event() -> None:
    scene = idle()
    scene.enter("challenge link 3+2")
    scene.give(CaughtUp(RELAY))
    (send,) = scene.sends()
    (queued,) = scene.hear(Waiting(CHALLENGE))
    assert isinstance(queued, Queued)
    challenge, key = read_link(queued.link or "") or ("", None)
    assert challenge == CHALLENGE
    assert key is not None
    assert send.template.tags[1:] == (("time", "180+2"), ("challenge", "open", key.pubkey))
    assert f"accept {queued.link}" in (sentence(queued) or "")
    assert scene.enter("challenges") == (ChallengesWanted((), queued.link),)
    assert key.to_hex() not in repr(scene.session)
    assert key.to_hex() not in repr(queued)

    scene.now += 1
    scene.enter("challenge link 3+2")
    assert scene.sends()[0].template.tags[-1] != send.template.tags[-1]
    scene.hear(Waiting("a" * 32))
    scene.enter("challenge open 3+2")
    assert scene.sends()[0].template.tags[-1] == ("challenge", "open")
    assert scene.hear(Waiting("b" * 32)) == (Queued(scene.session.terms, "b" * 32),)


def test_who_has_the_link_accepts_with_a_signature_that_names_them_and_once_more_if_asked() -> None:
    key = SecretKey.from_hex("7" * 64)
    scene = idle()
    scene.enter(f"accept {link_of(CHALLENGE, key)}")
    (send,) = scene.sends()
    assert send.template.content == f"accept:{CHALLENGE}"
    (proof,) = (tag[1] for tag in send.template.tags if tag[0] == "proof")
    signed = sha256(f"accept:{CHALLENGE}:{ALICE.pubkey}".encode()).digest()
    assert has_signed(key.pubkey, proof, signed)
    scene.wait(ANSWER_SECONDS)
    assert scene.sends()[0].template.tags == send.template.tags

    scene.hear(RequestRefused("unknown-challenge: gone"))
    scene.enter(f"accept {CHALLENGE}")
    assert scene.sends()[0].template.tags == (("p", SERVER.pubkey),)


@pytest.mark.parametrize("text", ["", CHALLENGE, f"{CHALLENGE}-{'0' * 64}", f"{CHALLENGE}-7"])
def test_what_is_no_link_is_not_read_as_one(text: str) -> None:
    assert read_link(text) is None


def test_an_accepted_challenge_that_is_gone_leaves_a_waiting_player_waiting() -> None:
    scene = connected()
    scene.hear(Waiting())
    scene.hear(FROM_BOB)
    scene.enter("accept")
    told = scene.hear(RequestRefused("unknown-challenge: gone"))
    assert told == (Refused(Source.ARBITER, "unknown-challenge", "gone"),)
    assert scene.session.phase is Phase.QUEUED
    scene.wait(QUEUE_SECONDS)
    assert scene.sent() == [(20300, "")]


def test_the_newest_challenge_is_the_one_that_is_meant() -> None:
    scene = idle()
    scene.hear(Challenged("a" * 32, BOB.pubkey, BLITZ))
    scene.hear(FROM_BOB)
    scene.enter("decline tooFast")
    assert scene.sent() == [(20300, f"decline:{CHALLENGE}:tooFast")]
    scene.enter("accept")
    assert scene.sent() == [(20300, f"accept:{'a' * 32}")]


def test_declining_does_not_end_our_own_waiting() -> None:
    scene = connected()
    scene.hear(Waiting())
    scene.hear(FROM_BOB)
    scene.enter("decline")
    assert scene.sent() == [(20300, f"decline:{CHALLENGE}:generic")]
    assert [type(effect) for effect in scene.hear(Cancelled())] == [Remark]
    assert scene.session.phase is Phase.QUEUED
    scene.hear(Challenged("a" * 32, BOB.pubkey, BLITZ))
    scene.enter("decline later")
    assert [type(effect) for effect in scene.hear(RequestRefused("unknown-challenge: gone"))] == [
        Refused
    ]
    assert scene.session.phase is Phase.QUEUED


def test_in_a_game_an_offer_comes_before_a_challenge_and_another_game_must_wait() -> None:
    scene = playing_full("e4")
    assert scene.hear(FROM_BOB) == (ChallengeCame(OpenChallenge(1, FROM_BOB)),)
    (refused,) = scene.enter("accept")
    assert isinstance(refused, Refused)
    assert refused.code == "not-now"
    scene.enter("decline later")
    assert scene.sent() == [(20300, f"decline:{CHALLENGE}:later")]


def test_waiting_ends_when_the_arbiter_says_so() -> None:
    scene = connected()
    scene.hear(Waiting())
    scene.enter("cancel")
    assert scene.sent() == [(20300, "cancel")]
    assert scene.hear(Cancelled()) == (StoppedWaiting(),)
    assert scene.session.phase is Phase.REFUSED
    assert scene.wait(3600) == ()


def test_a_game_that_begins_before_the_cancel_is_heard_is_played() -> None:
    scene = connected()
    scene.hear(Waiting())
    scene.enter("cancel")
    scene.hear(Paired(GAME, int(START)))
    assert [type(effect) for effect in scene.hear(full())] == [Started, Moved]


def test_nobody_who_waits_for_nobody_can_cancel() -> None:
    (refused,) = playing_full().enter("cancel")
    assert isinstance(refused, Refused)
    (refused,) = idle().enter("accept")
    assert isinstance(refused, Refused)
    assert refused.code == "no-challenge"


def test_an_own_challenge_told_back_to_us_is_no_news() -> None:
    assert connected().hear(Challenged(CHALLENGE, ALICE.pubkey, BLITZ)) == ()


def test_challenges_are_listed_and_answered_by_number() -> None:
    scene = idle()
    scene.hear(Challenged("a" * 32, EVE.pubkey, BLITZ))
    scene.hear(FROM_BOB)
    (listed,) = scene.enter("challenges")
    assert isinstance(listed, ChallengesWanted)
    assert [each.number for each in listed.challenges] == [1, 2]
    scene.enter("accept 1")
    assert scene.sent() == [(20300, f"accept:{'a' * 32}")]
    scene.hear(RequestRefused("unknown-challenge: gone"))
    scene.enter("decline 2 tooFast")
    assert scene.sent() == [(20300, f"decline:{CHALLENGE}:tooFast")]


def test_a_challenge_keeps_its_number_when_another_goes() -> None:
    scene = idle()
    scene.hear(Challenged("a" * 32, EVE.pubkey, BLITZ, expires_at=int(START) + 60))
    scene.hear(FROM_BOB)
    scene.wait(60)
    (listed,) = scene.enter("challenges")
    assert isinstance(listed, ChallengesWanted)
    assert listed.challenges == (OpenChallenge(2, FROM_BOB),)
    scene.hear(Challenged("b" * 32, EVE.pubkey, BLITZ))
    scene.enter("accept 2")
    assert scene.sent() == [(20300, f"accept:{CHALLENGE}")]
    (refused,) = scene.enter("accept 2")
    assert isinstance(refused, Refused)
    assert (refused.code, scene.sent()) == ("no-challenge", [])


def test_a_number_is_never_given_twice() -> None:
    scene = idle()
    scene.hear(Challenged("a" * 32, EVE.pubkey, BLITZ))
    scene.hear(FROM_BOB)
    scene.enter("decline 1")
    late = Challenged("b" * 32, EVE.pubkey, BLITZ)
    assert scene.hear(late) == (ChallengeCame(OpenChallenge(3, late)),)


@pytest.mark.parametrize("typed", ["accept 0", "accept 7", "decline 7", "decline 7 later"])
def test_a_number_that_no_challenge_has_sends_nothing(typed: str) -> None:
    scene = idle()
    scene.hear(FROM_BOB)
    (refused,) = scene.enter(typed)
    assert isinstance(refused, Refused)
    assert refused.code == "no-challenge"
    assert "challenges lists them" in refused.text


def test_the_own_challenge_is_listed_with_the_way_back() -> None:
    (listed,) = challenging().enter("challenges")
    assert isinstance(listed, ChallengesWanted)
    assert (listed.challenges, listed.own) == ((), CHALLENGE)
    assert "cancel takes it back" in sentence(listed)


def test_a_challenger_is_listed_by_name_once_it_is_known() -> None:
    scene = idle()
    scene.hear(FROM_BOB)
    assert scene.looked_up == [LookUp((BOB.pubkey,))]
    scene.give(FromPeople(Profile(BOB.pubkey, "Bob", 1)))
    (listed,) = scene.enter("challenges")
    assert isinstance(listed, ChallengesWanted)
    assert sentence(listed).startswith("  1  Bob (npub1v6rfl…dawz): 3+2, rated\n")
