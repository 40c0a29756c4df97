"""The operator's policy and players' blocks, as they were written, and what they promise."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import orjson

from tests.simulation.checker.items import Item
from tests.simulation.checker.parsed_history import ParsedHistory, Version
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.history import Listed

_KEY_BYTES = 32

ENDS_MS, LASTS_MS = 10_000, 30_000
HARD = {"F20", "F21", "F23", "F24", "F32", "F44", "disk fails", "disk full"}
"""Faults that may keep an end back."""

Policy = Mapping[str, Any]
"""The document of the item ``policy``."""


def who_is_kept_out_is_not_seated(parsed: ParsedHistory) -> Iterator[Violation]:
    """No game begins for a key that is denied or no member, nor for anybody while it is closed."""
    for versions in parsed.games.values():
        first = versions[0]
        policy = policy_at(parsed, first.at)
        if policy is None or first.before is not None:
            continue
        if _is_closed(policy, first.at_ms - parsed.history.skew_ms):
            yield _violation(first, "it began while the arbiter was closed")
        for color in ("w", "b"):
            player = first.after.side(color).player
            if is_denied(policy, player, first.at_ms + parsed.history.skew_ms):
                yield _violation(first, f"{player[:8]} was denied, and is seated")
            if policy["allowed"] is not None and player not in policy["allowed"]:
                yield _violation(first, f"{player[:8]} is no member, and is seated")


def who_blocks_is_not_paired(parsed: ParsedHistory) -> Iterator[Violation]:
    """No game begins for two of whom one blocks the other."""
    blocked: dict[str, frozenset[str]] = {}
    begun = {versions[0].at: versions[0] for versions in parsed.games.values()}
    for at, wrote in parsed.writes:
        first = begun.get(at)
        if first is not None and first.before is None:
            white, black = first.after.white.player, first.after.black.player
            if black in blocked.get(white, ()) or white in blocked.get(black, ()):
                yield _violation(first, "one of the two blocks the other")
        for key, _, after in wrote.items:
            if key.startswith("p#"):
                blocked[key.removeprefix("p#")] = _blocked(after)


def games_of_the_denied_end(parsed: ParsedHistory) -> Iterator[Violation]:
    """Games end soon after the operator denies a player so that they do."""
    for at, text in parsed.policies:
        at_ms = parsed.history.happenings[at].at_ms
        due_ms = at_ms + ENDS_MS
        is_hard = any(
            at_ms - LASTS_MS < it.at_ms <= due_ms for it in parsed.faults if it.kind in HARD
        )
        later = [it for it in parsed.policies if it[0] > at]
        if is_hard or (later and parsed.history.happenings[later[0][0]].at_ms <= due_ms):
            continue
        denied = {key for key, it in read_policy(text)["denied"].items() if it["ends_games"]}
        for game_id, versions in parsed.games.items():
            known = [one for one in versions if one.at_ms <= due_ms]
            if not known or known[0].at > at or known[-1].after.is_over:
                continue
            game = known[-1].after
            if denied & {game.white.player, game.black.player}:
                yield Violation(Invariant.POLICY, (game_id,), "a denied player's game goes on")


def hidden_players_are_not_listed(parsed: ParsedHistory) -> Iterator[Violation]:
    for at, one in enumerate(parsed.history.happenings):
        policy = policy_at(parsed, at) if isinstance(one, Listed) else None
        if policy is None or not isinstance(one, Listed):
            continue
        for game_id, versions in parsed.games.items():
            game = versions[-1].after
            if {game.white.player, game.black.player} & {*policy["hidden"]} and game_id in one.text:
                yield Violation(Invariant.POLICY, (game_id,), "a hidden player's game is listed")


def policy_at(parsed: ParsedHistory, at: int) -> Policy | None:
    """The policy that was written last before this place; None if there was none."""
    number = bisect_left(parsed.policies, at, key=lambda one: one[0])
    return read_policy(parsed.policies[number - 1][1]) if number else None


def is_denied(policy: Policy, player: str, at_ms: int) -> bool:
    denial = policy["denied"].get(player)
    if denial is None:
        return False
    return denial["until_ms"] is None or at_ms < denial["until_ms"]


def may_be_ended(parsed: ParsedHistory, one: Version) -> bool:
    """Whether the operator has a player of this game out, so that it ends unasked."""
    players = {one.after.white.player, one.after.black.player}
    told = (read_policy(text) for at, text in parsed.policies if at < one.at)
    return any(policy["denied"].get(it, {}).get("ends_games") for policy in told for it in players)


def is_void(policy: Policy, players: list[str]) -> bool:
    """Whether games of these two (in order) do not count."""
    return bool({*players} & {*policy["void_keys"]}) or players in policy["void_pairs"]


def was_void(parsed: ParsedHistory, players: list[str], since_at: int, until_at: int) -> bool:
    """Whether games of these two did not count at some time between these places."""
    ends = [*(at for at, _ in parsed.policies), len(parsed.history.happenings)]
    spans = zip(pairwise(ends), parsed.policies, strict=True)
    return any(
        is_void(read_policy(text), sorted(players))
        for (begins, over), (_, text) in spans
        if begins <= until_at and over >= since_at
    )


@lru_cache(maxsize=200)
def read_policy(text: str) -> Policy:
    policy: Policy = orjson.loads(text)
    return policy


def _is_closed(policy: Policy, at_ms: int) -> bool:
    closed = policy["closed"]
    return closed is not None and at_ms >= closed["from_ms"]


def _blocked(item: Item | None) -> frozenset[str]:
    octets = bytes(item["bl"]["B"]) if item and "bl" in item else b""
    keys = (octets[at : at + _KEY_BYTES] for at in range(0, len(octets), _KEY_BYTES))
    return frozenset(key.hex() for key in keys)


def _violation(one: Version, sentence: str) -> Violation:
    return Violation(Invariant.POLICY, (one.after.id,), sentence)
