"""One turn without a connection, as in a function: what the arbiter says in, what the bot signs
out. It remembers nothing: the arbiter's state says what there is to answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clients.bot import lobby
from clients.bot.config import Config
from clients.bot.engine.levels import choose
from clients.bot.engine.uci import Go
from clients.bot.model import Effects, EngineFailed, EngineMoved, Request, Session, Think
from clients.bot.session import begin, reduce
from clients.player.events import Draft, Send, with_work
from clients.player.heard import Tick
from clients.player.messages import (
    REQUEST,
    Challenged,
    Event,
    Message,
    Started,
    State,
    read_message,
)
from clients.player.timing import Timing

MAX_SECONDS = 5.0
MAX_WORK = 20
TRIES = 3


@dataclass(frozen=True, slots=True)
class Heard:
    """An event of the arbiter, and since when (unix ms) it is so."""

    event: Event
    since: int


def answers(
    config: Config,
    level: int,
    me: str,
    heard: Sequence[Heard],
    now: Callable[[], int],
    work: int = 0,
    place: int = 0,
) -> tuple[Draft, ...]:
    """The bot's answers to the last of the arbiter's events. `work`: bits of NIP-13 work that a
    request must show; `place`: that of a challenge which is to wait in line.
    """
    if not heard:
        return ()
    arbiter = heard[0].event.pubkey
    messages = [(read_message(one.event, arbiter), one.since) for one in heard]
    # One clock: an old state is no sign that ours is ahead.
    same_clock = Timing(leads=(0,))
    session = begin(config, me, arbiter)
    told = replace(session.wire, timing=same_clock, links=frozenset({arbiter}), listed=True)
    session = replace(session, wire=told)
    for message, since in messages[:-1]:
        session, _ = _give(session, message, since)
    asked = messages[-1][0]
    session, effects = _give(session, asked, now())
    drafts = list(_said(effects))
    if isinstance(asked, Challenged):
        session, effects = _accept(session, asked, now(), place)
        drafts += _said(effects)
    for _ in range(TRIES):
        think = next((one for one in effects if isinstance(one, Think)), None)
        if think is None:
            break
        session, effects = reduce(session, thought(think, level), now())
        drafts += _said(effects)
    return tuple(one for draft in drafts if (one := _worked(draft, work)) is not None)


def _give(session: Session, message: Message | None, at: int) -> tuple[Session, Effects]:
    """A state is that of the game the bot plays, or of its last one."""
    if message is None:
        return session, ()
    if isinstance(message, State) and message.result is None:
        started = Started(message.game, message.opponent_of(session.me))
        session, _ = reduce(session, started, at)
    return reduce(session, message, at)


def _accept(session: Session, asked: Challenged, now: int, place: int) -> tuple[Session, Effects]:
    """A challenge that cannot be accepted now waits in line, or is declined."""
    if place and asked in lobby.waiting(session):
        return reduce(session, Request(f"wait:{asked.id}:{place}"), now)
    return reduce(session, Tick(), now)


def thought(think: Think, level: int) -> EngineMoved | EngineFailed:
    """The plain engine's move, the same for a position of a game unless time runs out."""
    state, limits = think.state, think.limits
    board = state.board()
    moves = [move for move in board.legal_moves if board.uci(move) not in think.excluded]
    if limits.white_ms is None or limits.black_ms is None:
        aim = most = (limits.time_ms or 0) / 1000
    else:
        added = limits.increment_ms
        clocks = {"wtime": limits.white_ms, "btime": limits.black_ms, "winc": added, "binc": added}
        aim, most = (seconds or 0 for seconds in Go(clocks).seconds(board.turn))
    try:
        found = choose(
            board,
            level,
            f"{state.game} {state.fen}",
            min(aim, MAX_SECONDS),
            moves if think.excluded else (),
            most_seconds=min(most, MAX_SECONDS),
        )
    except ValueError:
        return EngineFailed(state.game, state.position, "there is no move")
    return EngineMoved(state.game, state.position, board.uci(found.move), found.score)


def _said(effects: Effects) -> tuple[Draft, ...]:
    return tuple(effect.draft for effect in effects if isinstance(effect, Send))


def _worked(draft: Draft, bits: int) -> Draft | None:
    if not bits or draft.kind != REQUEST:
        return draft
    return with_work(draft, bits) if bits <= MAX_WORK else None
