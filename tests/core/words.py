"""A game told in one line of text, and what it comes to.

Words of the line: a move in SAN or UCI, by the side to move; ``W:draw``, said by White (``B:``
Black, ``E:`` a stranger); ``+1500``, so many milliseconds later (``+3d``, days); ``tick``, a timer.
Said can be ``draw``, ``takeback``, ``rematch`` and ``abort-offer``, each with ``no-`` before it to
decline it, or ``!`` behind it (only after one's own move); ``claim``, ``resign``, ``abort``,
``quit``, ``flag``, ``claim-left=5`` (away for so many milliseconds), ``vacation=5`` (days),
``state``, ``what?`` (unreadable), or a move in UCI: ``e2e4#1`` says which half-move it is,
``=draw`` what it ends in, ``~older`` which state it answers. ``lines=e2e4,e7e5/d2d4,d7d5`` sets
lines, ``lines`` asks for them. ``@-5`` after a word: dated so many milliseconds off. Of the next
word alone: ``received=-5``, so many milliseconds before it is decided, ``paused=5``, and
``public``. ``8*(...)``: so often.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import chess

from arbiter.core.clocks import DAY_MS
from arbiter.core.commands import (
    Abort,
    AnsweredState,
    CallFlag,
    ClaimDraw,
    ClaimLeft,
    Command,
    DeclineOffer,
    Ends,
    MakeOffer,
    OfferKind,
    PlayMove,
    Quit,
    Resign,
    SetLines,
    ShowLines,
    ShowState,
    TakeVacation,
    Tick,
    Unrecognized,
)
from arbiter.core.decide import decide
from arbiter.core.game import Game, StateVersion
from arbiter.core.replies import (
    Decision,
    GameChanged,
    GameEnded,
    LinesTold,
    MovePlayed,
    Reason,
    Rejected,
    RematchAgreed,
    StateShown,
)
from arbiter.dialects.lines import text_of
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game

COLORS = {"W": chess.WHITE, "B": chess.BLACK}
PLAYERS = {"W": ALICE, "B": BOB, "E": EVE}
WORDS: dict[str, type[Abort | Quit | Resign | CallFlag | ShowState | Unrecognized]] = {
    "abort": Abort,
    "quit": Quit,
    "resign": Resign,
    "flag": CallFlag,
    "state": ShowState,
    "what?": Unrecognized,
}


def command(word: str, game: Game, now_ms: int) -> Command:  # noqa: C901 - a line a word
    """The command that a word of a line means, received at this time."""
    if word == "tick":
        return Tick()
    text, _, off = word.partition("@")
    who, colon, said = text.partition(":")
    if not colon:
        who, said = ("W" if game.turn else "B"), game.board().parse_san(text).uci()
    player, made_at_ms = PLAYERS[who].pubkey, now_ms + int(off or 0)
    kinds = {
        kind.value if kind is not OfferKind.ABORT else "abort-offer": kind for kind in OfferKind
    }
    if (offered := said.removesuffix("!")) in kinds:
        late = said.endswith("!")
        return MakeOffer(player, kinds[offered], made_at_ms, only_after_own_move=late)
    if said.removeprefix("no-") in kinds:
        return DeclineOffer(player, kinds[said.removeprefix("no-")], made_at_ms)
    if said == "lines":
        return ShowLines(player)
    if said.startswith("lines="):
        text, _, answers = said.removeprefix("lines=").partition("~")
        return SetLines(
            player=player,
            made_at_ms=made_at_ms,
            event_key=sha256(text.encode()).digest(),
            lines=tuple(tuple(line.split(",")) for line in filter(None, text.split("/"))),
            answers=AnsweredState[(answers or "latest").upper()],
        )
    if said == "claim":
        return ClaimDraw(player, made_at_ms)
    if said.startswith("claim-left="):
        return ClaimLeft(player, made_at_ms, away_ms=int(said.removeprefix("claim-left=")))
    if said.startswith("vacation="):
        days, _, named = said.removeprefix("vacation=").partition("~")
        state = AnsweredState[(named or "unsaid").upper()]
        return TakeVacation(player, int(days), made_at_ms, state)
    if said in ("abort", "quit", "resign") and off:
        made: Any = WORDS[said]
        return made(player, made_at_ms)  # type: ignore[no-any-return]
    if said in WORDS:
        return WORDS[said](player)
    said, _, answers = said.partition("~")
    said, _, ends = said.partition("=")
    uci, _, ply = said.partition("#")
    how: dict[str, Any] = {"ply": int(ply)} if ply else {}
    how |= {"ends": Ends[ends.upper()]} if ends else {}
    how |= {"answers": AnsweredState[answers.upper()]} if answers else {}
    return PlayMove(player=player, uci=uci, made_at_ms=made_at_ms, received_at_ms=now_ms, **how)


def steps(
    line: str, game: Game, now_ms: int = NOW_MS, **how: Any
) -> Iterator[tuple[Game, Decision]]:
    """The game before each word and the decision on it; ``how`` as for ``decide``."""
    line = re.sub(r"(\d+)\*\(([^)]*)\)", lambda it: int(it[1]) * f" {it[2]} ", line)
    more: dict[str, Any] = {}
    for word in line.split():
        name, _, value = word.partition("=")
        if later := re.fullmatch(r"([+-]\d+)(d?)", word):
            now_ms += int(later[1]) * (DAY_MS if later[2] else 1)
        elif name == "paused":
            more["paused_ms"] = int(value)
        elif name == "received":
            more["received_at_ms"] = now_ms + int(value)
        else:
            said = command(word, game, more.get("received_at_ms", now_ms))
            decision = decide(game, said, now_ms, **how, **more)
            _check(game, decision, said)
            yield game, decision
            game, more = decision.game, {}


def told(line: str, game: Game | None = None, now_ms: int = NOW_MS, **how: Any) -> Decision:
    """The decision on the last word of the line."""
    game = game or a_game()
    *_, (_, decision) = (game, Decision(game, ())), *steps(line, game, now_ms, **how)
    return decision


def _check(before: Game, decision: Decision, said: Command) -> None:
    """Of every decision: what is sent of it, and how the versions of the state go on."""
    after = decision.game
    assert len(before.board().move_stack) == before.ply, "a refused move is left on the board"
    refused = [it for it in decision.replies if isinstance(it, Rejected)]
    for it in refused:
        assert (it.game, it.about) == (
            after if after.color_of(said.player) is not None else None,
            "",
        )
        assert (StateShown(after, None) in decision.replies) == (it.reason is Reason.STALE)
    news = [it for it in decision.replies if not isinstance(it, Rejected | StateShown | LinesTold)]
    if after.state_version == before.state_version:
        assert news == []
        assert after.moves == before.moves
        assert after.outcome == before.outcome
        return
    assert after.state_version > before.state_version
    if after.outcome is not None and before.outcome is None:
        assert news == [GameEnded(after)]
        assert (after.offer, after.earlier_versions) == (None, ())
    elif after.ply > before.ply:
        assert news == [MovePlayed(after)]
        assert after.earlier_versions == ()
    else:
        assert news in ([GameChanged(after)], [RematchAgreed(after)])
        if after.ply == before.ply:
            was = StateVersion(before.state_version, before.changed_at_ms, before.offer)
            assert after.earlier_versions[-1] == was


def summary(decision: Decision) -> str:
    """The end of the line in a few words: why its last word was refused, how the game ended, what
    is offered, or which half-move was played.
    """
    game, outcome = decision.game, decision.game.outcome
    refusals = [it for it in decision.replies if isinstance(it, Rejected)]
    if refusals:
        *_, refusal = refusals
        ended = any(isinstance(it, GameEnded) for it in decision.replies)
        struck = f" {game.white_strikes}-{game.black_strikes}" if refusal.is_strike else ""
        why = f"{refusal.reason}{struck}"
        return f"{why}, {_end(game)}" if ended else why
    for told in decision.replies:
        if isinstance(told, LinesTold):
            return f"{_side(told.color)} is told {lines_word(game, told.color)}"
    if game.offer is not None:
        return f"{_side(game.offer.color)} offers {game.offer.kind}"
    if any(isinstance(it, RematchAgreed) for it in decision.replies):
        return "rematch"
    return _end(game) if outcome else f"ply {game.ply}"


def lines_word(game: Game, color: chess.Color) -> str:
    """The lines of this colour as they are set; ``-`` for none."""
    return text_of(game.lines[color]).strip().replace("\n", "/").replace(" ", ",") or "-"


def _end(game: Game) -> str:
    assert game.outcome is not None
    by = game.outcome.aborted_by
    blamed = "" if by is None else f" by {_side(by)}"
    return f"{game.result} {game.outcome.termination}{blamed}"


def _side(color: bool) -> str:  # noqa: FBT001 - a colour of python-chess
    return "White" if color else "Black"
