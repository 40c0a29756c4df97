"""Conversations as text: in each line who says what and, behind ``>``, what comes back.

    alice seek blitz            > alice queued
    bob seek blitz              > bob started | alice started | state
    x: alice e2e4               > state
    again x                     > same
    bob e7e2                    > both !illegal-move
    = ply 1 | status illegal-move

What is said is said a second after what was said before; ``;`` parts what stands in one line. ``alice`` speaks on relays, ``~alice`` over her
socket, ``@alice`` on Scuttlebutt, and ``white`` is who has White in the last game. Of the first two who play, the first in the alphabet has
White. Behind ``>`` stands everything that comes back, or ``-``; ``same`` states and notes
are known to relays already. ``...`` is anything more. A line without ``>`` is not looked at.

Lines that no player says: ``wait 5m``, ``hold x: alice draw`` (signed now, sent with ``send x``),
``queue x: alice draw`` (received now, handled with ``send x``),
``again x``, ``20 x eve seek`` (so often, ``#`` being the number), ``moves e2e4 e7e5`` (both sides'), ``crash games.commit``, ``deaf`` and ``hearing`` (the relays), ``gone alice`` (a
socket), ``timer`` (comes when it is due), ``no timers`` (forgets those set so far),
``republish``, ``mark x`` (remembers the present state,
so that ``/at=x`` names it), ``meanwhile lobby.commit: bob cancel``, and ``= what is so``.
"""

import re
from collections.abc import Callable

import chess
import pytest

from arbiter.application.queue_messages import Timer
from arbiter.application.routing import timer_entry
from arbiter.core.game import Game
from arbiter.core.rules import Rules
from arbiter.nostr.event import VerifiedEvent, first_tag
from arbiter.nostr.keys import SecretKey
from tests.application.socket_player import SocketPlayer
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import SERVER, a_key, an_event
from tests.fakes.faults import Hook, crash_at, quiet
from tests.letters import US, a_message

SHORT = {"blitz": "time=180+2", "rated": "mode=rated", "bot": "bot=true", "bots": "bots=welcome"}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
SOCKET_KINDS = {"connect": 5000, "cancelsearch": 5000, "offer": 5002, "resign": 5003}
REQUESTS = {"seek", "challenge", "accept", "decline", "cancel", "status"}


class OtherColors(Exception):
    """The hash of the requests gives the first in the alphabet Black: begin a second later."""


def scripts(text: str, before: str = "") -> pytest.MarkDecorator:
    """The cases of this text as the argument ``script``; ``#`` begins each with its name. What
    stands ``before`` them all is said first in each.
    """
    named = [part.partition("\n") for part in re.split(r"^# ", text, flags=re.MULTILINE)[1:]]
    ids = [re.sub(r"[^a-z0-9+]+", "-", name.lower()).strip("-") for name, _, _ in named]
    return pytest.mark.parametrize("script", [before + lines for _, _, lines in named], ids=ids)


def run(text: str, rules: Rules | None = None) -> "Conversation":
    """Say all lines; the conversation as it is then."""
    for second in range(60):
        talk = Conversation(rules, in_order=not re.search(r"color=|(^|\s)@\w", text))
        talk.world.clock.ms += 1000 * second
        try:
            for line in filter(None, map(str.strip, text.splitlines())):
                talk.line(line)
        except OtherColors:
            continue
        return talk
    raise AssertionError("sixty games, and the colours were always the others")


class Conversation:
    """A world, those who talk in it, and the names of what they have said."""

    def __init__(self, rules: Rules | None = None, *, in_order: bool = True) -> None:
        self.world, self.in_order = World(rules), in_order
        self.keys: dict[str, SecretKey] = {}
        self.sockets: dict[str, SocketPlayer] = {}
        self.feeds: dict[str, SsbPlayer] = {}
        self.sent: dict[str, tuple[VerifiedEvent, str | None]] = {}
        self.queued: dict[str, str] = {}
        self.answers: dict[str, list[str]] = {}
        self.marks: dict[str, VerifiedEvent] = {}
        self.challenges: list[str] = []
        self.known: set[str] = set()
        self.inviter = ""
        self.deliveries = 1

    # What the lines say.

    def line(self, line: str) -> None:
        *before, line = line.split("; ")
        for one in before:
            self.line(one)
        if repeated := re.fullmatch(r"(\d+) x (.*)", line):
            for number in range(int(repeated[1])):
                self.line(repeated[2].replace("#", str(number)))
            return
        said, arrow, expected = line.partition(" > ")
        said = said.strip()
        if said.startswith("="):
            for fact in said[1:].split("|"):
                name, _, value = fact.strip().partition(" ")
                assert (name, self.fact(name)) == (name, value.strip()), line
            return
        label, said = self.labelled(said)
        heard, ids = self.step(said, label)
        if not said.startswith("again"):
            self.answers[label] = self.answers["last"] = ids
        if expected.strip() == "same":
            assert ids == self.answers[label], line
        elif arrow:
            wanted = [] if expected.strip() == "-" else expected.strip().split(" | ")
            if wanted and wanted[-1].endswith("..."):
                heard = heard[: len(wanted)]
            assert len(heard) == len(wanted), (line, heard)
            for got, want in zip(heard, wanted, strict=True):
                want = want.strip()  # noqa: PLW2901
                same = got.startswith(want[:-3]) if want.endswith("...") else got == want
                assert same, (line, heard)

    @staticmethod
    def labelled(said: str) -> tuple[str, str]:
        """The name of what is said, and what is said."""
        if found := re.fullmatch(r"(hold |queue )?(\w+): (.*)", said):
            return found[2], (found[1] or "") + found[3]
        word, _, name = said.partition(" ")
        return (name or "last", said) if word in {"again", "send"} else ("last", said)

    def step(self, said: str, label: str) -> tuple[list[str], list[str]]:
        """Do it; what comes back, in words and by ids."""
        events, letters = len(self.world.publisher.taken_events), len(self.world.outbox.said)
        failed = self.do(said, label)
        taken = self.world.publisher.taken_events[events:]
        for event in taken:
            self.learn(event)
        words = ["same " * self.is_known(event) + self.word(event) for event in taken]
        self.known |= {event.id for event in taken}
        for name in sorted(self.sockets):
            words += [frame_word(name, frame) for frame in self.sockets[name].heard()]
        words += [self.letter_word(number) for number in range(letters, self.said_so_far())]
        return ["failed"] * failed + words, [event.id for event in taken]

    def is_known(self, event: VerifiedEvent) -> bool:
        """Whether relays have this very state, note or rating already."""
        return event.id in self.known and event.kind in {20302, 64, 30300}

    def said_so_far(self) -> int:
        return len(self.world.outbox.said)

    def do(self, said: str, label: str) -> bool:
        """Say or do this; whether its record stays in the queue."""
        word, _, rest = said.partition(" ")
        match word:
            case "wait":
                self.world.clock.ms += round(float(rest[:-1]) * SECONDS[rest[-1]] * 1000)
            case "crash":
                point, _, times = rest.partition(" x")
                self.hook(crash_at(point, int(times or 1)))
            case "meanwhile":
                self.meanwhile(*rest.split(": "))
            case "deaf" | "hearing":
                self.world.publisher.deaf = word == "deaf"
            case "gone":
                self.world.sockets.gone.add(rest)
            case "moves":
                for uci in rest.split():
                    side = "white" if self.game().turn else "black"
                    self.line(f"{side} {uci} > state")
            case "no":
                self.world.timers.near.clear()
            case "mark":
                self.marks[rest] = self.state()
            case "timer":
                return self.fire()
            case "republish":
                bodies, self.world.republish.waiting = self.world.republish.bodies, []
                return any([self.deliver(body) for body in bodies])
            case "send" if label in self.queued:
                return self.deliver(self.queued[label])
            case "again" | "send":
                event, via = self.sent[label]
                return self.deliver(self.world.body(event, via))
            case "queue":
                event, via = self.sent[label] = self.event(rest)
                self.queued[label] = self.world.body(event, via)
            case "hold":
                self.sent[label] = self.event(rest)
            case _:
                event, via = self.sent[label] = self.sent["last"] = self.event(said)
                return self.deliver(self.world.body(event, via))
        return False

    def deliver(self, body: str) -> bool:
        """Deliver this, as often as it fails and the queue is patient; whether it failed at last."""
        for _ in range(self.deliveries):
            failed = bool(self.world.deliver(self.world.record(body)))
            self.world.hand_on()
            if not failed:
                return False
            self.world.clock.ms += 48_000 * (self.deliveries > 1)  # the queue's visibility time-out
        return True

    def hook(self, hook: Hook) -> None:
        """Let this happen at the points of all stores."""
        world = self.world
        world.games.hook = world.lobby.hook = world.timers.hook = world.ratings.hook = hook
        world.connections.hook = world.sockets.hook = world.outbox.hook = hook

    def meanwhile(self, point: str, said: str) -> None:
        """Have this said by another worker as soon as that point is reached."""
        event, via = self.event(said)

        def rival(reached: str) -> None:
            if reached == point:
                self.hook(quiet)
                self.deliver(self.world.body(event, via))

        self.hook(rival)

    def fire(self) -> bool:
        """Let the timer of the present game come when it is due."""
        game = self.game()
        self.world.clock.ms = max(self.world.clock.ms, game.timer_at_ms or 0)
        now_ms = self.world.clock.ms
        return self.deliver(timer_entry(Timer(game.id, game.ply, now_ms), now_ms).body)

    # What players say.

    def key(self, name: str) -> SecretKey:
        return self.keys.setdefault(name, a_key(name))

    def event(self, said: str) -> tuple[VerifiedEvent, str | None]:
        """What this player signs now, and the socket they send it over."""
        who, what = re.fullmatch(r"(\S+) ?(.*)", said).groups()  # type: ignore[union-attr]
        if (role := who.lstrip("~")) in {"white", "black"}:
            seat = self.game().seat(role == "white")
            who = who.replace(role, self.name(seat.player))
        words = what.split(" ")
        options = {word[1:] for word in words if word.startswith("/")}
        words = [word for word in words if not word.startswith("/")]
        if who.startswith("~"):
            return self.over_socket(who[1:], words), who[1:]
        if who.startswith("@"):
            return self.on_scuttlebutt(who[1:], words), None
        self.world.clock.ms += 1000
        if words[0] in REQUESTS:
            return self.request(who, words), None
        return self.native(who, " ".join(words), options), None

    def request(self, who: str, words: list[str]) -> VerifiedEvent:
        """A 20300: seek, challenge WHOM, accept c1, decline c1 WHY, cancel, status."""
        verb, *rest = words
        content = "" if verb in {"seek", "challenge"} else verb.replace("status", "state")
        tags = [("p", SERVER.pubkey)]
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

    def native(self, who: str, text: str, options: set[str]) -> VerifiedEvent:
        """A 20303 in the present game, or /g1; it names the present state, /at=x or /none."""
        number = next((int(one[1:]) for one in options if re.fullmatch(r"g\d", one)), 0)
        game_id = self.games[number - 1] if self.games else "0" * 32
        tags = [("d", game_id), ("p", SERVER.pubkey)]
        marked = next((one[3:] for one in options if one.startswith("at=")), None)
        if "none" not in options and game_id in self.world.publisher.states:
            state = self.marks[marked] if marked else self.world.publisher.states[game_id]
            tags.append(("e", state.id))
        at = self.world.clock.ms // 1000
        at += next((int(one[5:]) for one in options if one.startswith("date=")), 0)
        return an_event(self.key(who), 20303, text, (*tags,), at)

    def over_socket(self, socket: str, words: list[str]) -> VerifiedEvent:
        """A 5000 to 5003, by its content unless its kind is given."""
        if socket not in self.sockets:
            name = socket.partition(".")[0]
            self.sockets[socket] = SocketPlayer(self.world, self.key(name), socket)
        kind = int(words.pop(0)) if words[0].isdecimal() else SOCKET_KINDS.get(words[0], 5001)
        tags = tuple((*word.split("=", 1),) for word in words[1:])
        return self.sockets[socket].event(kind, words[0], *tags)

    def feed(self, name: str) -> SsbPlayer:
        if name not in self.feeds:
            feed = self.feeds[name] = SsbPlayer(self.world, name)
            if self.inviter:
                other = self.feeds[self.inviter]
                feed.invites, feed.root = {**other.invites}, other.root
        return self.feeds[name]

    def on_scuttlebutt(self, name: str, words: list[str]) -> VerifiedEvent:
        """An invitation (white [again] [to=bob]), accept, chat, public, offer, a status, or a move."""
        feed = self.feed(name)
        match words:
            case ["invite", color, *more]:
                whom = [self.key(one[3:]).pubkey for one in more if one.startswith("to=")]
                old = {"root": feed.root} if "again" in more else {}
                self.inviter = name
                return feed.invitation(color, text=" ".join(whom), **old)
            case ["accept"]:
                ours = [one for one in self.world.outbox.said if "inviting" in one.content]
                return feed.acceptance(ours[-1], a_message(f"ours {len(ours)}"))
            case ["chat" | "public" as how, *text]:
                content = {"type": "chess_chat", "root": feed.root, "msg": " ".join(text)}
                return feed.letter(content, is_private=how == "chat")
            case ["offer"]:
                content = {"type": "chess_chat", "root": feed.root, "msg": "/draw"}
                return feed.letter(content, is_private=True)
            case ["resigned" | "draw" | "mate" as status]:
                return feed.letter({"type": "chess_game_end", "root": feed.root, "status": status})
            case [uci, *fields]:
                given = dict(field.split("=") for field in fields)
                more = {name: int(v) if v.isdecimal() else v for name, v in given.items()}
                more |= {"winner": US} if given.get("winner") == "us" else {}
                content = feed.move_content(uci, **more)
                return feed.letter({name: v for name, v in content.items() if v != ""})
        raise AssertionError(words)

    # What comes back, in words.

    def learn(self, event: VerifiedEvent) -> None:
        """Number the challenges that an event tells of, and look who has White."""
        for tag in (first_tag(event, "challenge"), ("", *event.content.split(":")[1:2])):
            is_told = event.content.startswith(("queued", "challenged:"))
            if event.kind == 20301 and is_told and tag and tag[1:]:
                self.challenges += [tag[1]] * (tag[1] not in self.challenges)
        if event.kind == 20302 and len(self.games) == 1 and self.in_order:
            white, black = (self.name(event.tags[at][1]) for at in (1, 2))
            if white > black:
                raise OtherColors

    def challenge(self, label: str) -> str:
        """The id of challenge c1, or the label itself."""
        known = re.fullmatch(r"c(\d+)", label)
        return self.challenges[int(known[1]) - 1] if known else label

    def name(self, pubkey: str) -> str:
        named = {key.pubkey: name for name, key in self.keys.items()}
        named |= {feed.pubkey: f"@{name}" for name, feed in self.feeds.items()}
        return named.get(pubkey, "somebody")

    def word(self, event: VerifiedEvent) -> str:
        """An event of the arbiter in a few words."""
        named = [self.name(tag[1]) for tag in event.tags if tag[0] == "p"]
        verb, _, rest = event.content.partition(":")
        match event.kind:
            case 20301 if verb == "error":
                reason, _, text = rest.partition(": ")
                return f"{named[0]} !{reason}" + (f" {text}" if reason == "declined" else "")
            case 20301:
                known = {one: f" c{at}" for at, one in enumerate(self.challenges, 1)}
                tagged = first_tag(event, "challenge") or ("", rest.split(":")[0])
                return f"{named[0]} {verb}{known.get(tagged[1], '')}"
            case 20302:
                return self.state_word(event)
            case 20304:
                return f"{'both' if len(named) == 2 else named[0]} !{verb}"
            case kind:
                return {64: "note", 30300: "rating", 20305: "chat", 20306: "public chat"}[kind]

    def state_word(self, event: VerifiedEvent) -> str:
        number = self.games.index(event.tags[0][1]) + 1
        words = ["state"] if number == len(self.games) else [f"g{number} state"]
        tags = {tag[0]: tag[1:] for tag in event.tags}
        if "offer" in tags:
            words.append("/".join(tags["offer"]))
        if "result" in tags:
            words += [*tags["result"], *tags["termination"]]
        return " ".join(words)

    def letter_word(self, number: int) -> str:
        """What our log says, to whom: ``@sue*`` where everybody can read it."""
        said = self.world.outbox.said[number]
        names = [name for name, feed in self.feeds.items() if said.root in feed.invites]
        to = f"@{names[0] if names else 'somebody'}" + ("" if said.recps else "*")
        content = {name: str(value) for name, value in said.content.items()}
        squares = content.get("orig", "") + content.get("dest", "") + content.get("promotion", "")
        match content["type"]:
            case "chess_move":
                return f"{to} {squares}"
            case "chess_game_end":
                return f"{to} {content['status']} {squares}".strip()
            case "chess_invite":
                return f"{to} invite {content['myColor']}"
            case "chess_chat" if isinstance(verdict := said.content.get("verdict"), dict):
                return f"{to} !{verdict['reason']}"
            case "chess_chat":
                return f"{to} {content['msg'].removeprefix('Arbiter: ')}"
            case other:
                return f"{to} {other.removeprefix('chess_invite_')}"

    # What is so.

    @property
    def games(self) -> list[str]:
        """The ids of all games, in the order in which they began."""
        return [*self.world.games.standing]

    def game(self) -> Game:
        return self.world.games.standing[self.games[-1]]

    def state(self) -> VerifiedEvent:
        return self.world.publisher.states[self.games[-1]]

    def fact(self, name: str) -> str:
        facts: dict[str, Callable[[], str]] = {
            "games": lambda: str(len(self.world.games.standing)),
            "ply": lambda: str(self.game().ply),
            "moves": lambda: " ".join(move.uci() for move in self.game().moves),
            "fen": lambda: self.game().board().fen(),
            "end": lambda: end_word(self.game()),
            "strikes": lambda: f"{self.game().white_strikes} {self.game().black_strikes}",
            "version": lambda: str(self.game().item_version),
            "offer": lambda: offer_word(self.game()),
            "white": lambda: self.name(self.game().white.player),
            "status": lambda: self.world.statuses()[-1],
            "statuses": lambda: " ".join(self.world.statuses()[-2:]),
            "rated": lambda: str(len(self.world.ratings.games)),
            "republished": lambda: str(len(self.world.republish.bodies)),
            "timers": lambda: str(len(self.world.timers.near)),
            "bound": lambda: names_or_none(self.bound()),
            "waiting": lambda: names_or_none(self.waiting()),
            "clock": lambda: clock_word(self.state()),
            "deadline": lambda: str((self.game().deadline_ms() or 0) - self.world.clock.ms),
            "timer": lambda: str((self.game().timer_at_ms or 0) - self.world.clock.ms),
            "challenges": lambda: names_or_none(self.standing()),
        }
        return facts[name]()

    def bound(self) -> list[str]:
        open_ones = self.world.connections.standing
        return [socket for socket in sorted(open_ones) if open_ones[socket].pubkeys]

    def waiting(self) -> list[str]:
        pools = self.world.lobby.pools.values()
        return [self.name(seek.seat.player) for pool in pools for seek in pool.waiting]

    def standing(self) -> list[str]:
        stored = self.world.lobby.challenges
        return [f"c{at}" for at, one in enumerate(self.challenges, 1) if one in stored]


def names_or_none(names: list[str]) -> str:
    return " ".join(names) or "-"


def clock_word(state: VerifiedEvent) -> str:
    """Both clocks (ms) as a state shows them, and in how many ms the deadline comes."""
    shown = first_tag(state, "clock")
    return " ".join(shown[1:]) if shown else "-"


def end_word(game: Game) -> str:
    return f"{game.result} {game.outcome.termination}" if game.outcome else "-"


def offer_word(game: Game) -> str:
    if game.offer is None:
        return "-"
    return f"{game.offer.kind.value}/{'w' if game.offer.color == chess.WHITE else 'b'}"


def frame_word(socket: str, frame: tuple[object, ...]) -> str:
    """What a socket hears: ``ok``, ``no`` with its text, or an event's label and content."""
    match frame:
        case ("OK", True, text):
            return f"~{socket} ok {text}".strip()
        case ("OK", _, text):
            return f"~{socket} no: {str(text).removeprefix('invalid: ')}"
        case (_, label, content):
            return f"~{socket} {label} {content}"
    raise AssertionError(frame)
