"""What players and spectators say to each other; the arbiter takes no part in it.

The law: nobody can drown a game in words. A line is cut and cleaned where it is read (wire.py);
here more than five lines in ten seconds from one key are dropped, a chat that is switched off is
silent, and spectators are not heard by who plays.
"""

from dataclasses import replace

from clients.terminal.effects import GameView, Refused, Remark, Said, SendChat, Source
from clients.terminal.outgoing import Step
from clients.terminal.session import Phase, Session
from clients.terminal.text import clean
from clients.terminal.wire import MAX_CHAT_CHARS, ChatLine

LINES_AT_ONCE = 5
AT_ONCE_SECONDS = 10.0


def say(session: Session, text: str, now: float) -> Step:
    """Say a line: to the opponent alone, or to everybody from among the spectators."""
    game = session.game
    if game is None or game.line is None:
        return session, (_no("no-game", "There is nobody to talk to before a game"),)
    if not session.links:
        return session, (_no("no-relay", "There is no relay just now: try again in a moment"),)
    line = clean(text).strip()
    if len(line) > MAX_CHAT_CHARS:
        return session, (_no("too-long", f"A line is at most {MAX_CHAT_CHARS} characters"),)
    if not line:
        return session, ()
    counted = _counted(session, session.me, now)
    if counted is None:
        text = f"Not more than {LINES_AT_ONCE} lines in {AT_ONCE_SECONDS:.0f} seconds"
        return session, (_no("rate-limited", text),)
    opponent = None if game.watched else game.opponent
    said = ChatLine(session.me, game.id, line, public=game.watched)
    carrier = session.server if _crosses(game) else None
    sent = SendChat(game.id, line, opponent, int(now), carrier)
    return counted, (sent, Said(said, mine=True))


def _crosses(game: GameView) -> bool:
    """Whether somebody is to hear it who plays on another wire, where only the arbiter speaks."""
    return bool(game.stand_ins) if game.watched else game.opponent in game.stand_ins


def hear_line(session: Session, line: ChatLine, now: float) -> Step:
    """A line that came; dropped where it has no business."""
    game = session.game
    if game is None or line.game_id != game.id or line.author == session.me:
        return session, ()
    if line.public:
        heard = session.hears_spectators and (game.watched or session.phase is Phase.OVER)
    else:
        heard = session.hears_players and line.author == game.opponent and not game.watched
    counted = _counted(session, line.author, now) if heard else None
    name = game.name(line.author)
    return (session, ()) if counted is None else (counted, (Said(line, mine=False, name=name),))


def hear_chat(session: Session, whose: str | None, *, on: bool) -> Step:
    """Switch a chat on or off."""
    if whose != "spectators":
        session = replace(session, hears_players=on)
    if whose != "players":
        session = replace(session, hears_spectators=on)
    what = f"The {whose}' chat" if whose else "The chat"
    return session, (Remark("chat", f"{what} is {'on' if on else 'off'}"),)


def _counted(session: Session, author: str, now: float) -> Session | None:
    """The session with one more line of this key; None if it is one too many."""
    lately = tuple(said for said in session.lines_heard if now - said[1] < AT_ONCE_SECONDS)
    if sum(key == author for key, _ in lately) >= LINES_AT_ONCE:
        return None
    # What spectators say is bounded too, however many keys they have.
    return replace(session, lines_heard=(*lately, (author, now))[-LINES_AT_ONCE * 20 :])


def _no(code: str, text: str) -> Refused:
    return Refused(Source.CLIENT, code, text)
