"""Games that two players began by themselves and that the arbiter only judges.

The game is made from its players' messages, under an id that follows from those, so once. The first
three strangers who write into such a game of kind 30 are named, because its clients would play
their moves. Before both have moved nothing is written that relays keep: a key that costs nothing
may have begun it.
"""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.door import why_not_begun
from arbiter.application.play.closing import with_closing_timer
from arbiter.application.play.judge import rules_for
from arbiter.application.play.timers import schedule_timer
from arbiter.application.ports import LobbyChange
from arbiter.application.results import Result
from arbiter.core.chain import begun
from arbiter.core.commands import Command, PlayMove
from arbiter.core.decide import decide
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import EVENT_KEY_BYTES, Game, Seat
from arbiter.core.move_claims import differences
from arbiter.core.replies import ClaimRejected, Reason, Rejected, Reply, RequestRefused
from arbiter.dialects.base import BeginGame, Dialect


def create_game(deps: ArbiterDeps, asked: BeginGame) -> Game | None:
    game = with_closing_timer(game_of(asked, deps.clock.now_ms()), deps.rules)
    made = deps.lobby.commit(LobbyChange(game=game))
    schedule_timer(deps, game)
    return game if made else deps.games.load(asked.game_id)


def refused_to_begin(
    deps: ArbiterDeps, dialect: Dialect, asked: BeginGame, own: Seat, event_key: str
) -> Result | None:
    """The result for a game that the policy or a block refuses; None for any other."""
    now_ms = deps.clock.now_ms()
    text = why_not_begun(deps.policy, deps.lobby, asked, own.player, now_ms)
    if text is None:
        return None
    refusal = RequestRefused(own, Reason.RESTRICTED, text)
    told = few_notes(deps, dialect, None, (refusal,), now_ms)
    return Result(
        status="request-restricted", replies=told, event_key=event_key, dialect=dialect.name
    )


def game_of(asked: BeginGame, now_ms: int) -> Game:
    game = Game(
        id=asked.game_id,
        white=asked.white,
        black=asked.black,
        created_at_ms=now_ms,
        changed_at_ms=now_ms,
    )
    return begun(game)


def verdicts_again(
    deps: ArbiterDeps, game: Game, command: Command, event_key: bytes
) -> tuple[Reply, ...]:
    """This command's refusals, sent again because permanent logs have no other copy."""
    if game.refused(event_key):
        rules = rules_for(deps.rules, game, command)
        decision = decide(game, command, deps.clock.now_ms(), rules)
        # If it has become true since, the present state has nothing against it.
        return decision.replies if decision.game is game else ()
    is_last = game.applied_ids[-1:] == (event_key[:EVENT_KEY_BYTES],)
    if not is_last or not isinstance(command, PlayMove) or not command.claims or not game.moves:
        return ()
    return tuple(
        ClaimRejected(game, command.player, text) for text in differences(game, command.claims)
    )


NAMED_STRANGERS = 3
"""In a game, in so long."""

NAMED_SECONDS = 30 * 24 * 60 * 60


def name_strangers(
    deps: ArbiterDeps, dialect: Dialect, game: Game, replies: tuple[Reply, ...], now_ms: int
) -> tuple[Reply, ...]:
    """The replies, with the game in a refusal of a stranger who is to be named in it."""
    return tuple(
        replace(reply, game=game)
        if isinstance(reply, Rejected)
        and reply.reason is Reason.NOT_A_PLAYER
        and _is_refereed(dialect, game)
        and _is_one_of_few(deps, game, reply.author, now_ms)
        else reply
        for reply in replies
    )


NOTES_A_MINUTE = 20
"""Refusals that relays keep before both have moved, to all: relays would ban us."""


def few_notes(
    deps: ArbiterDeps, dialect: Dialect, game: Game | None, replies: tuple[Reply, ...], now_ms: int
) -> tuple[Reply, ...]:
    """The replies, without refusals beyond those of a minute where relays keep them."""
    refusals = RequestRefused | Rejected | ClaimRejected
    is_begun = game is not None and game.ply >= OPENING_PLIES
    if is_begun or dialect.chain is None or not any(isinstance(it, refusals) for it in replies):
        return replies
    try:
        if deps.rate_limits is None or deps.rate_limits.take("notes", NOTES_A_MINUTE, 60, now_ms):
            return replies
    except Exception:  # noqa: BLE001 - for a count that fails no event waits
        return replies
    return tuple(reply for reply in replies if not isinstance(reply, refusals))


def _is_refereed(dialect: Dialect, game: Game) -> bool:
    """Whether both players began the game by themselves in this dialect, and it goes on."""
    chain, seats = dialect.chain, (game.white, game.black)
    return (
        game.outcome is None
        and game.ply >= OPENING_PLIES
        and all(
            chain and seat.dialect == dialect.name and chain.is_refereed(seat) for seat in seats
        )
    )


def _is_one_of_few(deps: ArbiterDeps, game: Game, author: str, now_ms: int) -> bool:
    """Whether this stranger is to be named, and then counted."""
    if deps.rate_limits is None:
        return False
    of_game, of_author = f"strangers:{game.id}", f"stranger:{game.id}:{author}"
    try:
        # After the few, one count is all that any stranger costs.
        return (
            deps.rate_limits.take(of_game, NAMED_STRANGERS - 1, NAMED_SECONDS, now_ms, 0)
            and deps.rate_limits.take(of_author, 1, NAMED_SECONDS, now_ms)
            and deps.rate_limits.take(of_game, NAMED_STRANGERS, NAMED_SECONDS, now_ms)
        )
    except Exception:  # noqa: BLE001 - for a count that fails no event waits
        return False
