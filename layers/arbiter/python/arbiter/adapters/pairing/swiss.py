"""Swiss rounds by the Dutch system of 2026 (C.04.3): gacrux, pinned, since it promises no
interface. ``core/tournaments/validate.py`` judges its answers to a text (``dialects/trf.py``).
"""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from gacrux.gacruxexeptions import GacruxInputError, GacruxNoLegalPairing
from gacrux.pairingdutch import pairing_dutch
from gacrux.trf2json import trf2json

ENGINE = f"gacrux {version('gacrux')}"


class NoLegalPairing(Exception):
    """No pairing satisfies the absolute criteria (C.04.3, article 1.9.3)."""


def pairs_of(text: str, round_number: int) -> list[tuple[int, int]]:
    """The boards of a round in order, (white, black) by pairing number, 0: no opponent. Raises
    NoLegalPairing, and GacruxError or ValueError if the library failed.
    """
    # The first colour is in the text; without the option the library would draw it.
    parameters = {"experimental": [], "verbose": 0, "top_color": "w"}
    try:
        pairing = pairing_dutch(_read(text), round_number, parameters)
        brackets = pairing.compute_pairing(False, 0)
    except GacruxNoLegalPairing as none:
        raise NoLegalPairing from none
    scores = {each["cid"]: each["pts"] for each in pairing.competitors}
    pairs = [(edge["w"], edge["b"]) for bracket in brackets for edge in bracket["pairs"]]
    return sorted(pairs, key=lambda pair: _place(pair, scores))


def _place(pair: tuple[int, int], scores: Mapping[int, Any]) -> tuple[bool, Any, Any, int]:
    """The board's place (C.04.2): higher score, both scores, the higher player; a bye is last."""
    higher, lower = sorted(pair, key=lambda number: (not number, -scores[number], number))
    return not lower, -scores[higher], -scores[lower], higher


def _read(text: str) -> dict[str, Any]:
    reader = trf2json()
    reader.parse_file(text, 0)
    if reader.get_status():
        raise GacruxInputError(str(reader.chessjson["status"]["error"]))
    tournament: dict[str, Any] = reader.get_tournament(1)
    return tournament
