"""The check of a transcript, with no word of the arbiter trusted but its signed note: what the
players' signatures prove, what the rules say, what the arbiter alone says, and what is wrong.
"""

import re
from dataclasses import dataclass, field, replace

from arbiter.core.chain import first_link, next_link, shown
from arbiter.core.commands import AnsweredState, Command, OfferKind, ShowState, Tick, Unrecognized
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination
from arbiter.core.moves import legal_move
from arbiter.core.rules import USUAL_RULES
from arbiter.dialects import arbiter_events, native
from arbiter.dialects.base import GameCommand
from arbiter.dialects.registry import BY_KIND
from arbiter.nostr.event import NostrEvent, ParseError, VerifiedEvent, all_tags, tag_value, verify
from arbiter.proof.transcript import Line, Transcript

LINES = "lines:"
"""How a 20303 begins that brings moves for the arbiter alone; each that it plays makes a state."""

VACATION = "vacation:"
"""How a 20303 begins that changes a clock and nothing else."""

BY_TIME = frozenset(
    {Termination.TIMEOUT, Termination.ABORTED, Termination.NO_SHOW, Termination.LEFT}
)
"""Ends for which a deadline suffices, or the time at which the operator ended the game."""

SAID_BY_ARBITER = BY_TIME | {Termination.ILLEGAL_MOVES}
"""Ends that no signature of a player proves."""

_BY_BOARD = frozenset({Termination.CHECKMATE, Termination.STALEMATE})
"""Ends that the moves prove without a player's word."""

_STATE = re.compile(r"[0-9]{1,6} \S+ \S+ (?:-?[0-9]{1,15} -?[0-9]{1,15}|- -) \S+ \S+")
"""The form of what a state shows."""

CLOCK_TOLERANCE_MS = 10_000
"""Charged beyond what both players' dates allow; their clocks may be off, and events wait."""


@dataclass
class Checked:
    """Sentences for people: what is ``proven``, what the arbiter ``says`` alone, what is
    ``missing``, and what is ``wrong``, each with its place.
    """

    proven: list[str] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def check(transcript: Transcript, note: VerifiedEvent | None = None) -> Checked:
    """The findings about this transcript; with the arbiter's ``note`` (kind 64) of the game also
    whether the arbiter signed this history.
    """
    return _Check(transcript).run(note)


class _Check:
    def __init__(self, transcript: Transcript) -> None:
        self.of, self.found = transcript, Checked()
        self.game = Game(
            id=transcript.game_id,
            white=Seat(transcript.white, native.NAME),
            black=Seat(transcript.black, native.NAME),
            created_at_ms=0,
            changed_at_ms=0,
            start_fen=transcript.start_fen,
            variant=transcript.variant,
        )
        self.before: tuple[str, int] | None = None
        self.is_end_signed = False

    def run(self, note: VerifiedEvent | None) -> Checked:
        requests = [it for it in self.of.lines if not it.shown]
        states = self.of.lines[len(requests) :]
        ids = [it.id for it in requests]
        if not all(it.shown for it in states) or ids != sorted(set(ids)) or (ids and self.of.first):
            self.wrong("the requests are not first, each once, by their ids")
            return self.found
        try:
            chain = bytes.fromhex(self.of.first) or first_link(self.of.game_id, ids)
            self.game.board()
        except ValueError:
            self.wrong("the game's id or its first position is none")
            return self.found
        for number, line in enumerate(requests, 1):
            self.signed(line, f"request {number}")
        if self.of.first:
            self.found.missing.append("the requests that the game was made of, and its terms")
        last, used = "", set[str]()
        for number, line in enumerate(states, 1):
            where = f"state {number}"
            self.in_order(line, where, is_new=line.id != last, is_used=line.id in used)
            last = line.id
            used.add(last)
            chain = next_link(chain, bytes.fromhex(line.id), line.shown)
            if not self.found.wrong:
                self.follow(line, where)
            if self.found.wrong:
                return self.found
        if chain.hex() != self.of.chain:
            self.wrong("the links do not lead to the chain that the first line names")
        self.noted(note)
        self.concluded()
        return self.found

    def follow(self, line: Line, where: str) -> None:
        if event := self.signed(line, where):
            self.applied(event, line, where)
        elif line.deadline_ms is not None:
            self.by_time(line, where)
        else:
            self.taken_over(line, where)

    def wrong(self, text: str) -> None:
        self.found.wrong.append(text)

    def in_order(self, line: Line, where: str, *, is_new: bool, is_used: bool) -> None:
        """Note what no state can be. One event may make two, one behind the other."""
        if not _STATE.fullmatch(line.shown):
            self.wrong(f"{where}: it shows no state")
        elif is_new and is_used and not self.may_repeat(line):
            self.wrong(f"{where}: its event made an earlier state")
        elif is_new and self.game.outcome:
            self.wrong(f"{where}: the game was over")

    def may_repeat(self, line: Line) -> bool:
        """Whether this may be one more move of a player's lines."""
        is_move = line.shown.startswith(f"{self.game.ply + 1} ")
        return is_move and (line.event is None or _is_lines(line.event))

    def signed(self, line: Line, where: str) -> VerifiedEvent | None:
        """The line's event, verified; None where there is none, or a wrong one."""
        if line.event is None:
            if line.deadline_ms is None:
                self.found.missing.append(f"{where}: the event {line.id} is not here")
            return None
        event = verify(line.event)
        if isinstance(event, ParseError):
            self.wrong(f"{where}: {event.text}")
        elif event.id != line.id:
            self.wrong(f"{where}: this is another event than the one of the line")
        elif event.pubkey not in (self.of.white, self.of.black):
            self.wrong(f"{where}: neither player signed it")
        elif event.kind not in BY_KIND:
            self.wrong(f"{where}: kind {event.kind} is of no game")
        elif event.kind in native.DIALECT.kinds and not self.is_addressed(event):
            self.wrong(f"{where}: it is for another arbiter")
        elif event.kind == native.GAME_MOVE and line.shown and self.is_elsewhere(event):
            self.wrong(f"{where}: it is of another game")
        else:
            return event
        return None

    def is_addressed(self, event: VerifiedEvent) -> bool:
        named = [tag[1] for tag in all_tags(event, "p") if len(tag) > 1]
        return not named or self.of.arbiter in named

    def is_elsewhere(self, event: VerifiedEvent) -> bool:
        return tag_value(event, "d") != self.of.game_id

    def applied(self, event: VerifiedEvent, line: Line, where: str) -> None:
        """Decide what this event says by the rules, and compare with what the line shows."""
        # By their dates, with each in time: lateness is the arbiter's to say.
        at_ms = event.created_at * 1000
        decoded = native.decode(event, at_ms) if event.kind == native.GAME_MOVE else None
        termination = line.shown.rpartition(" ")[2]
        is_abort = termination == Termination.ABORTED and event.content in ("abort", "quit")
        is_said = termination in SAID_BY_ARBITER and not is_abort
        if not isinstance(decoded, GameCommand) or is_said or _is_unread(event):
            # Signed, in words of another protocol, for the arbiter alone, or about a clock.
            self.taken_over(line, where, event)
            return
        self.charged(event, line, where)
        now_ms = max(at_ms, self.game.changed_at_ms)
        decision = decide(self.game, _answering(decoded.command), now_ms, USUAL_RULES)
        states = [decision.game, *(it.game for it in decision.replies if hasattr(it, "game"))]
        if any(_without_clocks(shown(it)) == _without_clocks(line.shown) for it in states if it):
            self.game, self.is_end_signed = decision.game, True
        elif decision.game is self.game:
            self.wrong(f"{where}: the rules refuse {event.content!r} here")
        else:
            self.wrong(f"{where}: {event.content!r} leads to '{shown(decision.game)}'")

    def by_time(self, line: Line, where: str) -> None:
        if line.shown.rpartition(" ")[2] not in BY_TIME:
            self.wrong(f"{where}: a deadline ends a game, and nothing else")
        else:
            self.taken_over(line, where)

    def taken_over(self, line: Line, where: str, event: VerifiedEvent | None = None) -> None:
        """The game as the line shows it, if its move is legal, and its author's to make."""
        try:
            ply, uci, offer, _, _, result, ended = line.shown.split(" ")
            now_ms, is_move = self.game.changed_at_ms, int(ply) == self.game.ply + 1
            if event is not None and not self.is_authors(event, line.shown, is_move=is_move):
                self.wrong(f"{where}: this was not for its author to say")
                return
            move = legal_move(self.game.board(), uci) if is_move else None
            if move is not None:
                self.by_lines(event, where)
                self.game = self.game.after(move, now_ms, None)
            elif is_move:
                self.wrong(f"{where}: {uci} is not legal")
                return
            elif int(ply) < self.game.ply:
                self.game = self.game.taken_back(self.game.ply - int(ply), now_ms)
            if int(ply) != self.game.ply or uci != (self.game.uci_moves() or ["-"])[-1]:
                self.wrong(f"{where}: it does not follow from the version before")
                return
            self.game = self.game.with_offer(_offer(offer), now_ms)
            self.ended(result, ended, where, is_claim=event is not None)
        except (ValueError, KeyError):
            self.wrong(f"{where}: it shows no state")

    def by_lines(self, event: VerifiedEvent | None, where: str) -> None:
        if _is_lines(event):
            whose = "White" if self.game.turn else "Black"
            text = f"half-move {self.game.ply + 1} is by {whose}'s lines, which it alone saw"
            self.found.says.append(f"{where}: {text}")

    def ended(self, result: str, ended: str, where: str, *, is_claim: bool) -> None:
        """Take over the end, if there is one. Raises ValueError and KeyError for none."""
        winner = _WINNER[result]
        if ended != "-":
            outcome = Outcome(Termination(ended), winner)
            self.game, self.is_end_signed = replace(self.game, outcome=outcome), False
            if outcome.termination in _BY_BOARD and not self.is_end_of_board(outcome):
                self.wrong(f"{where}: this position is no {ended} that ends {result}")
        is_lost = ended in _LOST_ON_TURN or (is_claim and ended == Termination.LEFT)
        if (ended in ("-", Termination.ABORTED)) != (result == "*"):
            self.wrong(f"{where}: {ended} does not end {result}")
        elif is_lost and winner == self.game.turn:
            self.wrong(f"{where}: the player on turn does not win by {ended}")

    def is_authors(self, event: VerifiedEvent, shown: str, *, is_move: bool) -> bool:
        """Whether the author may have said this: a move is for the player on turn, and so is an
        illegal one; who claims that the player on turn has left is the other; and a vacation
        changes a clock alone.
        """
        _, _, offer, _, _, _, ended = shown.split(" ")
        is_on_turn = self.game.color_of(event.pubkey) == self.game.turn
        is_word = event.kind == native.GAME_MOVE
        if is_word and event.content.startswith(VACATION):
            return not is_move and ended == "-" and _offer(offer) == self.game.offer
        if is_move or _is_lines(event):
            return is_on_turn and is_move
        if ended == Termination.LEFT and is_word:
            return not is_on_turn and event.content == "claim-left"
        return is_on_turn or ended != Termination.ILLEGAL_MOVES

    def is_end_of_board(self, outcome: Outcome) -> bool:
        board = self.game.board()
        if outcome.termination is Termination.CHECKMATE:
            return board.is_checkmate() and outcome.winner == (not board.turn)
        return board.is_stalemate() and outcome.winner is None

    def charged(self, event: VerifiedEvent, line: Line, where: str) -> None:
        """Compare what the arbiter took off the mover's clock with both players' dates."""
        clocks, before = line.shown.split(" ")[3:5], self.before
        self.before = line.shown, event.created_at
        if before is None or "-" in (*clocks, *before[0].split(" ")[3:5]) or self.game.ply < 2:  # noqa: PLR2004 - clocks stand still
            return
        is_white = event.pubkey == self.of.white
        then = before[0].split(" ")[3:5][not is_white]
        taken_ms = int(then) - int(clocks[not is_white])
        dated_ms = (event.created_at - before[1]) * 1000
        if taken_ms > max(dated_ms, 0) + CLOCK_TOLERANCE_MS:
            player = "White" if is_white else "Black"
            text = f"{player} lost {taken_ms / 1000:.0f} s in {dated_ms / 1000:.0f} s by both dates"
            self.found.says.append(f"{where}: {text}")

    def noted(self, note: VerifiedEvent | None) -> None:
        if note is None:
            self.found.missing.append("the arbiter's note, by which it signed this history")
            return
        tags = {tag[0]: tag[1] for tag in reversed(note.tags) if len(tag) > 1}
        players = [tag[1] for tag in all_tags(note, "p")]
        for is_right, text in (
            (note.kind == arbiter_events.PGN_NOTE, "the note is none"),
            (note.pubkey == self.of.arbiter, "the note is another arbiter's"),
            (tags.get("d") == self.of.game_id, "the note is of another game"),
            (players == [self.of.white, self.of.black], "the note names other players"),
            (tags.get("result") == self.game.result, "the note has another result"),
            (
                tags.get("chain") == self.of.chain,
                "the arbiter signed another history: the chains differ",
            ),
        ):
            if not is_right:
                self.wrong(text)
                return
        self.found.proven.append("the arbiter signed this history, and its result")

    def concluded(self) -> None:
        if self.found.wrong:
            return
        signed = sum(it.event is not None for it in self.of.lines)
        self.found.proven.append(
            f"the players signed {signed} of {len(self.of.lines)} lines, for this game"
        )
        self.found.proven.append(f"{self.game.ply} half-moves are legal, in this order")
        outcome = self.game.outcome
        if outcome is None:
            return
        is_signed = self.is_end_signed and outcome.termination not in SAID_BY_ARBITER
        is_proven = is_signed or outcome.termination in _BY_BOARD
        whose = self.found.proven if is_proven else self.found.says
        whose.append(f"the result is {outcome.result}, by {outcome.termination}")
        if any(it.shown and " - - " not in it.shown for it in self.of.lines):
            self.found.says.append(
                "what the clocks showed, by when the arbiter received each event"
            )


_LOST_ON_TURN = frozenset({Termination.TIMEOUT, Termination.ILLEGAL_MOVES})
"""Ends that the player on turn loses, or draws."""

_WINNER = {"1-0": WHITE, "0-1": BLACK, "1/2-1/2": None, "*": None}


def _is_unread(event: VerifiedEvent) -> bool:
    return _is_lines(event) or (
        event.kind == native.GAME_MOVE and event.content.startswith(VACATION)
    )


def _is_lines(event: NostrEvent | VerifiedEvent | None) -> bool:
    return event is not None and event.kind == native.GAME_MOVE and event.content.startswith(LINES)


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
