"""Events in a terminal, as the arbiter announces them and understands what is said of them."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from arbiter.core.tournaments.commands import AskBye, Join, PlayersWord
from arbiter.core.tournaments.replies import Told
from arbiter.core.tournaments.tournament import EntryRule, Format, Phase, Tournament
from arbiter.dialects import tournaments
from arbiter.dialects.base import TournamentAsked
from arbiter.dialects.tournament_events import standings_template, tournament_template
from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    event_from_json,
    event_to_json,
    has_signed,
)
from arbiter.nostr.keys import SecretKey
from clients.player.inbox import Inbox, Read
from clients.player.messages import Refused, Started
from clients.player.terms import TimeControl
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.alice import Alice, enter, listed, playing, state, wait
from tests.clients.terminal.scene import GAME, START
from tests.tournaments import ID, a_tournament

AT = int(START)
OPEN, LIVE = a_tournament(rounds=0), a_tournament(is_live=True)
OVER = replace(LIVE, phase=Phase.FINISHED, version=LIVE.version + 1, by_player={})
ARENA = replace(a_tournament(Format.ARENA, is_live=True), by_player={})


def signed(template: EventTemplate, author: SecretKey = SERVER) -> NostrEvent:
    event = event_from_json(event_to_json(author.sign(template)))
    assert isinstance(event, NostrEvent)
    return event


def heard(template: EventTemplate, author: SecretKey = SERVER) -> Read | None:
    inbox = Inbox(SERVER.pubkey, {ALICE.pubkey: lambda _: None})
    return inbox.open(signed(template, author), stored=False)


def shown(tournament: Tournament) -> Read:
    found = heard(tournament_template(tournament, SERVER.pubkey, AT))
    assert found is not None
    return found


def table(tournament: Tournament) -> Read:
    found = heard(standings_template(tournament, SERVER.pubkey, AT))
    assert found is not None
    return found


def told(text: str, player: SecretKey = ALICE) -> Read | None:
    return heard(tournaments.reply_template(Told(player.pubkey, text), ID, "", AT, SERVER.pubkey))


def there(*tournaments: Tournament) -> Alice:
    alice = Alice()
    alice.scene.find_the_relay()
    alice(*map(shown, tournaments))
    return alice


def understood(alice: Alice) -> object:
    """The last command as the arbiter reads it."""
    template = alice.scene.sends()[-1].draft.template
    at_ms = template.created_at * 1000
    asked = tournaments.decode(ALICE.sign(template), at_ms, SERVER.pubkey)
    assert isinstance(asked, TournamentAsked)
    assert asked.tournament_id == ID
    return asked.command


def test_events_are_listed_entered_and_left_and_the_standings_come_when_they_are_asked_for() -> (
    None
):
    alice = there()
    assert alice(enter("events")) == "(no-events)"
    alice(shown(OPEN))
    assert alice(enter("events")) == "events 1 Club evening"
    assert alice(enter("join 2")) == "!no-event"
    assert alice(enter("join 1")) == "event join"
    joined = told("joined")
    assert joined is not None
    assert alice(joined) == "(joined)"
    assert alice.scene.subscribed[-1].name == "standings"
    assert alice(table(OPEN)) == "-", "it is followed, and shown on demand"
    assert alice(enter("standings")) == "standings 6"
    assert alice(shown(LIVE)) == "-", "an older version, or the same"
    newer = replace(LIVE, version=OPEN.version + 1, by_player={})
    assert alice(shown(newer)) == "(event)"
    assert "Club evening begins" in alice.says
    assert alice(enter("leave")) == "event leave"


def test_an_arbiter_reads_each_word_of_a_player() -> None:
    alice = there(OPEN)
    for word in ("leave", "here", "pause", "back"):
        alice(enter(f"{word} 1"))
        assert understood(alice) == PlayersWord(ALICE.pubkey, word)
    alice(enter("bye"))
    assert understood(alice) == AskBye(ALICE.pubkey, 1)


def test_a_secret_from_a_link_opens_the_event_that_needs_it() -> None:
    secret = SecretKey.generate(b"of the club".ljust(32))
    terms = replace(OPEN.terms, entry=EntryRule.SECRET, secret_key=secret.pubkey)
    alice = there(replace(OPEN, terms=terms, by_player={}))
    assert alice(enter("join 1")) == "!bad-terms"
    assert alice(enter("join 1 abc")) == "!bad-terms"
    for words in (f"1 {secret.to_hex()}", f"https://a.example/#/events/{ID}?key={secret.to_hex()}"):
        assert alice(enter(f"join {words}")).startswith("event join")
        command = understood(alice)
        assert isinstance(command, Join)
        said = sha256(f"join:{ID}:{ALICE.pubkey}".encode()).digest()
        assert has_signed(secret.pubkey, command.proof, said)


def test_a_game_of_an_event_is_shown_as_such_and_the_player_says_once_that_they_are_here() -> None:
    alice = there(LIVE)
    began = Started(GAME, BOB.pubkey, tournament=ID)
    assert alice(began) == "event here"
    assert alice(state(tournament=ID, board_of_round="2.1")).startswith("started white")
    assert "Club evening, round 2, board 1" in alice.says
    again = replace(began, answers=alice.sent["event"])
    assert "event" not in alice(again), "it answers a question, and is no beginning"


def test_a_live_game_is_kept_beside_the_game_of_an_event() -> None:
    blitz: dict[str, Any] = {"time": TimeControl(300), "clock": (300_000, 300_000)}
    alice = playing("e4", **blitz)
    alice(listed, shown(LIVE))
    assert alice(Started("e" * 32, BOB.pubkey, tournament=ID)) == "event here"
    alice(state(game="e", tournament=ID, board_of_round="2.1", **blitz))
    assert "go 2" in alice.says
    assert alice(enter("go 2")).startswith("started")
    assert alice(enter("go 1")).startswith("started"), "the former game is kept"


def test_a_player_who_waits_in_an_arena_says_so_twice_a_minute_and_no_more_when_it_is_over() -> (
    None
):
    alice = there(ARENA)
    assert alice(wait(120)) != "event here", "of an event that they have not entered"
    joined = told("joined")
    assert joined is not None
    alice(Refused("full", ""), joined)
    assert "event here" in alice(wait(31))
    assert "event here" not in alice(wait(20))
    assert "event here" in alice(wait(11))
    alice(shown(replace(ARENA, phase=Phase.FINISHED, version=ARENA.version + 1, by_player={})))
    assert "event here" not in alice(wait(31))


def test_the_final_table_is_shown_to_who_played() -> None:
    alice = there(LIVE)
    alice(enter("standings 1"), table(LIVE))
    final = replace(OVER, by_player={})
    assert alice(table(final)) == "standings 6"
    assert "final" in alice.says
    assert "(you)" in alice.says


@pytest.mark.parametrize("word", ["joined", "bye:3", f"wait:{AT + 60}"])
def test_nothing_that_another_key_says_or_another_player_is_told_counts(word: str) -> None:
    template = tournaments.reply_template(Told(ALICE.pubkey, word), ID, "", AT, SERVER.pubkey)
    assert heard(template) is not None
    assert heard(template, EVE) is None
    assert told(word, BOB) is None


def test_a_refused_entry_says_why_and_a_refused_sign_of_being_there_nothing() -> None:
    alice = there(OPEN)
    alice(enter("join 1"))
    draft = alice.scene.sends()[-1].draft
    assert alice(Refused("full", "the limit is reached", draft.id)).startswith("arbiter !full")
    alice(enter("here 1"))
    draft = alice.scene.sends()[-1].draft
    assert alice(Refused("wrong-phase", "too early", draft.id)) == "-"
