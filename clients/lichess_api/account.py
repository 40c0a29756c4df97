"""A key as programs see it: its games and challenges under their short ids, and its name."""

import asyncio
import json
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field, replace
from http import HTTPStatus

from clients.lichess_api.asgi import Refused
from clients.lichess_api.bodies import Challenge, Player, Source
from clients.lichess_api.book import Book
from clients.lichess_api.lines import Table, challenge, rematch_terms
from clients.lichess_api.people import People
from clients.lichess_api.words import speed_of
from clients.player import messages
from clients.player.client import Client
from clients.player.drafts import PEOPLE, PROFILE, people_wanted, question
from clients.player.events import Draft, SendLine
from clients.player.messages import Record, State
from clients.player.model import Answered
from clients.player.sender import now_ms
from clients.player.terms import Terms

REMATCH = "rematch:"
"""Before the id of a game: the challenge that the offer of its rematch is shown as."""

MINUTE_MS = 60_000
"""A challenge that is asked for again within this time is the same one: its answer was late."""

MAX_ASKED = 32

RELAY_SECONDS = 10
"""Until a challenge or a seek is worth another try while no relay is up."""

RECALL_TRIES, RECALL_SECONDS = 20, 0.1

MAX_LINES = 20
"""Lines of chat a minute: what a program writes without end would go before its moves."""


@dataclass(slots=True)
class Account:
    """The knowledge under one token: ``sources`` of games, ``records`` of their ends, lines
    ``said``; ``asked`` the player's last challenges, ``at_house`` the aliases that anybody of the
    house's may accept.
    """

    client: Client
    is_bot: bool
    book: Book
    people: People
    url: str
    called: str = ""
    since: int = field(default_factory=now_ms)
    sources: dict[str, Source] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    said: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    asked: dict[str, Terms] = field(default_factory=dict)
    at_house: set[str] = field(default_factory=set)
    _wrote: tuple[int, ...] = ()
    _looked_up: tuple[str, ...] = ()
    _tasks: set["asyncio.Task[object]"] = field(default_factory=set)

    @property
    def me(self) -> str:
        return self.client.me

    @property
    def name(self) -> str:
        return self.people.name(self.me, self.called)

    @property
    def now(self) -> int:
        """Unix milliseconds by the arbiter's clock."""
        return now_ms() - self.client.session.timing.lead_ms

    def states(self) -> Iterator[State]:
        """The newest state of each game that is known, finished ones too."""
        return (known.state for known in self.client.session.games.values())

    def live(self) -> State | None:
        """The game with a clock that goes on: there is one at most."""
        return next((one for one in self.states() if one.result is None and not one.is_slow), None)

    def state(self, given: str) -> State:
        """The newest state of the game of this id. Raises Refused for a game of others."""
        games = self.client.session.games
        for ours in self.book.ours(given) or (given,):
            if ours in games:
                return games[ours].state
        if not self.client.session.listed:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "The arbiter has not said which games")
        raise Refused(HTTPStatus.NOT_FOUND, "No such game")

    async def recall(self, given: str) -> None:
        """Ask for a game, known here by its id, that may have ended while the sidecar was down."""
        ids = [it for it in self.book.ours(given) if not it.startswith(REMATCH)]
        session = self.client.session
        for ours in ids if not any(it in session.games for it in ids) else ():
            at = session.timing.to_seconds(now_ms())
            self.client.publish(question(self.me, session.arbiter, ours, at))
            for _ in range(RECALL_TRIES):
                if ours in self.client.session.games:
                    return
                await asyncio.sleep(RECALL_SECONDS)

    def alias(self, ours: str) -> str:
        return self.book.alias(ours, now_ms())

    def table(self, state: State) -> Table:
        """The game with all that lines about it need."""
        speed = speed_of(state.time)
        white, black = state.names or ("", "")
        alias, record = self.alias(state.game), self.records.get(state.game)
        diff = None
        if record is not None and record.ratings is not None:
            before, after = record.ratings[0 if state.color_of(self.me) else 1]
            diff = after - before
        return Table(
            state,
            alias,
            self._player(state.white, speed, white),
            self._player(state.black, speed, black),
            self.book.seen_at(state.game) or now_ms(),
            self.sources.get(state.game, "friend"),
            diff,
        )

    def told(self, ours: str, terms: Terms, author: str, called: str = "") -> Challenge:
        """A challenge by this author: to this key, or of it."""
        speed, is_in = speed_of(terms.time), author != self.me
        mine, key = self._player(self.me, speed), author if is_in else terms.challenge or ""
        other = self.people.player(key, speed, called, is_bot=is_in and terms.by_bot)
        both = (other, mine) if is_in else (mine, other)
        return challenge(self.alias(ours), terms, *both, is_in=is_in, url=self.url)

    def rematch(self, state: State) -> Challenge | None:
        """The offer of a rematch of this game; None if there is none."""
        if state.offer is None or state.offer.kind != "rematch" or state.rematch is not None:
            return None
        terms, is_in = rematch_terms(state, state.offer.color), not self._is_mine(state)
        table = self.table(state)
        author, other = (table.white, table.black)[:: 1 if state.offer.color else -1]
        id_ = self.alias(REMATCH + state.game)
        found = challenge(id_, terms, author, other, is_in=is_in, url=self.url)
        return {**found, "rematchOf": table.id}

    def waiting(self) -> list[Challenge]:
        """The challenges that a program may accept: those to a live game not beside another."""
        now, is_busy = now_ms(), self.live() is not None
        told = [
            self.told(one.id, one.terms, one.challenger, one.name)
            for one in self.client.session.challenges.values()
            if not one.is_over(now) and not (is_busy and one.terms.is_live)
        ]
        offers = (self.rematch(state) for state in self.states())
        return [*told, *(one for one in offers if one and one["direction"] == "in")]

    def made(self) -> list[Challenge]:
        """The challenges of this key's that wait for an answer."""
        made = self.client.session.made.items()
        offers = (self.rematch(state) for state in self.states())
        return [
            *(self.told(id_, one.terms, self.me) for id_, one in made if one.terms.challenge),
            *(one for one in offers if one and one["direction"] == "out"),
        ]

    # ----------------------------------------------------------------- sending

    async def say(self, game_id: str, content: str) -> Answered | None:
        """Send a move or a word; None without an answer at once. Raises Refused without a relay."""
        self._need_a_relay()
        return await self.client.say(game_id, content)

    async def ask(self, content: str) -> Answered | None:
        """Send a request without terms."""
        self._need_a_relay()
        return await self.client.ask(content)

    async def challenge(self, terms: Terms, opponent: str) -> tuple[str, Terms]:
        """Challenge a player; the challenge's id, and its terms."""
        terms = replace(terms, challenge=opponent)
        made = self.client.session.made
        for id_, former in self.asked.items():
            is_late = id_ in made and now_ms() - made[id_].made_at < MINUTE_MS
            if former == terms and is_late:
                return id_, terms
        return await self._request(terms), terms

    async def seek(self, terms: Terms) -> str:
        """Ask for a game with anybody; an id of it."""
        return await self._request(replace(terms, bots=True) if self.is_bot else terms)

    async def ask_instead(self, declined: str, opponent: str) -> None:
        """Challenge another in place of who has declined, under the id that programs know."""
        await self._request(replace(self.asked[declined], challenge=opponent), self.alias(declined))

    async def _request(self, terms: Terms, alias: str = "") -> str:
        if not self.client.session.links:
            # After any other error lichess-bot challenges this opponent no more for a day.
            raise Refused(
                HTTPStatus.TOO_MANY_REQUESTS, "No relay can be reached", seconds=RELAY_SECONDS
            )
        if terms.is_live and self.live() is not None:
            raise Refused(HTTPStatus.BAD_REQUEST, "A game with a clock goes on")
        known = {*self.client.session.made}
        asking = asyncio.ensure_future(self.client.request(terms))
        await asyncio.sleep(0)
        # It is sent; before its opponent, who may sit here too, gives it an id.
        for id_ in [new for new in self.client.session.made if new not in known]:
            self.asked = {**dict([*self.asked.items()][-MAX_ASKED:]), id_: terms}
            if alias:
                self.book.link(id_, alias, now_ms())
        handle, answered = await asking
        if answered is not None and (refusal := answered.refusal) is not None:
            if refusal.reason not in {"rate-limited", "pow"}:
                raise Refused(HTTPStatus.BAD_REQUEST, refusal.text)
            seconds = refusal.seconds if isinstance(refusal, messages.Refused) else None
            raise Refused(
                HTTPStatus.TOO_MANY_REQUESTS, refusal.text, seconds=seconds or MINUTE_MS // 1000
            )
        return handle[:32]

    async def take_back(self, *gone: str) -> None:
        """Take back these and a seek. As that takes back all, the others are asked for again."""
        others = [(id_, one.terms) for id_, one in self.client.session.made.items()]
        await self.ask("cancel")
        for id_, terms in others:
            if id_ not in gone:
                await self._request(terms, self.alias(id_))

    def look_up(self, pubkey: str) -> None:
        """Ask relays for a player's profile and ratings."""
        if pubkey not in self._looked_up:
            self._looked_up = (*self._looked_up, pubkey)[-MAX_ASKED:]
            wanted = people_wanted(self.client.session.arbiter, self._looked_up)
            self.client.subscribe(PEOPLE, wanted)

    def say_what_it_is(self) -> None:
        """Publish that the player is a program, beside what the profile says already (NIP-24)."""
        profile = self.people.profile(self.me)
        if self.is_bot and profile.get("bot") is not True:
            text = json.dumps({"name": self.called, **profile, "bot": True}, ensure_ascii=False)
            at = self.client.session.timing.to_seconds(now_ms())
            self.client.publish(Draft(self.me, at, PROFILE, (), text))

    def write(self, state: State, text: str, *, is_public: bool) -> bool:
        """Send a line of chat, through the arbiter to who has no Nostr key; whether it went. What
        cannot go is dropped: lichess-bot makes no move after a line that is refused.
        """
        if not self.client.writes or not self.client.session.links:
            return False
        self._wrote = tuple(at for at in self._wrote if now_ms() - at < MINUTE_MS)
        if len(self._wrote) >= MAX_LINES:
            return False
        self._wrote = (*self._wrote, now_ms())
        opponent = state.opponent_of(self.me)
        carried = self.client.session.arbiter if opponent in state.stand_ins else None
        to = carried or (None if is_public else opponent)
        self.client.write(SendLine(state.game, text, to, is_public))
        return True

    def later(self, work: Coroutine[object, object, object]) -> None:
        """Do this beside requests; a refusal then concerns none of them."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Task[object]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(task.exception(), Refused | TimeoutError):
            return

    def _need_a_relay(self) -> None:
        if not self.client.session.links:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "No relay can be reached")

    def _is_mine(self, state: State) -> bool:
        return state.offer is not None and state.offer.color == state.color_of(self.me)

    def _player(self, pubkey: str, speed: str, called: str = "") -> Player:
        is_me = pubkey == self.me
        called = self.called if is_me else called
        return self.people.player(pubkey, speed, called, is_bot=is_me and self.is_bot)
