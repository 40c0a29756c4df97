"""What a transcript proves, and that nothing of it can be altered without being found."""

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from sqlite3 import Cursor

import pytest

from arbiter.application.intake.queue_messages import end_games_body
from arbiter.application.intake.routing import timer_entry
from arbiter.application.records import Timer
from arbiter.core.chain import first_link, next_link
from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json
from arbiter.proof.check import check
from arbiter.proof.transcript import MAX_BYTES, Line, Transcript, unpack
from tests.builders import ALICE, BOB
from tests.proof.games import KeptWorld, Played, play, random_moves, signed_cases
from tests.proof.tampered import of_each_kind, tamper

BLITZ = ("time", "180+2")
MATE = ["f2f3", "e7e5", "g2g4", "d8h4"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[KeptWorld]:
    world = KeptWorld(tmp_path)
    yield world
    world.store.close()


@pytest.mark.parametrize(
    ("said", "tags", "proven", "said_by_arbiter"),
    [
        (MATE, [BLITZ], "the result is 0-1, by checkmate", "what the clocks showed"),
        (["e2e4", "b:resign"], [], "the result is 1-0, by resignation", ""),
        (["e2e4", "e7e5", "w:draw", "b:draw"], [BLITZ], "1/2-1/2, by agreement", "what the clocks"),
        (["e2e4", "w:draw", "b:draw-decline", "e7e5", "w:quit"], [], "0-1, by resignation", ""),
        (["e2e4", "e7e5", "b:takeback", "w:takeback", "e7e6", "w:resign"], [], "2 half-moves", ""),
        (["e2e4", "w:abort"], [], "1 half-moves", "the result is *, by aborted"),
        (["e2e4", "e7e5", *["e4e6"] * 3], [], "2 half-moves", "0-1, by illegal-moves"),
        ([*random_moves(3, 60), "w:resign"], [BLITZ], "are legal", "what the clocks showed"),
    ],
    ids=str,
)
def test_a_game_is_proven_by_what_its_players_signed(
    world: KeptWorld,
    said: list[str],
    tags: list[tuple[str, ...]],
    proven: str,
    said_by_arbiter: str,
) -> None:
    game = play(world, said, *tags)

    found = check(game.transcript, game.note)

    assert found.wrong == []
    assert found.missing == (
        [] if game.note else ["the arbiter's note, by which it signed this history"]
    )
    assert proven in " | ".join(found.proven), found
    assert said_by_arbiter in " | ".join(found.says), found
    assert [bool(it.shown) for it in game.transcript.lines[:3]] == [False, False, True]


def test_a_game_that_time_ended_is_proven_up_to_its_deadline(world: KeptWorld) -> None:
    table = world.start(ALICE, BOB, BLITZ)
    for text in MATE[:3]:
        table.say(text)
    deadline_ms = world.game(table.game_id).deadline_ms()
    while (game := world.game(table.game_id)).outcome is None:
        world.clock.ms = game.timer_at_ms or 0
        fired = timer_entry(Timer(game.id, game.ply, world.clock.ms), world.clock.ms)
        assert world.deliver(world.record(fired.body)) == ()
        world.hand_on()

    played = world.played(table)
    found = check(played.transcript, played.note)

    assert (found.wrong, found.missing) == ([], [])
    assert "the result is 1-0, by timeout" in found.says
    assert played.transcript.lines[-1].deadline_ms == deadline_ms


@pytest.mark.parametrize("plies", [1, 3])
def test_a_game_that_the_operator_ended_has_a_link_of_its_end(world: KeptWorld, plies: int) -> None:
    table = world.start(ALICE, BOB, BLITZ)
    for text in MATE[:plies]:
        table.say(text)
    before = world.game(table.game_id).chain

    for _ in range(2):  # the record may come twice
        assert world.deliver(world.record(end_games_body(ALICE.pubkey))) == ()

    game, played = world.game(table.game_id), world.played(table)
    found = check(played.transcript, played.note)
    assert (game.outcome is not None, game.chain != before) == (True, True)
    assert found.wrong == []
    assert any(f"the result is {game.result}, by" in text for text in found.says), found


def test_whatever_is_altered_is_found_and_named() -> None:
    games = [*of_each_kind()]

    counts, flaws = tamper(games)

    assert flaws == []
    assert (len(games), counts["line"] > 1000) == (9, True), counts


def test_what_is_missing_is_said_and_the_rest_is_proven(world: KeptWorld) -> None:
    game = play(world, MATE, BLITZ)
    lines = game.transcript.lines
    cut = replace(game.transcript, lines=(*lines[:3], replace(lines[3], event=None), *lines[4:]))

    found = check(cut, game.note)

    assert found.wrong == []
    assert found.missing == [f"state 2: the event {lines[3].id} is not here"]
    assert found.proven[1].startswith("the players signed 5 of 6 lines")


def lie(game: Played, at: int, shown: str) -> Transcript:
    """The game as an arbiter tells it that shows this at that line, with the links of its lie."""
    lines = list(game.transcript.lines)
    lines[at] = replace(lines[at], shown=shown)
    chain = first_link(game.transcript.game_id, [it.id for it in lines if not it.shown])
    for line in lines:
        if line.shown:
            chain = next_link(chain, bytes.fromhex(line.id), line.shown)
    return replace(game.transcript, lines=tuple(lines), chain=chain.hex())


@pytest.mark.parametrize(
    ("at", "shown", "named"),
    [
        (2, "1 f2f4 - 180000 180000 * -", "state 1: 'f2f3' leads to '1 f2f3 "),
        (5, "4 d8h4 - 175000 175000 1-0 checkmate", "state 4: 'd8h4' leads to '4 d8h4 "),
        (5, "4 d8h4 - 175000 175000 1/2-1/2 agreement", "state 4: 'd8h4' leads to"),
        (4, "3 g2g4 draw:w 175000 175000 * -", "state 3: 'g2g4' leads to"),
        (3, "2 e7e5 - x * -", "state 2: "),
    ],
)
def test_an_arbiter_that_lies_about_a_move_or_the_result_is_found(
    world: KeptWorld, at: int, shown: str, named: str
) -> None:
    found = check(lie(play(world, MATE, BLITZ), at, shown))

    assert named in " ".join(found.wrong)


def test_a_clock_that_was_shortened_is_named_as_what_the_arbiter_says(world: KeptWorld) -> None:
    game = play(world, [*random_moves(3, 4), "w:resign"], BLITZ)
    ply, uci, offer, white, black, *ended = game.transcript.lines[4].shown.split(" ")
    shortened = " ".join((ply, uci, offer, str(int(white) - 60_000), black, *ended))

    found = check(lie(game, 4, shortened))

    assert any("White lost 59 s in 2 s" in said for said in found.says), found


def test_two_histories_of_one_game_are_told_apart_by_the_note(world: KeptWorld) -> None:
    game = play(world, MATE, BLITZ)
    ply, uci, offer, white, black, *ended = game.transcript.lines[4].shown.split(" ")
    other = lie(game, 4, " ".join((ply, uci, offer, str(int(white) - 1), black, *ended)))

    assert check(other, game.note).wrong == [
        "the arbiter signed another history: the chains differ"
    ]


def told(game: Played, *more: Line) -> Transcript:
    """The game as an arbiter tells it that adds these lines, with the links of its lie."""
    longer = replace(game.transcript, lines=(*game.transcript.lines, *more))
    last = len(longer.lines) - 1
    return lie(replace(game, transcript=longer), last, longer.lines[last].shown)


def signed_by_white(game: Played, kind: int, content: str) -> NostrEvent:
    white = next(key for key in (ALICE, BOB) if key.pubkey == game.transcript.white)
    tags = (("p", game.transcript.arbiter), ("d", game.transcript.game_id))
    event = event_from_json(event_to_json(white.sign(EventTemplate(kind, tags, content, 1))))
    assert isinstance(event, NostrEvent)
    return event


@pytest.mark.parametrize(
    ("how", "transcript"),
    [(how, it) for how, _, it in signed_cases()],
    ids=[it[1] for it in signed_cases()],
)
def test_who_signs_is_who_may_say_so(how: str, transcript: Transcript) -> None:
    assert bool(check(transcript).wrong) == (how == "wrong"), check(transcript)


def test_a_move_by_lines_is_said_by_the_arbiter(world: KeptWorld) -> None:
    (lines,) = (it for _, name, it in signed_cases() if name == "a player's lines play twice")

    found = check(lines)

    assert [text for text in found.says if "lines" in text] == [
        "state 3: half-move 3 is by White's lines, which it alone saw",
        "state 5: half-move 5 is by White's lines, which it alone saw",
    ]


def test_without_requests_the_links_go_on_from_the_first_state(world: KeptWorld) -> None:
    game = play(world, MATE, BLITZ)
    requests = [it.id for it in game.transcript.lines if not it.shown]
    first = first_link(game.transcript.game_id, requests)
    cut = replace(game.transcript, first=first.hex(), lines=game.transcript.lines[2:])

    found = check(cut, game.note)

    assert (found.wrong, found.missing) == (
        [],
        ["the requests that the game was made of, and its terms"],
    )
    assert check(replace(cut, first="ab" * 32)).wrong == [
        "the links do not lead to the chain that the first line names"
    ]
    assert check(replace(cut, lines=game.transcript.lines)).wrong
    assert check(replace(cut, lines=cut.lines[1:])).wrong


NO_ONE = "ab" * 32


@pytest.mark.parametrize("ended", ["0-1 resignation", "1/2-1/2 agreement"])
def test_an_end_whose_event_is_missing_is_only_said_by_the_arbiter(
    world: KeptWorld, ended: str
) -> None:
    game = play(world, ["e2e4", "e7e5"])

    found = check(told(game, Line(NO_ONE, f"2 e7e5 - - - {ended}")))

    assert found.wrong == []
    assert not any(ended.split()[1] in text for text in found.proven), found
    assert f"the result is {ended.replace(' ', ', by ')}" in found.says


def test_an_event_of_another_kind_proves_no_end(world: KeptWorld) -> None:
    game = play(world, ["e2e4", "e7e5"])
    note = signed_by_white(game, 1, "good morning")

    found = check(told(game, Line(note.id, "2 e7e5 - - - 0-1 resignation", note)))

    assert found.wrong == ["state 3: kind 1 is of no game"]


@pytest.mark.parametrize(
    ("shown", "flaw"),
    [
        (["2 e7e5 - - - 0-1 checkmate"], "no checkmate"),
        (["2 e7e5 - - - 1/2-1/2 stalemate"], "no stalemate"),
        (["2 e7e5 - - - 0-1 resignation", "3 g1f3 - - - * -"], "the game was over"),
        (["2 e7e5 draw:w - - * -", "2 e7e5 - - - * -", "2 e7e5 draw:w - - * -"], "an earlier"),
        (["2 e7e5 - x y * -"], "it shows no state"),
        (["\N{FULLWIDTH DIGIT THREE} g1f3 - - - * -"], "it shows no state"),
        (["2 e7e5 - - - * -", f"3 g1f3 - {'9' * 5000} 1 * -"], "it shows no state"),
    ],
    ids=range(7),
)
def test_what_no_state_can_be_is_named(world: KeptWorld, shown: list[str], flaw: str) -> None:
    game = play(world, ["e2e4", "e7e5"])
    lines = [Line(("ab", "cd")[at % 2] * 32, text) for at, text in enumerate(shown)]

    (named,) = check(told(game, *lines)).wrong

    assert flaw in named


@pytest.mark.parametrize("clocks", ["x y", "5", "9 -"])
def test_clocks_that_are_none_are_named(world: KeptWorld, clocks: str) -> None:
    game = play(world, MATE[:3], BLITZ)

    found = check(lie(game, 4, f"3 g2g4 - {clocks} * -"))

    assert found.wrong == ["state 3: it shows no state"]


def test_a_request_that_comes_again_drops_none(world: KeptWorld) -> None:
    def other_rows(cursor: Cursor) -> None:
        cursor.execute("CREATE TABLE other (number INTEGER PRIMARY KEY)")
        cursor.execute("INSERT INTO other VALUES (5000000)")

    for octet in (1, 2):
        world.kept.keep_request(bytes([octet]) * 32, "{}")
    world.store.write(other_rows)
    world.kept.keep_request(bytes([1]) * 32, "{}")

    count = "SELECT count(*) FROM requests"
    assert world.store.read(lambda cursor: cursor.execute(count).fetchone()) == (2,)


DEEP = b"[" * 1000 + b"]" * 1000


@pytest.mark.parametrize(
    ("octets", "flaw"),
    [
        (b"", "cut"),
        (b"{}", "not gzip"),
        (gzip.compress(b"{}")[:-3], "cut"),
        (gzip.compress(b"{}") * 2, "longer"),
        (gzip.compress(b"[]"), "not a transcript"),
        (gzip.compress(b""), "not a transcript"),
        (gzip.compress(b"[" * 5000), "not a transcript"),
        (gzip.compress(bytes(MAX_BYTES + 1)), "over"),
        (gzip.compress(b'{"game":' + DEEP + b"}"), "not a transcript"),
    ],
    ids=range(9),
)
def test_what_is_no_transcript_is_refused(octets: bytes, flaw: str) -> None:
    found = unpack(octets)

    assert isinstance(found, str)
    assert flaw in found
