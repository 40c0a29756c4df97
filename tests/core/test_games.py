"""The results of a line of words said in a game, as ``games.txt`` has them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from arbiter.core.clocks import Clocks, read_time, start_clocks
from arbiter.core.commands import OfferKind
from arbiter.core.conditional_moves import due_move
from arbiter.core.game import Game, Offer
from arbiter.core.replies import Decision, Rejected, StateShown
from arbiter.core.rules import USUAL_RULES, Rules
from tests.builders import NOW_MS, a_game, after, decided
from tests.core.words import COLORS, lines_word, steps, summary

TEXT = Path(__file__).with_name("games.txt").read_text(encoding="utf-8")


def rows() -> Iterator[tuple[str, str, str, list[str]]]:
    """Of each row why it is so, its line after what is given in its part, and what is then so."""
    part, given, names = "", "", dict[str, str]()
    for line in map(str.strip, TEXT.partition("\n\n")[2].splitlines()):
        written = re.sub(r"\$(\w+)", lambda it: names[it[1]], line)
        first, _, rest = written.partition(" ")
        if first == "let":
            name, _, text = rest.partition(" ")
            names[name] = text
        elif first == "==":
            part, given = rest, ""
        elif first == "given":
            given += f"{rest} ; "
        elif line and first != "#":
            why, said, expected, *facts = map(str.strip, written.split("|"))
            yield f"{part}: {why}", given + said, expected, facts


def with_given(game: Game, rules: Rules, piece: str) -> tuple[Game, Rules]:
    name, _, rest = piece.partition(" ")
    texts = dict(it.split("=") for it in rest.split() if "=" in it)
    values: dict[str, Any] = {key: int(it) if it.isdecimal() else it for key, it in texts.items()}
    if name == "rules":
        return game, Rules(**values)
    if name == "moves":
        return after(game, rest), rules
    if name == "raw":
        for uci in rest.split():
            game = game.after(chess.Move.from_uci(uci), NOW_MS, None)
    elif name == "game":
        remembered = values.pop("remembered", 0)
        ids = tuple(number.to_bytes(8) for number in range(remembered))
        game = replace(game, applied_ids=ids, **values)
    elif name == "offer":
        who, kind = rest.split()
        game = replace(game, offer=Offer(OfferKind(kind), COLORS[who]))
    elif name == "clock":
        time, *left = rest.split()
        control = read_time(time)
        assert control or time == "none"
        clocks = start_clocks(control, NOW_MS) if control else None
        if control and left:
            clocks = Clocks(control, int(left[0]), int(left[1]), NOW_MS)
        game = replace(game, clocks=clocks)
    else:
        game = a_game(piece)
    return game, rules


def fact(name: str, before: Game, decision: Decision) -> str:
    """This fact of a decision, in words; times are counted from the beginning."""
    game, clocks, due_ms = decision.game, decision.game.clocks, decision.game.deadline_ms()
    if name == "clocks" and clocks is not None:
        return f"{clocks.white_ms} {clocks.black_ms} since {clocks.since_ms - NOW_MS}"
    if name == "text":
        return [it.text for it in decision.replies if isinstance(it, Rejected)][-1]
    found: dict[str, object] = {
        "at": game.changed_at_ms - NOW_MS,
        "since": game.position_since_ms - NOW_MS,
        "due": "never" if due_ms is None else due_ms - NOW_MS,
        "fen": game.board().fen(),
        "last": game.moves[-1].uci() if game.moves else "",
        "ply": game.ply,
        "versions": len(game.earlier_versions),
        "draws": f"{game.offered_at(chess.WHITE)} {game.offered_at(chess.BLACK)}",
        "lines": f"{lines_word(game, chess.WHITE)} {lines_word(game, chess.BLACK)}",
        "answer": due.uci if (due := due_move(game, NOW_MS)) else "none",
        "unchanged": "" if game is before else "no: it is another",
        "as": "before" if game.clocks == before.clocks else "another",
        "shown": "".join(
            who
            for who, color in COLORS.items()
            for it in decision.replies
            if isinstance(it, StateShown) and it.color == color
        ),
    }
    return str(found[name])


@pytest.mark.parametrize(("why", "line", "expected", "facts"), [*rows()])
def test_a_line_comes_to(why: str, line: str, expected: str, facts: list[str]) -> None:
    # A clock of "14d / none" is either.
    for chosen in (r"\1", r"\2"):
        *given, said = re.sub(r"(\S+) / (\S+)(?= ;)", chosen, line).split(";")
        game, rules = a_game(), USUAL_RULES
        for piece in given:
            game, rules = with_given(game, rules, piece.strip())
        before, decision = [*steps(said, game, rules=rules)][-1]

        assert summary(decision) == expected, why
        for each in (it.strip() for cell in facts for it in cell.split(";")):
            name, _, value = each.partition(" ")
            assert fact(name, before, decision) == value, why


@pytest.mark.parametrize("uci", ["", "Q@e4", "e2e4" * 1000])
def test_what_is_no_move_at_all_is_not_played(uci: str) -> None:
    assert summary(decided(a_game(), uci)) == "illegal-move 1-0"


def test_unless_an_operator_chose_three_illegal_moves_lose_and_no_work_is_asked_for() -> None:
    assert (USUAL_RULES.illegal_moves_to_lose, USUAL_RULES.work_of_strangers) == (3, 0)
