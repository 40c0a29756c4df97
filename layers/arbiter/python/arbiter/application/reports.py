"""A player's report about another (NIP-56, kind 1984), on its way to the operator."""

from arbiter.application.deps import ArbiterDeps, Contended
from arbiter.application.results import Result
from arbiter.core.game import is_game_id
from arbiter.core.reports import (
    COPIES_OF_ONE,
    MAX_LINES,
    REPORT_SECONDS,
    REPORTS_OF_ONE,
    PlayerReport,
    with_report,
)
from arbiter.dialects.chat import clean
from arbiter.nostr.event import VerifiedEvent, all_tags, is_hex_32_bytes

_TYPES = frozenset({"nudity", "malware", "profanity", "illegal", "spam", "impersonation", "other"})
"""NIP-56: "A report type string MUST be included"."""

_ATTEMPTS = 5


def take_report(deps: ArbiterDeps, event: VerifiedEvent) -> Result:
    store, now_ms = deps.policy.store, deps.clock.now_ms()
    player, kind = _reported(deps, event)
    if store is None or player is None:
        return Result(status="no-report", event_key=event.id)
    if deps.policy.why_not(event.pubkey, now_ms):
        return Result(status="request-restricted", event_key=event.id)
    # Copies, which each relay brings, count here: a flood ends before anything is read for it.
    if not _takes(deps, f"report-copies:{event.pubkey}", COPIES_OF_ONE, now_ms):
        return Result(status="too-many-reports", event_key=event.id)
    report = _read(deps, event, player, kind, now_ms)
    if with_report(store.reports(), report) is None:
        return Result(status="duplicate", event_key=event.id)
    if not _takes(deps, f"reports:{event.pubkey}", REPORTS_OF_ONE, now_ms):
        return Result(status="too-many-reports", event_key=event.id)
    for _ in range(_ATTEMPTS):
        if store.add_report(report):
            return Result(status="reported", event_key=event.id)
    raise Contended


def _takes(deps: ArbiterDeps, key: str, limit: int, now_ms: int) -> bool:
    limits = deps.rate_limits
    return limits is None or limits.take(key, limit, REPORT_SECONDS, now_ms)


def _reported(deps: ArbiterDeps, event: VerifiedEvent) -> tuple[str | None, str]:
    """The player and the type of NIP-56; None if it names not exactly one beside the arbiter."""
    named = [tag for tag in all_tags(event, "p") if tag[1:2] != (deps.server,)]
    if len(named) != 1 or not is_hex_32_bytes("".join(named[0][1:2])):
        return None, ""
    return named[0][1], "".join(named[0][2:3])


def _read(
    deps: ArbiterDeps, event: VerifiedEvent, player: str, kind: str, now_ms: int
) -> PlayerReport:
    games = [tag[1] for tag in all_tags(event, "d") if len(tag) > 1 and is_game_id(tag[1])]
    lines = (clean(tag[1]) for tag in all_tags(event, "chat") if len(tag) > 1)
    ends = deps.lobby.player(player).early_ends
    return PlayerReport(
        id=event.id,
        at_ms=now_ms,
        by=event.pubkey,
        player=player,
        type=kind if kind in _TYPES else "other",
        text=clean(event.content),
        game_id=next(iter(games), ""),
        chat=tuple(lines)[:MAX_LINES],
        early_ends=sum(end.is_own for end in ends),
    )
