"""Asked by `test_second_opinions.py`, in an environment of its own: what other programs say.

A question is a line of JSON, and so is the answer. `{"players": …}` has caissify-pairings pair a
round: the answer is the pairs, 0 for no opponent. `{"lines": …, "rounds": n, "mode": …}` has
tiebreak-core decide: the answer is the values by player. `{"trf": …}` has caissify-pairings read a
file: the answer is name, rating, points and results of each player.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import json
import sys

from caissify_pairings import generate_pairings
from caissify_pairings.trf import parse_trf
from tiebreak_core.fide2026 import calculate
from tiebreak_core.models import GameRecord, PlayerTiebreakData


def _pairs(question):
    met = {tuple(pair) for pair in question["met"]}
    found = generate_pairings(
        "dutch", question["players"], met, question["round"], question["rounds"]
    )
    return [(each["white_id"], each["black_id"] or 0) for each in found]


def _values(question):
    players = {
        int(number): PlayerTiebreakData(
            player_id=int(number),
            rating=1500,
            points=sum(line[1] for line in lines),
            games=[
                GameRecord(opponent or -1, 1500, points, color, at, kind)
                for at, (opponent, points, color, kind) in enumerate(lines, 1)
            ],
        )
        for number, lines in question["lines"].items()
    }
    return {
        number: [
            calculate(player, players, name, question["rounds"], question["mode"])
            for name in question["names"]
        ]
        for number, player in players.items()
    }


def _read(question):
    return [
        [
            each["name"],
            each["rating"],
            each["score"],
            [(one["opponent"] or 0, one["result"]) for one in each["results"].values()],
        ]
        for each in parse_trf(question["trf"])["players"]
    ]


_ANSWERS = {"players": _pairs, "lines": _values, "trf": _read}

for asked in map(json.loads, sys.stdin):
    answer = next(_ANSWERS[name] for name in asked if name in _ANSWERS)
    print(json.dumps(answer(asked)), flush=True)
