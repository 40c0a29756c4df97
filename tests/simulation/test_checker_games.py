"""The checker notices when a game is lost, changed or told otherwise than it was played."""

from dataclasses import replace

import chess
import pytest

from arbiter.core.commands import MakeOffer, OfferKind, PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import Game, Offer, Outcome, Termination
from arbiter.core.offers import end
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.simulation.checker.laws import check
from tests.simulation.checker.verdict import Law
from tests.simulation.history import History, Published, Signed, Wrote
from tests.simulation.made_history import RELAY, Story, text_of
from tests.simulation.spoiling import (
    broken,
    places,
    put,
    rewritten,
    said,
    said_otherwise,
    writes_of_game,
)

STATE = 20302


@pytest.fixture
def good() -> History:
    return Story().plays("f2f3", "e7e5", "g2g4", "d8h4").history


def test_a_good_run_breaks_no_promise(good: History) -> None:
    assert check(good) == ()


def test_a_good_game_that_goes_on_breaks_no_promise() -> None:
    assert check(Story(time=None, is_rated=False).plays("e2e4", "e7e5").history) == ()


def test_a_game_that_is_not_in_the_table_at_the_end_is_lost(good: History) -> None:
    kept = {key: item for key, item in good.table.items() if key[:2] != "g#"}
    assert broken(replace(good, table=kept)) == {Law.NOTHING_LOST}


def test_a_write_over_a_version_that_was_not_read_is_noticed(good: History) -> None:
    *_, former, last = writes_of_game(good)
    wrote, read = good.happenings[last], good.happenings[former]
    assert isinstance(wrote, Wrote) and isinstance(read, Wrote)  # noqa: PT018 - for the reader of types
    ((key, _, after),), ((_, stale, _),) = wrote.items, read.items
    lost = put(good, last, replace(wrote, items=((key, stale, after),)))
    assert Law.NOTHING_LOST in broken(lost)


def test_a_move_that_goes_without_a_takeback_is_lost(good: History) -> None:
    last = writes_of_game(good)[-1]
    assert Law.NOTHING_LOST in broken(rewritten(good, last, m={"B": b""}))


def test_a_state_that_is_said_before_it_is_stored_is_noticed(good: History) -> None:
    last = writes_of_game(good)[-1]
    told = good.happenings
    early = next(at for at in said(good, STATE) if at > last)
    swapped = (*told[:last], told[early], *told[last:early], *told[early + 1 :])
    assert broken(replace(good, happenings=swapped)) == {Law.STORED_BEFORE_SAID}


def test_a_state_with_another_position_is_noticed(good: History) -> None:
    at = said(good, STATE)[1]
    other = said_otherwise(good, at, content="8/8/8/8/8/8/8/K1k5 w - - 0 1")
    assert Law.STORED_BEFORE_SAID in broken(other)


def test_a_player_who_is_told_the_wrong_colour_is_noticed(good: History) -> None:
    at = said(good, 20301)[1]
    one = good.happenings[at]
    assert isinstance(one, Published)
    swapped = "b" if one.event.find(':w"') > 0 else "w"
    content = f"started:{_game_id(good)}:{BOB.pubkey}:{swapped}"
    assert Law.STORED_BEFORE_SAID in broken(said_otherwise(good, at, content=content))


def test_a_note_with_another_result_is_noticed(good: History) -> None:
    at = said(good, 64)[0]
    assert broken(said_otherwise(good, at, result="1-0")) == {Law.STORED_BEFORE_SAID}


def test_a_rating_that_is_not_the_stored_one_is_noticed(good: History) -> None:
    at = said(good, 30300)[0]
    assert Law.STORED_BEFORE_SAID in broken(said_otherwise(good, at, rating="2900"))


def test_an_error_about_what_was_applied_is_noticed() -> None:
    story = Story().plays("e2e4")
    at = places(story.history, Signed, lambda one: '"e2e4"' in one.event)[0]
    signed = story.happenings[at]
    assert isinstance(signed, Signed)
    tags = (("e", _id(signed.event)), ("d", story.game.id))
    story.says(EventTemplate(20304, tags, "stale: no", story.now_ms // 1000))
    assert Law.STORED_BEFORE_SAID in broken(story.history)


def test_a_state_whose_signature_is_wrong_is_noticed(good: History) -> None:
    at = said(good, STATE)[1]
    one = good.happenings[at]
    assert isinstance(one, Published)
    forged = replace(one, event=one.event.replace('"sig":"', '"sig":"0')[:-3] + '"}')
    assert Law.SIGNED in broken(put(good, at, forged))


def test_what_a_stranger_signed_is_no_word_of_the_arbiter(good: History) -> None:
    assert Law.SIGNED in broken(said_otherwise(good, said(good, STATE)[1], key=EVE))


def test_a_word_that_the_arbiter_does_not_have_is_noticed(good: History) -> None:
    note = SERVER.sign(EventTemplate(1, (), "buy now", 1_800_000_000))
    one = Published(at_ms=0, who="worker", way=RELAY, event=text_of(note), taken=True)
    assert broken(put(good, len(good.happenings) - 1, one)) >= {Law.SIGNED}


@pytest.mark.parametrize(
    ("key", "kind", "laws"),
    [(EVE, 20399, set()), (SERVER, 20399, {Law.SIGNED}), (EVE, STATE, {Law.SIGNED})],
)
def test_a_listener_may_say_a_canary_with_a_key_of_nobodys_and_nothing_else(
    good: History, key: SecretKey, kind: int, laws: set[Law]
) -> None:
    event = text_of(key.sign(EventTemplate(kind, (), "canary", 1_800_000_000)))
    one = Published(at_ms=0, who="listener 1", way=RELAY, event=event, taken=True)
    assert broken(replace(good, happenings=(*good.happenings, one))) == laws


@pytest.mark.parametrize("later", [7, -30])
def test_a_state_with_a_date_that_it_may_not_have_is_noticed(good: History, later: int) -> None:
    spoilt = said_otherwise(good, said(good, STATE)[2], later=later)
    assert broken(spoilt) == {Law.ONE_ANSWER}


def test_an_event_that_is_applied_twice_is_noticed() -> None:
    story = Story().plays("e2e4")
    first = story.game.applied_ids[-1]
    story.plays("e7e5")
    applied = first + first
    assert Law.ONCE in broken(
        rewritten(story.history, writes_of_game(story.history)[-1], e={"B": applied})
    )


def test_a_move_that_nobody_signed_is_noticed(good: History) -> None:
    at = places(good, Signed, lambda one: '"g2g4"' in one.event)[0]
    assert Law.OWN_HAND in broken(put(good, at))


def test_a_move_by_the_opponents_hand_is_noticed() -> None:
    story = Story()
    wrong = BOB if story.game.white.player == ALICE.pubkey else ALICE
    event = story.word(wrong, "e2e4")
    story.arrives(event)
    after = _played_by(story, event.id)
    story.commits(after)
    story.answers("played", event.id)
    assert Law.OWN_HAND in broken(story.history)


def test_a_strangers_move_is_noticed() -> None:
    story = Story()
    event = story.word(EVE, "e2e4")
    story.arrives(event)
    story.commits(_played_by(story, event.id))
    story.answers("played", event.id)
    assert broken(story.history) == {Law.OWN_HAND}


def test_a_move_that_was_signed_for_another_game_is_noticed() -> None:
    story = Story()
    key = ALICE if story.game.white.player == ALICE.pubkey else BOB
    event = story.signs(key, 20303, "e2e4", (("d", "0" * 32), ("p", SERVER.pubkey)))
    story.arrives(event)
    story.commits(_played_by(story, event.id))
    story.answers("played", event.id)
    assert broken(story.history) == {Law.OWN_HAND}


def test_a_move_other_than_the_one_signed_is_noticed(good: History) -> None:
    first = writes_of_game(good)[1]
    d2d4 = (11 << 9 | 27 << 3).to_bytes(2, "big")
    assert Law.OWN_HAND in broken(rewritten(good, first, m={"B": d2d4}))


def test_a_move_against_the_rules_is_noticed(good: History) -> None:
    first = writes_of_game(good)[1]
    e2e5 = (12 << 9 | 36 << 3).to_bytes(2, "big")
    assert Law.RULES in broken(rewritten(good, first, m={"B": e2e5}))


def test_a_mate_that_does_not_end_the_game_is_noticed(good: History) -> None:
    last = writes_of_game(good)[-1]
    assert Law.RULES in broken(rewritten(good, last, o=None, x=None, oa=None))


def test_a_mate_that_is_none_is_noticed() -> None:
    story = Story().plays("e2e4", "e7e5")
    last = writes_of_game(story.history)[-1]
    ends = {"o": {"S": "checkmate"}, "x": {"S": "w"}}
    assert Law.RULES in broken(rewritten(story.history, last, **ends))


def test_a_draw_that_nobody_agreed_to_is_noticed() -> None:
    story = Story().plays("e2e4", "e7e5")
    event = story.word(ALICE, "draw")
    story.arrives(event)
    over = end(story.game, Outcome(Termination.AGREEMENT, None), story.now_ms).game
    story.commits(_caused(over, event.id))
    story.answers("agreement", event.id)
    assert broken(story.history) == {Law.OWN_HAND}


def test_an_offer_by_word_of_the_player_is_no_violation() -> None:
    story = Story().plays("e2e4", "e7e5")
    event = story.word(ALICE, "draw")
    story.arrives(event)
    story.decides(event, MakeOffer(ALICE.pubkey, OfferKind.DRAW, story.now_ms))
    assert check(story.history) == ()


DAYS_MS = 24 * 3_600_000


def of_days(silent_ms: int) -> Story:
    story = Story("14d", is_rated=False).plays("e2e4", "e7e5")
    story.now_ms += silent_ms
    return story


def gives_notice(story: Story) -> None:
    key = BOB if story.game.black.player == BOB.pubkey else ALICE
    event = story.word(key, "abort")
    story.arrives(event)
    offered = story.game.with_offer(Offer(OfferKind.ABORT, chess.BLACK), story.now_ms)
    story.commits(_caused(offered, event.id))
    story.answers("changed", event.id)


def calls_off(story: Story) -> None:
    key = BOB if story.game.black.player == BOB.pubkey else ALICE
    event = story.word(key, "abort")
    story.arrives(event)
    over = end(story.game, Outcome(Termination.ABORTED, None), story.now_ms).game
    story.commits(_caused(over, event.id))
    story.answers("ended", event.id)


def test_a_game_called_off_after_notice_is_no_violation() -> None:
    story = of_days(3 * DAYS_MS + 1000)
    gives_notice(story)
    story.now_ms += DAYS_MS
    calls_off(story)
    assert check(story.history) == ()


def test_notice_to_an_opponent_who_is_not_silent_is_noticed() -> None:
    story = of_days(2 * DAYS_MS)
    gives_notice(story)
    assert broken(story.history) == {Law.OWN_HAND}


@pytest.mark.parametrize("gave_notice", [True, False])
def test_a_game_called_off_without_a_day_of_notice_is_noticed(gave_notice: bool) -> None:  # noqa: FBT001
    story = of_days(3 * DAYS_MS + 1000)
    if gave_notice:
        gives_notice(story)
        story.now_ms += DAYS_MS - 2000
    calls_off(story)
    assert broken(story.history) == {Law.OWN_HAND}


def test_a_refused_move_that_comes_true_is_noticed() -> None:
    story = Story(time=None, is_rated=False)
    black = BOB if story.game.white.player == ALICE.pubkey else ALICE
    early = story.word(black, "e7e5")
    tags = (("e", early.id), ("d", story.game.id))
    story.says(EventTemplate(20304, tags, "not-your-turn: no", story.now_ms // 1000))
    story.plays("e2e4")
    story.arrives(early)
    story.commits(_played_by(story, early.id, "e7e5"))
    story.answers("played", early.id)
    assert broken(story.history) >= {Law.REFUSED_FOR_GOOD}


@pytest.mark.parametrize(("minutes", "is_noticed"), [(0, True), (59, True), (61, False)])
def test_a_good_move_that_is_refused_is_noticed_unless_it_names_words_of_long_ago(
    minutes: int, *, is_noticed: bool
) -> None:
    story = Story(time=None, is_rated=False).plays("e2e4")
    black = BOB if story.game.white.player == ALICE.pubkey else ALICE
    story.now_ms += minutes * 60_000
    event = story.word(black, "e7e5")
    tags = (("e", event.id), ("d", story.game.id))
    story.says(EventTemplate(20304, tags, "stale: no", story.now_ms // 1000))
    assert broken(story.history) == ({Law.FAIR} if is_noticed else set())


def test_a_bad_move_that_is_refused_is_no_violation() -> None:
    story = Story(time=None, is_rated=False).plays("e2e4")
    black = BOB if story.game.white.player == ALICE.pubkey else ALICE
    event = story.word(black, "e7e4")
    tags = (("e", event.id), ("d", story.game.id))
    story.says(EventTemplate(20304, tags, "stale: no", story.now_ms // 1000))
    assert check(story.history) == ()


def _played_by(story: Story, event_id: str, uci: str = "e2e4") -> Game:
    game = story.game
    command = PlayMove(
        player=game.seat(game.turn).player,
        uci=uci,
        made_at_ms=story.now_ms,
        received_at_ms=story.now_ms,
    )
    return _caused(decide(game, command, story.now_ms).game, event_id)


def _caused(game: Game, event_id: str) -> Game:
    applied = (*game.applied_ids, bytes.fromhex(event_id)[:8])
    return replace(game.with_timer(), applied_ids=applied, item_version=game.item_version + 1)


def _game_id(history: History) -> str:
    return next(key for key in history.table if key[:2] == "g#").removeprefix("g#")


def _id(text: str) -> str:
    return text.partition('"id":"')[2][:64]
