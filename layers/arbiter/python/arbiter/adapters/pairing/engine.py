"""The pairing engine: each format by what pairs it, each answer judged. A library is imported for
its format only, so that a missing one stops no other.
"""

import hashlib

from arbiter.core.tournaments import berger, knockout
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import Bye, ByeKind, Format, Tournament
from arbiter.core.tournaments.validate import flaw_of_pairings
from arbiter.dialects import trf


class Engine:
    """Pairs in the process it is called in: see ``server/pairing.py`` for another."""

    def pair(self, tournament: Tournament) -> Pairings | NoPairings:
        """The pairings of ``tournament.round``, perhaps none in an arena; never raises."""
        try:
            found = _paired(tournament)
            if isinstance(found, NoPairings):
                return found
            flaw = flaw_of_pairings(tournament, found)
        except ImportError as missing:
            library = (missing.name or "a library").partition(".")[0]
            why = f"{library} cannot be imported: install the arbiter again"
            return NoPairings(tournament.round, False, why)
        except Exception as failure:  # noqa: BLE001 - a library may raise anything
            return NoPairings(
                tournament.round, False, f"the engine failed: {type(failure).__name__}"
            )
        if flaw:
            return NoPairings(tournament.round, False, f"the engine broke a rule: {flaw}")
        return found


def _paired(tournament: Tournament) -> Pairings | NoPairings:
    match tournament.terms.format:
        case Format.SWISS:
            return _swiss(tournament)
        case Format.ARENA:
            return _arena(tournament)
        case Format.ROUND_ROBIN:
            return berger.pair_round_robin(tournament)
        case Format.KNOCKOUT:
            return knockout.pair_knockout(tournament)


def _swiss(tournament: Tournament) -> Pairings | NoPairings:
    from arbiter.adapters.pairing import swiss  # noqa: PLC0415 - half a second, if it is there

    text = trf.pairing_text(tournament, tournament.round, tournament.field)
    seeds = (0, *(entry.number for entry in trf.seeded(tournament, tournament.field)))
    try:
        pairs = [(seeds[w], seeds[b]) for w, b in swiss.pairs_of(text, tournament.round)]
    except swiss.NoLegalPairing:
        return NoPairings(tournament.round, True, "no legal pairing is left")
    return Pairings(
        tournament.round,
        tuple((white, black) for white, black in pairs if black),
        tuple(Bye(white, ByeKind.PAIRING) for white, black in pairs if not black),
        swiss.ENGINE,
        _digest(text),
    )


def _arena(tournament: Tournament) -> Pairings:
    from arbiter.adapters.pairing import arena  # noqa: PLC0415 - as above

    ranks = {row.number: at for at, row in enumerate(standings(tournament), 1)}
    return Pairings(
        tournament.round,
        arena.pair_waiting(tournament, ranks),
        (),
        arena.ENGINE,
        _digest(arena.text_of(tournament, ranks)),
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()
