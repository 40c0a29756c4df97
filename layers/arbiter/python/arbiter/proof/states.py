"""The game as a transcript's states tell it: whether each follows from the one before, by the rules
and by who signed its event.
"""

from dataclasses import replace

from arbiter.core.chain import shown
from arbiter.core.commands import AnsweredState, Command, OfferKind, ShowState, Tick, Unrecognized
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination
from arbiter.core.moves import legal_move
from arbiter.core.rules import USUAL_RULES
from arbiter.dialects import native
from arbiter.dialects.base import GameCommand
from arbiter.nostr.event import NostrEvent, VerifiedEvent
from arbiter.proof.transcript import Line, Transcript

LINES = "lines:"
"""The beginning of a 20303 with moves for the arbiter alone; each that it plays makes a state."""

VACATION = "vacation:"
"""The beginning of a 20303 that changes a clock and nothing else."""

BY_TIME = frozenset(
    {Termination.TIMEOUT, Termination.ABORTED, Termination.NO_SHOW, Termination.LEFT}
)
"""Ends for which a deadline suffices, or the time at which the operator ended the game."""

SAID_BY_ARBITER = BY_TIME | {Termination.ILLEGAL_MOVES}
"""Ends that no signature of a player proves."""

BY_BOARD = frozenset({Termination.CHECKMATE, Termination.STALEMATE})
"""Ends that the moves prove without a player's word."""

CLOCK_TOLERANCE_MS = 10_000
"""Charged beyond what both players' dates allow; their clocks may be off, and events wait."""

_LOST_ON_TURN = frozenset({Termination.TIMEOUT, Termination.ILLEGAL_MOVES})
"""Ends that the player on turn loses, or draws."""

_WINNER = {"1-0": WHITE, "0-1": BLACK, "1/2-1/2": None, "*": None}


class DoesNotFollow(Exception):
    """A state that does not follow from the one before; the text says why."""


class ToldGame:
    """The ``game`` after the states that were followed. ``says`` has what the arbiter says alone,
    and ``is_end_signed`` that a player's own word ended the game.
    """

    def __init__(self, transcript: Transcript) -> None:
        self.of = transcript
        self.game = Game(
            id=transcript.game_id,
            white=Seat(transcript.white, native.NAME),
            black=Seat(transcript.black, native.NAME),
            created_at_ms=0,
            changed_at_ms=0,
            start_fen=transcript.start_fen,
            variant=transcript.variant,
        )
        self.says: list[str] = []
        self.is_end_signed = False
        self._before: tuple[str, int] | None = None

    def follow(self, line: Line, where: str, event: VerifiedEvent | None) -> None:
        """Go on by the state of this line, by ``event``, a deadline or unseen, or raise
        DoesNotFollow.
        """
        if event:
            self._applied(event, line, where)
        elif line.deadline_ms is None or line.shown.rpartition(" ")[2] in BY_TIME:
            self._taken_over(line, where)
        else:
            raise DoesNotFollow("a deadline ends a game, and nothing else")

    def _applied(self, event: VerifiedEvent, line: Line, where: str) -> None:
        """Decide what this event says by the rules, and compare with what the line shows."""
        # By their dates, with each in time: lateness is the arbiter's to say.
        at_ms = event.created_at * 1000
        decoded = native.decode(event, at_ms) if event.kind == native.GAME_MOVE else None
        termination = line.shown.rpartition(" ")[2]
        is_abort = termination == Termination.ABORTED and event.content in ("abort", "quit")
        is_said = termination in SAID_BY_ARBITER and not is_abort
        if not isinstance(decoded, GameCommand) or is_said or _is_unread(event):
            # Signed, in words of another protocol, for the arbiter alone, or about a clock.
            self._taken_over(line, where, event)
            return
        self._charged(event, line, where)
        now_ms = max(at_ms, self.game.changed_at_ms)
        decision = decide(self.game, _answering(decoded.command), now_ms, USUAL_RULES)
        states = [decision.game, *(it.game for it in decision.replies if hasattr(it, "game"))]
        if any(_without_clocks(shown(it)) == _without_clocks(line.shown) for it in states if it):
            self.game, self.is_end_signed = decision.game, True
        elif decision.game is self.game:
            raise DoesNotFollow(f"the rules refuse {event.content!r} here")
        else:
            raise DoesNotFollow(f"{event.content!r} leads to '{shown(decision.game)}'")

    def _taken_over(self, line: Line, where: str, event: VerifiedEvent | None = None) -> None:
        """The game as the line shows it, if its move is legal, and its author's to make."""
        try:
            ply, uci, offer, _, _, result, ended = line.shown.split(" ")
            now_ms, is_move = self.game.changed_at_ms, int(ply) == self.game.ply + 1
            if event is not None and not self._is_authors(event, line.shown, is_move=is_move):
                raise DoesNotFollow("this was not for its author to say")
            move = legal_move(self.game.board(), uci) if is_move else None
            if move is not None:
                self._by_lines(event, where)
                self.game = self.game.after(move, now_ms, None)
            elif is_move:
                raise DoesNotFollow(f"{uci} is not legal")
            elif int(ply) < self.game.ply:
                self.game = self.game.taken_back(self.game.ply - int(ply), now_ms)
            if int(ply) != self.game.ply or uci != (self.game.uci_moves() or ["-"])[-1]:
                raise DoesNotFollow("it does not follow from the version before")
            self.game = self.game.with_offer(_offer(offer), now_ms)
            self._ended(result, ended, is_claim=event is not None)
        except (ValueError, KeyError):
            raise DoesNotFollow("it shows no state") from None

    def _by_lines(self, event: VerifiedEvent | None, where: str) -> None:
        if is_lines(event):
            whose = "White" if self.game.turn else "Black"
            text = f"half-move {self.game.ply + 1} is by {whose}'s lines, which it alone saw"
            self.says.append(f"{where}: {text}")

    def _ended(self, result: str, ended: str, *, is_claim: bool) -> None:
        """Take over the end, if there is one. Raises ValueError and KeyError for none."""
        winner = _WINNER[result]
        if ended != "-":
            outcome = Outcome(Termination(ended), winner)
            self.game, self.is_end_signed = replace(self.game, outcome=outcome), False
            if outcome.termination in BY_BOARD and not self._is_end_of_board(outcome):
                raise DoesNotFollow(f"this position is no {ended} that ends {result}")
        is_lost = ended in _LOST_ON_TURN or (is_claim and ended == Termination.LEFT)
        if (ended in ("-", Termination.ABORTED)) != (result == "*"):
            raise DoesNotFollow(f"{ended} does not end {result}")
        if is_lost and winner == self.game.turn:
            raise DoesNotFollow(f"the player on turn does not win by {ended}")

    def _is_authors(self, event: VerifiedEvent, shown: str, *, is_move: bool) -> bool:
        """Whether the author may have said this: a move is for the player on turn, and so is an
        illegal one; who claims that the player on turn has left is the other; and a vacation
        changes a clock alone.
        """
        _, _, offer, _, _, _, ended = shown.split(" ")
        is_on_turn = self.game.color_of(event.pubkey) == self.game.turn
        is_word = event.kind == native.GAME_MOVE
        if is_word and event.content.startswith(VACATION):
            return not is_move and ended == "-" and _offer(offer) == self.game.offer
        if is_move or is_lines(event):
            return is_on_turn and is_move
        if ended == Termination.LEFT and is_word:
            return not is_on_turn and event.content == "claim-left"
        return is_on_turn or ended != Termination.ILLEGAL_MOVES

    def _is_end_of_board(self, outcome: Outcome) -> bool:
        board = self.game.board()
        if outcome.termination is Termination.CHECKMATE:
            return board.is_checkmate() and outcome.winner == (not board.turn)
        return board.is_stalemate() and outcome.winner is None

    def _charged(self, event: VerifiedEvent, line: Line, where: str) -> None:
        """Compare what the arbiter took off the mover's clock with both players' dates."""
        clocks, before = line.shown.split(" ")[3:5], self._before
        self._before = line.shown, event.created_at
        if before is None or "-" in (*clocks, *before[0].split(" ")[3:5]) or self.game.ply < 2:  # noqa: PLR2004 - clocks stand still
            return
        is_white = event.pubkey == self.of.white
        then = before[0].split(" ")[3:5][not is_white]
        taken_ms = int(then) - int(clocks[not is_white])
        dated_ms = (event.created_at - before[1]) * 1000
        if taken_ms > max(dated_ms, 0) + CLOCK_TOLERANCE_MS:
            player = "White" if is_white else "Black"
            text = f"{player} lost {taken_ms / 1000:.0f} s in {dated_ms / 1000:.0f} s by both dates"
            self.says.append(f"{where}: {text}")


def is_lines(event: NostrEvent | VerifiedEvent | None) -> bool:
    return event is not None and event.kind == native.GAME_MOVE and event.content.startswith(LINES)


def _is_unread(event: VerifiedEvent) -> bool:
    return is_lines(event) or (
        event.kind == native.GAME_MOVE and event.content.startswith(VACATION)
    )


def _answering(command: Command) -> Command:
    """The command as the answer to the state before it, where its kind answers any."""
    if isinstance(command, Unrecognized | ShowState | Tick):
        return command
    return replace(command, answers=AnsweredState.LATEST)


def _offer(text: str) -> Offer | None:
    kind, _, color = text.partition(":")
    return None if text == "-" else Offer(OfferKind(kind), color == "w")


def _without_clocks(state: str) -> str:
    ply, uci, offer, _, _, *ended = [*state.split(" "), "", "", "", "", ""][:7]
    return " ".join((ply, uci, offer, *ended))
