"""From a decision to the game that is committed: what it frees is judged with it, in one write."""

from dataclasses import replace

from arbiter.application.remembering import remember
from arbiter.core.commands import Command
from arbiter.core.decide import decide
from arbiter.core.game import Game
from arbiter.core.pending import buffer, pop_ready
from arbiter.core.replies import ClaimRejected, Decision, Rejected, Reply
from arbiter.core.rules import Rules
from arbiter.core.seeks import LONG_WAIT_MS
from arbiter.dialects.registry import DIALECTS


def apply_decision(
    game: Game, decision: Decision, command: Command, cause: bytes, rules: Rules, now_ms: int
) -> tuple[Game, tuple[Reply, ...]]:
    """The game to commit after this decision on the command with this cause (32 bytes), and what
    there is to say; the very same game if nothing is to be written. ``rules`` are the operator's.

    A command that came too early is held, if there is room, and nothing is said. Its version is
    still the one of ``game``.
    """
    if game.color_of(command.player) is not None and (held := buffer(game, command, cause)):
        return held, ()
    after, replies = remember(game, decision, command, cause), decision.replies
    while freed := pop_ready(after):
        without, held_one = freed
        own_rules = rules_for(rules, without, held_one.command)
        judged = decide(without, held_one.command, now_ms, own_rules)
        after = remember(without, judged, held_one.command, held_one.event_key)
        replies += tuple(_about(reply, held_one.event_key) for reply in judged.replies)
    return after, replies


def rules_for(rules: Rules, game: Game, command: Command) -> Rules:
    """The operator's rules, unless the wire that this player plays on has its own."""
    color = game.color_of(command.player)
    if color is None:
        return rules
    wires = [DIALECTS[seat.dialect] for seat in (game.white, game.black)]
    if any(wire.by_bridge or wire.by_socket for wire in wires):
        # What stands in a log stands there; and an offer that somebody is not told of and cannot
        # answer would only keep him from offering a draw.
        rules = replace(rules, takebacks=False)
    if any(wire.by_bridge for wire in wires):
        rules = replace(rules, silent_ms=LONG_WAIT_MS)
    own = DIALECTS[game.seat(color).dialect].illegal_moves_to_lose
    return rules if own is None else replace(rules, illegal_moves_to_lose=own)


def _about(reply: Reply, cause: bytes) -> Reply:
    """What is said of a held command names it: the one that is answered is another."""
    return (
        replace(reply, about=cause.hex()) if isinstance(reply, Rejected | ClaimRejected) else reply
    )
