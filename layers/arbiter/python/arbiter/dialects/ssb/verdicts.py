"""Public verdicts on what players write on SSB, and results of refereed games.

Invariant: each player, reason and position has one verdict, and feeds without a seat share theirs,
since feeds cost nothing.
"""

from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.replies import ClaimRejected, Reason, Rejected
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.outgoing import SsbMessage
from arbiter.dialects.ssb import messages
from arbiter.dialects.ssb.address import NAME, feed_of, root_of

_FOR_ALL_OTHERS = "only what its two players say counts"
"""The first feed without a seat gets the verdict that is true of all of them."""


def is_agreed(reply: Rejected, context: ReplyContext) -> bool:
    """Whether the refused event states, too late, how the game has ended anyway."""
    envelope, game = messages.answered_envelope(context), reply.game
    if reply.reason is not Reason.GAME_OVER or envelope is None or game is None or reply.about:
        return False
    content, color, outcome = (
        messages.read_content(envelope.content),
        game.color_of(reply.author),
        game.outcome,
    )
    if not isinstance(content, messages.GameEnd) or outcome is None:
        return False
    match content.end:
        case messages.End.MATE:
            return outcome == Outcome(Termination.CHECKMATE, color)
        case messages.End.DRAW:
            return outcome.result == "1/2-1/2"
        case messages.End.RESIGNED:
            return outcome.termination is Termination.RESIGNATION and outcome.winner != color


def _flaw(envelope: messages.SsbEnvelope) -> str | None:
    """The fault of an envelope that is no command, for its author; None: it was sent at all."""
    content = messages.read_content(envelope.content)
    if isinstance(content, messages.Move | messages.GameEnd):
        return "moves and ends of games must be public"
    return content if isinstance(content, str) else None


def _players(envelope: messages.SsbEnvelope | None) -> tuple[str, ...]:
    """The feeds whose game an envelope is about, whether or not it has begun."""
    return (envelope.inviter, envelope.invite.inviting) if envelope else ()


def verdict(
    reply: Rejected | ClaimRejected, reason: str, text: str, context: ReplyContext
) -> tuple[SsbMessage, ...]:
    """The verdict on a player's message, once for each position; in private on a private one."""
    game, envelope = reply.game, messages.answered_envelope(context)
    color = game.color_of(reply.author) if game else None
    if game is not None and color is not None and game.seat(color).dialect == NAME:
        feed, root = feed_of(game.seat(color)), root_of(game.seat(color))
    elif envelope is not None and not reply.about and envelope.inviter != envelope.invite.inviting:
        # Not for a feed that invites itself.
        feed, root = envelope.author, envelope.root
    else:
        return ()
    is_direct = envelope is not None and not reply.about
    if is_direct and envelope is not None and reason == Reason.MALFORMED:
        text = _flaw(envelope) or text
    has_seat = color is not None or feed in _players(envelope)
    if not has_seat:
        text = f"{text}; {_FOR_ALL_OTHERS}"
    ply = game.ply if game else None
    named = {
        "reason": str(reason),
        "about": messages.key_of(reply.about or context.event_key),
        "text": text,
    }
    content = {
        "type": "chess_chat",
        "root": root,
        "msg": f"Arbiter: {text}",
        "verdict": named if ply is None else {**named, "ply": ply},
    }
    recps = (feed,) if is_direct and envelope is not None and envelope.is_private else ()
    is_fork = envelope is not None and envelope.forked
    # A bridge reports a fork at each start; its verdict is the same at any ply.
    at_ply = None if is_fork else ply
    who = feed if has_seat else ("others", bool(recps))
    what = (who, str(reason), at_ply, text if reason == "disputed" else "")
    return (SsbMessage(messages.id_of(root, "verdict", *what), root, content, recps),)


def result(game: Game) -> tuple[SsbMessage, ...]:
    """The result of a refereed game, for players who believe in another one."""
    if game.outcome is None:
        return ()
    how = game.outcome.termination
    fields: dict[str, object] = {
        "type": "chess_chat",
        "msg": f"Arbiter: {game.result}, {how}. Every move was checked.",
        "verdict": {"reason": "result", "result": game.result, "termination": str(how)},
    }
    return (messages.publicly(root_of(game.white), fields, "result"),)
