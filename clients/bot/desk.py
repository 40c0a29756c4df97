"""The desk of the house. A challenge to one program is for all of its level: one that is free takes
it at once; while all play it waits in line, and its author is told the place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle

from clients.bot import lobby, play
from clients.bot.judgement import refusal
from clients.bot.model import Request
from clients.bot.player import Player
from clients.player.inbox import News
from clients.player.messages import Cancelled, Challenged

SETTLE_MS = 1_000
"""Time for a program to become free before a place in the line is told."""

MAX_LINE = 16
"""Challenges of a level that wait: each that leaves moves all others, who are told so, and an
arbiter takes 32 requests of a player in two minutes.
"""


@dataclass(slots=True)
class _Waiting:
    """A challenge in line, since when (unix ms), and the place that was told."""

    challenge: Challenged
    since: int
    told: int = 0


class Desk:
    """Knows the players of the house, and how many of them may play at once."""

    def __init__(self, most: int, now_ms: Callable[[], int]) -> None:
        """``most`` bounds the games of all levels."""
        self._levels: dict[Player, int] = {}
        self._most = most
        self._now_ms = now_ms
        self._lines: dict[int, list[_Waiting]] = {}

    def add(self, player: Player, level: int) -> None:
        """Hand challenges of this level to this player, too."""
        self._levels[player] = level
        self._lines.setdefault(level, [])

    def hear(self, player: Player, message: News) -> None:
        """Tell a player what the arbiter says. A challenge is handed out or put in line once."""
        match message:
            case Challenged():
                self._take(player, message)
            case Cancelled(challenge=str(gone)):
                self._forget(player, message, gone)
            case _:
                player.tell(message)

    def _take(self, named: Player, challenge: Challenged) -> None:
        line = self._lines[self._levels[named]]
        reason = refusal(challenge, named.config) or ("later" if len(line) >= MAX_LINE else None)
        if reason is not None:
            named.tell(Request(f"decline:{challenge.id}:{reason}"))
        elif all(one.challenge.id != challenge.id for one in line):
            line.append(_Waiting(challenge, self._now_ms()))
            self._hand_out()

    def _forget(self, named: Player, message: News, challenge: str) -> None:
        """Its author took it back: it waits in line no more, nor with the program that has it."""
        level = self._levels[named]
        self._lines[level][:] = [one for one in self._lines[level] if one.challenge.id != challenge]
        for player in self._levels:
            if self._levels[player] == level:
                player.tell(message)

    def look(self, player: Player) -> None:
        """Look at what has changed now that a player has taken an input."""
        session, line = player.session, self._lines[self._levels[player]]
        if session is None:
            return
        # One that is refused as unknown was taken back, or accepted by another.
        line[:] = [one for one in line if one.challenge.id not in session.wire.closed]
        game = session.game
        if game is not None and lobby.waiting(session) and not session.is_pending(game):
            # A game came in between, such as a rematch.
            back = (_Waiting(one, self._now_ms()) for one in player.hand_back())
            line[:0] = back
        self._hand_out()

    def _hand_out(self) -> None:
        now = self._now_ms()
        for level, line in self._lines.items():
            line[:] = [one for one in line if not one.challenge.is_over(now)]
            while line and (player := self._one_for(level, now)):
                player.tell(line.pop(0).challenge)
            tellers = cycle(player for player in self._levels if self._levels[player] == level)
            for (place, one), teller in zip(enumerate(line, start=1), tellers, strict=False):
                if place != one.told and now - one.since >= SETTLE_MS:
                    one.told = place
                    teller.tell(Request(f"wait:{one.challenge.id}:{place}"))

    def _one_for(self, level: int, now: int) -> Player | None:
        """The player free for longest, for the last may want a rematch; or one whose opponent has
        gone.
        """
        free = sorted(filter(_is_free, self._levels), key=_since)
        left = [player for player in self._levels if _is_left(player, now)]
        if len(self._levels) - len(free) - len(left) >= self._most:
            return None
        of_level = [player for player in (*free, *left) if self._levels[player] == level]
        return of_level[0] if of_level else None


def _is_free(player: Player) -> bool:
    session = player.session
    if session is None or not player.is_settled or session.wire.challenges:
        return False
    return lobby.is_free(session)


def _since(player: Player) -> int:
    return player.session.since if player.session else 0


def _is_left(player: Player, now: int) -> bool:
    session = player.session
    return session is not None and player.is_settled and play.is_left(session, now)
