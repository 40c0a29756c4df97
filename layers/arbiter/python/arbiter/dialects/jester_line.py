"""Which game the events of kind 30 make, whatever else is among them: anybody may post a move in
anybody's game, a relay may lack some events or make some up, and a player may sign two moves.

An event counts for what its author may decide, their own moves: a move is played if a player signed
a history that leads to it, so that an event which is lost is made good by that player's next one.
Where a player signed several moves in one position, the longest line counts, then the earliest move
(``created_at``, then the id). A live referee goes by what came first; from stored events that
cannot be known, for an author chooses ``created_at``. But nobody makes a line longer alone: the
move that the opponent answered was the one they both played, and no later event changes it.

Invariant: the result does not depend on the order of the events; every move of it is legal, and
signed by the player who makes it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import chess

from arbiter.core.commands import ClaimDraw, PlayMove, Resign
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Seat, Termination
from arbiter.core.offers import end
from arbiter.core.rules import Rules
from arbiter.nostr.jester import Said, Start, game_id

NAME = "jester"
NOBODY = "?"
"""A player whom nothing names yet. PGN standard §8.1.1.4: "A single question mark is used for an
unknown name"."""

_LATEST_MS = 253_402_300_799_000
"""The last second of the year 9999: a date is its author's claim, and a PGN has to hold it."""

_RULES = Rules(illegal_moves_to_lose=0)
_DRAW = "1/2-1/2"
_LOST = {WHITE: "0-1", BLACK: "1-0"}
_POSITION_FIELDS = 3


@dataclass(frozen=True, slots=True)
class _Ply:
    """A half-move: when, by which event and by whom it was first signed. ``opponents`` are those
    who have signed the whole line with the starter, ``said`` their events that continue it.
    """

    signed: tuple[int, str, str]
    move: chess.Move
    opponents: frozenset[str]
    said: tuple[Said, ...]


def played(start: Start, events: Iterable[Said]) -> Game:
    """The game of this start as these events make it, finished or not."""
    said = tuple(dict.fromkeys(it for it in events if it.game == start.id))
    authors = {it.author for it in said}
    opponents = frozenset(filter(start.may_be_played_by, authors))
    line = _longest(start, opponents, said)
    opponent = start.opponent or _answered(start, line)
    both = [it for it in said if it.author in (start.author, opponent)]
    return _ended(_game(start, opponent), line, both)


def _answered(start: Start, line: Sequence[_Ply]) -> str:
    """The opponent in an open game: the author of the last move that is not the starter's."""
    theirs = (ply.signed[-1] for ply in reversed(line))
    return next((author for author in theirs if author != start.author), NOBODY)


def _longest(start: Start, opponents: frozenset[str], said: tuple[Said, ...]) -> list[_Ply]:
    """The longest line that the starter and one opponent signed, of those the one whose moves were
    first.
    """
    board, line, best = chess.Board(), list[_Ply](), list[_Ply]()
    waiting = [iter(_moves(start, board, said, opponents))]
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
        waiting.append(iter(_moves(start, board, ply.said, ply.opponents)))
    return best


def _moves(
    start: Start, board: chess.Board, said: Iterable[Said], opponents: frozenset[str]
) -> list[_Ply]:
    """The moves here that the side to move signed, the earliest first."""
    depth, starter = len(board.move_stack), frozenset({start.author})
    is_starters = board.turn == (WHITE if start.is_white else BLACK)
    movers = starter if is_starters else opponents
    spelled: dict[str, list[Said]] = {}
    for it in said:
        if len(it.history) > depth and not _is_repeated(it, board, movers):
            spelled.setdefault(it.history[depth], []).append(it)
    by_move: dict[chess.Move, list[Said]] = {}
    for san, its in spelled.items():
        if move := _legal(board, san):
            by_move.setdefault(move, []).extend(its)
    plies = []
    for move, its in by_move.items():
        signed = [(it.created_at, it.id, it.author) for it in its if it.author in movers]
        if signed:
            left = opponents if is_starters else frozenset(author for _, _, author in signed)
            both = left | starter
            on = tuple(it for it in its if it.author in both)
            plies.append(_Ply(min(signed), move, left, on))
    return sorted(plies, key=lambda ply: ply.signed)


def _is_repeated(it: Said, board: chess.Board, movers: Iterable[str]) -> bool:
    """Whether the next SAN of this event is its last one, written twice, as nostr.blue does: it was
    not its author's turn, or the event claims this position. Both sides can take on one square with
    one spelling.
    """
    depth = len(board.move_stack)
    if depth == 0 or len(it.history) != depth + 1 or it.history[depth] != it.history[depth - 1]:
        return False
    claimed = it.fen.split()[:_POSITION_FIELDS]
    return it.author not in movers or claimed == board.fen().split()[:_POSITION_FIELDS]


def _legal(board: chess.Board, san: str) -> chess.Move | None:
    try:
        move = board.parse_san(san)
    except ValueError:
        return None
    # python-chess reads ``--`` as a null move.
    return move or None


def _players(start: Start, opponent: str) -> dict[chess.Color, str]:
    white, black = (start.author, opponent) if start.is_white else (opponent, start.author)
    return {WHITE: white, BLACK: black}


def _game(start: Start, opponent: str) -> Game:
    players = _players(start, opponent)
    at_ms = _milliseconds(start.created_at)
    white, black = (Seat(players[color], NAME, start.id) for color in (WHITE, BLACK))
    return Game(
        id=game_id(start.id), white=white, black=black, created_at_ms=at_ms, changed_at_ms=at_ms
    )


def _ended(begun: Game, line: Sequence[_Ply], said: Sequence[Said]) -> Game:
    """The game with these moves and, if the rules allow it, with the end that its players told."""
    games = [begun]
    for ply in line:
        if games[-1].outcome is None:
            games.append(_with_move(games[-1], ply))
    if games[-1].outcome is not None:
        return games[-1]
    told = _told(games, line, said)
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


_Told = Sequence[tuple[int, chess.Color, Said]]
"""What was said, after how many half-moves of the game and by which side, the earliest first."""


def _told(games: Sequence[Game], line: Sequence[_Ply], said: Sequence[Said]) -> _Told:
    """What the players said in these positions."""
    told: list[tuple[int, chess.Color, Said]] = []
    at_hand: Sequence[Said] = said
    for game in games:
        board, depth = game.board(), game.ply
        mover = game.seat(game.turn).player
        for it in at_hand:
            color = game.color_of(it.author)
            is_here = len(it.history) == depth or _ends_here(it, board, mover)
            if color is not None and is_here:
                told.append((depth, color, it))
        if depth < len(line):
            at_hand = line[depth].said
    return sorted(told, key=lambda one: (one[2].created_at, one[2].id))


def _ends_here(it: Said, board: chess.Board, mover: str) -> bool:
    if _is_repeated(it, board, (mover,)):
        return True
    depth = len(board.move_stack)
    is_twice = 0 < depth == len(it.history) - 1 and it.history[depth] == it.history[depth - 1]
    return is_twice and _legal(board, it.history[depth]) is None


def _resigned(games: Sequence[Game], told: _Told) -> Game | None:
    """A resignation counts in the last position in which its author could move."""
    for depth, color, it in told:
        claims_it = it.termination == "resignation" and it.result == _LOST[color]
        if claims_it and _has_not_moved_since(games, depth, color):
            game, at_ms = games[depth], _milliseconds(it.created_at)
            return decide(game, Resign(it.author), max(at_ms, game.changed_at_ms), _RULES).game
    return None


def _agreed(games: Sequence[Game], told: _Told) -> Game | None:
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
                return end(game, outcome, max(at_ms, game.changed_at_ms)).game
    return None


def _claimed(games: Sequence[Game], told: _Told) -> Game | None:
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
