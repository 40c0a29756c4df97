"""The bot's judgement of scores, offers and challenges."""

import chess

from clients.bot.config import UNLIMITED, Config
from clients.player.messages import Challenged, State


def resigns(scores: tuple[int, ...], config: Config) -> bool:
    """Whether the last scores are all lost."""
    rule = config.engine.draw_or_resign
    last = scores[-rule.resign_moves :]
    return (
        rule.resign_enabled
        and len(last) == rule.resign_moves
        and all(score <= rule.resign_score for score in last)
    )


def wants_draw(scores: tuple[int, ...], board: chess.Board, config: Config) -> bool:
    """Whether the last scores are level and few pieces are left."""
    rule = config.engine.draw_or_resign
    last = scores[-rule.offer_draw_moves :]
    return (
        rule.offer_draw_enabled
        and len(last) == rule.offer_draw_moves
        and all(abs(score) <= rule.offer_draw_score for score in last)
        and chess.popcount(board.occupied) <= rule.offer_draw_pieces
    )


def claims(scores: tuple[int, ...], board: chess.Board, config: Config) -> bool:
    """Whether a draw can be claimed and the last score is no better than one."""
    can = board.is_repetition(3) or board.is_fifty_moves()
    return can and scores[-1:] <= (max(0, config.engine.draw_or_resign.offer_draw_score),)


def grants_takeback(taken_back: int, scores: tuple[int, ...], config: Config) -> bool:
    """Whether the opponent gets the move back."""
    return taken_back < config.max_takebacks_accepted and all(
        score >= config.takeback_score for score in scores[-1:]
    )


def refusal(challenge: Challenged, config: Config) -> str | None:
    """The protocol's word for why not, or None."""
    rule, terms = config.challenge, challenge.terms
    if not rule.accept or challenge.challenger in rule.block_list:
        return "generic"
    if rule.allow_list and challenge.challenger not in rule.allow_list:
        return "generic"
    if terms.by_bot and not rule.accept_bot:
        return "noBot"
    if rule.only_bot and not terms.by_bot:
        return "generic"
    if terms.variant not in rule.variants or terms.start is not None:
        return "variant"
    if not terms.rated and "casual" not in rule.modes:
        return "rated"  # what it would accept
    if terms.rated and "rated" not in rule.modes:
        return "casual"
    return _time_refusal(challenge, config)


def _time_refusal(challenge: Challenged, config: Config) -> str | None:
    rule, time = config.challenge, challenge.terms.time
    if (UNLIMITED if time is None else time.speed) not in rule.time_controls:
        return "timeControl"
    if time is None:
        return None
    if time.days:
        return None if rule.min_days <= time.days <= rule.max_days else "timeControl"
    if time.base < rule.min_base or time.increment < rule.min_increment:
        return "tooFast"
    if time.base > rule.max_base or time.increment > rule.max_increment:
        return "tooSlow"
    return None


def may_rematch(state: State, rematches: int, config: Config) -> bool:
    """Whether the bot plays again on the same terms."""
    return rematches < config.rematches and state.start is None
