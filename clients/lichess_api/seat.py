"""A key at the sidecar: its account, and the streams on which the news of its session are told."""

import asyncio
from typing import Literal

from clients.lichess_api.account import REMATCH, Account
from clients.lichess_api.bodies import Challenge, ChatLine, GameState
from clients.lichess_api.lines import canceled, declined, game, game_full, game_state
from clients.lichess_api.streams import SILENCE_SECONDS, Stream
from clients.player import model
from clients.player.client import PATIENCE_SECONDS
from clients.player.messages import Challenged, Listed, Record, Refused, State
from clients.player.sender import now_ms

AGAIN_SECONDS = 2.0
"""Until a live game whose stream was lost is told again: lichess-bot reopens none by itself."""

MAX_SAID = 100
How = Literal["accepted", "declined", "canceled"]
RATING_SECONDS = 1.0
"""For a game's note, which has the ratings, to come before its end is told."""


class Seat:
    """An account that a token names, and its streams."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self._events: Stream | None = None
        self._games: dict[str, set[Stream]] = {}
        self._told: dict[str, GameState] = {}
        self._shown: dict[str, Challenge] = {}
        self._finishing: dict[str, asyncio.TimerHandle] = {}
        self._done: dict[str, asyncio.Future[How]] = {}
        self._seek: Stream | None = None
        self.ready = asyncio.Event()

    # ---------------------------------------------------------------- streams

    def open_events(self) -> Stream:
        """The event stream, in place of an earlier one, once the arbiter has said which games there
        are.
        """
        if self._events is not None:
            self._events.drop()
        self._events = stream = Stream()
        if self.ready.is_set():
            self._begin(stream)
        else:
            # Programs take a stream that is silent for long for dead.
            asyncio.get_running_loop().call_later(SILENCE_SECONDS, stream.put, None)
        return stream

    def _begin(self, stream: Stream) -> None:
        stream.put(None)
        self._shown.clear()
        self._show_waiting()
        for state in self.account.states():
            if state.result is None and not self._games.get(state.game):
                self._tell_game(state, "gameStart")

    def open_game(self, state: State) -> Stream:
        """The stream of a game."""
        stream = Stream()
        stream.put(game_full(self.account.table(state), self.account.now))
        if state.result is not None:
            stream.put(game_state(state, self.account.now))
            stream.end()
            return stream
        self._games.setdefault(state.game, set()).add(stream)
        self._told.setdefault(state.game, _unclocked(game_state(state, 0)))
        return stream

    def closed(self, game_id: str, stream: Stream) -> None:
        """Forget a game's stream; a live game that no stream shows any more is told again."""
        streams = self._games.get(game_id, set())
        streams.discard(stream)
        if not streams:
            self._games.pop(game_id, None)
            asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._again, game_id)

    def _again(self, game_id: str) -> None:
        known = self.account.client.session.games.get(game_id)
        if known is None or known.state.result is not None or known.state.is_slow:
            return
        if not self._games.get(game_id):
            self._tell_game(known.state, "gameStart")

    def done(self, challenge_id: str) -> "asyncio.Future[How]":
        """The end of a challenge of ours: accepted, declined or canceled."""
        return self._done.setdefault(challenge_id, asyncio.get_running_loop().create_future())

    # ------------------------------------------------------------------- news

    def hear(self, news: model.News) -> None:  # noqa: C901, PLR0912 - one line a kind
        """Tell the news, where it is told."""
        match news:
            case model.Began():
                self._on_began(news)
            case model.Shown(state):
                self._on_shown(state)
            case model.Gone(game_id):
                for stream in self._games.pop(game_id, set()):
                    stream.drop()
            case Challenged():
                self.account.look_up(news.challenger)
                if not (news.terms.is_live and self.account.live()):
                    self._show(self.account.told(news.id, news.terms, news.challenger, news.name))
            case model.Withdrawn(challenge_id, "answered"):
                self._shown.pop(self.account.alias(challenge_id), None)
            case model.Withdrawn(challenge_id):
                self.hide(challenge_id)
            case model.Declined(challenge_id, refused) if challenge_id is not None:
                self._on_declined(challenge_id, refused.text)
            case model.Answered(asked, Refused() as refused) if asked.opponent is not None:
                # A program that waits for it no more was told that it is made.
                self._on_declined(asked.handle[: model.CHALLENGE_ID_DIGITS], refused.text)
            case model.Answered(asked) if news.refusal is not None:
                self._on_refused(asked)
            case Record():
                self.account.records[news.game] = news
                self._finish(news.game)
            case Listed() if not self.ready.is_set():
                self.ready.set()
                self.account.say_what_it_is()
                if self._events is not None:
                    self._begin(self._events)
            case Listed():
                for game_id in self._games:
                    self._tell_turn(game_id)
            case _:
                pass

    def _on_began(self, began: model.Began) -> None:
        account, state = self.account, began.state
        account.look_up(state.opponent_of(account.me))
        origin = began.challenge or (began.rematch_of and REMATCH + began.rematch_of)
        if origin:
            account.book.link(state.game, account.alias(origin), now_ms())
            self.settle(origin, "accepted")
            self._shown.pop(account.alias(origin), None)
        else:
            account.sources[state.game] = "lobby"
            if self._seek is not None:
                self._seek.end()
                self._seek = None
        if state.opponent_of(account.me) in account.people.house:
            account.sources[state.game] = "ai"
        account.alias(state.game)
        if self.ready.is_set() and not self._games.get(state.game):
            self._tell_game(state, "gameStart")

    def _on_shown(self, state: State) -> None:
        if not state.complete:
            # A line without its moves would be another game to programs.
            for stream in self._games.pop(state.game, set()):
                stream.drop()
        line = game_state(state, self.account.now)
        if self._told.get(state.game) != _unclocked(line):
            self._told[state.game] = _unclocked(line)
            for stream in self._games.get(state.game, set()):
                stream.put(line)
        if state.result is None:
            return
        for stream in self._games.pop(state.game, set()):
            stream.end()
        self._show_rematch(state)
        if state.game in self._told:
            del self._told[state.game]
            waits = RATING_SECONDS if state.rated and state.result != "*" else 0.0
            loop = asyncio.get_running_loop()
            self._finishing[state.game] = loop.call_later(waits, self._finish, state.game)

    def _finish(self, game_id: str) -> None:
        """Tell that the game is over, and which challenges can be accepted now."""
        if (timer := self._finishing.pop(game_id, None)) is None:
            return
        timer.cancel()
        self._tell_game(self.account.client.session.games[game_id].state, "gameFinish")
        self._show_waiting()

    def _show_rematch(self, state: State) -> None:
        offered = self.account.rematch(state)
        if offered is None:
            self.hide(REMATCH + state.game)
        elif offered["direction"] == "in":
            self._show(offered)

    def _show_waiting(self) -> None:
        for one in self.account.waiting():
            self._show(one)

    def _show(self, one: Challenge) -> None:
        if one["id"] not in self._shown and self._events is not None and self.ready.is_set():
            self._shown[one["id"]] = one
            self._tell("challenge", challenge=one)

    def hide(self, ours: str) -> None:
        """Tell that a challenge is gone, ours or another's."""
        self.settle(ours, "canceled")
        one = self._shown.pop(self.account.alias(ours), None)
        if one is not None:
            self._tell("challengeCanceled", challenge=canceled(one))

    def _on_declined(self, ours: str, reason: str) -> None:
        account, terms = self.account, self.account.asked.get(ours)
        if terms is not None and reason == "later" and account.alias(ours) in account.at_house:
            other = account.people.next_of_house(terms.challenge or "")
            if other is not None:
                account.later(account.ask_instead(ours, other))
                return
        self.settle(ours, "declined")
        if terms is not None:
            one = declined(self.account.told(ours, terms, self.account.me), reason)
            self._tell("challengeDeclined", challenge=one)

    def _on_refused(self, asked: model.Open) -> None:
        """Tell what is refused after the program was told that it is done."""
        word, _, challenge_id = asked.content.partition(":")
        if word == "accept":
            self.hide(challenge_id)
        elif word == "rematch":
            self.hide(f"{REMATCH}{asked.game}")
        elif asked.game is not None and now_ms() - asked.asked_at >= PATIENCE_SECONDS * 1000:
            self._tell_turn(asked.game)

    def _tell_turn(self, game_id: str) -> None:
        """Tell again that it is the program's turn: lichess-bot moves after a minute without a
        relay, or a late refusal, only then. A takeback offer is told once: BotLi answers each.
        """
        known = self.account.client.session.games.get(game_id)
        state = known.state if known is not None else None
        if state is None or state.result is not None:
            return
        is_mine = state.turn == state.color_of(self.account.me)
        is_asked = state.offer is not None and state.offer.kind == "takeback"
        is_said = any(one.game == game_id for one in self.account.client.session.open.values())
        if is_mine and not is_asked and not is_said:
            for stream in self._games.get(game_id, ()):
                stream.put(game_state(state, self.account.now))

    def open_seek(self) -> Stream:
        """A stream that ends when the player is paired."""
        if self._seek is not None:
            self._seek.drop()
        self._seek = Stream()
        self._seek.put(None)
        return self._seek

    def close_seek(self, stream: Stream) -> bool:
        """Forget this stream; whether it still waited."""
        waited = self._seek is stream
        self._seek = None if waited else self._seek
        return waited

    def settle(self, ours: str, how: How) -> None:
        done = self._done.pop(ours, None)
        if done is not None and not done.done():
            done.set_result(how)

    def _tell(self, kind: str, **about: object) -> None:
        if self._events is not None and self.ready.is_set():
            self._events.put({"type": kind, **about})

    def _tell_game(self, state: State, kind: Literal["gameStart", "gameFinish"]) -> None:
        told = game(self.account.table(state), self.account.me, self.account.now)
        self._tell(kind, game=told)

    def said(self, game_id: str, name: str, text: str, *, is_public: bool = False) -> None:
        """Tell a line of chat, the player's own too."""
        room: Literal["player", "spectator"] = "spectator" if is_public else "player"
        line: ChatLine = {"type": "chatLine", "room": room, "username": name, "text": text}
        said = self.account.said.setdefault(game_id, [])
        said[:] = [*said, {"user": name, "text": text}][-MAX_SAID:]
        for stream in self._games.get(game_id, ()):
            stream.put(line)


def _unclocked(line: GameState) -> GameState:
    """The line as far as it says something new: programs may take a second one for a new turn."""
    same: GameState = {**line, "wtime": 0, "btime": 0}
    same.pop("expiration", None)
    return same
