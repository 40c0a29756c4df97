"""Each law of the checker notices what breaks it, and nothing in a good run (see law_cases)."""

import ast
import json
from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.core import ratings as core_rating
from arbiter.core.commands import Claims, Ends, PendingCommand, PlayMove
from arbiter.core.game import BLACK, WHITE, Seat
from tests.builders import NOW_MS, SERVER, a_game
from tests.simulation.checker.changes import what_is_held_was_said
from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.items import Rating
from tests.simulation.checker.laws import LAWS
from tests.simulation.checker.outages import RETURN_MS, SILENCE_MS, still_ms
from tests.simulation.checker.ratings import rated
from tests.simulation.checker.wire import stand_in
from tests.simulation.history import History, Wrote
from tests.simulation.law_cases import changes, clocks, lobby, queues, telling
from tests.simulation.law_cases.runs import DAY_MS, Cases, Run, casual, live, mate
from tests.simulation.law_cases.telling import KEY, wrote
from tests.simulation.made_history import Story
from tests.template.source import ROOT

TABLES = (changes, clocks, lobby, queues, telling)


def broken(run: History | Story) -> set[str]:
    """The laws that a run broke, by their functions' names."""
    evidence = Evidence(run.history if isinstance(run, Story) else run)
    found = {law.__name__: [str(one) for one in law(evidence)] for law in LAWS}
    print(*(one for said in found.values() for one in said), sep="\n")  # noqa: T201 - shown when a test fails
    return {name for name, said in found.items() if said}


def rows(*tables: Cases) -> list[tuple[str, Run]]:
    return [(law, run) for cases in tables for law, runs in cases.items() for run in runs]


def _named(value: object) -> str:
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("law", "run"), rows(*(one.BREAKS for one in TABLES)), ids=_named)
def test_a_law_notices_what_breaks_it(law: str, run: Run) -> None:
    assert law in broken(run())


@pytest.mark.parametrize("run", [mate, live, casual])
def test_a_good_run_breaks_no_law(run: Run) -> None:
    """What a law lets pass otherwise is in every simulated seed."""
    assert broken(run()) == set()


def test_each_law_has_a_run_that_breaks_it() -> None:
    known = {law for one in TABLES for law in one.BREAKS}
    assert {law.__name__ for law in LAWS} == known | {"what_is_held_was_said"}


@pytest.mark.parametrize("author", [WHITE, BLACK])
@pytest.mark.parametrize("winner", [WHITE, BLACK, None])
@pytest.mark.parametrize("lost", ["winner", "ply", "ends", "fen", "by", None])
def test_a_claim_that_is_lost_while_its_move_is_held_is_noticed(
    lost: str | None, *, author: bool, winner: bool | None
) -> None:
    feeds = {color: f"@{name * 43}=.ed25519" for color, name in ((WHITE, "w"), (BLACK, "b"))}
    players = {color: stand_in(SERVER.pubkey, feed) for color, feed in feeds.items()}
    content: dict[str, Any] = {"type": "chess_game_end", "status": "mate", "root": KEY, "ply": 0}
    content |= {"orig": "d8", "dest": "h4", "fen": ""}
    content |= {} if winner is None else {"winner": feeds[winner]}
    move = PlayMove(
        player=players[author],
        uci="d8h4",
        made_at_ms=NOW_MS,
        received_at_ms=NOW_MS,
        ply=0,
        ends=Ends.CHECKMATE,
        claims=Claims("", None, winner),
    )
    item = item_of_game(
        replace(
            a_game(),
            white=Seat(players[WHITE], "ssb", f"{feeds[WHITE]} {KEY} guest"),
            black=Seat(players[BLACK], "ssb", f"{feeds[BLACK]} {KEY} host"),
            pending=(PendingCommand(bytes(32), move),),
        )
    )
    (held,) = json.loads(item["hd"]["S"])
    other = {"by": "b" if held["by"] == "w" else "w"} if lost == "by" else {}
    kept = {name: value for name, value in held.items() if name != lost} | other
    spoilt = {**item, "hd": {"S": json.dumps([kept])}}
    written = Wrote(at_ms=NOW_MS, who="worker", items=((item["pk"]["S"], None, spoilt),))
    told = (wrote(content, author=feeds[author]), written)
    run = History(seed=1, servers=(SERVER.pubkey,), actors=(), happenings=told)
    is_claimed = lost is not None and (lost != "winner" or winner is not None)
    assert bool([*what_is_held_was_said(Evidence(run))]) is is_claimed


@pytest.mark.parametrize(
    ("until_ms", "written_ms", "skew_ms", "paused"),
    [
        (6_000, 6_000, 200, {0}),
        (SILENCE_MS + 1, SILENCE_MS + 1, 20_000, {SILENCE_MS + 1}),
        (6_000, 6_000, 20_000, {0, 6_000}),
        (6_000, SILENCE_MS + RETURN_MS, 0, {0, 6_000}),
    ],
)
def test_whether_a_silence_was_an_outage_depends_on_the_clock_that_judged_it(
    until_ms: int, written_ms: int, skew_ms: int, paused: set[int]
) -> None:
    story, heard_ms = live("e2e4"), NOW_MS
    last: Version = Evidence(story.history).changes[-1]
    item = {"pk": {"S": "heard"}, "at": {"N": str(heard_ms)}}
    noted = Wrote(at_ms=heard_ms, who="listener 1", items=(("heard", None, item),))
    happenings = (noted, *story.history.happenings)
    run = replace(story.history, happenings=happenings, skew_ms=skew_ms)
    one = replace(last, at=last.at + 1, at_ms=heard_ms + written_ms)
    assert still_ms(Evidence(run), one, heard_ms - 20_000, heard_ms + until_ms) == paused


@pytest.mark.parametrize("score", [1.0, 0.5, 0.0])
@pytest.mark.parametrize(("mine", "other"), [((1500, 350), (1500, 350)), ((2210, 45), (1380, 120))])
def test_two_ways_of_rating_a_game_agree(
    mine: tuple[float, float], other: tuple[float, float], score: float
) -> None:
    both, month_ms = (mine, other), 30 * DAY_MS
    ours = [core_rating.Rating(value=value, deviation=off) for value, off in both]
    theirs = [Rating(value=v, deviation=off, volatility=0.06, at_ms=0) for v, off in both]
    core, _ = core_rating.rate(ours[0], ours[1], score, month_ms)
    found = rated(theirs[0], theirs[1], score, month_ms)
    assert found.value == pytest.approx(core.value, abs=0.001)
    assert found.deviation == pytest.approx(core.deviation, abs=0.001)
    assert found.volatility == pytest.approx(core.volatility, abs=0.000_001)


def test_the_checker_imports_nothing_of_the_arbiter() -> None:
    here = ROOT / "tests/simulation"
    for path in (*(here / "checker").glob("*.py"), here / "history.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [it.name for it in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                is_own = name.startswith(("tests.simulation.checker", "tests.simulation.history"))
                foreign = {"arbiter", "functions", "local", "clients", "tests"}
                assert is_own or name.partition(".")[0] not in foreign, path
