"""Games, players, ratings and health as JSON values. All times are unix milliseconds.

Invariant: a game's view depends on the game and its transcript alone, so that version and hash
identify the bytes. Clocks are what was left, since when, and which one runs: a CDN may serve the
same answer for seconds.
"""

from collections.abc import Sequence
from typing import Any

import chess

from arbiter.application import queries
from arbiter.core.clocks import Clocks
from arbiter.core.game import BLACK, WHITE, Game, Seat, Variant
from arbiter.core.ratings import RatedGame, Standing
from arbiter.core.terms import Terms
from arbiter.nostr.nip19 import encode_npub

View = dict[str, Any]
"""A JSON object."""

COLORS = {WHITE: "white", BLACK: "black"}


def game_view(found: queries.GameWithRatings, transcript: str | None = None) -> View:
    """The whole game: ``summary_view``, moves, chain, and the transcript's sha256 in hex."""
    game = found.game
    return {
        **summary_view(game),
        "start_fen": game.start_fen,
        "moves": [
            {"ply": ply, "uci": uci, "san": san}
            for ply, (uci, san) in enumerate(moves_of(game), start=1)
        ],
        "clocks": _clocks_view(game, game.clocks) if game.clocks else None,
        "offer": {"kind": game.offer.kind.value, "by": COLORS[game.offer.color]}
        if game.offer
        else None,
        "illegal_moves": {"white": game.white_strikes, "black": game.black_strikes},
        "ratings": _ratings_view(found.rated) if found.rated else None,
        "next_game": game.next_game_id,
        "chain": game.chain.hex() or None,
        "transcript": transcript,
    }


def summary_view(game: Game) -> View:
    board, outcome, control = game.board(), game.outcome, game.clocks and game.clocks.control
    return {
        "id": game.id,
        "state": "live" if outcome is None else "ended",
        "result": game.result,
        "termination": outcome.termination.value if outcome else None,
        "winner": COLORS[outcome.winner] if outcome and outcome.winner is not None else None,
        "white": seat_view(game.white),
        "black": seat_view(game.black),
        "rated": game.rated,
        "variant": game.variant.value,
        "speed": control.speed.value if control else None,
        "time_control": str(control) if control else None,
        "fen": board.fen(),
        "turn": COLORS[game.turn],
        "check": board.is_check(),
        "ply": game.ply,
        "last_move": game.moves[-1].uci() if game.moves else None,
        "created_at_ms": game.created_at_ms,
        "changed_at_ms": game.changed_at_ms,
        "ended_at_ms": game.end_ms if outcome else None,
    }


def seat_view(seat: Seat) -> View:
    """The player of a seat and their name; a browser has none, and its placeholder is not shown."""
    if (feed := queries.feed_of(seat)) is not None:
        return {"kind": "scuttlebutt", "feed": feed, "pubkey": seat.player}
    if queries.is_browser(seat):
        return {"kind": "browser"}
    return nostr_view(seat.player) | ({"name": seat.name} if seat.name else {})


def nostr_view(pubkey: str) -> View:
    return {"kind": "nostr", "pubkey": pubkey, "npub": encode_npub(pubkey)}


def player_view(
    player_id: str, games: Sequence[Game], standings: Sequence[Standing], now_ms: int
) -> View:
    own = seat_in(games, player_id)
    ratings = {standing.speed.value: _standing_view(standing, now_ms) for standing in standings}
    return {"player": seat_view(own) if own else nostr_view(player_id), "ratings": ratings}


def seat_in(games: Sequence[Game], player_id: str) -> Seat | None:
    seats = (seat for game in games for seat in (game.white, game.black))
    return next((seat for seat in seats if seat.player == player_id), None)


def rank_view(rank: int, standing: Standing, now_ms: int) -> View:
    return {"rank": rank, "player": nostr_view(standing.player), **_standing_view(standing, now_ms)}


def waiting_view(room: queries.WaitingRoom) -> View:
    """The players who wait for a game. No player of a pool is named, for pools pair by chance."""
    return {
        "pools": [
            {
                **_terms_view(pool.waiting[0].terms),
                "waiting": [
                    {"since_ms": seek.asked_at_ms, "rating": seek.rating, "bot": seek.terms.is_bot}
                    for seek in pool.waiting
                ],
            }
            for pool in room.pools
        ],
        "challenges": [
            {
                "id": challenge.id,
                "challenger": seat_view(challenge.seek.seat),
                **_terms_view(challenge.seek.terms),
                "color": challenge.seek.terms.color.value,
                "start_fen": challenge.seek.terms.start_fen,
                "since_ms": challenge.seek.asked_at_ms,
                "expires_at_ms": challenge.expires_at_ms(),
            }
            for challenge in room.challenges
        ],
    }


def _terms_view(terms: Terms) -> View:
    return {
        "rated": terms.rated,
        "variant": terms.variant.value,
        "speed": terms.time.speed.value if terms.time else None,
        "time_control": str(terms.time) if terms.time else None,
    }


def moves_of(game: Game) -> list[tuple[str, str]]:
    board = chess.Board(game.start_fen, chess960=game.variant is Variant.CHESS960)
    moves: list[tuple[str, str]] = []
    for move in game.moves:
        moves.append((move.uci(), board.san(move)))
        board.push(move)
    return moves


def _clocks_view(game: Game, clocks: Clocks) -> View:
    """``white_ms`` and ``black_ms`` were left at ``since_ms``, when this turn began or the game
    ended; the side that is ``running`` uses what passed since then.
    """
    deadline_ms = game.deadline_ms()
    # A first move has a deadline of its own, without a running clock.
    runs = deadline_ms is not None and (game.ply >= 2 or not clocks.control.is_live)  # noqa: PLR2004
    return {
        "white_ms": clocks.white_ms,
        "black_ms": clocks.black_ms,
        "since_ms": clocks.since_ms,
        "running": COLORS[game.turn] if runs else None,
        "deadline_ms": deadline_ms,
    }


def _ratings_view(rated: RatedGame) -> View:
    return {
        name: {"before": round(before.rating.value), "after": round(after.rating.value)}
        for name, (before, after) in (("white", rated.white), ("black", rated.black))
    }


def _standing_view(standing: Standing, now_ms: int) -> View:
    rating = queries.rating_now(standing, now_ms)
    return {
        "rating": round(rating.value),
        "deviation": round(rating.deviation),
        "provisional": standing.rating.is_provisional(now_ms),
        "games": standing.games,
    }


OLDEST_SECONDS = 60
"""A message older than this means that its consumer does not work."""


def faults_in(report: queries.HealthReport, *, has_table: bool) -> list[str]:
    """The faults that keep the arbiter from working; empty if healthy."""
    faults = [] if has_table else ["the table cannot be read or written"]
    for queue in report.queues:
        if queue.waiting is None:
            faults.append(f"the queue {queue.name} does not answer")
        elif _is_late(queue):
            faults.append(f"the queue {queue.name} is not emptied")
    if report.relays and all(relay.trouble for relay in report.relays):
        faults.append("no relay can be reached")
    return faults


def health_view(report: queries.HealthReport, *, has_table: bool) -> View:
    """The health check's result, null for what is unknown; dead letters are no fault."""
    faults = faults_in(report, has_table=has_table)
    return {
        "status": "fault" if faults else "ok",
        "faults": faults,
        "table": has_table,
        "queues": [
            {"name": queue.name, "waiting": queue.waiting, "oldest_seconds": queue.age_seconds}
            for queue in report.queues
        ],
        "relays": [
            {"url": relay.url, "reached": relay.trouble is None, "trouble": relay.trouble}
            for relay in report.relays
        ],
        "looked_at_ms": report.looked_at_ms,
    }


def _is_late(queue: queries.QueueDepth) -> bool:
    if queue.name == queries.DEAD_LETTERS or queue.age_seconds is None:
        return False
    return queue.age_seconds > OLDEST_SECONDS
