"""Challenges as lichess tells them; a rematch that is offered is one, too."""

import chess

from clients.lichess_api.bodies import Challenge, Player
from clients.lichess_api.game_lines import color_name
from clients.lichess_api.words import REASONS, perf_of, speed_of, time_control, variant_of
from clients.player.messages import State
from clients.player.terms import Terms


def challenge(
    id_: str, terms: Terms, challenger: Player, dest: Player, *, is_in: bool, url: str
) -> Challenge:
    """The challenge on these terms. Who gets which colour is not yet drawn where it is random, and
    clients want one that is: it is a placeholder.
    """
    variant = variant_of(terms.start, chess960=terms.chess960)
    color = terms.color
    found: Challenge = {
        "id": id_,
        "url": f"{url}/{id_}",
        "status": "created",
        "rated": terms.rated,
        "variant": variant,
        "perf": {"name": perf_of(terms.time, variant)},
        "speed": speed_of(terms.time),
        "color": "white" if color == "white" else "black" if color == "black" else "random",
        "finalColor": "black" if color == "black" else "white",
        "timeControl": time_control(terms.time),
        "challenger": challenger,
        "destUser": dest,
        "direction": "in" if is_in else "out",
    }
    if terms.start:
        found["initialFen"] = terms.start
    return found


def declined(found: Challenge, reason: str) -> Challenge:
    """The challenge once it was declined for the arbiter's ``reason``."""
    word = reason if reason in REASONS else "generic"
    return {
        **found,
        "status": "declined",
        "declineReason": REASONS[word],
        "declineReasonKey": word.lower(),
    }


def canceled(found: Challenge) -> Challenge:
    return {**found, "status": "canceled"}


def rematch_terms(state: State, offered_by: chess.Color) -> Terms:
    """The terms of the next game, "with colours swapped"."""
    return Terms(
        time=state.time,
        rated=state.rated,
        color=color_name(not offered_by),
        variant="chess960" if state.chess960 else "standard",
        start=None if state.chess960 else state.start,
    )
