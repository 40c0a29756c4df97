"""The check of a transcript, with no word of the arbiter trusted but its signed note: what
signatures prove, what the rules say, what the arbiter alone says, and what is wrong.

Invariant: what is missing is said, and is never wrong; without a chain lines may be missing.
"""

import re
from dataclasses import dataclass, field

from chess import STARTING_FEN

from arbiter.core.chain import first_link, next_link
from arbiter.dialects import arbiter_events, native
from arbiter.dialects.registry import BY_KIND
from arbiter.nostr.event import ParseError, VerifiedEvent, all_tags, tag_value, verify
from arbiter.proof.states import BY_BOARD, SAID_BY_ARBITER, DoesNotFollow, ToldGame, is_lines
from arbiter.proof.transcript import Line, Transcript

_STATE = re.compile(r"[0-9]{1,6} \S+ \S+ (?:-?[0-9]{1,15} -?[0-9]{1,15}|- -) \S+ \S+")
"""The form of what a state shows."""

_TAG = re.compile(r'^\[(\w+) "([^"]*)"\]$', re.MULTILINE)
"""A tag of the note's PGN."""


@dataclass
class Checked:
    """Sentences: ``proven``, said by the arbiter alone (``says``), ``missing``, and ``wrong``."""

    proven: list[str] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def check(transcript: Transcript, note: VerifiedEvent | None = None) -> Checked:
    """The findings about this transcript, and about the arbiter's ``note`` (kind 64), if given."""
    return _Check(transcript).run(note)


class _Check:
    def __init__(self, transcript: Transcript) -> None:
        self.of, self.found = transcript, Checked()
        self.told = ToldGame(transcript)
        self.last, self.used = "", set[str]()
        self.is_cut = False

    def run(self, note: VerifiedEvent | None) -> Checked:
        requests = [it for it in self.of.lines if not it.shown]
        states = self.of.lines[len(requests) :]
        ids = [it.id for it in requests]
        for number, line in enumerate(requests, 1):
            self.signed(line, f"request {number}")
        if not all(it.shown for it in states) or ids != sorted(set(ids)) or (ids and self.of.first):
            self.wrong("the requests are not first, each once, by their ids")
            return self.found
        try:
            chain = bytes.fromhex(self.of.first) or first_link(self.of.game_id, ids)
            self.told.game.board()
        except ValueError:
            self.wrong("the game's id or its first position is none")
            return self.found
        if self.of.first or not (self.of.chain or requests):
            self.found.missing.append("the requests that the game was made of, and its terms")
        if not self.of.chain:
            self.found.missing.append(
                "the chain: a release that keeps none played a part of the game, so each line is "
                "by itself"
            )
        for number, line in enumerate(states, 1):
            self.follow(line, f"state {number}")
            if self.found.wrong:
                return self.found
            chain = next_link(chain, bytes.fromhex(line.id), line.shown)
        if self.of.chain and chain.hex() != self.of.chain:
            self.wrong("the links do not lead to the chain that the first line names")
        self.noted(note)
        self.concluded()
        return self.found

    def follow(self, line: Line, where: str) -> None:
        event = self.signed(line, where)
        if not _STATE.fullmatch(line.shown):
            self.wrong(f"{where}: it shows no state")
        if self.found.wrong or self.is_cut:
            return
        try:
            self.in_order(line)
            self.told.follow(line, where, event)
        except DoesNotFollow as flaw:
            if self.of.chain:
                self.wrong(f"{where}: {flaw}")
                return
            self.is_cut = True
            self.found.missing.append(f"what led to {where}, and so the position from there on")

    def wrong(self, text: str) -> None:
        self.found.wrong.append(text)

    def in_order(self, line: Line) -> None:
        """Raise DoesNotFollow for what no state can be. One event may make two or three."""
        is_new, is_used = line.id != self.last, line.id in self.used
        self.last = line.id
        self.used.add(line.id)
        is_move = line.shown.startswith(f"{self.told.game.ply + 1} ")
        if is_new and is_used and not (is_move and (line.event is None or is_lines(line.event))):
            raise DoesNotFollow("its event made an earlier state")
        if is_new and self.told.game.outcome:
            raise DoesNotFollow("the game was over")

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

    def noted(self, note: VerifiedEvent | None) -> None:
        if note is None:
            self.found.missing.append("the arbiter's note, by which it signed this history")
            return
        tags = {tag[0]: tag[1] for tag in reversed(note.tags) if len(tag) > 1}
        players = [tag[1] for tag in all_tags(note, "p")]
        is_whole = bool(self.of.chain)
        for is_right, text in (
            (note.kind == arbiter_events.PGN_NOTE, "the note is none"),
            (note.pubkey == self.of.arbiter, "the note is another arbiter's"),
            (tags.get("d") == self.of.game_id, "the note is of another game"),
            (players == [self.of.white, self.of.black], "the note names other players"),
            (self.is_begun_as(note), "the note has another first position, or another variant"),
            (
                not is_whole or tags.get("result") == self.told.game.result,
                "the note has another result",
            ),
            (
                not is_whole or tags.get("chain") == self.of.chain,
                "the arbiter signed another history: the chains differ",
            ),
        ):
            if not is_right:
                self.wrong(text)
                return
        if is_whole:
            self.found.proven.append("the arbiter signed this history, and its result")
        else:
            self.found.says.append(f"by its note the result is {tags.get('result')}")

    def is_begun_as(self, note: VerifiedEvent) -> bool:
        tags = {"FEN": STARTING_FEN, "Variant": "standard"} | dict(_TAG.findall(note.content))
        return (tags["FEN"], tags["Variant"].lower()) == (self.of.start_fen, self.of.variant)

    def concluded(self) -> None:
        if self.found.wrong:
            return
        signed = sum(it.event is not None for it in self.of.lines)
        game, outcome = self.told.game, self.told.game.outcome
        self.found.proven.append(
            f"the players signed {signed} of {len(self.of.lines)} lines, for this game"
        )
        self.found.proven.append(f"{game.ply} half-moves are legal, in this order")
        self.found.says += self.told.says
        if not (self.of.chain or outcome):
            self.shown_last()
        if outcome is None:
            return
        is_signed = self.told.is_end_signed and outcome.termination not in SAID_BY_ARBITER
        is_proven = is_signed or outcome.termination in BY_BOARD
        whose = self.found.proven if is_proven else self.found.says
        whose.append(f"the result is {outcome.result}, by {outcome.termination}")
        if any(it.shown and " - - " not in it.shown for it in self.of.lines):
            self.found.says.append(
                "what the clocks showed, by when the arbiter received each event"
            )

    def shown_last(self) -> None:
        """Note the end that the last state of a cut game shows, or that there is none."""
        *_, result, ended = f"- * - {self.of.lines[-1].shown if self.of.lines else ''}".split(" ")
        if result == "*" or ended == "-":
            self.found.missing.append("what followed the last state")
        else:
            self.found.says.append(f"the result is {result}, by {ended}")
