"""Signed events, kept for the transcripts of games where the disk is our own."""

from collections.abc import Iterator

from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import SignedLink
from arbiter.application.results import Result
from arbiter.core.game import Game
from arbiter.core.replies import GameChanged, GameEnded, GameStarted, LinesTold, MovePlayed, Queued
from arbiter.dialects.native import REQUEST_TO_PLAY
from arbiter.nostr.event import event_to_json
from arbiter.nostr.strict_json import write_json


def keep_signed(deps: ArbiterDeps, result: Result) -> None:
    """Keep what this result added to a game's chain, or the request that waits; an ended game has
    its transcript. Raises for infrastructure.
    """
    if deps.transcripts is None:
        return
    event, games = result.event, [*_shown(result)]
    links = [(game.id, link) for game in games for link in game.links]
    is_waiting = (event is not None and event.kind == REQUEST_TO_PLAY) and any(
        isinstance(reply, Queued) for reply in result.replies
    )
    lines = [(reply.game, reply.color) for reply in result.replies if isinstance(reply, LinesTold)]
    if not links and not is_waiting and not lines:
        return
    # What a bridge carries has a key of its own, and its author's log has what they signed.
    is_theirs = event is not None and event.id == result.event_key
    text = write_json(event_to_json(event)) if event and is_theirs else None
    key = bytes.fromhex(result.event_key)
    if is_waiting and text:
        deps.transcripts.keep_request(key, text)
    for game, color in lines:
        kept = game.lines[color]
        if text and kept and kept.event_key == key:
            deps.transcripts.keep_lines(game.id, white=color, event_key=key, event=text)
    if not links:
        return
    deps.transcripts.keep(
        [SignedLink(id_, it, text if it.event_key == key else None) for id_, it in links]
    )
    for game in games:
        if game.outcome is not None and game.links:
            deps.transcripts.close(game)


def _shown(result: Result) -> Iterator[Game]:
    shows = GameStarted | MovePlayed | GameChanged | GameEnded
    return (reply.game for reply in result.replies if isinstance(reply, shows))
