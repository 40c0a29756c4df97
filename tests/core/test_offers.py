"""Draws, takebacks, rematches, aborts and claims: who may say what when, and what comes of it."""

import random
from dataclasses import replace
from typing import Any

import pytest

from arbiter.core.clocks import DAY_MS, LAG_MS, Clocks, TimeControl, start_clocks
from arbiter.core.commands import Abort, Command, MakeOffer
from arbiter.core.decide import decide
from arbiter.core.early_ends import ended_early_by, with_early_end
from arbiter.core.game import BLACK, EARLIER_VERSIONS_KEPT, WHITE, Game, Offer, Outcome, Termination
from arbiter.core.offers import NOTICE_MS, PLIES_BETWEEN_DRAW_OFFERS, REMEMBERED_BESIDE_MOVES
from arbiter.core.replies import GameChanged, GameEnded, MovePlayed, Reason
from arbiter.core.rules import ABORT_NOTICE_AFTER_MS, FUTURE_MS, STALE_AFTER_MS, Rules
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, after, move, table
from tests.core.words import (
    ABORT,
    DRAW,
    REMATCH,
    ROUND,
    TAKEBACK,
    comes_to,
    command,
    offer,
    reason,
    told,
)

MATE = "f3 e5 g4 Qh4#"
WALK = (
    "a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6 "
    "a3a4 a6a5 b3b4 b6b5 c3c4 c6c5"
)
TALK = f"""
what is offered stays open           | e4 e5 W:draw                   | White offers draw
by either player on either turn      | e4 e5 B:takeback               | Black offers takeback
a draw that both offer is agreed     | e4 e5 W:draw B:draw            | 1/2-1/2 agreement
none agrees with themself            | e4 e5 W:draw W:draw            | rate-limited
nor to take back                     | e4 e5 W:takeback W:takeback    | rate-limited
declining takes the offer away       | e4 e5 W:draw B:no-draw         | ply 2
of a takeback too                    | e4 e5 W:takeback B:no-takeback | ply 2
nothing was offered                  | e4 e5 B:no-draw                | no-offer
none declines their own offer        | e4 e5 W:draw W:no-draw         | no-offer
nor an offer of another kind         | e4 e5 W:draw B:no-takeback     | no-offer
the opponent's move cancels a draw   | e4 W:draw e5                   | ply 2
and a takeback                       | e4 W:takeback e5               | ply 2
FIDE 9.1.2.1: own move keeps a draw  | e4 e5 W:draw Nf3               | White offers draw
and it can be accepted after it      | e4 e5 W:draw Nf3 B:draw        | 1/2-1/2 agreement
until the reply                      | e4 e5 W:draw Nf3 Nc6           | ply 4
own move drops a takeback            | e4 e5 W:takeback Nf3           | ply 3
an illegal move cancels nothing      | e4 W:draw B:e7e4 B:no-draw     | ply 1
each has a count of their own        | e4 e5 W:draw B:no-draw B:draw  | Black offers draw
and only draws are counted           | e4 e5 W:draw B:no-draw W:takeback | White offers takeback
one offer of a draw in twenty plies  | e4 e5 W:draw B:no-draw Nf3 Nc6 W:draw | rate-limited
of which the twentieth is free       | e4 e5 W:draw B:no-draw {WALK} W:draw | White offers draw
accepting needs no place in a count  | e4 B:draw e5 Nf3 Nc6 W:draw B:draw | 1/2-1/2 agreement
an offer is answered first           | e4 e5 W:draw B:takeback        | not-offered-here
dates have no parts of a second      | e4 e5 +1500 W:takeback B:takeback@-500 | ply 0
a stranger offers nothing            | e4 e5 E:draw                   | not-a-player
accepts nothing                      | e4 e5 W:draw E:draw            | not-a-player
declines nothing                     | e4 e5 W:draw E:no-draw         | not-a-player
who has not moved takes nothing back | W:takeback                     | not-offered-here
neither side of them                 | B:takeback                     | not-offered-here
nor before the first reply           | e4 B:takeback                  | not-offered-here
on the opponent's turn, one ply      | e4 e5 Nf3 W:takeback B:takeback | ply 2
on one's own turn, the reply as well | e4 e5 Nf3 Nc6 W:takeback B:takeback | ply 2
the very first move                  | e4 W:takeback B:takeback       | ply 0
an old offer is stale                | e4 e5 W:draw@-60001            | stale
one of a minute before is not        | e4 e5 W:draw@-60000            | White offers draw
an old refusal is stale              | e4 e5 W:draw B:no-draw@-60001  | stale
an old claim is stale                | {ROUND} {ROUND} B:claim@-60001 | stale
a slow clock knows the position      | e4 e5 +600000 W:draw B:no-draw@-600000 | ply 2
far in the future is a wrong clock   | e4 e5 W:draw B:draw@900001     | bad-time
a quarter of an hour is forgiven     | e4 e5 W:draw B:draw@900000     | 1/2-1/2 agreement
also for a refusal                   | e4 e5 W:draw B:no-draw@900001  | bad-time
a rematch is for after the game      | e4 e5 W:rematch                | not-offered-here
nor is one declined                  | e4 e5 W:no-rematch             | no-offer
White asks for a rematch             | {MATE} W:rematch               | White offers rematch
Black agrees                         | {MATE} W:rematch B:rematch     | rematch
Black asks and White agrees          | {MATE} B:rematch W:rematch     | rematch
a rematch is asked for once          | {MATE} W:rematch W:rematch     | rate-limited
it can be offered again | {MATE} W:rematch B:no-rematch B:rematch | Black offers rematch
its author withdraws it              | {MATE} W:rematch W:no-rematch  | 0-1 checkmate
an old agreement is stale            | {MATE} W:rematch B:rematch@-60001 | stale
one of the future too early          | {MATE} W:rematch B:rematch@900001 | bad-time
a stranger asks for none             | {MATE} W:rematch E:rematch     | not-a-player
and declines none                    | {MATE} W:rematch E:no-rematch  | not-a-player
after the end there are no draws     | {MATE} W:draw                  | game-over
no takebacks                         | {MATE} W:takeback              | game-over
nothing to decline                   | {MATE} B:no-draw               | game-over
of either kind                       | {MATE} B:no-takeback           | game-over
no claims                            | {MATE} B:claim                 | game-over
no flags                             | {MATE} B:flag                  | game-over
twice is no repetition               | {ROUND} Nf3 Nf6 Ng1 W:claim    | no-claim
nor is what could be played          | {ROUND} Nf3 Nf6 Ng1 B:claim    | no-claim
the third time White may claim       | {ROUND} {ROUND} W:claim        | 1/2-1/2 threefold-repetition
and Black                            | {ROUND} {ROUND} B:claim        | 1/2-1/2 threefold-repetition
a stranger may not                   | {ROUND} {ROUND} E:claim        | not-a-player
a false claim changes nothing        | e4 e5 W:claim                  | no-claim
"""


@pytest.mark.parametrize(("why", "line", "expected"), table(TALK))
def test_what_players_say_to_each_other_comes_to(why: str, line: str, expected: str) -> None:
    assert comes_to(line) == expected, why


def test_the_bounds_in_that_table_are_those_of_the_rules() -> None:
    assert (STALE_AFTER_MS, FUTURE_MS) == (60_000, 900_000)
    assert len(WALK.split()) == PLIES_BETWEEN_DRAW_OFFERS == 20


@pytest.mark.parametrize(("plies", "expected"), [(99, "no-claim"), (100, "1/2-1/2 fifty-moves")])
def test_fifty_moves_without_pawn_or_capture_can_be_claimed(plies: int, expected: str) -> None:
    game = a_game(f"7k/8/8/8/8/8/R7/K7 w - - {plies} 100")

    assert comes_to("B:claim", game) == expected


def test_a_draw_is_counted_for_its_author_and_a_takeback_for_neither() -> None:
    for who, color in (("W", WHITE), ("B", BLACK)):
        drawn, undone = (told(f"e4 e5 {who}:{it}").game for it in (DRAW, TAKEBACK))

        assert (drawn.offered_at(color), drawn.offered_at(not color)) == (2, None)
        assert (undone.offered_at(color), undone.offered_at(not color)) == (None, None)


def test_where_a_draw_is_offered_after_ones_own_move_it_is_offered_at_no_other_time() -> None:
    def right_after(line: str, key: SecretKey) -> Any:
        asked = MakeOffer(key.pubkey, DRAW, NOW_MS, only_after_own_move=True)
        return decide(told(line).game if line else a_game(), asked, NOW_MS)

    for line, key in (("", ALICE), ("", BOB), ("e4", BOB)):
        assert reason(right_after(line, key)) is Reason.NOT_OFFERED_HERE
    assert right_after("e4", ALICE).game.offer == Offer(DRAW, WHITE)
    for line, key in (("e4 W:draw", BOB), ("e4 B:draw", ALICE)):
        assert right_after(line, key).game.outcome == Outcome(Termination.AGREEMENT, None)


def test_nothing_is_taken_back_in_a_rated_game_or_where_the_opponent_has_no_word_for_it() -> None:
    rated, no_word = replace(a_game(), rated=True), Rules(takebacks=False)

    assert comes_to("e4 e5 W:takeback", rated) == "not-offered-here"
    assert comes_to("e4 e5 W:takeback", rules=no_word) == "not-offered-here"
    assert comes_to("e4 e5 W:draw", rules=no_word) == "White offers draw"


TAKE = "W:takeback B:takeback"


@pytest.mark.parametrize(
    ("line", "increment_ms", "paused_ms", "left"),
    [
        (f"+5000 {TAKE}", 0, 0, (45_000 + LAG_MS, 60_000)),
        ("W:takeback +9000 B:takeback", 0, 0, (41_000 + LAG_MS, 60_000)),
        ("W:takeback +9000 B:takeback", 0, 4000, (45_000 + LAG_MS, 60_000)),
        ("W:takeback +70000 B:takeback", 0, 18_500, (0, 60_000)),
        # Both made their first move before any clock ran.
        (TAKE, 2000, 0, (48_000, 58_000)),
    ],
)
def test_a_takeback_gives_back_neither_what_its_author_thought_nor_increments(
    line: str, increment_ms: int, paused_ms: int, left: tuple[int, int]
) -> None:
    control = TimeControl(base_ms=180_000, increment_ms=increment_ms)
    clocks = Clocks(control, 50_000, 60_000, NOW_MS)
    game = replace(after(a_game(), "e4 e5 Nf3 Nc6"), clocks=clocks)

    agreed = told(line, game, paused_ms=paused_ms).game

    assert (agreed.ply, agreed.turn) == (2, WHITE)
    assert agreed.clocks == Clocks(control, *left, agreed.changed_at_ms)
    assert agreed.board().fen() == after(a_game(), "e4 e5").board().fen()


@pytest.mark.parametrize(
    ("moves", "line", "left"),
    [
        ("e4 e5 Nf3 Nc6 Bc4", TAKE, (48_000, 60_000)),
        ("e4 e5 Nf3", "B:takeback W:takeback", (48_000, 60_000)),
        ("e4 e5", TAKE, (50_000, 60_000)),
    ],
)
def test_a_takeback_takes_increments_back(moves: str, line: str, left: tuple[int, int]) -> None:
    control = TimeControl(base_ms=60_000, increment_ms=2000)
    clocks = Clocks(control, 50_000, 60_000, NOW_MS)

    agreed = told(line, replace(after(a_game(), moves), clocks=clocks)).game

    assert agreed.clocks == Clocks(control, *left, NOW_MS)


def test_a_move_of_before_the_takeback_is_too_old_to_be_played_after_it() -> None:
    assert comes_to(f"e4 e5 Nf3 +61000 {TAKE} W:g1f3@-61000") == "stale"


def a_game_of_much_talk(remembered: int) -> Game:
    """A game of two plies that remembers so many events beside its moves."""
    game = after(a_game(), "e4 e5")
    return replace(game, applied_ids=tuple(bytes([at % 256] * 8) for at in range(remembered + 2)))


def test_when_enough_was_offered_in_a_game_nothing_more_is_but_answers_are() -> None:
    nearly, full = (a_game_of_much_talk(REMEMBERED_BESIDE_MOVES - less) for less in (1, 0))

    assert REMEMBERED_BESIDE_MOVES == 2_000
    for kind in (DRAW, TAKEBACK):
        assert comes_to(f"W:{kind}", nearly) == f"White offers {kind}"
        assert comes_to(f"W:{kind}", full) == "rate-limited"
    assert comes_to("W:resign W:rematch", full) == "rate-limited"
    assert comes_to("Nf3", full) == "ply 3"
    offered = replace(full, offer=Offer(TAKEBACK, WHITE))
    assert comes_to("B:takeback", offered) == "ply 0"
    assert comes_to("B:no-takeback", offered) == "ply 2"


def test_an_offer_is_the_same_whatever_address_its_author_has_for_the_next_game() -> None:
    elsewhere = Offer(REMATCH, BLACK, "another address")
    over = told(MATE).game

    assert elsewhere == Offer(REMATCH, BLACK)
    assert comes_to("W:rematch", replace(over, offer=elsewhere)) == "rematch"
    asked = offer(over, ALICE, REMATCH).game.offer
    assert asked is not None
    assert asked.address == ""


def test_there_is_one_rematch() -> None:
    begun = replace(told(MATE).game, next_game_id="ab" * 16)

    assert comes_to("B:rematch", begun) == "not-offered-here"


def test_a_game_ended_when_it_ended_whatever_was_offered_before_and_since() -> None:
    ended = told("e4 e5 +1000 W:draw +4000 B:resign").game
    asked = told("+4000 W:rematch", ended, NOW_MS + 5000).game

    assert (ended.position_since_ms, asked.position_since_ms) == (NOW_MS + 5000, NOW_MS + 5000)
    assert asked.changed_at_ms == NOW_MS + 9000


def test_so_many_earlier_versions_of_a_position_are_remembered_and_no_more() -> None:
    game = told("e4 e5 " + "W:takeback B:no-takeback " * 8).game

    assert len(game.earlier_versions) == 8
    assert game.earlier_versions[-1].number == game.state_version - 1


# Leaving a slow game whose opponent is silent: Black is to move, and White waits.
LATER = ABORT_NOTICE_AFTER_MS + 1
NOTICE, DAY_LATER = f"+{LATER} W:abort", f"+{NOTICE_MS}"
DECLINED = f"+{LATER} W:abort +5 B:no-abort-offer"
SILENCE = f"""
after more than three days           | +{LATER} W:abort               | White offers abort
until then one has to wait           | +{LATER - 1} W:abort           | too-late
the side to move never leaves so     | +{13 * DAY_MS} B:abort         | too-late
a move ends the notice               | +{LATER} W:abort dxe4          | ply 4
and the silence                      | +{LATER} W:abort dxe4 W:abort  | too-late
an illegal move does not             | +{LATER} W:abort B:d5d1 W:abort | rate-limited
the opponent agrees                  | +{LATER} W:abort +1 B:abort    | * aborted
after a day the author ends it       | {NOTICE} {DAY_LATER} W:abort | * aborted
and not before                       | {NOTICE} +{NOTICE_MS - 1} W:abort | rate-limited
who declines is there                | {DECLINED}                     | ply 3
and has three days more              | {DECLINED} +{LATER - 1} W:abort | too-late
after which it begins anew           | {DECLINED} +{LATER} W:abort     | White offers abort
with another day                     | {DECLINED} {NOTICE} +{NOTICE_MS - 1} W:abort | rate-limited
another offer begins it anew         | +{LATER} W:abort +5 W:draw +{LATER - 1} W:abort | too-late
no other offer takes its place       | +{LATER} W:abort B:draw        | not-offered-here
of the opponent's                    | +{LATER} W:abort B:takeback    | not-offered-here
an offer is answered first           | B:draw +{LATER} W:abort        | not-offered-here
and then notice may be given         | B:draw +{LATER} W:no-draw W:abort | White offers abort
none declines their own              | +{LATER} W:abort W:no-abort-offer | no-offer
or one that was not given            | +{LATER} B:no-abort-offer      | no-offer
an old word is judged by its date    | +{LATER + NOTICE_MS} W:abort@-{NOTICE_MS + 60_001} | too-late
an old agreement is none             | {NOTICE} {DAY_LATER} B:abort@-{NOTICE_MS + 60_001} | too-late
nor does it end the day              | {NOTICE} {DAY_LATER} W:abort@-{NOTICE_MS} | rate-limited
a minute's delay is forgiven         | {NOTICE} {DAY_LATER} W:abort@-60000 | * aborted
quitting is resigning                | +{LATER} W:quit                | 0-1 resignation
also after a notice                  | {NOTICE} {DAY_LATER} W:quit | 0-1 resignation
"""


def slow(control: TimeControl | None) -> Game:
    clocks = start_clocks(control, NOW_MS) if control else None
    return after(replace(a_game(), clocks=clocks), "e4 d5 Nf3")


SLOW = (slow(TimeControl(move_ms=14 * DAY_MS)), slow(None))


@pytest.mark.parametrize(("why", "line", "expected"), table(SILENCE))
def test_an_opponent_who_is_silent_for_days_can_be_left(why: str, line: str, expected: str) -> None:
    for game in SLOW:
        assert comes_to(line, game) == expected, why


def test_leaving_a_silent_opponent_stops_no_clock_and_neither_is_blamed() -> None:
    for game in SLOW:
        notice = told(f"+{LATER} W:abort", game).game
        assert notice.clocks == game.clocks
        ended = told(f"+{NOTICE_MS} W:abort", notice, NOW_MS + LATER).game
        assert ended_early_by(ended) is None
        for key in (ALICE, BOB):
            assert with_early_end((), ended, key.pubkey, NOW_MS + LATER) == ()


def test_time_in_which_no_relay_was_heard_is_neither_silence_nor_notice() -> None:
    for game in SLOW:
        assert comes_to(f"+{LATER} W:abort", game, paused_ms=2) == "too-late"
        line = f"{NOTICE} {DAY_LATER} W:abort"
        assert comes_to(line, game, paused_ms=1) == "rate-limited"


def test_other_games_are_not_left_so_once_both_have_moved_and_a_fallen_flag_comes_first() -> None:
    for control in (TimeControl(move_ms=3 * DAY_MS), TimeControl(base_ms=10_800_000)):
        for who in "WB":
            assert comes_to(f"+60000 {who}:abort", slow(control)) == "too-late"
    fallen = comes_to(f"+{LATER} W:abort +{14 * DAY_MS - LATER + 60_000} W:abort", SLOW[0])
    assert fallen == "game-over, 1-0 timeout"


def test_where_news_travels_slowly_the_opponent_may_think_for_longer() -> None:
    rules = Rules(silent_ms=14 * DAY_MS)

    assert comes_to(f"+{14 * DAY_MS} W:abort", SLOW[1], rules=rules) == "too-late"
    assert comes_to(f"+{14 * DAY_MS + 1} W:abort", SLOW[1], rules=rules) == "White offers abort"


def test_a_refusal_is_remembered_although_the_author_asks_for_other_things() -> None:
    game = told(f"+{LATER} W:abort B:no-abort-offer", SLOW[0]).game
    later_ms = NOW_MS + LATER
    for _ in range(EARLIER_VERSIONS_KEPT):
        for kind in (TAKEBACK, DRAW):
            game = offer(game, ALICE, kind, later_ms + 1).game

    abort = decide(game, Abort(ALICE.pubkey), later_ms + ABORT_NOTICE_AFTER_MS)
    assert reason(abort) is Reason.TOO_LATE
    assert game.offer != Offer(ABORT, WHITE)


def any_command(dice: random.Random, game: Game) -> Command:
    key = dice.choice((ALICE, BOB, BOB, ALICE, EVE))
    who = {ALICE: "W", BOB: "B", EVE: "E"}[key]
    kind = dice.choice(("draw", "takeback", "rematch", "abort-offer"))
    words = [f"{who}:{it}" for it in (kind, f"no-{kind}", "claim", "flag", "state", "what?")]
    words += ["tick", f"{who}:{dice.choice(('abort', 'quit', 'resign'))}"]
    commands = [command(word, game, NOW_MS) for word in words]
    if game.outcome is None:
        chosen = dice.choice([*game.board().legal_moves])
        commands += [replace(move(game, chosen.uci()), player=key.pubkey)] * 12
    return dice.choice(commands[:7] if dice.random() < 0.9 and game.outcome is None else commands)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_said_in_whatever_order_the_laws_hold(seed: int) -> None:
    """No stranger changes a game, an end is final, versions only rise, no offer outlives its
    ply but a draw that was offered before a move of one's own.
    """
    dice = random.Random(seed)
    game = replace(a_game(), rated=dice.random() < 0.3)
    if dice.random() < 0.5:
        clocks = Clocks(TimeControl(base_ms=180_000), 180_000, 180_000, NOW_MS)
        game = replace(game, clocks=clocks)
    for _ in range(200):
        said = any_command(dice, game)
        decision = decide(game, said, NOW_MS)
        now = decision.game
        if said.player == EVE.pubkey:
            assert now is game
        if game.outcome is not None:
            assert (now.outcome, now.moves) == (game.outcome, game.moves)
            assert now.offer is None or now.offer.kind is REMATCH
        if now is game:
            news = (GameChanged, MovePlayed, GameEnded)
            assert [it for it in decision.replies if isinstance(it, news)] == []
        elif now.state_version == game.state_version:
            strikes: Any = {"white_strikes": now.white_strikes, "black_strikes": now.black_strikes}
            assert now == replace(game, **strikes)
        else:
            assert now.state_version > game.state_version
        if now.ply != game.ply and now.offer is not None:
            assert now.offer == Offer(DRAW, not now.turn)
        if now.outcome is not None and game.outcome is None:
            assert now.offer is None
        game = now
