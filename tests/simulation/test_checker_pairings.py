"""The checker notices who is not fairly paired: on which terms, by whose wish, and how often."""

from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.core.game import Game, Seat
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, SERVER
from tests.simulation.checker.verdict import Law
from tests.simulation.history import History, Wrote
from tests.simulation.made_history import Story
from tests.simulation.spoiling import broken, places, put, rewritten, writes_of_game

MINUTE_MS = 60_000


@pytest.fixture
def good() -> History:
    return Story().plays("f2f3", "e7e5", "g2g4", "d8h4").history


def _begin(history: History) -> int:
    return writes_of_game(history)[0]


def test_a_game_against_oneself_is_noticed(good: History) -> None:
    same = {"B": bytes.fromhex(ALICE.pubkey)}
    assert Law.PAIRING in broken(rewritten(good, _begin(good), w=same, b=same))


def test_a_game_on_other_terms_is_noticed(good: History) -> None:
    assert Law.PAIRING in broken(rewritten(good, _begin(good), r=None))


def test_a_wish_that_waited_too_long_is_noticed(good: History) -> None:
    at = _begin(good)
    wrote = good.happenings[at]
    assert isinstance(wrote, Wrote)
    items = []
    for key, before, after in wrote.items:
        old = before
        if key[:2] == "q#" and before is not None:
            (seek,) = before["q"]["L"]
            stale = {**seek["M"], "t": {"N": str(int(seek["M"]["t"]["N"]) - 31 * MINUTE_MS)}}
            old = {**before, "q": {"L": [{"M": stale}]}}
        items.append((key, old, after))
    assert broken(put(good, at, replace(wrote, items=tuple(items)))) == {Law.PAIRING}


def _wishes_left(history: History, *wishes: tuple[str, dict[str, Any]]) -> History:
    at = _begin(history)
    wrote = history.happenings[at]
    assert isinstance(wrote, Wrote)
    own = [(key, before, after) for key, before, after in wrote.items if key[:2] != "q#"]
    left = tuple((key, item, _pool() if key[:2] == "q#" else None) for key, item in wishes)
    return put(history, at, replace(wrote, items=(*own, *left)))


def _wish(request: str, key: SecretKey, at_ms: int) -> dict[str, Any]:
    player, asked = bytes.fromhex(key.pubkey), bytes.fromhex(request)
    return {"r": {"B": asked}, "p": {"B": player}, "t": {"N": str(at_ms)}}


def _pool(*wishes: dict[str, Any]) -> dict[str, Any]:
    return {"q": {"L": [{"M": wish} for wish in wishes]}}


def _asked(story: Story, key: SecretKey, content: str, *tags: tuple[str, str]) -> VerifiedEvent:
    return story.signs(key, 20300, content, (("p", SERVER.pubkey), *tags))


def test_what_else_somebody_had_asked_for_is_gone_with_the_game_that_he_got() -> None:
    story = Story(time=None, is_rated=False)
    slow, fast = _asked(story, ALICE, ""), _asked(story, BOB, "", ("time", "60+1"))
    pools = (
        ("q#slow", _pool(_wish(slow.id, ALICE, story.now_ms))),
        ("q#fast", _pool(_wish(fast.id, BOB, story.now_ms))),
    )
    assert Law.PAIRING not in broken(_wishes_left(story.history, *pools))
    assert Law.PAIRING in broken(_wishes_left(story.history, pools[1]))


@pytest.mark.parametrize(("taken_up", "is_fair"), [(0, True), (16, False)])
def test_a_challenge_is_played_by_whoever_took_up_that_very_one(
    taken_up: int, *, is_fair: bool
) -> None:
    story = Story(time=None, is_rated=False)
    asked = _asked(story, ALICE, "", ("challenge", BOB.pubkey))
    fast = _asked(story, ALICE, "", ("time", "60+1"))
    accepted = _asked(story, BOB, f"accept:{asked.id[taken_up : taken_up + 32]}")
    history = _wishes_left(
        story.history,
        ("q#fast", _pool(_wish(fast.id, ALICE, story.now_ms))),
        (f"c#{asked.id[:32]}", {"q": {"M": _wish(asked.id, ALICE, story.now_ms)}}),
    )
    at = _begin(history)
    wrote = history.happenings[at]
    assert isinstance(wrote, Wrote)
    requests = {"B": bytes.fromhex(accepted.id)[:8] + bytes(8)}
    items = tuple(
        (key, before, {**(after or {}), "r": requests} if key == f"p#{BOB.pubkey}" else after)
        for key, before, after in wrote.items
    )
    found = broken(put(history, at, replace(wrote, items=items)))
    assert (Law.PAIRING not in found) is is_fair


def test_two_games_of_one_player_at_once_are_noticed() -> None:
    one, other = Story(time=None, is_rated=False), Story(time=None, is_rated=False)
    told = (*one.happenings, *other.happenings)
    game = replace(other.game, id="f" * 32)
    begun = Wrote(at_ms=0, who="worker", items=((f"g#{game.id}", None, item_of_game(game)),))
    both = replace(one.history, happenings=(*told, begun))
    assert Law.PAIRING in broken(both)


def test_a_rematch_without_another_colour_is_noticed() -> None:
    assert Law.PAIRING in broken(_rematch(is_swapped=False))


def test_a_rematch_with_colours_swapped_is_fair() -> None:
    assert Law.PAIRING not in broken(_rematch(is_swapped=True))


def _rematch(*, is_swapped: bool) -> History:
    story = Story(time=None, is_rated=False).plays("f2f3", "e7e5", "g2g4", "d8h4")
    old, next_id = story.game, "f" * 32
    white, black = (old.black, old.white) if is_swapped else (old.white, old.black)
    following = Game(
        id=next_id,
        white=Seat(white.player, "dilger"),
        black=Seat(black.player, "dilger"),
        created_at_ms=story.now_ms,
        changed_at_ms=story.now_ms,
    )
    ended = replace(
        old,
        next_game_id=next_id,
        item_version=old.item_version + 1,
        state_version=old.state_version + 1,
    )
    players = [
        {**story.table[f"p#{key.pubkey}"], "g": {"B": bytes.fromhex(next_id)}}
        for key in (ALICE, BOB)
    ]
    story.writes(item_of_game(ended), item_of_game(following), *players)
    return story.history


def test_somebody_who_plays_and_waits_is_noticed(good: History) -> None:
    story = Story(time=None, is_rated=False)
    at = places(story.history, Wrote, lambda one: len(one.items) == 2)[0]
    wrote = story.history.happenings[at]
    assert isinstance(wrote, Wrote)
    pool = next((key, after) for key, _, after in wrote.items if key[:2] == "q#")
    table = {**story.history.table, pool[0]: pool[1] or {}}
    assert broken(replace(story.history, table=table)) == {Law.PAIRING}
