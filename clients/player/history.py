"""What a program saw of its games: the events that players signed, and the chain of the states
(PROTOCOL.md, "The chain"). A game whose links are all known can be handed in.

Invariant: nothing is claimed of what is not known. A history differs where the arbiter signed two
of one version or an end that its note lacks, or showed a move of ours that we did not sign.
"""

import gzip
import hashlib
import json
import re
import urllib.request
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field

from arbiter.nostr.event import (
    NostrEvent,
    VerifiedEvent,
    event_to_json,
    first_tag,
    is_hex_32_bytes,
    verify,
)
from arbiter.nostr.filters import Filter
from clients.player.drafts import ANNOUNCEMENT
from clients.player.heard import Differs
from clients.player.messages import MOVE, MOVE_TEXT, PGN_NOTE, STATE, value

USUAL_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MAX_GAMES, MAX_EVENTS, MAX_IDS = 48, 2_000, 4_096
_SECONDS = 5
_AT_MOST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HandIn:
    """The transcript of a game that is over."""

    game: str
    octets: bytes


@dataclass(frozen=True, slots=True)
class _State:
    chain: str
    shown: str | None
    deadline: int


@dataclass(slots=True)
class _History:
    """``states`` by version, the ``last`` one, and ids ``ours`` of what we signed since."""

    header: dict[str, str]
    states: dict[int, _State] = field(default_factory=dict)
    events: dict[str, VerifiedEvent] = field(default_factory=dict)
    ours: set[str] = field(default_factory=set)
    last: int = 0
    is_over: bool = False
    is_told: bool = False
    noted: str = ""


class Histories:
    """The histories of this arbiter's latest games. Events may come in any order, and twice.
    ``http`` is where its pages are: as given, else as it announces.
    """

    def __init__(self, arbiter: str, http: str | None = None) -> None:
        self._arbiter = arbiter
        self.http = http
        self._games: OrderedDict[str, _History] = OrderedDict()
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._ours: set[str] = set()

    def wanted(self) -> tuple[Filter, ...]:
        """Events that others sign in the games that go on, and where to hand them in."""
        going = {game: it.header for game, it in self._games.items() if not it.is_over}
        players = {it[side] for it in going.values() for side in ("white", "black")} - self._ours
        if not going or not players:
            return ()
        tags = {"d": tuple(going)[-24:]}
        moves = Filter(kinds=(MOVE,), authors=tuple(sorted(players))[-24:], tags=tags)
        where = Filter(kinds=(ANNOUNCEMENT,), authors=(self._arbiter,), tags={"d": ("chess",)})
        return (moves,) if self.http else (moves, where)

    def sent(self, event: VerifiedEvent) -> None:
        """Keep an event of ours."""
        self._ours.add(event.pubkey)
        history = self._games.get(value(event, "d") or "") if event.kind == MOVE else None
        if history and event.content != "state":
            history.events[event.id] = event
            history.ours.add(event.id)

    def take(self, came: NostrEvent) -> Differs | HandIn | None:
        """Keep what came over a relay, and return what follows of it."""
        game = value(came, "d") or ""
        known = self._games.get(game)
        is_arbiters = came.pubkey == self._arbiter and came.kind in (STATE, PGN_NOTE, ANNOUNCEMENT)
        is_players = came.kind == MOVE and known is not None and came.content != "state"
        if came.id in self._seen or not (is_arbiters or is_players):
            return None
        event = verify(came)
        if not isinstance(event, VerifiedEvent):
            return None
        self._seen[event.id] = None
        if len(self._seen) > MAX_IDS:
            self._seen.popitem(last=False)
        if is_arbiters and event.kind == STATE:
            return self._state(game, event)
        if is_arbiters and event.kind == ANNOUNCEMENT:
            self.http = self.http or _pages(event)
            return None
        if known and is_arbiters:
            known.noted = value(event, "chain") or ""
            return _ended(known)
        if (
            known
            and event.pubkey in (known.header["white"], known.header["black"])
            and len(known.events) < MAX_EVENTS
        ):
            known.events.setdefault(event.id, event)
        return None

    def _state(self, game: str, event: VerifiedEvent) -> Differs | HandIn | None:
        version, chain = _number(value(event, "version")), value(event, "chain") or ""
        players = [tag[1] for tag in event.tags if tag[0] == "p" and len(tag) > 1]
        players = players or [*(first_tag(event, "players") or ())[1:]]
        if not is_hex_32_bytes(chain) or not version or len(players) < 2:  # noqa: PLR2004 - both
            return None
        if (known := self._games.get(game)) is None:
            header = {"game": game, "arbiter": self._arbiter}
            header |= {"white": players[0], "black": players[1]}
            header |= {"start": value(event, "start") or USUAL_START}
            header |= {"variant": value(event, "variant") or "standard", "first": chain}
            known = self._games[game] = _History(header)
            if len(self._games) > MAX_GAMES:
                self._games.popitem(last=False)
        state = _State(chain, shown(event), _number(value(event, "deadline")))
        if known.states.setdefault(version, state).chain != chain:
            return _differs(known, f"it signed two, both with version {version}")
        if version <= known.last:
            return None
        if known.is_over:
            is_same = chain == known.states[known.last].chain
            return None if is_same else _differs(known, "its chain went on after the end")
        if known.last and (move := _replaced(known, version)):
            return _differs(
                known, f"its chain does not follow from the move {move} that you signed"
            )
        known.last, known.ours = version, set()
        known.is_over = first_tag(event, "termination") is not None
        return _ended(known)


def _before(known: _History, version: int) -> int:
    """The latest version of those that are known before this one; 0 for none."""
    return max((it for it in known.states if it < version), default=0)


def _id_of(known: _History, version: int) -> str | None:
    """The id by which this state follows from the one before that is known; None for none."""
    before, state = known.states.get(_before(known, version)), known.states[version]
    if before is None or state.shown is None:
        return None
    for id_ in (*reversed(known.events), f"{before.deadline:064x}"):
        link = hashlib.sha256(bytes.fromhex(before.chain + id_) + state.shown.encode())
        if link.hexdigest() == state.chain:
            return id_
    return None


def _replaced(known: _History, version: int) -> str:
    """The move that we signed and the arbiter shows otherwise, or ""; what a former run signed is
    not known.
    """
    before, text = known.states.get(_before(known, version)), known.states[version].shown
    if len(known.states) == 2 or not (before and before.shown and text):  # noqa: PLR2004 - as said
        return ""
    ply = int(text.split(" ")[0])
    # A move that ends the game makes two versions, and shows one.
    is_next = version == known.last + 1 + (not text.endswith(" -"))
    is_white = (known.header["start"].split(" ")[1:2] == ["w"]) == bool(ply % 2)
    mover = known.header["white" if is_white else "black"]
    ours = [it for it in map(known.events.__getitem__, known.ours) if it.pubkey == mover]
    moves = [it.content for it in ours if MOVE_TEXT.fullmatch(it.content.lower())]
    is_next = is_next and ply == int(before.shown.split(" ")[0]) + 1
    return moves[-1] if is_next and moves and _id_of(known, version) is None else ""


def _ended(known: _History) -> Differs | HandIn | None:
    """The game is over, and its note is here: what differs, or the transcript to hand in."""
    if not known.is_over or not known.noted or known.is_told:
        return None
    chain = known.states[known.last].chain
    if known.noted != chain:
        return _differs(known, "its note is of another than its states")
    known.is_told = True
    if 1 not in known.states:
        return None
    texts = [json.dumps(known.header | {"first": known.states[1].chain, "chain": chain})]
    for version in sorted(known.states.keys() & range(2, known.last + 1)):
        if (id_ := _id_of(known, version)) is None:
            return None
        event = known.events.get(id_)
        line = {"id": id_, "shown": known.states[version].shown}
        texts.append(json.dumps(line | ({"event": event_to_json(event)} if event else {})))
    return HandIn(known.header["game"], gzip.compress("\n".join(texts).encode(), mtime=0))


def _pages(announcement: VerifiedEvent) -> str | None:
    """The address before that of a player (NIP-89), or None."""
    base, path, _ = (value(announcement, "web") or "").partition("/players/")
    return base if path and base.startswith(("https://", "http://")) else None


def _differs(known: _History, text: str) -> Differs | None:
    if known.is_told:
        return None
    known.is_told = True
    text = f"the arbiter tells different histories of this game: {text}"
    return Differs(known.header["game"], text)


def _number(text: str | None) -> int:
    return int(text) if text and re.fullmatch("[0-9]{1,15}", text) else 0


def shown(state: VerifiedEvent) -> str | None:
    """What a state shows, in one line; None where it leaves its moves out."""
    ply, moves = _number(value(state, "ply")), (first_tag(state, "moves") or ("",))[1:]
    if len(moves) != ply:
        return None
    offer = first_tag(state, "offer")
    clock = (first_tag(state, "clock") or ("", "-", "-"))[1:3]
    parts = (str(ply), moves[-1] if moves else "-", ":".join(offer[1:3]) if offer else "-", *clock)
    ended = (value(state, "result") or "*", value(state, "termination") or "-")
    return " ".join((*parts, *ended))


def hand_in(base: str, it: HandIn) -> None:
    """Give the arbiter the transcript, if it has none that is whole; trouble is no player's."""
    url = f"{base.rstrip('/')}/games/{it.game}/transcript"
    with suppress(OSError, ValueError):
        if _is_whole(url):
            return
        request = urllib.request.Request(url, it.octets, method="PUT")  # noqa: S310 - the arbiter's own
        request.add_header("Content-Type", "application/gzip")
        urllib.request.urlopen(request, timeout=_SECONDS).close()  # noqa: S310


def _is_whole(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310
            octets = gzip.decompress(answer.read(_AT_MOST))
    except (OSError, EOFError):
        return False
    return not any(_is_missing(json.loads(line)) for line in octets.splitlines()[1:])


def _is_missing(line: dict[str, object]) -> bool:
    return not line.get("event") and not str(line.get("id", "")).startswith("0" * 48)
