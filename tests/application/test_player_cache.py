from arbiter.application.gateway.player_cache import ABSENT_SECONDS, PlayerCache

ALICE, BOB, EVE = "a1" * 32, "b0" * 32, "ee" * 32
PLAYERS = frozenset({ALICE, BOB})
NO_PLAYERS: frozenset[str] = frozenset()


def test_the_players_of_a_game_are_known_for_good_and_all_others_are_strangers() -> None:
    known = PlayerCache()
    assert known.plays(ALICE, "game", 0.0) is None
    known.learn("game", PLAYERS, 0.0)
    for now in (0.0, 1e9):
        assert [known.plays(it, "game", now) for it in (ALICE, BOB, EVE)] == [True, True, False]


def test_that_there_is_no_game_is_forgotten_soon_and_at_once_when_there_is_one() -> None:
    known = PlayerCache()
    for game in ("late", "made"):
        known.learn(game, NO_PLAYERS, 0.0)
        assert known.plays(ALICE, game, ABSENT_SECONDS - 1) is False
    known.learn("made", PLAYERS, 1.0)
    assert known.plays(ALICE, "made", 1.0) is True
    assert known.plays(ALICE, "late", ABSENT_SECONDS) is None


def test_a_game_that_was_forgotten_is_not_taken_for_absent() -> None:
    known = PlayerCache(most=1)
    for game, players in (("made", NO_PLAYERS), ("made", PLAYERS), ("other", PLAYERS)):
        known.learn(game, players, 0.0)
    assert known.plays(ALICE, "made", 1.0) is None


def test_memory_is_bounded_and_names_of_no_game_push_no_game_out() -> None:
    known = PlayerCache(most=2)
    known.learn("game", PLAYERS, 0.0)
    for number in range(9):
        known.learn(f"absent {number}", NO_PLAYERS, 0.0)
    assert known.plays(ALICE, "game", 0.0) is True
    assert known.plays(ALICE, "absent 6", 0.0) is None
    known.learn("second", PLAYERS, 0.0)
    assert known.plays(ALICE, "game", 0.0) is True
    known.learn("third", PLAYERS, 0.0)
    assert known.plays(ALICE, "game", 0.0) is True
    assert known.plays(ALICE, "second", 0.0) is None
