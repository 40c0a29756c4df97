"""The three clients of kind 30 between themselves, without an arbiter: what each writes and
takes.
"""

import asyncio
import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import pytest

from arbiter.core.game import Game
from arbiter.dialects.jester.line import played
from arbiter.nostr.event import NostrEvent, parse_event
from arbiter.nostr.jester import read_said, read_start
from clients.probes.matches import FOOLS_MATE, OPERA_GAME, PROMOTION
from tests.e2e.arbiter_run import free_port_base
from tests.e2e.foreign_relays import bundled
from tests.e2e.jester_amethyst import DESYNCED, Amethyst
from tests.e2e.jester_nostr_blue import RECOVERED, NostrBlue
from tests.e2e.jester_player import Complaint, JesterPlayer
from tests.e2e.jester_spelling import (
    START,
    Draft,
    Event,
    Spelling,
    content_of,
    private_reference,
    values,
)
from tests.e2e.jester_ui import BROKEN, FROZEN, JesterUi

SPELLINGS: tuple[type[Spelling], ...] = (JesterUi, Amethyst, NostrBlue)
OF_TWO = pytest.mark.parametrize(("mine", "theirs"), list(permutations(SPELLINGS, 2)))


@dataclass
class Table:
    """Two players, and a relay that gives both of them everything at once."""

    white: JesterPlayer
    black: JesterPlayer
    events: list[Event] = field(default_factory=list)

    def put(self, event: Event) -> Event:
        self.events.append(event)
        for player in (self.white, self.black):
            player.hear(event)
        return event

    def play(self, moves: Sequence[str]) -> None:
        for uci in moves:
            mover = (self.white, self.black)[self.white.view.ply % 2]
            self.put(mover.draft_move(uci.lower()))


@pytest.fixture
def clock() -> "Clock":
    return Clock()


class Clock:
    """Each look at it is a second later."""

    def __init__(self) -> None:
        self.now = 1_700_000_000

    def __call__(self) -> float:
        self.now += 1
        return float(self.now)


def table(white: type[Spelling], black: type[Spelling], clock: Clock) -> Table:
    players = JesterPlayer(white(), clock), JesterPlayer(black(), clock)
    seated = Table(*players)
    start = seated.put(players[0].draft_start(opponent=players[1].pubkey))
    players[1].start = start
    return seated


@pytest.mark.parametrize("moves", [FOOLS_MATE, OPERA_GAME, PROMOTION])
@pytest.mark.parametrize(
    ("mine", "theirs"),
    [(JesterUi, JesterUi), (JesterUi, Amethyst), (Amethyst, JesterUi), (Amethyst, Amethyst)],
)
def test_jesterui_and_amethyst_show_the_same_game(
    mine: type[Spelling], theirs: type[Spelling], moves: Sequence[str], clock: Clock
) -> None:
    at = table(mine, theirs, clock)
    at.play(moves)

    white, black = at.white.view, at.black.view
    assert white == black
    assert (white.white, white.black) == (at.white.pubkey, at.black.pubkey)
    assert white.ply == len(moves)
    assert white.complaint == ""
    assert white.head == at.events[-1]["id"]


@OF_TWO
def test_a_start_against_one_opponent_is_found_by_those_who_ask_for_it(
    mine: type[Spelling], theirs: type[Spelling], clock: Clock
) -> None:
    at = table(mine, theirs, clock)
    asked = at.black.spelling.start_filters(at.black.pubkey)
    is_found = any(
        set(wanted[1]) & set(values(at.events[0], wanted[0].removeprefix("#")))
        for one in asked
        for wanted in one.items()
        if wanted[0].startswith("#")
    )
    # Amethyst does not ask for the hidden reference, and jesterui writes nothing else.
    assert is_found is not (mine is JesterUi and theirs is Amethyst)


def test_the_hidden_reference_is_the_one_of_the_example() -> None:
    pubkey = "66869f8504b150e5b22d01c81c65c206ef5945d27ee5a8705e9b10725b6208d1"
    reference = "37129a11f30bd79036b7ad658f66fb74ef0addfb2e3f6006ef073ab01dbb1472"
    assert private_reference(pubkey) == reference


@pytest.mark.parametrize("moves", [FOOLS_MATE, OPERA_GAME[:6], PROMOTION])
def test_two_of_nostr_blue_play_on_while_their_pages_are_open(
    moves: Sequence[str], clock: Clock
) -> None:
    at = table(NostrBlue, NostrBlue, clock)
    at.play(moves)

    assert at.white.view == at.black.view
    assert at.white.view.ply == len(at.white.view.sans) == len(moves)
    last = content_of(at.events[-1])["history"]
    assert last[-1] == last[-2]


def test_a_double_of_nostr_blue_may_be_legal_and_is_then_played(clock: Clock) -> None:
    at = table(NostrBlue, NostrBlue, clock)
    at.play(OPERA_GAME[:7])

    # White takes on e5, and written twice it is also Black who takes on e5.
    assert at.black.view.sans[-2:] == ("dxe5", "dxe5")
    assert content_of(at.events[-1])["fen"].split()[1] == "b"
    assert at.black.view.fen.split()[1] == "w"


def test_nostr_blue_forgets_the_moves_when_its_page_is_opened_again(clock: Clock) -> None:
    at = table(NostrBlue, NostrBlue, clock)
    at.play(FOOLS_MATE[:3])

    assert at.black.start is not None
    opened = NostrBlue().reloaded(at.black.start, at.events, at.black.pubkey)
    assert (opened.complaint, opened.ply) == (RECOVERED, 3)
    draft = NostrBlue().move(opened, FOOLS_MATE[3], at.black.pubkey)
    assert draft.content["history"] == ["Qh4#", "Qh4#"]
    assert draft.content["fen"].startswith("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2")

    at.put(at.black.signed(draft))
    # The other page shows no shorter history than its own; the archive has the move all the same.
    assert at.white.view.ply == 3
    start, *said = (parse_event(json.dumps(event)) for event in at.events)
    assert [it.uci() for it in _archived(start, said).moves] == [*FOOLS_MATE]


def test_nostr_blue_opened_again_prefers_its_own_double_to_a_later_answer(clock: Clock) -> None:
    at = table(NostrBlue, Amethyst, clock)
    at.play(FOOLS_MATE[:1])
    (start, moved) = at.events
    content = {"version": "0", "kind": 1, "fen": _fen(FOOLS_MATE[:2]), "move": "e5"}
    draft = Draft([["e", start["id"]], ["e", moved["id"]]], {**content, "history": ["f3", "e5"]})
    for seconds, shown in ((1, 1), (-1, 2)):
        answer = at.black.signed(draft, moved["created_at"] + seconds)
        opened = NostrBlue().reloaded(start, [moved, answer], at.white.pubkey)
        assert opened.ply == shown


@pytest.mark.parametrize("reader", [JesterUi, Amethyst])
def test_a_double_of_nostr_blue_stops_jesterui_and_desynchronizes_amethyst(
    reader: type[Spelling], clock: Clock
) -> None:
    at = table(NostrBlue, reader, clock)
    at.play(FOOLS_MATE[:1])

    shown = at.black.view
    expected = {JesterUi: (FROZEN, 0), Amethyst: (DESYNCED, 1)}
    assert (shown.complaint, shown.ply) == expected[reader]


def test_a_resignation_of_amethyst_before_the_first_move_is_nothing_to_jesterui(
    clock: Clock,
) -> None:
    at = table(Amethyst, JesterUi, clock)
    at.put(at.white.signed(at.white.spelling.resign(at.white.view, at.white.pubkey)))

    assert at.white.view.result == "0-1"
    assert (at.black.view.result, at.black.view.complaint) == (None, "")


def test_a_resignation_of_amethyst_freezes_jesterui(clock: Clock) -> None:
    at = table(Amethyst, JesterUi, clock)
    at.play(FOOLS_MATE[:2])
    resigned = at.put(at.white.signed(at.white.spelling.resign(at.white.view, at.white.pubkey)))

    assert at.black.view.complaint == FROZEN
    assert "move" not in content_of(resigned)
    # Of two equally long histories the lower id is the game.
    assert at.white.view.result == ("0-1" if resigned["id"] < at.events[-2]["id"] else None)


@pytest.mark.parametrize("reader", SPELLINGS)
def test_an_end_with_one_reference_and_the_last_move_twice_freezes_nobody(
    reader: type[Spelling], clock: Clock
) -> None:
    at = table(reader, Amethyst, clock)
    first = at.put(at.white.draft_move("f2f3"))
    sans, ended = ["f3", "e5"], {"result": "1-0", "termination": "resignation"}
    moved = {"version": "0", "kind": 1, "fen": _fen(FOOLS_MATE[:2]), "move": "e5", "history": sans}
    # One second before the move that it answers, which nostr.blue would otherwise prefer.
    earlier = first["created_at"] - 1
    game = ["e", first["tags"][0][1]]
    head = at.put(at.black.signed(Draft([game, ["e", first["id"]]], moved), earlier))
    double = {**moved, **ended, "history": [*sans, "e5"]}
    at.put(at.black.signed(Draft([game], double), earlier))

    assert at.white.view.ply == 2
    assert at.white.view.complaint != FROZEN
    assert at.white.view.result == (None if reader is JesterUi else "1-0")
    assert (at.white.view.head == head["id"]) is (reader is JesterUi)


def test_nostr_blue_offers_and_accepts_a_draw_and_a_move_accepts_it_too(clock: Clock) -> None:
    for accepts_by_moving in (False, True):
        at = table(NostrBlue, NostrBlue, clock)
        at.play(FOOLS_MATE[:1])
        blue = NostrBlue()
        at.put(at.white.signed(blue.offer_draw(at.white.view, at.white.pubkey)))
        assert at.black.view.draw_offered
        if accepts_by_moving:
            at.play(FOOLS_MATE[1:2])
        else:
            at.put(at.black.signed(blue.accept_draw(at.black.view, at.black.pubkey)))
        assert content_of(at.events[-1])["termination"] == "draw_agreement"
        assert at.white.view.result == "1/2-1/2"


def test_nostr_blue_has_words_before_the_first_move(clock: Clock) -> None:
    at = table(NostrBlue, NostrBlue, clock)
    draft = NostrBlue().resign(at.white.view, at.white.pubkey)
    assert (draft.content["move"], draft.content["history"]) == ("", [""])
    at.put(at.white.signed(draft))
    assert (at.black.view.result, at.black.view.ply) == ("0-1", 0)


def test_jesterui_follows_the_earliest_child_and_goes_no_further_than_a_wrong_one(
    clock: Clock,
) -> None:
    at = table(JesterUi, JesterUi, clock)
    thief = JesterPlayer(JesterUi(), clock)
    first = at.put(at.white.draft_move("e2e4"))
    draft = at.black.spelling.move(at.black.view, "e7e5", at.black.pubkey)
    draft.content["fen"] = first["content"]
    wrong = thief.signed(draft)
    right = at.black.draft_move("e7e5")
    for event in (right, wrong):
        at.put(event)
    assert wrong["created_at"] < right["created_at"]
    assert (at.white.view.complaint, at.white.view.ply) == (FROZEN, 1)


def test_jesterui_takes_a_right_position_with_a_wrong_san_and_breaks(clock: Clock) -> None:
    at = table(JesterUi, JesterUi, clock)
    draft = at.white.spelling.move(at.white.view, "g1f3", at.white.pubkey)
    draft.content.update(move="Kf3", history=["Kf3"])
    at.put(at.white.signed(draft))
    assert at.black.view.complaint == BROKEN


def test_amethyst_believes_a_stranger_with_a_longer_history(clock: Clock) -> None:
    at = table(Amethyst, Amethyst, clock)
    at.play(FOOLS_MATE[:1])
    thief = JesterPlayer(Amethyst(), clock)
    draft = at.black.spelling.move(at.black.view, "e7e5", at.black.pubkey)
    at.put(thief.signed(draft))
    assert at.white.view.ply == 2


def test_a_fork_leaves_amethyst_with_the_lowest_id_and_jesterui_with_the_earliest(
    clock: Clock,
) -> None:
    for reader in (Amethyst, JesterUi):
        at = table(reader, JesterUi, clock)
        at.play(FOOLS_MATE[:1])
        both = [at.black.draft_move(uci) for uci in ("e7e5", "d7d5")]
        for event in both:
            at.put(event)
        lowest = min(both, key=lambda event: str(event["id"]))
        assert at.white.view.head == (lowest if reader is Amethyst else both[0])["id"]


def test_colours_are_told_in_words_that_only_the_same_client_reads(clock: Clock) -> None:
    for writer, readers in ((Amethyst, (NostrBlue, JesterUi)), (NostrBlue, (Amethyst, JesterUi))):
        starter, other = JesterPlayer(writer(), clock), JesterPlayer(writer(), clock)
        start = starter.draft_start("black", other.pubkey)
        assert writer().view(start, [], other.pubkey).white == other.pubkey
        for reader in readers:
            assert reader().view(start, [], other.pubkey).white == starter.pubkey


def test_a_start_of_amethyst_is_the_one_of_its_documents(clock: Clock) -> None:
    start = JesterPlayer(Amethyst(), clock).draft_start("black")
    assert start["tags"] == [["e", START]]
    assert list(content_of(start)) == ["version", "kind", "fen", "history", "nonce", "playerColor"]


def test_an_event_that_is_not_signed_is_a_complaint(clock: Clock) -> None:
    at = table(JesterUi, JesterUi, clock)
    forged = {**at.white.draft_move("e2e4"), "pubkey": at.black.pubkey}
    with pytest.raises(Complaint):
        at.white.hear(forged)


def _archived(start: object, said: Sequence[object]) -> Game:
    assert isinstance(start, NostrEvent)
    began = read_start(start)
    assert began is not None
    told = (read_said(event) for event in said if isinstance(event, NostrEvent))
    return played(began, [it for it in told if it is not None])


def _fen(moves: Sequence[str]) -> str:
    at = table(JesterUi, JesterUi, Clock())
    at.play(moves)
    return at.white.view.fen


@pytest.mark.slow
@pytest.mark.parametrize(("mine", "theirs"), [(JesterUi, Amethyst), (Amethyst, JesterUi)])
async def test_two_clients_play_over_two_relays(
    mine: type[Spelling], theirs: type[Spelling], tmp_path: Path
) -> None:
    port = free_port_base()
    first, second = (bundled(tmp_path / str(n), port + n) for n in range(2))
    with contextlib.ExitStack() as running:
        for relay in (first, second):
            running.callback(relay.stop)
            relay.start()
        white, black = JesterPlayer(mine()), JesterPlayer(theirs())
        # Amethyst does not find the hidden reference of jesterui.
        opponent = None if theirs is Amethyst else black.pubkey
        async with white.connected([first.url, second.url]), black.connected([first.url]):
            start = await white.challenge(opponent=opponent)
            assert await black.until_challenged(white.pubkey) == start
            for ply, uci in enumerate(FOOLS_MATE, 1):
                mover = (black, white)[ply % 2]
                await mover.move(uci)
                await asyncio.gather(*(player.until_ply(ply) for player in (white, black)))
        assert white.view == black.view
        assert white.view.result == "0-1"
