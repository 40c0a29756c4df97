"""What the arbiter says against a player's word on Scuttlebutt. Pure.

The law: a verdict changes nothing, and there is one of a kind: each player, reason and position has
its own, so that nobody can fill our log by filling his. All who have no seat have one of a reason
in a game, between them, for feeds cost nothing to make.
"""

from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.replies import ClaimRejected, Reason, Rejected
from arbiter.dialects.base import ReplyContext, SsbMessage
from arbiter.dialects.ssb.address import NAME, feed_of, root_of
from arbiter.dialects.ssb.messages import (
    End,
    GameEnd,
    Move,
    SsbEnvelope,
    heard_envelope,
    id_of,
    key_of,
    publicly,
    read_content,
)

_FOR_ALL_OTHERS = "only what its two players say counts"
"""The first one without a seat is told what is true of the next ones, who are told nothing."""


def is_agreed(reply: Rejected, telling: ReplyContext) -> bool:
    """Whether a refusal is of a word that says, too late, what is true anyway."""
    letter, game = heard_envelope(telling), reply.game
    if reply.reason is not Reason.GAME_OVER or letter is None or game is None or reply.about:
        return False
    content, color, outcome = (
        read_content(letter.content),
        game.color_of(reply.author),
        game.outcome,
    )
    if not isinstance(content, GameEnd) or outcome is None:
        return False
    match content.end:
        case End.MATE:
            return outcome == Outcome(Termination.CHECKMATE, color)
        case End.DRAW:
            return outcome.result == "1/2-1/2"
        case End.RESIGNED:
            return outcome.termination is Termination.RESIGNATION and outcome.winner != color


def _flaw(letter: SsbEnvelope) -> str | None:
    """What is wrong with a letter that is no command, for its author to read; None if it is that it
    was written at all.
    """
    content = read_content(letter.content)
    if isinstance(content, Move | GameEnd):
        return "moves and ends are said in public"
    return content if isinstance(content, str) else None


def _players(letter: SsbEnvelope | None) -> tuple[str, ...]:
    """The feeds whose game a letter is about, be it begun or not."""
    return (letter.inviter, letter.invite.inviting) if letter else ()


def verdict(
    reply: Rejected | ClaimRejected, reason: str, text: str, telling: ReplyContext
) -> tuple[SsbMessage, ...]:
    """What was wrong with a player's word, for all who read his log: each thing once in a position.

    What he said in private is answered in private.
    """
    game, letter = reply.game, heard_envelope(telling)
    color = game.color_of(reply.author) if game else None
    if game is not None and color is not None and game.seat(color).dialect == NAME:
        feed, root = feed_of(game.seat(color)), root_of(game.seat(color))
    elif letter is not None and not reply.about and letter.inviter != letter.invite.inviting:
        # Who invites himself is none of our business.
        feed, root = letter.author, letter.root
    else:
        return ()
    is_heard = letter is not None and not reply.about
    if is_heard and letter is not None and reason == Reason.MALFORMED:
        text = _flaw(letter) or text
    has_seat = color is not None or feed in _players(letter)
    if not has_seat:
        text = f"{text}; {_FOR_ALL_OTHERS}"
    ply = game.ply if game else None
    named = {"reason": str(reason), "about": key_of(reply.about or telling.event_key), "text": text}
    content = {
        "type": "chess_chat",
        "root": root,
        "msg": f"Arbiter: {text}",
        "verdict": named if ply is None else {**named, "ply": ply},
    }
    recps = (feed,) if is_heard and letter is not None and letter.is_private else ()
    is_fork = letter is not None and letter.forked
    # A fork is told of at each start, and stays what it was wherever the game stands by then.
    place = None if is_fork else ply
    who = feed if has_seat else ("others", bool(recps))
    said = (who, str(reason), place, text if reason == "disputed" else "")
    return (SsbMessage(id_of(root, "verdict", *said), root, content, recps),)


def result(game: Game) -> tuple[SsbMessage, ...]:
    """That a game which we judged is over, and how, for whoever believed in another end."""
    if game.outcome is None:
        return ()
    how = game.outcome.termination
    fields: dict[str, object] = {
        "type": "chess_chat",
        "msg": f"Arbiter: {game.result}, {how}. Every move was checked.",
        "verdict": {"reason": "result", "result": game.result, "termination": str(how)},
    }
    return (publicly(root_of(game.white), fields, "result"),)
