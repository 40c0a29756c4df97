"""The players of a script: how each signs what a line of it says, on relays (``alice``), over a
socket (``~alice``), on Scuttlebutt (``@alice``) or in kind 30 (``+alice``).
"""

import json
import re
from typing import Any

from arbiter.core.game import Game
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import KeyEncrypter
from tests.application.jester_player import JesterPlayer
from tests.application.socket_player import SocketPlayer
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import SERVER, a_key, an_event
from tests.envelopes import US, a_feed, a_message

SHORT = {"blitz": "time=180+2", "rated": "mode=rated", "bot": "bot=true", "bots": "bots=welcome"}
SOCKET_KINDS = {"connect": 5000, "cancelsearch": 5000, "offer": 5002, "resign": 5003}
REQUESTS = {"seek", "challenge", "accept", "decline", "cancel", "status"}


class Speakers:
    """All who have spoken in this world, and the names of challenges (c1) and games (g1)."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.keys: dict[str, SecretKey] = {}
        self.sockets: dict[str, SocketPlayer] = {}
        self.feeds: dict[str, SsbPlayer] = {}
        self.jesters: dict[str, JesterPlayer] = {}
        self.sent: dict[str, tuple[VerifiedEvent, str | None]] = {}
        self.marks: dict[str, VerifiedEvent] = {}
        self.challenges: list[str] = []
        self.inviter = self.start = ""

    @property
    def games(self) -> list[str]:
        """The ids of all games, in the order in which they began."""
        return [*self.world.games.by_id]

    def game(self) -> Game:
        """The last game."""
        return self.world.games.by_id[self.games[-1]]

    def key(self, name: str) -> SecretKey:
        return self.keys.setdefault(name, a_key(name))

    def name(self, pubkey: str) -> str:
        named = {key.pubkey: name for name, key in self.keys.items()}
        named |= {feed.pubkey: f"@{name}" for name, feed in self.feeds.items()}
        return named.get(pubkey, "unknown")

    def challenge(self, label: str) -> str:
        """The id of challenge c1, or the label itself."""
        known = re.fullmatch(r"c(\d+)", label)
        return self.challenges[int(known[1]) - 1] if known else label

    def event(self, said: str) -> tuple[VerifiedEvent, str | None]:
        """The event that this player signs now, and the socket it is sent over."""
        who, _, what = said.partition(" ")
        if (role := who.lstrip("~")) in {"white", "black"}:
            seat = self.game().seat(role == "white")
            who = who.replace(role, self.name(seat.player))
        words = [word for word in what.split(" ") if not word.startswith("/")]
        if who.startswith("~"):
            return self._over_socket(who[1:], words), who[1:]
        if who.startswith("@"):
            return self._on_ssb(who[1:], words), None
        if who.startswith("+"):
            return self._in_kind_30(who[1:], words), None
        self.world.clock.ms += 1000
        if words[0] in REQUESTS:
            return self._request(who, words), None
        options = {word[1:] for word in what.split(" ") if word.startswith("/")}
        if words[0] in {"whispers", "says"}:
            return self.line_of_chat(who, " ".join(words), options), None
        return self._native(who, " ".join(words), options), None

    def _request(self, who: str, words: list[str]) -> VerifiedEvent:
        """A 20300: seek, challenge WHOM, accept c1, decline c1 WHY, cancel, status."""
        verb, *rest = words
        content = "" if verb in {"seek", "challenge"} else verb.replace("status", "state")
        tags: list[tuple[str, ...]] = [("p", SERVER.pubkey)]
        if verb in {"accept", "decline"}:
            label, *more = rest or [""]
            why = [word.replace("_", " ") for word in more if verb == "decline"]
            content = ":".join([content, self.challenge(label), *why])
            rest = more if verb == "accept" else []
        elif verb == "challenge":
            whom = rest.pop(0)
            named = whom if whom == "open" or not whom.islower() else self.key(whom).pubkey
            tags.append(("challenge", named))
        for word in filter(None, rest):
            name, equals, value = SHORT.get(word, word).partition("=")
            tags.append((name, *value.replace("_", " ").split(",")) if equals else (name,))
        return an_event(self.key(who), 20300, content, (*tags,), self.world.clock.ms // 1000)

    def _native(self, who: str, text: str, options: set[str]) -> VerifiedEvent:
        """A 20303 in the last game, or /g1; it names the present state, /at=x or /none, and its
        author's clock is /date=9 seconds ahead. Lines are sealed: ``lines e2e4 e7e5, d2d4
        d7d5``, or ``lines none``.
        """
        if text.startswith("lines "):
            said = "\n".join(text.removeprefix("lines ").replace("none", " ").split(", "))
            sealed = KeyEncrypter(lambda: self.key(who)).encrypt(SERVER.pubkey, said, "00" * 32)
            text = f"lines:{sealed}"
        given = {name: value for name, _, value in (one.partition("=") for one in options)}
        number = next((int(one[1:]) for one in given if re.fullmatch(r"g\d", one)), 0)
        game_id = self.games[number - 1] if self.games else "0" * 32
        tags = [("d", game_id), ("p", SERVER.pubkey)]
        states = self.world.publisher.states
        if "none" not in given and game_id in states:
            state = self.marks[given["at"]] if "at" in given else states[game_id]
            tags.append(("e", state.id))
        at = self.world.clock.ms // 1000 + int(given.get("date", 0))
        return an_event(self.key(who), 20303, text, (*tags,), at)

    def line_of_chat(self, who: str, text: str, options: set[str]) -> VerifiedEvent:
        """A line for the arbiter: it says it to all, or whispers it, sealed for the arbiter, for
        /to=eve or (/open) not at all.
        """
        key, (verb, _, line) = self.key(who), text.partition(" ")
        to = next((self.key(it[3:]).pubkey for it in options if it[:3] == "to="), SERVER.pubkey)
        if verb == "whispers" and "open" not in options:
            line = KeyEncrypter(lambda: key).encrypt(to, line, "00" * 32) or line
        tags = (("d", self.games[0]), ("p", SERVER.pubkey))
        kind = 20305 if verb == "whispers" else 20306
        return an_event(key, kind, line, tags, self.world.clock.ms // 1000)

    def _over_socket(self, socket: str, words: list[str]) -> VerifiedEvent:
        """A 5000 to 5003, by its content unless its kind is given; challenge=bob is their key."""
        if socket not in self.sockets:
            name = socket.partition(".")[0]
            self.sockets[socket] = SocketPlayer(self.world, self.key(name), socket)
        kind = int(words.pop(0)) if words[0].isdecimal() else SOCKET_KINDS.get(words[0], 5001)
        pairs = (word.partition("=") for word in words[1:])
        tags = tuple(
            (tag, self.key(value).pubkey if tag == "challenge" and value.islower() else value)
            for tag, _, value in pairs
        )
        return self.sockets[socket].event(kind, words[0], *tags)

    def feed(self, name: str) -> SsbPlayer:
        """The player of this feed, who knows of the last invitation."""
        if name not in self.feeds:
            feed = self.feeds[name] = SsbPlayer(self.world, name)
            if self.inviter:
                other = self.feeds[self.inviter]
                feed.invites, feed.root = {**other.invites}, other.root
        return self.feeds[name]

    def _on_ssb(self, name: str, words: list[str]) -> VerifiedEvent:
        """An invitation (white [again] [to=bob], or of another feed: with=tom), accept, chat,
        public, offer, a status, or a move with fields that are given; ``private`` or as a ``fork``.
        """
        feed, (verb, *more) = self.feed(name), words
        given: dict[str, Any] = {
            name: int(it) if it.isdecimal() else it
            for name, _, it in (word.partition("=") for word in more)
        }
        is_private = given.pop("private", None) is not None
        fork = {"sequence": 7, "known": feed.root} if given.pop("fork", None) is not None else None
        match verb:
            case "invite":
                self.inviter = name
                fields = {"root": feed.root} if "again" in more else {}
                fields |= {"inviting": a_feed(given["with"])} if "with" in given else {}
                whom = self.key(given["to"]).pubkey if "to" in given else ""
                return feed.invitation(more[0], text=whom, **fields)
            case "accept":
                ours = [one for one in self.world.outbox.said if "inviting" in one.content]
                if ours:
                    feed.accept(ours[-1], a_message(f"ours {len(ours)}"))
                content = {"type": "chess_invite_accept", "root": feed.root, "branch": feed.root}
            case "chat" | "public" | "offer":
                text = " ".join(more) if more else "/draw"
                content = {"type": "chess_chat", "root": feed.root, "msg": text}
                is_private = verb != "public"
            case "resigned" | "draw" | "mate":
                content = {"type": "chess_game_end", "root": feed.root, "status": verb, **given}
            case uci:
                given |= {"winner": US} if given.get("winner") == "us" else {}
                content = feed.move_content(uci, **given)
                content = {name: it for name, it in content.items() if it != ""}
        return feed.envelope(content, is_private=is_private, fork=fork)

    def _in_kind_30(self, name: str, words: list[str]) -> VerifiedEvent:
        """A start (color=black, to=bob), resign, offer, a move, or an event that ``says`` fields
        alone, with more fields that are given, by=jesterui. Who began no game is in that of the
        last start. Players of one start read each other, unless more is given than the move:
        ``after=["e4"]`` is where they move, and ``answers=x`` names that event.
        """
        player = self.jesters.setdefault(name, JesterPlayer(self.world, self.key(name)))
        verb, *more = words
        fields = {name: value(text) for name, _, text in (word.partition("=") for word in more)}
        is_plain = fields.keys() <= {"by"}
        player.client = fields.pop("by", player.client)
        if verb == "start":
            player.color = fields.pop("color", "white")
            named = [("p", self.key(fields.pop("to")).pubkey)] if "to" in fields else []
            event = player.start_event(*named, **fields)
            self.start = event.id
            return event
        if not player.start:
            player.start = player.head = self.start
        same = [one for one in self.jesters.values() if one.start == player.start]
        last = max(same, key=lambda one: len(one.history))
        player.history, player.head = [*last.history], last.head
        board = player.board()
        if "answers" in fields:
            known = {json.loads(event.content)["move"]: event.id for event in player.read()}
            known |= {label: event.id for label, (event, _) in self.sent.items()}
            player.head = known.get(head := fields.pop("answers"), head)
        player.history = fields.pop("after", player.history)
        if verb in {"says", "offer", "resign"}:
            said = player.offered if verb == "offer" else player.resignation
            return player.said(board, **fields) if verb == "says" else said()
        event = player.move_event(verb, **fields)
        if is_plain:
            player.advance(verb, event)
        return event


def value(text: str) -> Any:
    """JSON, or else text with ``~`` for spaces."""
    try:
        return json.loads(text)
    except ValueError:
        return text.replace("~", " ")
