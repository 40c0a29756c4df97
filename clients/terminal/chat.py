"""Chat between players and among spectators, which does not pass the arbiter.

Invariant: it cannot flood the screen: more than five lines in ten seconds from one key are dropped,
and players are not shown spectators'.
"""

from dataclasses import replace

from clients.player.chat import MAX_CHAT_CHARS, ChatLine
from clients.player.events import SendLine
from clients.player.text import clean
from clients.terminal.blocking import MAX_LINES
from clients.terminal.game_notices import said
from clients.terminal.game_view import GameView
from clients.terminal.notices import NO_RELAY, refused_here, remark
from clients.terminal.outgoing import Step
from clients.terminal.session import Phase, Session

LINES_AT_ONCE = 5
AT_ONCE_SECONDS = 10.0


def say(session: Session, text: str, now: float) -> Step:
    """Send a line: a player's to the opponent alone, a spectator's in public."""
    game = session.game
    if game is None or game.state is None:
        return session, (refused_here("no-game", "There is no opponent to talk to before a game"),)
    if not session.links:
        return session, (NO_RELAY,)
    line = clean(text).strip()
    if len(line) > MAX_CHAT_CHARS:
        return session, (
            refused_here("too-long", f"A line is at most {MAX_CHAT_CHARS} characters"),
        )
    if not line:
        return session, ()
    counted = _counted(session, session.me, now)
    if counted is None:
        text = f"Not more than {LINES_AT_ONCE} lines in {AT_ONCE_SECONDS:.0f} seconds"
        return session, (refused_here("rate-limited", text),)
    opponent = None if game.watched else game.opponent
    sent = ChatLine(session.me, game.id, line, public=game.watched)
    to = session.server if _needs_carrier(game) else opponent
    return counted, (SendLine(game.id, line, to, game.watched), said(sent, mine=True))


def receive_line(session: Session, line: ChatLine, now: float) -> Step:
    """Show a line of this game, unless blocked, switched off, or one too many."""
    game = session.game
    if game is None or line.game != game.id or line.author in {session.me, *session.wire.blocked}:
        return session, ()
    if line.public:
        wanted = session.shows_spectators and (game.watched or session.phase is Phase.OVER)
    else:
        wanted = session.shows_players and line.author == game.opponent and not game.watched
    counted = _counted(session, line.author, now) if wanted else None
    name = game.name(line.author)
    if counted is None:
        return session, ()
    kept = replace(counted, chat_lines=(*counted.chat_lines, line)[-MAX_LINES:])
    return kept, (said(line, mine=False, name=name),)


def switch_chat(session: Session, whose: str | None, *, on: bool) -> Step:
    """Show a chat, or hide it."""
    if whose != "spectators":
        session = replace(session, shows_players=on)
    if whose != "players":
        session = replace(session, shows_spectators=on)
    what = f"The {whose}' chat" if whose else "The chat"
    return session, (remark("chat", f"{what} is {'on' if on else 'off'}"),)


def _needs_carrier(game: GameView) -> bool:
    """Whether a reader plays on another wire, which only the arbiter can reach."""
    stand_ins = game.state.stand_ins if game.state else ()
    return bool(stand_ins) if game.watched else game.opponent in stand_ins


def _counted(session: Session, author: str, now: float) -> Session | None:
    """The session with one more line of this key; None if it is one too many."""
    lately = tuple(each for each in session.recent_lines if now - each[1] < AT_ONCE_SECONDS)
    if sum(key == author for key, _ in lately) >= LINES_AT_ONCE:
        return None
    # Spectators are limited together too, however many keys they have.
    return replace(session, recent_lines=(*lately, (author, now))[-LINES_AT_ONCE * 20 :])
