"""News of the shared session, told to the player: games, answers to requests, challenges."""

from dataclasses import replace

from clients.player import messages
from clients.player import model as player
from clients.player.events import Send
from clients.player.session import ask_all
from clients.player.tournaments import COMMAND, Told
from clients.terminal import lines, notices, tournaments
from clients.terminal.blocking import blocked_shown
from clients.terminal.challenges import challenged, own_link, withdrawn
from clients.terminal.game_view import GameView
from clients.terminal.games import began, shown
from clients.terminal.house import in_line
from clients.terminal.notices import remark
from clients.terminal.outgoing import Effect, Leave, Step, ms, own_challenge, say
from clients.terminal.session import ExitCode, Phase, Session
from clients.terminal.states import end, recorded

_ASKS = frozenset({Phase.ASKING, Phase.QUEUED})
_UNSURE = frozenset({"game-over", "unknown-game", "not-a-player", "not-your-turn"})


def on_wire(session: Session, step: player.Step, now: float) -> Step:
    """The session with the next state of the shared one, and its news."""
    wire, news = step
    before = session.wire
    session = replace(session, wire=wire)
    effects: tuple[Effect, ...] = ()
    for one in news:
        session, more = _on_news(session, one, before, now)
        effects = (*effects, *more)
    return session, effects


def _on_news(  # noqa: C901, PLR0912 - one line a kind
    session: Session, news: player.Effect, before: player.Session, now: float
) -> Step:
    match news:
        case Send() | player.Mine():
            return session, (news,)
        case player.Began():
            is_listed = any(it.content == "state" and not it.game for it in before.open.values())
            return began(session, news.state, now, is_listed=is_listed)
        case player.Shown(state, former):
            session = lines.taken_back(session, state, former)
            session, effects = shown(session, state, former, now)
            if former and not former.rematch and state.rematch not in {None, *session.wire.games}:
                # Its ``started:`` was missed, perhaps.
                wire, asked = ask_all(session.wire, ms(now))
                return replace(session, wire=wire), (*effects, *asked)
            return session, effects
        case player.Gone(game):
            is_here = session.game is not None and session.game.id == game
            return end(session, None, None, now) if is_here else (session, ())
        case player.Answered():
            return _answered(session, news, now)
        case messages.Challenged():
            return challenged(session, news)
        case player.Withdrawn(challenge, "cancelled"):
            return session, withdrawn(session, before.challenges[challenge], challenge)
        case player.Declined(_, refused):
            return _place_lost(session, refused)
        case messages.Queued(place=int(place), challenge=challenge):
            ours = {it.id for it in session.wire.made.values()}
            return in_line(session, place, now) if challenge in ours else (session, ())
        case messages.Queued(challenge=str()):
            text = "A challenge of yours waits: cancel takes it back"
            return session, (remark("challenge-waits", text),)
        case Told():
            return tournaments.learn(session, news, now)
        case messages.LinesTold():
            return lines.told(session, news)
        case messages.Record():
            return recorded(session, news, now)
        case _:
            return session, ()


def _answered(session: Session, answered: player.Answered, now: float) -> Step:
    asked, by = answered.open, answered.by
    if isinstance(by, messages.Rejected):
        return _word_refused(session, asked, by, now)
    if asked.draft.kind == COMMAND:
        is_told = isinstance(by, messages.Refused) and asked.content != "here"
        return session, (_refusal(by),) if is_told and isinstance(by, messages.Refused) else ()
    if asked.draft.kind != messages.REQUEST:
        return session, ()
    word = asked.content.partition(":")[0]
    if word == "cancel" and isinstance(by, messages.Cancelled):
        free = replace(session, phase=Phase.REFUSED, asked="", answer="", back_to=None)
        return (free, (notices.stopped_waiting(),)) if session.phase in _ASKS else (session, ())
    if word == "decline" and isinstance(by, messages.Cancelled):
        return session, (remark("challenge-declined", "The challenge is declined"),)
    if isinstance(by, messages.NoticesSet):
        told = "You are told by direct message (NIP-17)" if by.dm else "You are not told"
        return session, (remark("notices", f"{told} when it is your turn while you are away"),)
    if isinstance(by, messages.Blocked):
        return session, (blocked_shown(by.keys),)
    if asked.handle == session.asked:
        return _request_answered(session, answered, now)
    return session, (_refusal(by),) if isinstance(by, messages.Refused) else ()


def _request_answered(session: Session, answered: player.Answered, now: float) -> Step:
    """The answer to the request that the player waits for; of a game its beginning is told."""
    by = answered.by
    if isinstance(by, messages.Queued) and not session.answer:
        queued = replace(session, phase=Phase.QUEUED, last_news_at=now)
        link = own_link(session, by.challenge)
        return queued, (notices.queued(session.terms, by.challenge, link),)
    if not isinstance(by, messages.Refused):
        return session, ()
    back_to = session.back_to or Phase.REFUSED
    after = replace(session, phase=back_to, asked="", answer="", back_to=None)
    leaving = session.input_over and back_to is Phase.REFUSED
    return after, (_refusal(by), *((Leave(ExitCode.REFUSED),) if leaving else ()))


def _word_refused(session: Session, said: player.Open, by: messages.Rejected, now: float) -> Step:
    if by.answers is None:
        # A state that came says that the position has changed.
        return session, ()
    told = _refusal(by)
    if said.game is not None and said.content.partition(":")[0] == "lines":
        session = lines.forgotten(session, said.game)
    is_here = session.game is not None and session.game.id == said.game
    if not is_here or by.reason not in _UNSURE or not messages.MOVE_TEXT.fullmatch(said.content):
        return session, (told,)
    # The arbiter may have more than we saw.
    session, effects = say(session, "state", now, quietly=True)
    return session, (told, *effects)


def _place_lost(session: Session, refused: messages.Refused) -> Step:
    """A challenge of ours was declined or has expired, or our place in a pool is lost."""
    still_waits = own_challenge(session) is not None or session.wire.seek is not None
    if session.phase is not Phase.QUEUED or still_waits:
        return session, (_refusal(refused),)
    after = replace(session, phase=Phase.REFUSED, asked="")
    return after, (_refusal(refused), *((Leave(ExitCode.REFUSED),) if session.input_over else ()))


def _refusal(message: messages.Refused | messages.Rejected) -> notices.Notice:
    if message.reason == "no-answer":
        return notices.refused_here("no-answer", "The arbiter does not answer: new asks once more")
    return notices.refused_by_arbiter(message.reason, message.text)


def said_by_the_opponent(session: Session, error: messages.Rejected) -> tuple[notices.Notice, ...]:
    """Of the opponent's refusals only those that count against them are shown."""
    game: GameView | None = session.game
    ours = error.answers in session.wire.sent
    if ours or game is None or error.game != game.id or error.reason != "illegal-move":
        return ()
    return (notices.refused_by_arbiter(error.reason, error.text, mine=False),)
