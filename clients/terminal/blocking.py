"""Players whom the player blocks, and reports about players to the arbiter's operator."""

from arbiter.nostr.nip19 import pubkey_in
from clients.player import drafts
from clients.player.chat import ChatLine
from clients.player.events import Send
from clients.player.text import clean
from clients.terminal.notices import NO_RELAY, Notice, refused_here, remark
from clients.terminal.outgoing import Step, dated, request
from clients.terminal.session import Session
from clients.terminal.text import short_key

MAX_LINES = 10
"""Lines of chat that are kept, and that a report discloses."""

REPORT_TYPES = ("profanity", "spam", "impersonation", "illegal", "other")
"""Types of NIP-56 that happen at chess."""

_NO_PLAYER = refused_here("no-player", "Which player? Give an npub, or play against them")


def block(session: Session, whom: str, now: float, *, blocks: bool) -> Step:
    """Block this player, or the opponent; or take it back."""
    player = pubkey_in(whom) if whom else _opponent(session)
    if player is None or player == session.me:
        return session, (_NO_PLAYER,)
    if not session.links:
        return session, (NO_RELAY,)
    return request(session, f"{'block' if blocks else 'unblock'}:{player}", now)


def list_blocked(session: Session, _: float) -> Step:
    """Show whom the player blocks."""
    return session, (blocked_shown(session.wire.blocked),)


def blocked_shown(keys: tuple[str, ...]) -> Notice:
    """The players who are blocked."""
    named = ", ".join(map(short_key, keys))
    text = f"You block {named}: unblock takes it back" if keys else "You block no player"
    return Notice("blocked", text, {"players": list(keys)})


def report(session: Session, rest: str, now: float) -> Step:
    """Report the opponent: a type, numbers of disclosed lines, a text; else show the lines."""
    player, game = _opponent(session), session.game
    if player is None or game is None:
        return session, (_NO_PLAYER,)
    lines = tuple(
        line for line in session.chat_lines if line.author == player and line.game == game.id
    )
    kind, numbers, text = _read(rest)
    if kind is None and not numbers and not text:
        return session, (_lines_shown(lines),)
    if any(not 1 <= number <= len(lines) for number in numbers):
        return session, (refused_here("no-line", "report lists the lines, with their numbers"),)
    if not session.links:
        return session, (NO_RELAY,)
    disclosed = [("chat", lines[number - 1].text) for number in sorted(numbers)]
    about = (("p", player, kind or "other"), ("d", game.id), *disclosed)
    at = dated(session, now)
    draft = drafts.report(session.me, session.server, at, about, clean(text))
    told = (
        f"Your report of {short_key(player)} goes to the operator, with {len(disclosed)} lines of "
        "chat; others on the relays can read it. Five a day are kept"
    )
    return session, (Send(draft), remark("reported", told))


def _read(rest: str) -> tuple[str | None, set[int], str]:
    """The type, the numbers of lines, and the text of a report."""
    words = rest.split()
    kind = words.pop(0).lower() if words and words[0].lower() in REPORT_TYPES else None
    numbers: set[int] = set()
    while words and words[0].isascii() and words[0].isdecimal() and len(words[0]) <= len("10"):
        numbers.add(int(words.pop(0)))
    return kind, numbers, " ".join(words)


def _lines_shown(lines: tuple[ChatLine, ...]) -> Notice:
    shown = [f"{number:>3}  {line.text}" for number, line in enumerate(lines, 1)]
    shown.append("report spam 1 2 TEXT tells the operator, with these lines, or without")
    fields = {"code": "report-lines", "text": "\n".join(shown)}
    return Notice("remark", fields["text"], fields, stays=True)


def _opponent(session: Session) -> str | None:
    """The opponent in the game on the board, if they have a key of their own."""
    game = session.game
    if game is None or game.watched or game.state is None:
        return None
    return None if game.opponent in game.state.stand_ins else game.opponent
