"""What our Scuttlebutt peer has on its disk, in the words of bridge/peer/README.md.

Made up after `bridge/peer/chess_log.js` and `requests.js`, which are held to the same words by
tests/bridge. Which peers it lets in and connects to is not part of it.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.feeds import Content, Message

INVITES = frozenset({"chess_invite", "ssb_chess_invite"})
ACCEPTS = frozenset({"chess_invite_accept", "ssb_chess_invite_accept"})
CHESS = (
    INVITES
    | ACCEPTS
    | {
        f"{spelling}chess_{name}"
        for spelling in ("", "ssb_")
        for name in ("move", "game_end", "chat")
    }
)
MOST_BYSTANDERS = 50
MOST_OF_A_BYSTANDER = 20
_APART = 10
_KEY = re.compile(r"%[A-Za-z0-9+/]{43}=\.sha256")
_FEED = re.compile(r"@[A-Za-z0-9+/]{43}=\.ed25519")

Told = dict[str, Any]


@dataclass(eq=False)
class _Game:
    invite: int | None = None
    accept: int | None = None
    parties: tuple[str, ...] = ()
    by: dict[str, list[int]] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)
    accepts: dict[str, int] = field(default_factory=dict)


class Disk:
    """The log of all that our peer, whose feed is ``us``, has heard and said, and what it finds
    there about chess.
    """

    def __init__(self, us: str) -> None:
        self.us = us
        self.forks: dict[str, tuple[int, str]] = {}
        self._known: dict[tuple[str, int], str] = {}
        self._places: dict[str, int] = {}
        self._messages: dict[int, Message] = {}
        self._heard: list[int] = []
        self._games: dict[str, _Game] = defaultdict(_Game)
        self._games_of: dict[str, list[str]] = defaultdict(list)
        self._follows: dict[str, list[tuple[int, bool]]] = defaultdict(list)
        self._said: dict[str, str] = {}
        self._judged: dict[str, str] = {}

    @property
    def latest(self) -> int:
        """The place of the newest message that a bridge is to hear; -1 if there is none."""
        return self._heard[-1] if self._heard else -1

    def take(self, message: Message) -> str | None:
        """Append it, if it is new: ``news`` for something to hear, ``fork`` for a second message
        of one number, which is not kept; None for what is known or concerns no game.
        """
        place = message.author, message.sequence
        known = self._known.setdefault(place, message.key)
        if known != message.key:
            is_first = message.author not in self.forks
            self.forks.setdefault(message.author, (message.sequence, known))
            return "fork" if is_first else None
        at = self._places.setdefault(message.key, _APART * (len(self._places) + 1))
        if at in self._messages:
            return None
        self._messages[at] = message
        if not message.is_read_by(self.us) or not self._note(message, at):
            return None
        self._heard.append(at)
        return "news"

    def saying(self, content: Content) -> str | None:
        said = self._said.get(str(content.get("utterance")))
        return said or self._judged.get(_judged_by(content) or "")

    def answer(self, what: str, asked: Mapping[str, Any]) -> Told:
        match what:
            case "hear":
                return self._told(self._heard, asked["after"], asked["most"])
            case "thread":
                return self._told(self._thread(asked["root"]), asked["after"], asked["most"])
            case "game":
                return self._game(asked["root"])
            case "games":
                return {"roots": [*self._games_of.get(asked["feed"], [])]}
            case "forks":
                found = self.forks.items()
                return {
                    "forks": [
                        {"author": author, "sequence": sequence, "known": known}
                        for author, (sequence, known) in found
                    ]
                }
            case _:
                return {"messages": len(self._heard), "games": len(self._games)}

    def _thread(self, root: str) -> list[int]:
        game = self._games.get(root)
        if game is None or game.invite is None:
            return []
        known = [*dict.fromkeys((*game.parties, self.us))]
        strangers = [feed for feed in game.by if feed not in known][:MOST_BYSTANDERS]
        places = [at for feed in known for at in game.by.get(feed, [])]
        places += [at for feed in strangers for at in game.by[feed][:MOST_OF_A_BYSTANDER]]
        return sorted(places)

    def _game(self, root: str) -> Told:
        game = self._games.get(root)
        if game is None or game.invite is None:
            return {"invite": None}
        players = (*game.parties, self.us)
        newest = max(game.newest.get(feed, game.invite) for feed in players)
        return {
            "invite": self._message(game.invite),
            "accept": None if game.accept is None else self._message(game.accept),
            "follows": {feed: self._follows.get(feed, []) for feed in game.parties},
            "newest": self._messages[newest].key,
        }

    def _told(self, places: list[int], after: int, most: int) -> Told:
        begin = bisect_right(places, after)
        messages = [self._message(at) for at in places[begin : begin + most]]
        return {"messages": messages, "reached": messages[-1]["at"] if messages else after}

    def _message(self, at: int) -> Told:
        one = self._messages[at]
        game = self._games.get(_root_of(one))
        return {
            "key": one.key,
            "author": one.author,
            "sequence": one.sequence,
            "timestamp": one.timestamp,
            "private": bool(one.recps),
            "content": one.content,
            "at": at,
            "nth": bisect_right(game.by[one.author], at) if game and one.author in game.by else 1,
        }

    def _note(self, message: Message, at: int) -> bool:
        if _type_of(message) == "contact":
            return self._note_follow(message, at)
        if message.author == self.us:
            self._note_own(message)
        return self._note_chess(message, at)

    def _note_own(self, message: Message) -> None:
        content = message.content
        self._said.setdefault(str(content.get("utterance")), message.key)
        if (about := _judged_by(content)) is not None:
            self._judged.setdefault(about, message.key)

    def _note_follow(self, message: Message, at: int) -> bool:
        if message.content.get("contact") != self.us:
            return False
        changes = self._follows[message.author]
        following = message.content.get("following") is True
        if following == (changes[-1][1] if changes else False):
            return False
        changes.append((at, following))
        return True

    def _note_chess(self, message: Message, at: int) -> bool:
        content, author, root = message.content, message.author, _root_of(message)
        kind = _type_of(message)
        if kind not in CHESS or not _KEY.fullmatch(root):
            return False
        if kind in INVITES and not _FEED.fullmatch(str(content.get("inviting"))):
            return False
        game = self._games[root]
        game.by.setdefault(author, []).append(at)
        if not kind.endswith("chess_chat"):
            game.newest[author] = at
        if kind in INVITES:
            game.invite, game.parties = at, (author, str(content["inviting"]))
            game.accept = game.accepts.get(game.parties[1])
            for feed in game.parties:
                self._games_of[feed].append(root)
        elif kind in ACCEPTS and author not in game.accepts:
            game.accepts[author] = at
            if game.parties and author == game.parties[1]:
                game.accept = at
        return True


def _type_of(message: Message) -> str:
    kind = message.content.get("type")
    return kind if isinstance(kind, str) else ""


def _root_of(message: Message) -> str:
    return message.key if _type_of(message) in INVITES else str(message.content.get("root"))


def _judged_by(content: Content) -> str | None:
    verdict = content.get("verdict") or {}
    return None if verdict.get("reason") == "disputed" else verdict.get("about")
