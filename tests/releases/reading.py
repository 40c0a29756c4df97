"""What one release reads in a table: every game's moves and end, and what its own audit says.

Each release's tree is on the path in turn when this is run, so what is asked of it here must be
what all of them have.

    python tests/releases/reading.py TABLE
"""

import json
import sys

import boto3

from arbiter.adapters.records import game_of_item
from deploy.verify_table import flaw_of, games_in


def main() -> None:
    """Print an object: by the item's key what it was read as."""
    found: dict[str, dict[str, object]] = {}
    for item in games_in(boto3.client("dynamodb"), sys.argv[1]):
        try:
            game = game_of_item(item)
        except Exception as error:  # noqa: BLE001 - what cannot be read is told, too
            found[item["pk"]["S"]] = {"unreadable": type(error).__name__}
            continue
        found[item["pk"]["S"]] = {
            "seats": [str(game.white), str(game.black)],
            "moves": [move.uci() for move in game.moves],
            "outcome": str(game.outcome),
            "applied": [cause.hex() for cause in game.applied],
            "version": game.version,
            "rated": game.rated,
            "clocks": str(game.clocks),
            "flaw": flaw_of(game),
        }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
