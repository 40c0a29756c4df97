"""The house function as Lambda calls it, on an arbiter of fakes: requests in, answers queued
like those of any player.
"""

import json
import logging
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import chess
import pytest

from arbiter import wiring
from arbiter.application.house import HouseDeps
from arbiter.application.intake.queue_messages import house_body, parse_house
from arbiter.application.records import HouseRequest, PlayerEvent
from arbiter.core.game import Termination
from arbiter.core.rules import Rules
from arbiter.core.seeks import WAIT_MS
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.house import MAX_OF_A_LEVEL, HousePlayer, house_key
from arbiter.nostr.keys import SecretKey
from clients.bot.engine.search import search
from functions.house import app
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_key, an_event
from tests.fakes.faults import crash_at, quiet
from tests.fakes.queue import FakeEventQueue
from tests.functions.logged import MARK, failed_ids, lines

ONE, OTHER, STRONG = (house_key(SERVER, *which) for which in ((1, 1), (1, 2), (4, 1)))
HOUSE = (
    HousePlayer(ONE.pubkey, 1),
    HousePlayer(OTHER.pubkey, 1),
    HousePlayer(STRONG.pubkey, 4),
    # Announced by the operator, who runs this one as a process.
    HousePlayer(BOB.pubkey, 8),
)


class FakeHouseQueue:
    """FIFO with deduplication; ``broken`` takes nothing."""

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.broken = False
        self._seen: set[str] = set()

    def send(self, requests: Sequence[HouseRequest]) -> None:
        if self.broken:
            raise ConnectionError
        self.waiting += [house_body(one) for one in requests if one.dedup_id not in self._seen]
        self._seen |= {one.dedup_id for one in requests}

    def forget(self) -> None:
        """Five minutes go by: what came before is no duplicate any more."""
        self._seen.clear()


class Stage:
    """An arbiter with a house, and what goes to and fro between the two functions."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.world = World(rules)
        self.requests, self.events = FakeHouseQueue(), FakeEventQueue()
        house = {player.pubkey: player.level for player in HOUSE}
        self.world.deps = replace(self.world.deps, house_levels=house, house_queue=self.requests)
        self.deps = HouseDeps(
            games=self.world.games,
            lobby=self.world.lobby,
            clock=self.world.clock,
            queue=self.events,
            server_key=SERVER,
            house=HOUSE,
            work_of_strangers=self.world.deps.rules.work_of_strangers,
        )

    def invoke(self, *bodies: str) -> list[str]:
        """Call the function; what is to be delivered again."""
        records = [{"messageId": f"m{at}", "body": body} for at, body in enumerate(bodies)]
        return failed_ids(app.handler({"Records": records}, None))

    def answered(self) -> list[VerifiedEvent]:
        """The house's answers to the requests that wait, before the arbiter has heard them."""
        bodies, self.requests.waiting = self.requests.waiting, []
        before = len(self.events.waiting)
        assert self.invoke(*bodies) == []
        said = [entry.message for entry in self.events.waiting[before:]]
        return [
            one.event
            for one in said
            if isinstance(one, PlayerEvent) and isinstance(one.event, VerifiedEvent)
        ]

    def settle(self) -> int:
        """Let both functions run until neither has anything left; how often they ran."""
        rounds = 0
        while self.requests.waiting or self.events.waiting:
            bodies, self.requests.waiting = self.requests.waiting, []
            assert self.invoke(*bodies) == []
            entries, self.events.waiting = self.events.waiting, []
            assert self.world.deliver(*(self.world.record(it.body) for it in entries)) == ()
            rounds += 1
        return rounds

    def challenge(self, key: SecretKey, opponent: SecretKey, *tags: tuple[str, ...]) -> None:
        """Ask this house player for a game."""
        self.world.ask(key, "", ("challenge", opponent.pubkey), *tags)

    def state(self) -> VerifiedEvent:
        """The state that was published last."""
        return next(it for it in reversed(self.world.publisher.taken_events) if it.kind == 20302)

    def say(self, key: SecretKey, text: str) -> None:
        """This person's move or word, in answer to the last state."""
        state, at = self.state(), self.world.clock.ms // 1000
        tags = (state.tags[0], ("p", SERVER.pubkey), ("e", state.id))
        self.world.hear(an_event(key, 20303, text, tags, at))

    def tag(self, name: str) -> tuple[str, ...]:
        """The values of a tag of the last state; none if it has no such tag."""
        return next((tag[1:] for tag in self.state().tags if tag[0] == name), ())


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage()
    monkeypatch.setattr(wiring, "house_deps", lambda: made.deps)
    return made


def a_reply(state: VerifiedEvent) -> str:
    """A better move than level 1 finds."""
    is_960 = ("variant", "chess960") in state.tags
    board = chess.Board(state.content, chess960=is_960)
    return board.uci(search(board, depth=2, nodes=1_500).move)


CLOCK = ("time", "600+5")
ENDS_ON_THE_BOARD = {
    Termination.CHECKMATE,
    Termination.STALEMATE,
    Termination.INSUFFICIENT_MATERIAL,
    Termination.FIVEFOLD_REPETITION,
    Termination.THREEFOLD_REPETITION,
    Termination.FIFTY_MOVES,
}
WHITE, BLACK = ("color", "white"), ("color", "black")


@pytest.mark.parametrize("terms", [(CLOCK,), (CLOCK, ("variant", "chess960"))])
def test_a_person_plays_a_game_with_the_house_to_the_end(
    stage: Stage, terms: tuple[tuple[str, ...], ...]
) -> None:
    stage.challenge(ALICE, ONE, *terms)
    stage.settle()
    for _ in range(200 if terms == (CLOCK,) else 10):
        if stage.tag("result"):
            break
        assert stage.state().content.split()[1] == (
            "w" if stage.tag("p")[0] == ALICE.pubkey else "b"
        )
        stage.say(ALICE, a_reply(stage.state()))
        # The house moves once, and has nothing to do until the person moves.
        assert stage.settle() <= 2
        stage.world.clock.ms += 100

    game = stage.world.game(stage.tag("d")[0])
    if terms == (CLOCK,):
        assert game.outcome is not None
        assert game.outcome.termination in ENDS_ON_THE_BOARD
    assert game.ply >= 20
    assert (game.white_strikes, game.black_strikes) == (0, 0)
    assert "failed" not in stage.world.statuses()


def test_two_people_ask_nothing_of_the_house_nor_does_an_arbiter_that_has_none_play(
    stage: Stage,
) -> None:
    stage.world.start(ALICE, EVE).say("e2e4")
    stage.world.deps = replace(stage.world.deps, house_levels={}, house_queue=None)
    stage.challenge(ALICE, ONE, CLOCK)
    assert stage.requests.waiting == []


def test_a_record_that_comes_again_makes_the_same_move_once(stage: Stage) -> None:
    stage.challenge(ALICE, STRONG, CLOCK, BLACK)
    stage.settle()
    stage.say(ALICE, a_reply(stage.state()))
    (body,) = stage.requests.waiting
    assert len(stage.answered()) == 1
    stage.requests.waiting = [body]
    assert stage.answered() == [], "the queue has this very event"
    stage.settle()
    assert stage.tag("ply") == ("3",)
    stage.requests.waiting = [body]
    assert stage.answered() == [], "that state is past"


def test_of_a_level_each_free_program_answers_and_none_leaves_its_game(stage: Stage) -> None:
    stage.challenge(EVE, ONE, CLOCK, WHITE)
    stage.settle()
    stage.challenge(ALICE, ONE, CLOCK, WHITE)
    stage.settle()
    assert [tag[1] for tag in stage.state().tags if tag[0] == "p"] == [ALICE.pubkey, OTHER.pubkey]
    stage.challenge(a_key("third"), ONE, CLOCK)
    (said,) = stage.answered()
    assert said.content.startswith("wait:")
    stage.settle()
    stage.say(ALICE, "e2e4")
    stage.settle()
    assert stage.tag("ply") == ("2",)


def in_line(stage: Stage, *names: str) -> list[SecretKey]:
    """Those who challenge level 1 while both of its programs play EVE and ALICE, one by one."""
    for key in (EVE, ALICE, *map(a_key, names)):
        stage.world.clock.ms += 1_000
        stage.challenge(key, ONE, CLOCK, WHITE)
        stage.settle()
    return [*map(a_key, names)]


def places(stage: Stage, *keys: SecretKey) -> list[str | None]:
    """The place in line that each was told last."""
    told: dict[str, str] = {}
    for event in stage.world.publisher.taken_events:
        tags = {name: value for name, value, *_ in event.tags}
        if "place" in tags:
            told[tags["p"]] = tags["place"]
    return [told.get(key.pubkey) for key in keys]


def plays(stage: Stage, key: SecretKey) -> str | None:
    """The opponent of this player."""
    game_id = stage.world.lobby.player(key.pubkey).game_id
    game = stage.world.game(game_id) if game_id else None
    return game.black.player if game and game.outcome is None else None


def test_while_all_of_a_level_play_challenges_wait_in_line_and_each_is_told_its_place(
    stage: Stage,
) -> None:
    third, gone, fourth = in_line(stage, "third", "gone", "fourth")
    assert places(stage, third, gone, fourth) == ["1", "2", "3"]
    stage.world.ask(gone, "cancel")
    for text in ("e2e4", "d2d4", "resign"):
        stage.say(ALICE, text)
        stage.settle()
    assert [plays(stage, key) for key in (third, fourth)] == [OTHER.pubkey, None]
    assert places(stage, fourth) == ["1"]
    for text in ("e2e4", "resign"):
        stage.say(third, text)
        stage.settle()
    assert plays(stage, fourth) == OTHER.pubkey
    assert "failed" not in stage.world.statuses()


def test_a_line_that_is_full_and_terms_that_no_program_plays_are_declined(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.application.house.MAX_LINE", 1)
    (third,) = in_line(stage, "third")
    for terms, reason in (((CLOCK,), "later"), ((CLOCK, ("mode", "rated")), "casual")):
        stage.challenge(a_key("fourth"), ONE, *terms)
        (said,) = stage.answered()
        assert said.content.endswith(f":{reason}")
        stage.settle()
    assert places(stage, third) == ["1"]


def test_two_who_ask_at_the_same_moment_get_a_program_each(stage: Stage) -> None:
    stage.challenge(EVE, ONE, CLOCK)
    stage.challenge(ALICE, ONE, CLOCK)
    stage.settle()
    games = stage.world.games.by_id.values()
    assert {game.white.player for game in games} | {game.black.player for game in games} == {
        key.pubkey for key in (EVE, ALICE, ONE, OTHER)
    }


def test_house_players_never_meet_each_other(stage: Stage) -> None:
    # Their keys are their own; this is what one challenging another would come to.
    stage.challenge(OTHER, ONE, CLOCK)
    (said,) = stage.answered()
    assert said.content.endswith(":generic")


def test_a_rematch_is_declined_while_the_player_plays_somebody_else(stage: Stage) -> None:
    stage.challenge(ALICE, ONE, CLOCK, WHITE)
    stage.settle()
    for text in ("e2e4", "d2d4", "resign"):
        stage.say(ALICE, text)
        stage.settle()
    over = stage.state()
    stage.challenge(EVE, ONE, CLOCK, WHITE)
    stage.settle()
    tags = (over.tags[0], ("p", SERVER.pubkey), ("e", over.id))
    stage.world.hear(an_event(ALICE, 20303, "rematch", tags))
    assert [said.content for said in stage.answered()] == ["rematch-decline"]


def test_the_clock_counts_from_the_position_not_from_when_the_request_came(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float | None] = []

    def watched(*given: Any, **more: Any) -> Any:
        asked.append(given[1])
        return search(given[0], depth=1)

    stage.challenge(ALICE, STRONG, ("time", "60+0"), WHITE)
    stage.settle()
    for text in ("e2e4", "d2d4"):
        stage.say(ALICE, text)
        if text == "e2e4":
            stage.settle()
    monkeypatch.setattr("clients.bot.engine.levels.search", watched)
    stage.world.clock.ms += 57_000
    stage.answered()
    assert len(asked) == 1
    assert asked[0] is not None
    assert asked[0] < 0.2


def test_an_answer_that_no_queue_takes_is_retried_and_one_that_is_not_asked_lost(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.challenge(ALICE, ONE, CLOCK)
    (body,) = stage.requests.waiting

    def is_full(point: str) -> None:
        if point.startswith("queue.entry"):
            raise ConnectionError

    stage.deps = replace(stage.deps, queue=FakeEventQueue(is_full))
    assert stage.invoke(body, MARK) == ["m0"]
    stage.deps = replace(stage.deps, queue=stage.events)
    assert stage.invoke(body) == []
    assert [line["status"] for line in lines(caplog.records)][-3:] == [
        "house-failed",
        "unreadable",
        "answered",
    ]
    assert MARK not in caplog.text


def test_a_challenge_that_has_expired_is_left_alone(stage: Stage) -> None:
    stage.challenge(ALICE, ONE, CLOCK)
    stage.world.clock.ms += WAIT_MS + 1
    assert stage.answered() == []


def test_a_request_that_no_queue_takes_is_sent_again_with_the_record(stage: Stage) -> None:
    stage.requests.broken = True
    tags = (("p", SERVER.pubkey), ("challenge", ONE.pubkey))
    event = an_event(ALICE, 20300, "", tags)
    record = stage.world.record(stage.world.body(event))
    assert stage.world.deliver(record) == (record.id,)
    stage.requests.broken = False
    assert stage.world.deliver(record) == ()
    assert len(stage.requests.waiting) == 1


def test_a_state_that_is_asked_for_again_asks_the_house_again(stage: Stage) -> None:
    stage.challenge(ALICE, ONE, CLOCK, WHITE)
    stage.settle()
    stage.say(ALICE, "e2e4")
    stage.requests.waiting.clear()  # lost
    stage.requests.forget()
    stage.say(ALICE, "state")
    stage.settle()
    assert stage.tag("ply") == ("2",)


@pytest.mark.parametrize(
    "player", [BOB.pubkey, EVE.pubkey, house_key(SERVER, 1, MAX_OF_A_LEVEL).pubkey]
)
def test_a_key_that_is_not_derived_or_not_announced_is_left_to_its_owner(
    stage: Stage, player: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert stage.invoke(house_body(HouseRequest(player=player, challenge_id="ab" * 16))) == []
    assert lines(caplog.records)[-1]["status"] == "not-ours"
    assert stage.events.waiting == []


def test_a_stranger_of_a_house_shows_the_work_that_strangers_must(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(Rules(work_of_strangers=6))
    monkeypatch.setattr(wiring, "house_deps", lambda: stage.deps)
    for number in range(2_000):
        stage.challenge(ALICE, ONE, ("nonce", str(number), "6"))
        if stage.requests.waiting:
            break
    (said,) = stage.answered()
    assert int(said.id, 16) < 1 << 250
    stage.settle()
    assert stage.tag("ply"), "the game began"


BODIES: tuple[object, ...] = (
    *(None, 1, [], {}, {"house": None}, {"house": {}}, {"house": {"player": ONE.pubkey}}),
    *(
        {"house": {"player": player, "game_id": game, "version": version}}
        for player, game, version in (
            (1, "ab" * 16, 0),
            ("AB" * 32, "ab" * 16, 0),
            (ONE.pubkey, "ab", 0),
            (ONE.pubkey, 7, 0),
            (ONE.pubkey, "ab" * 16, -1),
            (ONE.pubkey, "ab" * 16, True),
            (ONE.pubkey, "ab" * 16, 1e9),
        )
    ),
    {"house": {"player": ONE.pubkey, "challenge_id": "x" * 32}},
    {"house": {"player": ONE.pubkey, "challenge_id": ["ab" * 16]}},
)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: json.dumps(body)[:40])
def test_a_body_that_says_nothing_is_dropped(stage: Stage, body: object) -> None:
    assert parse_house(json.dumps(body)) is None
    assert stage.invoke(json.dumps(body), "{", "[" * 100_000) == []
    assert stage.events.waiting == []


@pytest.mark.parametrize(
    "asked",
    [
        HouseRequest(player=ONE.pubkey, game_id="ab" * 16, version=3),
        HouseRequest(player=ONE.pubkey, challenge_id="ab" * 16),
    ],
)
def test_a_game_or_a_challenge_that_is_gone_is_no_trouble(
    stage: Stage, asked: HouseRequest
) -> None:
    assert parse_house(house_body(asked)) == asked
    assert stage.invoke(house_body(asked)) == []
    assert stage.events.waiting == []
    assert stage.world.clock.ms == NOW_MS


@pytest.mark.parametrize("seed", range(6))
def test_a_game_goes_on_whatever_comes_twice_or_late_or_is_lost(stage: Stage, seed: int) -> None:
    chance = random.Random(seed)
    stage.challenge(ALICE, ONE, CLOCK, WHITE)
    stage.settle()
    game_id = stage.tag("d")[0]
    while (game := stage.world.game(game_id)).outcome is None and game.ply < 16:
        stage.world.clock.ms += chance.choice((1, 300, 1_100))
        requests, entries = stage.requests.waiting, stage.events.waiting
        stage.requests.broken = chance.random() < 0.2
        if requests and chance.random() < 0.5:
            body = chance.choice(requests)
            faulty = chance.choice(("queue.send", "queue.sent", "none"))
            stage.events.hook = crash_at(faulty)
            failed = stage.invoke(body)
            stage.events.hook = quiet
            if not failed and chance.random() < 0.7:
                requests.remove(body)
        elif entries:
            record = stage.world.record(entries[0].body)
            if stage.world.deliver(record) == () and chance.random() < 0.7:
                entries.pop(0)
        elif game.turn == chess.WHITE and not requests:
            stage.requests.broken = False
            stage.say(ALICE, chance.choice(list(game.board().legal_moves)).uci())
            if chance.random() < 0.2:
                requests.clear()
        elif not requests:
            stage.requests.broken = False
            stage.requests.forget()
            stage.say(ALICE, "state")

    assert (game.white_strikes, game.black_strikes) == (0, 0)
    assert game.outcome is None or game.outcome.termination in ENDS_ON_THE_BOARD
