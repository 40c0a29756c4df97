"""Replays every game of a table by the rules, and reports bad games. It writes nothing."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import boto3
import chess

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.games import game_of_item
from arbiter.core.game import Game, Termination, Variant
from deploy.stack import run

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_SHOWN = 20


@dataclass(slots=True)
class Findings:
    """Counts, and in ``amiss`` a sentence for each bad game."""

    games: int = 0
    finished: int = 0
    plies: int = 0
    amiss: list[str] = field(default_factory=list)


def verify(items: Iterator[Item]) -> Findings:
    """Replays these games. Never raises for the content of an item."""
    findings = Findings()
    for item in items:
        findings.games += 1
        name = item["pk"]["S"]
        try:
            game = game_of_item(item)
            flaw = flaw_of(game)
        except Exception as error:  # noqa: BLE001 - this item is not a readable game
            findings.amiss.append(f"{name} cannot be read: {type(error).__name__}")
            continue
        findings.plies += len(game.moves)
        findings.finished += game.outcome is not None
        if flaw:
            findings.amiss.append(f"{name} {flaw}")
    return findings


def flaw_of(game: Game) -> str | None:
    """Return the fault of a game, or None. Raises ValueError if its start is not a position."""
    board = chess.Board(game.start_fen, chess960=game.variant is Variant.CHESS960)
    if not board.is_valid():
        return "starts from an invalid position"
    for ply, move in enumerate(game.moves, 1):
        if move not in board.legal_moves:
            return f"has an illegal move at ply {ply}"
        board.push(move)
    if len(set(game.applied_ids)) != len(game.applied_ids):
        return "has applied an event twice"
    said = game.outcome.termination if game.outcome else None
    for termination, holds in (
        (Termination.CHECKMATE, board.is_checkmate()),
        (Termination.STALEMATE, board.is_stalemate()),
    ):
        if holds != (said is termination):
            return f"is {termination}, but has the outcome {said}" if holds else f"is no {said}"
    mated = board.is_checkmate() and game.outcome is not None
    if mated and game.outcome.winner is not (not board.turn):  # type: ignore[union-attr]
        return "gives the win to the mated side"
    return None


def games_in(dynamodb: "DynamoDBClient", table: str) -> Iterator[Item]:
    """Yields every game's item by a table scan. Raises botocore's errors."""
    pages = dynamodb.get_paginator("scan").paginate(
        TableName=table,
        ConsistentRead=True,
        FilterExpression="begins_with(pk, :game)",
        ExpressionAttributeValues={":game": {"S": "g#"}},
    )
    for page in pages:
        yield from page["Items"]


def report(findings: Findings) -> str:
    total = (
        f"{findings.games} games, {findings.finished} of them over, {findings.plies} plies played "
        f"again: {len(findings.amiss)} amiss."
    )
    return "\n".join((*(f"✗ {sentence}" for sentence in findings.amiss[:_SHOWN]), total))


def main() -> int:
    """Print the findings. Return 1 if a game is bad or the table cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m deploy.verify_table", description=__doc__)
    parser.add_argument("--table", required=True)
    table = parser.parse_args().table

    def act() -> int:
        findings = verify(games_in(boto3.client("dynamodb"), table))
        print(report(findings))
        return 1 if findings.amiss else 0

    return run(act)


if __name__ == "__main__":
    sys.exit(main())
