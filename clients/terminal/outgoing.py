"""The session's requests to the shell, and the events that it asks the shared one to send."""

from dataclasses import dataclass, replace

from arbiter.nostr.filters import Filter
from clients.player import drafts
from clients.player import outgoing as wire
from clients.player.drafts import PEOPLE
from clients.player.events import Send, SendLine
from clients.player.messages import MOVE_TEXT, Challenged
from clients.player.model import Mine, Open
from clients.player.terms import terms_tags
from clients.terminal.game_notices import kept, sent
from clients.terminal.game_view import GameView
from clients.terminal.notices import NO_RELAY, Notice
from clients.terminal.session import Phase, Session


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Subscribe to these by this name, in place of former ones."""

    name: str
    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Save:
    """Write the text to a file the player named."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Seal:
    """Encrypt these lines for the arbiter, and give them back as ``Sealed``."""

    game: str
    text: str


@dataclass(frozen=True, slots=True)
class Leave:
    """End the program with this exit code."""

    code: int


Effect = Send | Mine | SendLine | Seal | Subscribe | Save | Leave | Notice

Step = tuple[Session, tuple[Effect, ...]]

CHAT = "chat"
"""A subscription apart: chat is subscribed to game by game, and its stored events do not matter."""

_GIVES_UP = frozenset({"quit", "abort"})


def ms(now: float) -> int:
    return round(now * 1000)


def ask(session: Session, now: float) -> Step:
    """Send a request to play on the session's terms, or accept a challenge."""
    content = session.answer
    tags: tuple[tuple[str, ...], ...] = (("proof", session.proof),) if session.proof else ()
    if not content:
        tags = terms_tags(session.terms)
        if not tags and any(it.state.result is None for it in session.wire.games.values()):
            # To a request without any terms the answer is a game that goes on.
            tags = (("mode", "casual"),)
    # A challenge takes the place of the request that waits in a pool.
    before = replace(session.wire, seek=None)
    after, handle, effects = wire.ask(before, content, ms(now), tags)
    phase = Phase.ASKING if session.phase is Phase.CONNECTING else session.phase
    return replace(session, wire=after, asked=handle, phase=phase), effects


def request(session: Session, content: str, now: float) -> Step:
    """Send another 20300."""
    after, _, effects = wire.ask(session.wire, content, ms(now))
    return replace(session, wire=after), effects


def command(
    session: Session, event: str, word: str, now: float, tags: tuple[tuple[str, ...], ...] = ()
) -> Step:
    """Send a word about an event."""
    after, _, effects = wire.command(session.wire, event, word, ms(now), tags)
    return replace(session, wire=after), effects


def say(session: Session, content: str, now: float, *, quietly: bool = False) -> Step:
    """Send a move or a word in the game on the board; ``quietly``: without any notice."""
    game = session.game
    return say_about(session, game.id if game else "", content, now, quietly=quietly)


def say_about(
    session: Session, about: str, content: str, now: float, *, quietly: bool = False
) -> Step:
    """As `say`, in this game."""
    waits = MOVE_TEXT.fullmatch(content) or content in _GIVES_UP
    if about not in session.wire.games or not (session.links or waits):
        return session, (NO_RELAY,)
    after, handle, effects = wire.say(session.wire, about, content, ms(now), quiet=quietly)
    session = replace(session, wire=after)
    if quietly or not effects:
        return session, effects
    san = said(session.game, after.open[handle])
    told = sent(content, san, handle, again=False) if session.links else kept(san)
    return session, (*effects, told)


def pending(session: Session) -> Open | None:
    """The move on the board that the arbiter has not confirmed, or the word that gives it up."""
    game = session.game
    for one in session.wire.open.values():
        waits = MOVE_TEXT.fullmatch(one.content) or one.content in _GIVES_UP
        if game is not None and one.game == game.id and waits and one.refused is None:
            return one
    return None


def said(game: GameView | None, one: Open) -> str:
    """A move in SAN where its position is on the board; any other word as it is."""
    state = game.state if game is not None else None
    if state is None or state.position != one.position or not MOVE_TEXT.fullmatch(one.content):
        return one.content
    board = state.board()
    return board.san(board.parse_uci(one.content))


def own_challenge(session: Session) -> str | None:
    """The id of our last challenge that waits."""
    return next((it.id for it in reversed([*session.wire.made.values()])), None)


def waiting_challenges(session: Session) -> tuple[Challenged, ...]:
    """The challenges to us that wait for an answer."""
    said = {one.content.split(":")[1] for one in session.wire.open.values() if ":" in one.content}
    return tuple(it for it in session.wire.challenges.values() if it.id not in said)


def look_up(session: Session) -> Subscribe:
    """Ask for the profiles and ratings of the players, and of those who challenge us."""
    return Subscribe(PEOPLE, drafts.people_wanted(session.server, players_to_know(session)))


def tune_in(session: Session, game: GameView, now: float, *, public: bool) -> Subscribe:
    """Subscribe to the chat of this game: the opponent's lines, with ``public`` the spectators'."""
    author = None if game.watched else game.chat_author(session.server)
    at = dated(session, now)
    return Subscribe(
        CHAT, drafts.chat_wanted(game.id, session.me, opponent=author, public=public, since=at)
    )


def players_to_know(session: Session) -> tuple[str, ...]:
    """The players of our game, and those who challenge us."""
    players = (session.game.white, session.game.black) if session.game is not None else ()
    challengers = (it.challenger for it in waiting_challenges(session))
    return tuple(dict.fromkeys(key for key in (*players, *challengers) if key))


def dated(session: Session, now: float) -> int:
    """Now by the arbiter's clock, in unix seconds."""
    return session.wire.timing.to_seconds(ms(now))
