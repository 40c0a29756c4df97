"""The chain of a game: a hash over all that its players asked and the arbiter accepted, in order,
which anybody computes from events and states (PROTOCOL.md, "The chain").
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from arbiter.core.game import WHITE, Game, Link
from arbiter.core.replies import Decision, GameChanged, GameEnded, MovePlayed, Reply


def begun(game: Game, *request_ids: str) -> Game:
    """The new game with its first link, of the requests that it was made of (64 hex digits)."""
    links = tuple(Link(0, bytes.fromhex(id_)) for id_ in sorted(request_ids))
    return replace(game, chain=first_link(game.id, request_ids), links=links)


def first_link(game_id: str, request_ids: Sequence[str]) -> bytes:
    """The link of the game's id and the requests' ids, these in ascending order."""
    return sha256(bytes.fromhex(game_id + "".join(sorted(request_ids)))).digest()


def next_link(chain: bytes, event_key: bytes, state: str) -> bytes:
    """The chain once this event (32 bytes) made a version that shows this ``state``."""
    return sha256(chain + event_key + state.encode()).digest()


def last_link(game_id: str, links: Sequence[tuple[bytes, str]]) -> bytes:
    """The link of all these events' keys (32 bytes) and states, in order; a request shows none."""
    requests = [key.hex() for key, state in links if not state]
    chain = first_link(game_id, requests)
    for key, state in links[len(requests) :]:
        chain = next_link(chain, key, state)
    return chain


def linked(
    before: Game,
    decision: Decision,
    event_key: bytes,
    **changes: Any,  # noqa: ANN401 - fields of a game
) -> Decision:
    """The decision with a link for each version that the event with this key (32 bytes) made of a
    game that went on, and with these ``changes`` of its game: to copy a game twice is 1 % of a
    move. No link is added where the game began before there were chains.
    """
    after = decision.game
    if not before.chain or before.outcome or after.state_version == before.state_version:
        return replace(decision, game=replace(after, **changes)) if changes else decision
    chains, links = {before.state_version: before.chain}, list[Link]()
    chain = before.chain
    # A move with an offer is shown without it first.
    for game in (*_shown_by(decision.replies), after):
        if game.state_version not in chains:
            links.append(Link(game.state_version, event_key, shown(game)))
            chain = chains[game.state_version] = next_link(chain, event_key, links[-1].shown)
    last = _with_links(after, chains, links, **changes)
    replies = (
        replace(reply, game=last if reply.game is after else _with_links(reply.game, chains, links))
        if isinstance(reply, _SHOWING)
        else reply
        for reply in decision.replies
    )
    return Decision(last, tuple(replies))


_SHOWING = MovePlayed | GameChanged | GameEnded


def _shown_by(replies: tuple[Reply, ...]) -> Iterator[Game]:
    return (reply.game for reply in replies if isinstance(reply, _SHOWING))


def _with_links(
    game: Game,
    chains: Mapping[int, bytes],
    links: Sequence[Link],
    **changes: Any,  # noqa: ANN401 - as above
) -> Game:
    earlier = tuple(
        replace(version, chain=chains.get(version.number, version.chain))
        for version in game.earlier_versions
    )
    chain = chains[game.state_version]
    return replace(game, chain=chain, links=tuple(links), earlier_versions=earlier, **changes)


def by_deadline(deadline_ms: int) -> bytes:
    """The 32 bytes in place of an event's id where time ended the game (unix milliseconds)."""
    return deadline_ms.to_bytes(32)


def shown(game: Game) -> str:
    """A state in a line: ply, last move, offer, both clocks, result, termination; or ``-``."""
    offer = game.offer
    offered = f"{offer.kind}:{'w' if offer.color == WHITE else 'b'}" if offer else "-"
    move = game.moves[-1].uci() if game.moves else "-"
    clocks = f"{game.clocks.white_ms} {game.clocks.black_ms}" if game.clocks else "- -"
    ended = game.outcome.termination if game.outcome else "-"
    return f"{game.ply} {move} {offered} {clocks} {game.result} {ended}"
