"""The game that events of kind 30 make, whatever else is among them. Any key may post a move in any
game, a relay may lack some events or make some up, and a player may sign two moves.

An event counts for what its author may decide, their own moves: a move is played if its player
signed a history that leads to it, so an event that is lost is made good by that player's next one.
Where a player signed several moves in one position the longest line counts, then the earliest move
(``created_at``, then the id). A live referee goes by what came first; from stored events that is
unknown, for an author chooses ``created_at``. But no player makes a line longer alone: the move
that the opponent answered is the one that both played, and no later event changes it.

Invariant: the result does not depend on the order of the events; every move of it is legal, and
signed by the player who makes it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import chess

from arbiter.core.commands import ClaimDraw, PlayMove, Resign
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Seat, Termination
from arbiter.core.offers import end_game
from arbiter.core.rules import Rules
from arbiter.dialects.jester.address import NAME
from arbiter.dialects.jester.history import complete_histories, is_repeated, legal
from arbiter.dialects.jester.wire import JesterEvent, Start, game_id

NOBODY = "?"
"""A player whom nothing names yet. PGN standard §8.1.1.4: "A single question mark is used for an
unknown name"."""

_LATEST_MS = 253_402_300_799_000
"""The last second of the year 9999: a date is its author's claim, and a PGN has to hold it."""

_RULES = Rules(illegal_moves_to_lose=0)
_DRAW = "1/2-1/2"
_LOST = {WHITE: "0-1", BLACK: "1-0"}


@dataclass(frozen=True, slots=True)
class _Ply:
    """A half-move: when, by which event and by whom it was first signed, and the events that
    continue the line.
    """

    signed: tuple[int, str, str]
    move: chess.Move
    said: tuple[JesterEvent, ...]


_Players = Mapping[chess.Color, Collection[str]]


def played(start: Start, events: Iterable[JesterEvent]) -> Game:
    """The game of this start as these events make it, finished or not."""
    said = complete_histories(start.id, (it for it in events if it.game == start.id))
    own, others = frozenset({start.author}), _opponents(start, said)
    players = {WHITE: own, BLACK: others} if start.is_white else {WHITE: others, BLACK: own}
    line = _longest(players, tuple(it for it in said if it.author in own | others))
    opponent = start.opponent or _last_author(line, others)
    both = [it for it in said if it.author in (start.author, opponent)]
    return _ended(_game(start, opponent), line, both)


def _opponents(start: Start, said: Sequence[JesterEvent]) -> frozenset[str]:
    """The keys that may be the opponent. In an open game that is one whom the starter answered: a
    stranger can copy a history and add a move to it, and only the starter's own events tell whom
    they meant.
    """
    opponents = frozenset(it.author for it in said if start.may_be_played_by(it.author))
    starters = [it for it in said if it.author == start.author]
    heads, named = {it.head for it in starters}, {key for it in starters for key in it.named}
    answered = {it.author for it in said if it.id in heads} | named
    return opponents & answered or opponents


def _last_author(line: Sequence[_Ply], authors: Collection[str]) -> str:
    """The one of these authors who signed the last of their moves, and with it the line."""
    found = (author for *_, author in (ply.signed for ply in reversed(line)) if author in authors)
    return next(found, NOBODY)


def _longest(players: _Players, said: tuple[JesterEvent, ...]) -> list[_Ply]:
    """The longest line that both sides signed, of those the one whose moves were first."""
    board, line, best = chess.Board(), list[_Ply](), list[_Ply]()
    waiting = [iter(_moves(board, players, said))]
    while waiting:
        ply = next(waiting[-1], None)
        if ply is None:
            waiting.pop()
            if line:
                line.pop()
                board.pop()
            continue
        line.append(ply)
        board.push(ply.move)
        if len(line) > len(best):
            best = [*line]
        waiting.append(iter(_moves(board, players, ply.said)))
    return best


def _moves(board: chess.Board, players: _Players, said: Iterable[JesterEvent]) -> list[_Ply]:
    """The moves here that the side to move signed, the earliest first."""
    depth = len(board.move_stack)
    spelled: dict[str, list[JesterEvent]] = {}
    for it in said:
        if len(it.history) > depth and not is_repeated(it, board):
            spelled.setdefault(it.history[depth], []).append(it)
    by_move: dict[chess.Move, list[JesterEvent]] = {}
    for san, its in spelled.items():
        if move := legal(board, san):
            by_move.setdefault(move, []).extend(its)
    plies = []
    for move, its in by_move.items():
        movers = players[board.turn]
        signed = [(it.created_at, it.id, it.author) for it in its if it.author in movers]
        if signed:
            plies.append(_Ply(min(signed), move, tuple(its)))
    return sorted(plies, key=lambda ply: ply.signed)


def _game(start: Start, opponent: str) -> Game:
    author, other = (Seat(player, NAME, start.id) for player in (start.author, opponent))
    at_ms = _milliseconds(start.created_at)
    return Game(
        id=game_id(start.id),
        white=author if start.is_white else other,
        black=other if start.is_white else author,
        created_at_ms=at_ms,
        changed_at_ms=at_ms,
    )


def _ended(begun: Game, line: Sequence[_Ply], said: Sequence[JesterEvent]) -> Game:
    """The game with these moves and, if the rules allow it, with the end that its players told."""
    games = [begun]
    for ply in line:
        if games[-1].outcome is None:
            games.append(_with_move(games[-1], ply))
    if games[-1].outcome is not None:
        return games[-1]
    told = _statements(games, line, said)
    for end_of in (_resigned, _agreed, _claimed):
        if found := end_of(games, told):
            return found
    return games[-1]


def _with_move(game: Game, ply: _Ply) -> Game:
    at_ms = max(game.changed_at_ms, _milliseconds(ply.signed[0]))
    player = game.seat(game.turn).player
    command = PlayMove(
        player=player, uci=ply.move.uci(), made_at_ms=at_ms, received_at_ms=at_ms, ply=game.ply + 1
    )
    return decide(game, command, at_ms, _RULES).game


_Statements = Sequence[tuple[int, chess.Color, JesterEvent]]
"""Events that state something, each with its half-move and side, the earliest first."""


def _statements(
    games: Sequence[Game], line: Sequence[_Ply], said: Sequence[JesterEvent]
) -> _Statements:
    """Events in which the players state something in these positions."""
    told: list[tuple[int, chess.Color, JesterEvent]] = []
    at_hand: Sequence[JesterEvent] = said
    for game in games:
        board, depth = game.board(), game.ply
        for it in at_hand:
            color = game.color_of(it.author)
            is_here = len(it.history) == depth or is_repeated(it, board)
            if color is not None and is_here:
                told.append((depth, color, it))
        if depth < len(line):
            at_hand = line[depth].said
    return sorted(told, key=lambda one: (one[2].created_at, one[2].id))


def _resigned(games: Sequence[Game], told: _Statements) -> Game | None:
    """A resignation counts in the last position in which its author could move."""
    for depth, color, it in told:
        claims_it = it.termination == "resignation" and it.result == _LOST[color]
        if claims_it and _has_not_moved_since(games, depth, color):
            game, at_ms = games[depth], _milliseconds(it.created_at)
            return decide(game, Resign(it.author), max(at_ms, game.changed_at_ms), _RULES).game
    return None


def _agreed(games: Sequence[Game], told: _Statements) -> Game | None:
    """A draw is agreed to if both said so and neither moved in between. FIDE 9.1.2.1: the offer
    "remains valid until the opponent accepts it, rejects it orally, rejects it by touching a piece
    with the intention of moving or capturing it, or the game is concluded in some other way".
    """
    for depth, color, it in told:
        agrees = it.result == _DRAW and _has_not_moved_since(games, depth, color)
        if not agrees or it.termination not in ("", "draw_agreement"):
            continue
        for offered_at, other, offer in told:
            is_offer = other != color and (offer.offers_draw or offer.result == _DRAW)
            plies = range(offered_at, depth)
            if is_offer and offered_at <= depth and all(games[at].turn == other for at in plies):
                game, at_ms = games[depth], _milliseconds(it.created_at)
                outcome = Outcome(Termination.AGREEMENT, None)
                return end_game(game, outcome, max(at_ms, game.changed_at_ms)).game
    return None


def _claimed(games: Sequence[Game], told: _Statements) -> Game | None:
    """A draw by the last position, if it is one (FIDE 9.2, 9.3)."""
    last = games[-1]
    for depth, _, it in told:
        if depth == last.ply and it.result == _DRAW:
            at_ms = max(_milliseconds(it.created_at), last.changed_at_ms)
            after = decide(last, ClaimDraw(it.author, at_ms), at_ms, _RULES).game
            return after if after.outcome else None
    return None


def _has_not_moved_since(games: Sequence[Game], depth: int, color: chess.Color) -> bool:
    return all(game.turn != color for game in games[depth:-1])


def _milliseconds(created_at: int) -> int:
    return min(created_at * 1000, _LATEST_MS)
