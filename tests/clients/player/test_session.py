"""A player's session: what comes late, twice or not at all, and what is sent again."""

from dataclasses import replace
from typing import Any

import chess
import pytest

from clients.player import model
from clients.player.events import Draft, Send, with_work
from clients.player.heard import CaughtUp, LinkDown, LinkUp, Tick
from clients.player.messages import Challenged, LinesTold, Listed, Queued, Record, Refused, Rejected
from clients.player.outgoing import ask, command, say
from clients.player.session import take
from clients.player.terms import Terms, TimeControl, terms_tags
from clients.player.tournaments import Told, Tournament
from tests.clients.bot.scene import ARBITER, GAME, ME, NOW, OTHER, state, told

RELAY = "ws://one"
OLD = "b" * 32
ONE, TWO = f"{1:032x}", f"{2:032x}"
BLITZ = Terms(time=TimeControl(180, 2))


class Player:
    """A session, its clock, and what it sent; it says in words what it tells its owner."""

    def __init__(self) -> None:
        self.now = NOW
        self.session = model.Session(me=ME, arbiter=ARBITER, name="Ann")
        self.sent: list[Draft] = []
        self(LinkUp(RELAY), CaughtUp(RELAY))

    def __call__(self, *given: model.Given) -> list[str]:
        """The news of the last."""
        news: list[str] = []
        for one in given:
            self.session, effects = take(self.session, one, self.now)
            news = self.does(effects)
        return news

    def does(self, effects: tuple[model.Effect, ...]) -> list[str]:
        self.sent += [one.draft for one in effects if isinstance(one, Send)]
        return [_word(one) for one in effects if not isinstance(one, Send)]

    def ask(self, content: str = "", terms: Terms | None = None) -> None:
        tags = terms_tags(terms) if terms else ()
        self.session, _, effects = ask(self.session, content, self.now, tags)
        self.does(effects)

    def command(self, event: str, word: str) -> None:
        self.session, _, effects = command(self.session, event, word, self.now)
        self.does(effects)

    def say(self, content: str, game: str = GAME) -> None:
        self.session, _, effects = say(self.session, game, content, self.now)
        self.does(effects)

    def wait(self, seconds: float) -> list[str]:
        self.now += round(seconds * 1000)
        return self(Tick())

    def hears(self, content: str, *tags: tuple[str, ...], about: int | None = None) -> list[str]:
        """A 20301, which answers what was sent at this place."""
        answers = () if about is None else (("e", self.sent[about].id),)
        return self(told(20301, content, *tags, *answers, at=self.now))

    def is_shown(self, moves: str = "", *tags: tuple[str, ...], **more: Any) -> list[str]:
        return self(state(moves.split(), *tags, at=self.now, **more))

    def is_refused(self, reason: str, about: int = -1) -> list[str]:
        """A 20304."""
        error = told(20304, f"{reason}: x", ("e", self.sent[about].id), ("d", GAME), at=self.now)
        return self(error)

    @property
    def said(self) -> list[str]:
        """The contents of what was sent since the last look."""
        contents = [one.content or "seek" for one in self.sent[self.looked :]]
        self.looked = len(self.sent)
        return contents

    looked = 0


def _word(one: model.Effect) -> str:  # noqa: C901, PLR0912 - one line an effect
    match one:
        case model.Answered(asked, by):
            why = f" {by.reason}" if isinstance(by, Refused | Rejected) else ""
            return f"{asked.content or 'seek'}: {type(by).__name__}{why}"
        case model.Began(shown, color, challenge, former):
            origin = f" of {int(challenge, 16)}" if challenge else ""
            again = f" after {former[0]}" if former else ""
            return f"begins {shown.game[0]} as {chess.COLOR_NAMES[color]}{origin}{again}"
        case model.Shown(shown):
            return f"shows {shown.game[0]} {shown.version} {shown.result or ''}".strip()
        case model.Gone(game):
            return f"gone {game[0]}"
        case model.Withdrawn(challenge, why):
            return f"{int(challenge, 16)} {why}"
        case Challenged(challenge):
            return f"challenge {int(challenge, 16)}"
        case model.Declined(_, refused):
            return f"declined {refused.reason}"
        case Listed(number):
            return f"listed {number}"
        case Queued():
            return "queued"
        case Told(_, told_word):
            return f"told {told_word}"
        case model.Mine(_, _, bits):
            return f"mine {bits}"
        case LinesTold(_, ply):
            return f"lines {ply}"
        case Record() | Send():
            return ""


def listed(player: Player, number: int = 0) -> list[str]:
    """All that `state` asks for was told."""
    at = max(at for at, one in enumerate(player.sent) if one.content == "state")
    return player.hears("end", ("end", str(number)), about=at)


@pytest.fixture
def free() -> Player:
    """A player whom the arbiter knows nothing of."""
    player = Player()
    assert player.said == ["state"]
    player.hears("error:unknown-game: none", about=-1)
    assert listed(player) == ["listed 0"]
    return player


@pytest.fixture
def playing(free: Player) -> Player:
    """A player with White to move."""
    free.hears(f"started:{GAME}:{OTHER}:w")
    assert free.is_shown() == ["begins a as white"]
    return free


def test_a_game_begins_once_both_its_word_and_its_state_are_there_in_either_order(
    free: Player,
) -> None:
    assert free.is_shown() == []
    assert free.hears(f"started:{GAME}:{OTHER}:w") == ["begins a as white"]
    assert free.hears(f"started:{GAME}:{OTHER}:w") == []
    assert free.is_shown() == []


def test_a_game_begins_though_its_word_is_lost_and_is_asked_for_without_its_state(
    free: Player,
) -> None:
    assert free.is_shown() == []
    assert free.wait(1) == ["begins a as white"]
    assert free.said == []
    assert free.hears(f"started:{OLD}:{OTHER}:w") == []
    free.wait(1)
    assert free.said == ["state"]
    free.wait(1)
    assert free.said == [], "once"


def test_a_word_of_a_game_that_is_over_begins_nothing(playing: Player) -> None:
    assert playing.is_shown("e2e4", ("result", "1-0")) == ["shows a 2 1-0"]
    assert playing.hears(f"started:{GAME}:{OTHER}:w") == []
    assert playing.is_shown() == []
    assert playing.wait(60) == []


def test_a_late_word_of_a_game_that_is_over_is_asked_about_once_and_forgotten(free: Player) -> None:
    assert free.hears(f"started:{OLD}:{OTHER}:w") == []
    free.wait(1)
    free.hears("error:unknown-game: none", about=-1)
    assert free.said == ["state"]
    listed(free)
    for _ in range(600):
        free.wait(0.2)
    assert free.said == [], "the arbiter takes 32 requests in two minutes"
    assert not free.session.started


def test_a_game_that_goes_on_though_its_state_does_not_come_is_asked_for_now_and_then(
    free: Player,
) -> None:
    free.hears(f"started:{GAME}:{OTHER}:w")
    asked = 0
    for _ in range(600):
        free.wait(0.2)
        if "state" in free.said:
            asked += 1
            free.hears(f"started:{GAME}:{OTHER}:w", about=-1)
            listed(free, 1)
    assert 10 <= asked <= 12
    assert free.is_shown() == ["begins a as white"]


def test_a_move_counts_once_a_state_shows_it(playing: Player) -> None:
    playing.say("e2e4")
    assert playing.is_shown("", ("offer", "draw", "b"), version=2) == ["shows a 2"]
    assert playing.is_shown("e2e4", version=3) == ["shows a 3", "e2e4: State"]
    assert playing.is_shown("e2e4", version=3) == []
    assert not playing.session.open


def test_an_older_state_changes_nothing(playing: Player) -> None:
    playing.is_shown("e2e4 e7e5")
    assert playing.is_shown("e2e4") == []
    assert playing.session.games[GAME].state.ply == 2


def test_the_same_move_twice_is_one_event(playing: Player) -> None:
    playing.looked = len(playing.sent)
    playing.say("e2e4")
    playing.say("e2e4")
    assert playing.said == ["e2e4"]


@pytest.mark.parametrize("again", ["silence", "reconnect"])
def test_a_move_without_an_answer_is_signed_anew_with_the_same_state(
    playing: Player, again: str
) -> None:
    playing.say("e2e4")
    first = playing.sent[-1]
    if again == "silence":
        playing.wait(9)
        assert playing.sent[-1] == first
        playing.wait(1)
    else:
        playing(LinkDown(RELAY, "gone"), LinkUp(RELAY), CaughtUp(RELAY))
    copy = [one for one in playing.sent if one.content == "e2e4"][-1]
    assert copy.id != first.id
    assert copy.tags == first.tags


def test_a_stale_copy_counts_if_the_state_shows_the_move_and_not_if_it_does_not(
    playing: Player,
) -> None:
    playing.say("e2e4")
    playing.wait(10)
    assert playing.is_refused("stale") == [], "the state decides"
    assert playing.sent[-1].content == "state"
    assert playing.is_shown("e2e4") == ["shows a 2", "e2e4: State"]
    playing.is_shown("e2e4 e7e5")
    playing.say("d2d4")
    playing.is_refused("stale")
    assert "d2d4: Rejected stale" in playing.is_shown("e2e4 e7e5 g1f3 b8c6")


def test_a_stale_move_whose_position_is_still_there_is_sent_again_and_not_for_ever(
    playing: Player,
) -> None:
    playing.say("e2e4")
    for _ in range(5):
        playing.is_refused("stale")
        playing.looked = len(playing.sent)
        assert playing.is_shown() == []
        assert playing.said == ["e2e4"]
    playing.is_refused("stale")
    assert playing.is_shown() == ["e2e4: Rejected stale"]


def test_a_stale_move_is_given_up_if_no_state_comes(playing: Player) -> None:
    playing.say("e2e4")
    playing.is_refused("stale")
    assert playing.wait(10) == ["e2e4: Rejected stale"]


def test_an_error_about_a_former_copy_or_another_event_is_told_once(playing: Player) -> None:
    playing.say("e2e5")
    assert playing.is_refused("illegal-move") == ["e2e5: Rejected illegal-move"]
    assert playing.is_refused("illegal-move") == []
    assert playing(told(20304, "illegal-move: x (1 of 3)", ("e", "f" * 64), ("d", GAME))) == []


def test_a_game_that_is_given_up_is_so_whatever_was_played_meanwhile(playing: Player) -> None:
    playing.say("quit")
    playing.is_shown("e2e4 e7e5")
    playing.is_refused("stale")
    answered = next(tag[1] for tag in playing.sent[-1].tags if tag[0] == "e")
    assert playing.sent[-1].content == "quit"
    assert answered == playing.session.games[GAME].state.event
    assert playing.is_shown("e2e4 e7e5", ("result", "0-1"), version=9)[-1] == "quit: State"


@pytest.mark.parametrize(
    ("word", "offers", "answers"),
    [
        ("draw", "w", ["draw: State"]),
        ("draw", "b", []),
        ("draw-decline", "", ["draw-decline: State"]),
        ("draw-decline", "b", []),
    ],
)
def test_a_word_counts_if_the_state_shows_what_it_asks(
    playing: Player, word: str, offers: str, answers: list[str]
) -> None:
    playing.is_shown("e2e4", ("offer", "draw", "b"), version=5)
    playing.say(word)
    tags = [("offer", "draw", color) for color in offers]
    assert playing.is_shown("e2e4", *tags, version=6) == ["shows a 6", *answers]


def test_who_is_away_is_told_by_the_later_of_two_states(playing: Player) -> None:
    away = state([], ("away", "b", "1800000000"), at=playing.now + 5_000)
    assert playing(away) == ["shows a 1"]
    assert playing.is_shown() == [], "dated before"
    assert playing.session.games[GAME].state.away == (chess.BLACK,)


def test_games_that_the_arbiter_does_not_list_are_asked_for_and_gone(playing: Player) -> None:
    playing.is_shown("", game=OLD, time="3d")
    playing.wait(1)
    playing(LinkDown(RELAY, "gone"), LinkUp(RELAY))
    playing.now += 1_000
    playing(CaughtUp(RELAY))
    playing.is_shown(game=GAME, version=2)
    assert playing.said[-1] == "state"
    assert listed(playing, 1) == ["listed 1"]
    assert playing.said == ["state"]
    assert playing.is_refused("unknown-game") == ["gone b"]
    assert playing.is_refused("unknown-game") == []


def test_a_game_too_many_is_asked_for_though_a_slow_relay_has_just_shown_it() -> None:
    player = Player()
    assert player.said == ["state"]
    player.wait(1)
    player.is_shown("e2e4")
    listed(player, 0)
    assert player.said == ["state"]


def test_a_quiet_game_is_asked_for(playing: Player) -> None:
    playing.looked = len(playing.sent)
    playing.wait(11)
    assert playing.said == []
    playing.wait(1)
    playing.wait(1)
    assert playing.said == ["state"]


def test_a_game_names_the_challenge_to_us_that_it_came_of(free: Player) -> None:
    assert free.hears(f"challenged:{ONE}:{OTHER}", ("time", "180+2")) == ["challenge 1"]
    assert free.hears(f"challenged:{ONE}:{OTHER}", ("time", "180+2")) == [], "a copy"
    free.ask(f"accept:{ONE}")
    begun = free.hears(f"started:{GAME}:{OTHER}:w", ("challenge", ONE))
    assert begun == [f"accept:{ONE}: Started", "1 answered"]
    assert free.is_shown() == ["begins a as white of 1"]


def test_a_former_arbiter_does_not_name_the_challenge(free: Player) -> None:
    free.hears(f"challenged:{ONE}:{OTHER}", ("time", "180+2"))
    free.ask(f"accept:{ONE}")
    free.hears(f"started:{GAME}:{OTHER}:w")
    assert free.is_shown() == ["begins a as white of 1"]


def test_a_challenge_that_was_taken_back_is_gone_however_late_it_is_told(free: Player) -> None:
    free.hears(f"challenged:{ONE}:{OTHER}", ("time", "180+2"))
    assert free.hears(f"cancelled:{ONE}") == ["1 cancelled"]
    assert free.hears(f"cancelled:{ONE}") == []
    assert free.hears(f"cancelled:{TWO}") == []
    for gone in (ONE, TWO):
        assert free.hears(f"challenged:{gone}:{OTHER}", ("time", "180+2")) == []


def test_a_challenge_to_us_expires(free: Player) -> None:
    until = ("expiration", str(NOW // 1000 + 60))
    assert free.hears(f"challenged:{ONE}:{OTHER}", ("time", "180+2"), until) == ["challenge 1"]
    assert free.wait(59) == []
    assert free.wait(1) == ["1 expired"]


def challenging(player: Player) -> str:
    """The id of a challenge that the player makes."""
    player.ask("", Terms(time=TimeControl(180, 2), challenge=OTHER))
    id_ = player.sent[-1].id[:32]
    player.hears("queued", ("challenge", id_), about=-1)
    return id_


def test_a_challenge_is_sent_again_as_the_same_event_and_given_up_in_the_end(
    free: Player,
) -> None:
    free.ask("", Terms(time=TimeControl(180, 2), challenge=OTHER))
    first = free.sent[-1]
    for _ in range(9):
        assert free.wait(10) == []
        assert free.sent[-1] == first
    assert free.wait(10) == ["seek: Refused no-answer"]
    assert not free.session.made


def test_a_challenge_of_ours_is_declined_or_becomes_a_game(free: Player) -> None:
    id_ = challenging(free)
    declined = ("challenge", id_)
    assert free.hears("error:declined: later", ("challenge", TWO)) == [], "of another"
    assert free.hears("error:declined: later", declined) == ["declined declined"]
    assert free.hears("error:declined: later", declined) == [], "twice"
    free.now += 1_000
    id_ = challenging(free)
    free.hears(f"started:{GAME}:{OTHER}:w", ("challenge", id_))
    assert free.is_shown() == [f"begins a as white of {int(id_, 16)}"]
    assert not free.session.made


def test_two_equal_challenges_within_a_second_are_two_events(free: Player) -> None:
    assert challenging(free) != challenging(free)
    assert len(free.session.made) == 2


def test_more_work_makes_a_challenge_another_under_the_same_name(free: Player) -> None:
    free.ask("", Terms(time=TimeControl(180, 2), challenge=OTHER))
    name = free.sent[-1].id[:32]
    assert free.hears("error:pow: 4 bits", about=-1) == ["mine 4"]
    assert free.hears("error:pow: 4 bits", about=-1) == [], "a copy"
    (one,) = free.session.open.values()
    free(model.Mined(one.handle, with_work(one.draft, 4)))
    other = free.sent[-1].id[:32]
    assert other != name
    free.hears("queued", ("challenge", other), about=-1)
    free.hears(f"started:{GAME}:{OTHER}:w", ("challenge", other))
    assert free.is_shown() == [f"begins a as white of {int(name, 16)}"]


def test_whom_the_player_blocks_is_told_by_each_change_and_by_state(free: Player) -> None:
    free.ask(f"block:{OTHER}")
    assert free.hears("blocked", ("blocked", OTHER), about=-1) == [f"block:{OTHER}: Blocked"]
    assert free.session.blocked == (OTHER,)
    free.ask("state")
    assert free.hears("blocked", ("blocked", OTHER, "no key"), about=-1) == []
    assert free.session.blocked == (OTHER,)
    assert [one.content for one in free.session.open.values()] == ["state"], "more may follow"
    assert free.hears("blocked", ("blocked",)) == []
    assert not free.session.blocked


def test_a_place_in_a_pool_is_renewed_until_its_game_begins(free: Player) -> None:
    free.looked = len(free.sent)
    free.ask("", BLITZ)
    assert free.hears("queued", about=-1) == ["seek: Queued"]
    for _ in range(2):
        free.wait(60)
        free.wait(1)
        assert free.hears("queued", about=-1) == [], "the second is not told"
    assert free.said == ["seek"] * 3
    assert ("time", "180+2") in free.sent[-1].tags
    free.hears(f"started:{GAME}:{OTHER}:w")
    free.is_shown("", ("result", "*"))
    free.wait(61)
    assert free.said == []


def test_what_is_cancelled_is_not_renewed(free: Player) -> None:
    free.ask("", BLITZ)
    free.hears("queued", about=-1)
    challenging(free)
    free.ask("cancel")
    assert free.hears("cancelled", about=-1) == ["cancel: Cancelled"]
    assert free.hears("cancelled", about=-1) == []
    free.looked = len(free.sent)
    free.wait(61)
    assert (free.said, dict(free.session.made)) == ([], {})


def test_a_request_dated_by_a_wrong_clock_is_sent_once_more(free: Player) -> None:
    free.ask("cancel")
    error = "error:stale: created_at is 300 seconds behind"
    told_at = free.now + 300_000
    asked = free.sent[-1]
    assert free(told(20301, error, ("e", asked.id), at=told_at)) == []
    assert free.sent[-1].id != asked.id
    again = told(20301, error, ("e", free.sent[-1].id), at=told_at)
    assert free(again) == ["cancel: Refused stale"]


def test_an_accepted_challenge_that_is_gone_is_told_so(free: Player) -> None:
    free.hears(f"challenged:{ONE}:{OTHER}", ("time", "180+2"))
    free.ask(f"accept:{ONE}")
    gone = free.hears("error:unknown-challenge: gone", about=-1)
    assert gone == [f"accept:{ONE}: Refused unknown-challenge", "1 cancelled"]


def test_a_rematch_names_the_game_before_it(playing: Player) -> None:
    playing.is_shown("e2e4", ("result", "1-0"))
    playing.is_shown("e2e4", ("result", "1-0"), ("offer", "rematch", "b"), version=3)
    playing.hears(f"started:{OLD}:{OTHER}:b")
    began = playing.is_shown(game=OLD, white=OTHER, black=ME)
    assert began == ["begins b as black after a"]


def test_an_arbiter_of_a_former_release_sends_no_end() -> None:
    player = Player()
    player.hears("error:unknown-game: none", about=-1)
    player.looked = len(player.sent)
    assert player.wait(10) == ["listed 0"]
    assert player.wait(10) == []
    assert player.said == []


def test_nothing_is_sent_while_no_relay_is_there(playing: Player) -> None:
    playing.say("e2e4")
    playing(LinkDown(RELAY, "gone"))
    playing.looked = len(playing.sent)
    playing.wait(60)
    assert playing.said == []
    playing(LinkUp(RELAY), CaughtUp(RELAY))
    assert playing.said == ["state", "e2e4"]


def test_a_state_of_others_is_nothing(free: Player) -> None:
    assert free.is_shown(white=OTHER, black="c" * 64) == []
    assert not free.session.games


def test_what_is_taken_back_or_replaced_is_not_sent_again(free: Player) -> None:
    free.ask(terms=BLITZ)
    free.ask()
    free.ask(terms=replace(BLITZ, challenge=OTHER))
    assert [one.content for one in free.session.open.values()] == ["", ""], "one place in a pool"
    free.ask("cancel")
    free.looked = len(free.sent)
    free.wait(10)
    assert free.said == ["cancel"]


def test_a_place_that_the_session_did_not_ask_for_is_told(free: Player) -> None:
    free(CaughtUp(RELAY))
    assert free.hears("queued", about=-1) == ["queued"]
    assert free.hears("queued", ("challenge", ONE), about=-1) == ["queued"]
    free.ask(terms=BLITZ)
    assert free.hears("queued", about=-1) == ["seek: Queued"]
    free(CaughtUp(RELAY))
    assert free.hears("queued", about=-1) == []


def test_a_record_of_a_game_that_goes_on_asks_for_the_state_that_was_lost(playing: Player) -> None:
    playing.looked = len(playing.sent)
    playing(Record(GAME, "1. e4 1-0", "1-0"))
    assert playing.said == ["state"]
    assert playing.is_shown("", ("result", "1-0"), version=2) == ["shows a 2 1-0"]
    playing(Record(GAME, "1. e4 1-0", "1-0"))
    playing.wait(60)
    assert playing.said == []


@pytest.mark.parametrize(
    ("word", "again"), [("join", ["join"]), ("pause", ["pause"]), ("here", []), ("wait:1:1", [])]
)
def test_a_word_of_an_event_is_sent_again_until_it_is_answered_but_what_has_no_answer(
    free: Player, word: str, again: list[str]
) -> None:
    free.command(OLD, word)
    free.looked = len(free.sent)
    free.wait(10)
    assert free.said == again
    for number in range(2 if again else 0):
        news = free(Told(OLD, "noted", answers=free.sent[-1].id))
        assert news == [*([f"{word}: Told"] if number == 0 else []), "told noted"]
    free.wait(10)
    assert free.said == []


@pytest.mark.parametrize(("by_bot", "open_"), [(True, 1), (False, 0)])
def test_an_entry_that_came_too_fast_is_sent_again_by_a_bot(
    free: Player, *, by_bot: bool, open_: int
) -> None:
    free.session = replace(free.session, by_bot=by_bot)
    free.command(OLD, "join")
    free.hears("error:rate-limited: too fast", about=-1)
    assert len(free.session.open) == open_


@pytest.fixture
def in_an_arena(free: Player) -> Player:
    free(Told(OLD, "joined"), Tournament(id=OLD, format="arena", status="playing"))
    free.looked = len(free.sent)
    return free


def test_in_an_arena_a_player_who_waits_says_so_twice_a_minute_and_not_in_a_game(
    in_an_arena: Player,
) -> None:
    player = in_an_arena
    for _ in range(2):
        player.wait(1)
        assert player.said == ["here"]
        player.wait(28)
        assert player.said == []
        player.wait(1)
    player.hears(f"started:{GAME}:{OTHER}:w", ("a", f"30327:{ARBITER}:{OLD}"))
    player.is_shown()
    assert player.said[-1:] == ["here"], "its opponent may not come"
    player.wait(60)
    assert "here" not in player.said


@pytest.mark.parametrize(
    "ends",
    [Told(OLD, "left"), Tournament(id=OLD, format="arena", status="finished")],
    ids=["left", "over"],
)
def test_no_sign_is_given_in_an_event_that_is_over_or_left(
    in_an_arena: Player, ends: Told | Tournament
) -> None:
    in_an_arena(ends)
    in_an_arena.wait(60)
    assert "here" not in in_an_arena.said
