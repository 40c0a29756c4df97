"""A game told in one line of text, and what it comes to.

Words of the line: a move in SAN or UCI, by the side to move; ``W:draw``, said by White (``B:``
Black, ``E:`` a stranger); ``+1500``, so many milliseconds later; ``tick``, a timer. Said can be
``draw``, ``takeback``, ``rematch`` and ``abort-offer``, each with ``no-`` before it to decline it;
``claim``, ``resign``, ``abort``, ``quit``, ``flag``, ``state``, ``what?`` (unreadable), or a move
in UCI. ``@-5`` after a word: dated so many milliseconds off.
"""

import re
from typing import Any

from arbiter.core.commands import (
    Abort,
    CallFlag,
    ClaimDraw,
    Command,
    DeclineOffer,
    MakeOffer,
    OfferKind,
    PlayMove,
    Quit,
    Resign,
    ShowState,
    Tick,
    Unrecognized,
)
from arbiter.core.decide import decide
from arbiter.core.game import Game, StateVersion
from arbiter.core.replies import (
    Decision,
    GameChanged,
    GameEnded,
    MovePlayed,
    Reason,
    Rejected,
    RematchAgreed,
    StateShown,
)
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game

DRAW, TAKEBACK, REMATCH, ABORT = OfferKind
ROUND = "Nf3 Nf6 Ng1 Ng8"
PLAYERS = {"W": ALICE, "B": BOB, "E": EVE}
WORDS: dict[str, type[Abort | Quit | Resign | CallFlag | ShowState | Unrecognized]] = {
    "abort": Abort,
    "quit": Quit,
    "resign": Resign,
    "flag": CallFlag,
    "state": ShowState,
    "what?": Unrecognized,
}


def command(word: str, game: Game, now_ms: int) -> Command:
    """The command that a word of a line means, at this time."""
    if word == "tick":
        return Tick()
    text, _, off = word.partition("@")
    who, colon, said = text.partition(":")
    if not colon:
        who, said = ("W" if game.turn else "B"), game.board().parse_san(text).uci()
    player, made_at_ms = PLAYERS[who].pubkey, now_ms + int(off or 0)
    kinds = {kind.value if kind is not ABORT else "abort-offer": kind for kind in OfferKind}
    if said in kinds:
        return MakeOffer(player, kinds[said], made_at_ms)
    if said.removeprefix("no-") in kinds:
        return DeclineOffer(player, kinds[said.removeprefix("no-")], made_at_ms)
    if said == "claim":
        return ClaimDraw(player, made_at_ms)
    if said in ("abort", "quit", "resign") and off:
        made: Any = WORDS[said]
        return made(player, made_at_ms)  # type: ignore[no-any-return]
    if said in WORDS:
        return WORDS[said](player)
    return PlayMove(player=player, uci=said, made_at_ms=made_at_ms, received_at_ms=now_ms)


def told(line: str, game: Game | None = None, now_ms: int = NOW_MS, **how: Any) -> Decision:
    """The decision on the last word of the line; ``how`` as for ``decide``, for that word alone."""
    game = game or a_game()
    decision = Decision(game, ())
    words = line.split()
    for at, word in enumerate(words, 1):
        if re.fullmatch(r"\+\d+", word):
            now_ms += int(word)
            continue
        more = how if at == len(words) else {}
        decision = decide(game, command(word, game, now_ms), now_ms, **more)
        _check(game, decision)
        game = decision.game
    return decision


def _check(before: Game, decision: Decision) -> None:
    """Of every decision: what is sent of it, and how the versions of the state go on."""
    after = decision.game
    news = [it for it in decision.replies if not isinstance(it, Rejected | StateShown)]
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


def comes_to(line: str, game: Game | None = None, now_ms: int = NOW_MS, **how: Any) -> str:
    """The end of the line in a few words: why its last word was refused, how the game ended, what
    is offered, or which half-move was played.
    """
    return summary(told(line, game, now_ms, **how))


def summary(decision: Decision) -> str:
    game, outcome = decision.game, decision.game.outcome
    refusals = [it for it in decision.replies if isinstance(it, Rejected)]
    if refusals:
        *_, refusal = refusals
        ended = any(isinstance(it, GameEnded) for it in decision.replies)
        struck = f" {game.white_strikes}-{game.black_strikes}" if refusal.is_strike else ""
        why = f"{refusal.reason}{struck}"
        return f"{why}, {_end(game)}" if ended else why
    if game.offer is not None:
        return f"{_side(game.offer.color)} offers {game.offer.kind}"
    if any(isinstance(it, RematchAgreed) for it in decision.replies):
        return "rematch"
    return _end(game) if outcome else f"ply {game.ply}"


def _end(game: Game) -> str:
    assert game.outcome is not None
    by = game.outcome.aborted_by
    blamed = "" if by is None else f" by {_side(by)}"
    return f"{game.result} {game.outcome.termination}{blamed}"


def _side(color: bool) -> str:  # noqa: FBT001 - a colour of python-chess
    return "White" if color else "Black"


def offer(game: Game, key: SecretKey, kind: OfferKind = DRAW, now_ms: int = NOW_MS) -> Decision:
    return decide(game, MakeOffer(key.pubkey, kind, now_ms), now_ms)


def reason(decision: Decision) -> Reason:
    """Why a command was refused, when nothing else is said of it."""
    *shown, reply = decision.replies
    assert isinstance(reply, Rejected)
    # A player who answers an older state has missed the present one.
    assert shown == ([StateShown(decision.game, None)] if reply.reason is Reason.STALE else [])
    return reply.reason
