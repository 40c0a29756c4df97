"""Whole tournaments through queue, timers, games and results: each thing once, whatever dies."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256

import pytest

from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.application.policy import KnownPolicy
from arbiter.application.ports import LobbyChange
from arbiter.application.tournaments.news import SHOWN, SHOWN_SECONDS
from arbiter.core.game import Game, Termination
from arbiter.core.policy import Denial, Policy
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import BoardResult, EntryState, Phase
from arbiter.nostr.keys import SecretKey
from tests.application.tournament_evening import Evening, stored
from tests.builders import SERVER, a_key, an_event
from tests.core.tournaments.play import engine
from tests.fakes.faults import Crash
from tests.fakes.policy import FixedPolicy

NAMES = ("anna", "ben", "cleo", "dan", "eva")


def by_turns(game: Game) -> str:
    """Who resigns, or a draw; the same for the same game."""
    return ("white", "black", "draw")[int(game.id[-1], 16) % 3]


def decided(game: Game) -> str:
    return ("white", "black")[int(game.id[-1], 16) % 2]


def round_robin(evening: Evening) -> None:
    evening.create("round-robin")
    evening.join(*NAMES)
    evening.run()


def swiss(evening: Evening) -> None:
    """One comes late, one asks for a bye, and one leaves."""
    evening.create("swiss", ("rounds", "3"), ("late", "2"), ("interval", "10"))
    evening.join(*NAMES)
    evening.say(a_key("ben"), "bye:2")
    evening.run(until=lambda: len(evening.tournament.rounds) == 1)
    evening.join("fred")
    evening.run(until=lambda: evening.tournament.phase is Phase.WAITING)
    evening.say(a_key("eva"), "leave")
    evening.run()


def knockout(evening: Evening) -> None:
    evening.create("knockout", ("interval", "10"))
    evening.join(*NAMES)
    evening.run()


def arena(evening: Evening) -> None:
    """Some games end; then all are away, and no game is made for who is."""
    evening.create("arena", ("minutes", "5"), ("noshow", "10"))
    evening.run(59)
    evening.join(*NAMES)
    evening.run()


@dataclass(frozen=True)
class Script:
    play: Callable[[Evening], None]
    ends: Callable[[Game], str]
    most: int = 1000
    """Games that are played; in the others no player makes a move."""

    def evening(self) -> Evening:
        left = [self.most]

        def ends(game: Game) -> str:
            left[0] -= 1
            return self.ends(game) if left[0] >= 0 else ""

        return Evening(engine, ends)


SCRIPTS = {
    "round robin": Script(round_robin, by_turns),
    "round robin where some do not come": Script(round_robin, decided, 7),
    "swiss": Script(swiss, by_turns),
    "knockout": Script(knockout, decided),
    "arena": Script(arena, by_turns, 12),
}

each_script = pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())


def played(script: Script) -> Evening:
    evening = script.evening()
    script.play(evening)
    assert evening.tournament.phase is Phase.FINISHED
    return evening


def check(evening: Evening) -> None:
    """Every board has its one game or none was to be played, and its result is the game's."""
    games = {key[2:] for key in evening.games.table.items if key.startswith("g#")}
    ids = [board.game_id for _, _, board in evening.boards() if board.game_id]
    assert Counter(ids) == Counter(games), "a game without a board, or a board without its game"
    for number, place, board in evening.boards():
        game = evening.games.load(board.game_id) if board.game_id else None
        if game is None:
            assert not board.game_id, "a game is missing"
            assert board.result is not None, (number, place)
            assert board.result.is_forfeit, (number, place)
            continue
        seats = [evening.tournament.entry(one).seat.player for one in (board.white, board.black)]
        assert [game.white.player, game.black.player] == seats
        assert game.outcome is None or board.result is not None, (number, place)
        if game.outcome is None:
            assert board.result is BoardResult.VOID
        elif game.outcome.termination is not Termination.NO_SHOW:
            assert board.result is not None
            assert board.result.value == game.result


def told_of_games(evening: Evening) -> Counter[tuple[str, str]]:
    """The times that each player was told that their game began: at least once for each game."""
    told = Counter(
        (one.content.split(":")[1], one.tags[0][1])
        for one in evening.publisher.taken_events
        if one.kind == 20301 and one.content.startswith("started:")
    )
    games = [evening.game(board.game_id) for _, _, board in evening.boards() if board.game_id]
    assert {*told} == {(one.id, seat.player) for one in games for seat in (one.white, one.black)}
    return told


@each_script
def test_a_tournament_is_played_to_its_end(script: Script) -> None:
    evening = played(script)

    check(evening)
    assert len(evening.tournament.rounds) > 1
    assert {*told_of_games(evening).values()} == {1}


@each_script
def test_every_record_three_times_more_changes_nothing(script: Script) -> None:
    evening = played(script)
    before = stored(evening)

    evening.again(3)

    assert stored(evening) == before
    assert "failed" not in evening.statuses()


class EveryCall:
    """Breaks each delivery of a record off one call of a port later than the one before, until it
    passes.
    """

    def __init__(self, evening: Evening) -> None:
        self.calls = self.last = 0
        ports = (evening.games, evening.lobby, evening.ratings, evening.tournaments)
        for port in (*ports, evening.timers, evening.queue):
            port.hook = self
        # What comes again so often is not shown each time.
        evening.deps = replace(evening.deps, rate_limits=None)
        evening.delivering = self.deliver
        evening.deliveries = 200

    def deliver(self, number: int) -> None:
        self.calls, self.last = 0, number + 1

    def __call__(self, point: str) -> None:
        self.calls += 1
        if self.calls == self.last:
            raise Crash(point)


@each_script
def test_a_process_that_dies_at_every_call_loses_nothing_and_does_nothing_twice(
    script: Script,
) -> None:
    undisturbed, evening = played(script), script.evening()
    EveryCall(evening)

    script.play(evening)

    check(evening)
    assert stored(evening) == stored(undisturbed)
    assert told_of_games(evening)
    assert shown(evening) == shown(undisturbed)


Tags = tuple[tuple[str, ...], ...]


def shown(evening: Evening) -> dict[tuple[int, str], Tags]:
    """The tags of the tournament's stored events as a relay has them in the end, by kind and ``d``;
    without versions, since a round is shown again with that of the tournament.
    """
    latest: dict[tuple[int, str], tuple[int, Tags]] = {}
    for event in evening.publisher.taken_events:
        if event.kind in (30327, 30328, 30329):
            name = (event.kind, event.tags[0][1])
            if name not in latest or latest[name][0] <= event.created_at:
                tags = tuple(tag for tag in event.tags if tag[0] != "version")
                latest[name] = event.created_at, tags
    return {name: tags for name, (_, tags) in latest.items()}


@each_script
def test_what_relays_have_in_the_end_is_the_tournament_as_it_is(script: Script) -> None:
    evening = played(script)

    tags = shown(evening)[30327, evening.id]
    assert ("status", "finished") in tags
    rows = shown(evening)[30329, evening.id]
    assert ("final",) in rows
    for each in evening.tournament.rounds:
        boards = shown(evening)[30328, f"{evening.id}:{each.number}:1"]
        told = [tag[5] for tag in boards if tag[0] == "b"]
        assert told == [board.result for board in each.boards], each.number


def test_a_player_whose_item_changes_meanwhile_has_their_game() -> None:
    evening = Evening(engine, lambda _: "")
    rivals = ["anna", "ben"]

    def rival(point: str) -> None:
        if point == "lobby.commit" and rivals:
            before = StoredLobby(evening.games.table, evening.clock).player(
                a_key(rivals.pop()).pubkey
            )
            after = replace(before, former_game_id="ab" * 16)
            change = LobbyChange(players=((before, after),))
            assert StoredLobby(evening.games.table, evening.clock).commit(change)

    evening.create("round-robin")
    evening.join("anna", "ben")
    evening.lobby.hook = rival
    evening.run(until=lambda: evening.tournament.phase is Phase.PLAYING)

    assert rivals == []
    (game_id,) = {board.game_id for _, _, board in evening.boards()}
    assert evening.game(game_id).ply == 0
    for name in ("anna", "ben"):
        assert evening.lobby.player(a_key(name).pubkey).event_games == (game_id,)


def test_points_are_those_of_the_games_alone() -> None:
    evening = played(SCRIPTS["round robin"])
    points: Counter[str] = Counter()
    for _, _, board in evening.boards():
        game = evening.game(board.game_id)
        white, black = {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (0.5, 0.5)}[game.result]
        points.update({game.white.player: white, game.black.player: black})

    assert {
        evening.tournament.entry(row.number).seat.player: row.points
        for row in standings(evening.tournament)
    } == {**dict.fromkeys(evening.keys, 0), **points}


def test_a_result_that_was_never_told_is_found_by_the_look_at_open_boards() -> None:
    evening = SCRIPTS["round robin"].evening()
    evening.create("round-robin")
    evening.join("anna", "ben")
    evening.run(until=lambda: evening.tournament.phase is Phase.PLAYING)
    (_, _, board) = next(evening.boards())
    evening.end(evening.game(board.game_id), "white")
    evening.queue.waiting.clear()

    evening.run()

    assert evening.tournament.phase is Phase.FINISHED
    assert next(evening.boards())[2].result is BoardResult.BLACK_WINS


def test_a_player_who_does_not_come_loses_by_forfeit_and_is_paused() -> None:
    evening = Evening(engine, lambda _: "")
    evening.create("swiss", ("rounds", "2"))
    evening.join("anna", "ben")
    evening.run(until=lambda: evening.tournament.phase is Phase.PLAYING)
    game = evening.game(next(evening.boards())[2].game_id)
    evening.clock.advance(1)
    evening.say_in(game.id, evening.keys[game.white.player], "e2e4")

    evening.run(until=lambda: evening.game(game.id).outcome is not None)
    evening.run(1)

    board = next(evening.boards())[2]
    assert board.result is BoardResult.WHITE_BY_FORFEIT
    assert evening.tournament.entry(board.black).state is EntryState.PAUSED
    assert evening.ratings.rated(game.id) is None


@pytest.mark.parametrize("format_", ["round-robin", "swiss", "knockout", "arena"])
def test_who_is_denied_since_they_entered_plays_in_no_later_round(format_: str) -> None:
    evening = Evening(engine, by_turns if format_ == "round-robin" else decided)
    more = {"swiss": (("rounds", "2"),), "arena": (("minutes", "5"), ("noshow", "10"))}
    evening.create(format_, *more.get(format_, ()))
    evening.join(*NAMES)
    denied = a_key("anna").pubkey
    policy = KnownPolicy(FixedPolicy(Policy(denied={denied: Denial(0)})), evening.clock)
    evening.deps = replace(evening.deps, policy=policy)

    evening.run()

    assert evening.tournament.phase is Phase.FINISHED
    entry = evening.tournament.entry_of(denied)
    assert entry is not None
    assert entry.state is EntryState.LEFT
    theirs = [
        board for _, _, board in evening.boards() if entry.number in (board.white, board.black)
    ]
    assert [board.game_id for board in theirs] == [""] * len(theirs), "no game was made for them"
    assert all(board.points_of(entry.number) == 0 for board in theirs)
    assert ("left", denied) in {
        (one.content, one.tags[0][1]) for one in evening.publisher.taken_events if one.kind == 20301
    }


def test_who_is_denied_between_two_rounds_forfeits_the_planned_board_and_their_game_goes_on() -> (
    None
):
    evening = Evening(engine, by_turns)
    evening.create("round-robin", ("interval", "30"))
    evening.join("anna", "ben")
    evening.join("cleo", "dan")
    evening.run(until=lambda: evening.tournament.phase is Phase.WAITING)
    denied = a_key("anna").pubkey
    policy = KnownPolicy(FixedPolicy(Policy(denied={denied: Denial(0)})), evening.clock)
    evening.deps = replace(evening.deps, policy=policy)

    evening.run()

    entry = evening.tournament.entry_of(denied)
    assert entry is not None
    own = [
        (number, bool(board.game_id))
        for number, _, board in evening.boards()
        if entry.number in (board.white, board.black)
    ]
    assert own[0] == (1, True)
    assert not any(is_played for number, is_played in own if number > 1)


@contextmanager
def counted(evening: Evening) -> Iterator[Counter[str]]:
    """The calls of the table meanwhile."""
    table, called = evening.games.table, Counter[str]()
    for name in ("find", "find_all", "update", "write"):

        def count(*given: object, name: str = name, **named: object) -> object:
            called[name] += 1
            return getattr(type(table), name)(table, *given, **named)

        setattr(table, name, count)
    try:
        yield called
    finally:
        for name in ("find", "find_all", "update", "write"):
            delattr(table, name)


def test_a_move_in_a_tournament_makes_as_many_calls_of_the_table_as_any() -> None:
    evening = Evening(engine, lambda _: "")
    evening.create("round-robin")
    evening.join("anna", "ben")
    evening.run(until=lambda: evening.tournament.phase is Phase.PLAYING)
    game = evening.game(next(evening.boards())[2].game_id)
    table = evening.start(a_key("cleo"), a_key("dan"), ("time", "180+0"))
    evening.clock.advance(1)

    counts = []
    for game_id, key in (
        (table.game_id, table.white),
        (game.id, evening.keys[game.white.player]),
    ):
        with counted(evening) as called:
            evening.say_in(game_id, key, "e2e4")
        counts.append(called)

    assert counts[0] == counts[1]
    assert counts[0]


def test_a_player_who_asks_is_shown_games_of_tournaments_beside_their_own() -> None:
    evening = Evening(engine, lambda _: "")
    evening.create("round-robin")
    evening.join("anna", "ben")
    evening.run(until=lambda: evening.tournament.phase is Phase.PLAYING)
    game_id = next(evening.boards())[2].game_id
    table = evening.start(a_key("anna"), a_key("dan"), ("time", "180+0"))

    told = evening.ask(a_key("anna"), "state")

    states = [one.tags[0][1] for one in told if one.kind == 20302]
    assert {*states} == {game_id, table.game_id}
    player = evening.lobby.player(a_key("anna").pubkey)
    assert (player.game_id, player.event_games) == (table.game_id, (game_id,))


def test_a_game_that_ended_is_listed_no_more() -> None:
    evening = Evening(engine, lambda _: "white")
    evening.create("round-robin")
    evening.join("anna", "ben")
    evening.run()

    told = evening.ask(a_key("anna"), "state")

    assert not [one for one in told if one.kind == 20302]
    assert evening.lobby.player(a_key("anna").pubkey).event_games == ()


@pytest.mark.parametrize(
    ("who", "word", "tags", "answer"),
    [
        ("eva", "join", (), "joined"),
        ("house", "join", (), "error:declined: "),
        ("anna", "pair", (), "error:not-organiser: "),
        ("anna", "dance", (), "error:bad-terms: "),
        ("organiser", "add:" + a_key("house").pubkey, (), "error:declined: "),
        ("organiser", "close", (), "noted"),
    ],
)
def test_a_command_is_answered(
    who: str, word: str, tags: tuple[tuple[str, ...], ...], answer: str
) -> None:
    evening = Evening(engine, by_turns)
    evening.deps = evening.with_house(a_key("house").pubkey)
    evening.create("round-robin")
    evening.join("anna", "ben")

    (told,) = evening.say(a_key(who), word, *tags)

    assert told.startswith(answer)


def test_the_organiser_hears_that_a_player_was_never_heard_from() -> None:
    evening = Evening(engine, lambda _: "")
    evening.create("round-robin")
    evening.ask(a_key("anna"), "state")
    evening.say(a_key("eva"), "join")
    add = {name: f"add:{a_key(name).pubkey}" for name in ("anna", "ben")}

    assert evening.say(evening.organiser, add["ben"]) == ["noted:unheard"]
    assert evening.say(evening.organiser, add["anna"]) == ["noted"]
    evening.run(until=lambda: len(evening.tournament.rounds) == 1)
    evening.run(20)
    evening.id = ""
    evening.create("round-robin")
    assert evening.say(evening.organiser, add["ben"]) == ["noted:unheard"]


def test_a_command_for_no_tournament_is_answered() -> None:
    evening = Evening(engine, by_turns)
    evening.id = "ab" * 16

    assert evening.say(a_key("anna"), "join") == ["error:unknown-game: no such event"]


def test_the_same_creation_makes_one_tournament_and_a_flood_of_them_ends() -> None:
    evening = Evening(engine, by_turns)
    evening.create("round-robin")
    evening.again(3)
    assert len(evening.tournaments.newest()) == 1

    evening.id = ""
    answers = []
    too_many = [("title", "More"), ("format", "swiss"), ("time", "180+0"), ("rounds", "31")]
    for number in range(9):
        # What is refused counts for nothing.
        starts = ("starts", str(evening.clock.ms // 1000 + 600 + number))
        (refused,) = evening.say(evening.organiser, "create", *too_many, starts)
        assert refused == "error:bad-terms: rounds: from 1 to 30"
    for number in range(9):
        starts = ("starts", str(evening.clock.ms // 1000 + 600 + number))
        tags = (("title", "More"), ("format", "swiss"), ("time", "180+0"), ("rounds", "3"))
        answers += evening.say(evening.organiser, "create", *tags, starts)

    assert Counter(text.partition(":")[0] for text in answers) == {"created": 7, "error": 2}
    assert len(evening.tournaments.newest()) == 8


def test_entries_of_many_keys_are_answered_each_and_published_a_few_at_a_time() -> None:
    evening = Evening(engine, by_turns)
    evening.create("swiss", ("rounds", "3"))
    before = len(evening.publisher.taken_events)
    evening.join(*(f"guest {number}" for number in range(30)))

    shown = [one for one in evening.publisher.taken_events[before:] if one.kind == 30327]
    assert len(shown) == SHOWN
    ((body, delay_seconds),) = evening.republish.waiting
    assert delay_seconds == SHOWN_SECONDS
    (event, *_) = [one for one in evening.bring(body) if one.kind == 30327]
    assert ("players", "30") in event.tags


def test_only_a_proof_of_the_secret_opens_a_secret_entry() -> None:
    evening, secret = Evening(engine, by_turns), a_key("secret")
    evening.create("round-robin", ("entry", "secret", secret.pubkey))
    anna, ben = a_key("anna"), a_key("ben")
    said = sha256(f"join:{evening.id}:{anna.pubkey}".encode()).digest()
    proof = ("proof", secret.sign_bytes(said).hex())

    assert evening.say(ben, "join", proof)[0].startswith("error:")
    assert evening.say(ben, "join")[0].startswith("error:")
    assert evening.say(anna, "join", proof) == ["joined"]


def test_badges_are_awarded_a_day_after_the_end_and_once() -> None:
    evening = played(SCRIPTS["knockout"])
    kinds = (30009, 8)
    assert not [one for one in evening.publisher.taken_events if one.kind in kinds]

    evening.run(25 * 3600)
    evening.again(3)

    awarded = {one.id: one for one in evening.publisher.taken_events if one.kind in kinds}
    assert sorted(one.kind for one in awarded.values()) == [8, 30009]
    ended_ms = evening.tournament.ended_ms or 0
    assert {one.created_at for one in awarded.values()} == {ended_ms // 1000 + 24 * 3600}


def test_a_tournament_with_a_page_is_in_calendars_and_not_again_for_each_result() -> None:
    evening = Evening(engine, by_turns)
    evening.deps = replace(evening.deps, public_url="https://chess.example")
    evening.create("round-robin")
    evening.join("anna", "ben")
    evening.run()

    dated = [one for one in evening.publisher.taken_events if one.kind == 31923]
    assert {(one.tags, one.content) for one in dated} == {(dated[0].tags, dated[0].content)}
    # At its making, and where a timer came for nothing.
    assert len(dated) < len([one for one in evening.publisher.taken_events if one.kind == 30328])
    assert ("r", f"https://chess.example/events/{evening.id}") in dated[0].tags


def test_an_event_of_the_tournament_that_no_relay_took_is_published_later() -> None:
    evening = Evening(engine, by_turns)
    evening.create("round-robin")
    evening.publisher.deaf = True
    evening.say(a_key("anna"), "join")
    evening.publisher.deaf = False

    (body,) = [body for body in evening.republish.bodies if evening.id in body]
    evening.bring(body)

    tags = shown(evening)[30327, evening.id]
    assert ("players", "1") in tags


@pytest.mark.parametrize("form", ["round-robin", "arena"])
def test_rounds_that_were_over_before_a_relay_was_back_are_published_whole(form: str) -> None:
    evening = Evening(engine, by_turns)
    tags = (("minutes", "5"),) if form == "arena" else ()
    evening.create(form, *tags, ("noshow", "10"), ("interval", "1"))
    evening.run(50)
    evening.join("anna", "ben", "cleo", "dan")
    evening.run(until=lambda: len(evening.tournament.rounds) == 1)
    evening.publisher.deaf = True
    evening.run(until=lambda: len(evening.tournament.rounds) == 3)
    evening.publisher.deaf = False

    for body in [*evening.republish.bodies]:
        evening.bring(body)

    for each in evening.tournament.rounds:
        boards = shown(evening)[30328, f"{evening.id}:{each.number}:1"]
        told = [tag[4:6] for tag in boards if tag[0] == "b"]
        assert told == [(one.game_id, one.result or "") for one in each.boards], each.number


@pytest.mark.parametrize("named", [(("p", SERVER.pubkey),), ()])
@pytest.mark.parametrize(("entry", "states"), [("rsvp", [EntryState.ASKED]), ("open", [])])
def test_a_calendar_event_is_answered_where_players_are_asked(
    entry: str, states: list[EntryState], named: tuple[tuple[str, str], ...]
) -> None:
    evening, anna = Evening(engine, by_turns), a_key("anna")
    evening.create("round-robin", ("entry", entry))
    mine = (("a", f"31923:{SERVER.pubkey}:{evening.id}"), *named)

    def answer(status: str) -> str:
        tags = (*mine, ("d", "anna"), ("status", status))
        body = evening.body(an_event(anna, 31925, "", tags, evening.clock.ms // 1000))
        evening.bring(body)
        evening.clock.advance(1)
        return body

    accepted = answer("accepted")
    assert [one.state for one in evening.tournament.entries] == states
    declined = answer("declined")
    assert {one.state for one in evening.tournament.entries} <= {EntryState.LEFT}
    # A relay brings them again, whatever was said since.
    evening.bring(accepted)
    assert {one.state for one in evening.tournament.entries} <= {EntryState.LEFT}
    evening.say(anna, "join")
    evening.clock.advance(1)
    evening.bring(declined)
    assert EntryState.LEFT not in [one.state for one in evening.tournament.entries]
    evening.say(anna, "leave")
    evening.clock.advance(1)
    assert [one.state for one in evening.tournament.entries] == [EntryState.LEFT]
    evening.bring(accepted)
    assert [one.state for one in evening.tournament.entries] == [EntryState.LEFT]


def test_a_follow_set_that_is_named_by_its_address_says_who_may_join() -> None:
    evening, club, anna, ben = Evening(engine, by_turns), a_key("club"), a_key("anna"), a_key("ben")

    def publishes(*people: SecretKey, at: int = 0) -> None:
        tags = (("d", "club"), *(("p", key.pubkey) for key in people))
        evening.bring(evening.body(an_event(club, 30000, "", tags, evening.clock.ms // 1000 + at)))

    publishes(ben)  # nobody has asked for it
    address = f"30000:{club.pubkey}:club"
    evening.create("round-robin", ("entry", "list"), ("allowed", address))
    assert ("allowed", address) in shown(evening)[30327, evening.id]
    assert evening.say(ben, "join")[0].startswith("error:not-entered: ")

    publishes(anna)
    publishes(ben, at=-1)  # an older one, from a relay that is behind

    assert evening.say(anna, "join") == ["joined"]
    assert evening.say(ben, "join")[0].startswith("error:not-entered: ")
    publishes(anna, ben, at=1)
    assert evening.say(ben, "join") == ["joined"]
    evening.id = ""
    evening.create("swiss", ("rounds", "2"), ("entry", "list"), ("allowed", address))
    assert evening.say(ben, "join") == ["joined"]
