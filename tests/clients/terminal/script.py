"""Alice's session as text: in each line what comes in and, behind ``>``, what the client does.

    playing e4              > started white | moved
    enter e5                > !not-your-turn
    state e4 e5             > moved e5

``found`` and ``lost`` are of the relay, and of ``two`` if that is named; ``relay`` is one that has
not sent what it has stored, which ``caught-up`` says. ``state`` shows the moves as any server does,
``full`` as one that knows every word; more words are ``v3`` (the version), ``draw/b`` (an offer),
``1-0 resignation``, ``black`` (that is Alice), ``bare`` (without the tags of ours), ``at=5`` and
``game=f``. ``playing`` and ``playing-full`` begin at the first relay. ``stored`` comes before what
a relay had. ``error stale e2e4: text`` is about what Alice sent, ``ok``, ``no`` and ``unheard`` are
what a relay says of it. ``enter`` is what she types, ``wait 9`` lets seconds pass, ``pass 9``
without a tick. ``=`` begins what is so, and ``= says`` a part of the sentences shown last.

Behind ``>`` is all that the client does, or ``-``; ``...`` is anything more. ``e2e4`` is sent in
the game, ``?seek`` and other requests with their tags, and ``same`` is the same event again. Of
what is shown there is the kind and what matters; ``!code`` is the client's refusal, which changes
nothing. Without ``>`` a line is not looked at.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import chess

from arbiter.nostr.nip19 import encode_npub
from arbiter.nostr.relay_messages import PublishStatus
from clients.terminal.effects import Send
from clients.terminal.messages import sentence
from clients.terminal.notices import Notice
from clients.terminal.profiles import Profile
from clients.terminal.prompt import status
from clients.terminal.session import (
    CaughtUp,
    FromArbiter,
    FromChat,
    FromPeople,
    House,
    HousePlayer,
    Input,
    InputOver,
    LinkDown,
    LinkUp,
    Tick,
    TypedLine,
    Verdict,
)
from clients.terminal.terms import Terms
from clients.terminal.wire import (
    ArbiterMessage,
    Cancelled,
    Challenged,
    ChatLine,
    ErrorAnswer,
    GameRecord,
    Offer,
    Paired,
    RequestRefused,
    StateClaim,
    Waiting,
)
from tests.builders import BOB, EVE
from tests.cases import cases, steps
from tests.clients.terminal.scene import (
    GAME,
    OTHER_RELAY,
    RELAY,
    START,
    Scene,
    a_spectator,
    full,
    state,
)
from tests.clients.terminal.words import KEYS, NAMES, effect_word, terms_words

BLITZ = Terms(time="180+2", rated=True)
VERDICTS = {
    "ok": PublishStatus.ACCEPTED,
    "no": PublishStatus.GIVE_UP,
    "unheard": PublishStatus.NO_SUBSCRIBERS,
}
STATE_WORDS: tuple[tuple[str, Callable[..., Mapping[str, object]]], ...] = (
    (r"v(\d+)", lambda number: {"version": int(number)}),
    (r"(1-0|0-1|\*)", lambda result: {"result": result}),
    (r"(resignation|aborted|checkmate|timeout)", lambda why: {"termination": why}),
    (r"(\w+)/([wb])", lambda kind, color: {"offer": Offer(kind, color == "w")}),
    (r"time=(.+)", lambda time: {"time": time}),
    (r"clock=(\d+),(\d+)", lambda white, black: {"clock_ms": (int(white), int(black))}),
    (r"deadline=(\d+)", lambda ms: {"deadline_ms": int(START) * 1000 + int(ms)}),
    (r"rated", lambda: {"rated": True}),
    (r"game=(.)", lambda name: {"game_id": game_id(name)}),
    (r"rematch=(.)", lambda name: {"rematch": game_id(name)}),
    (r"stand-in=(.+)", lambda name: {"stand_ins": (KEYS[name],)}),
    (r"others", lambda: {"white": BOB.pubkey, "black": EVE.pubkey}),
    (r"fen=(.*)", lambda fen: {"fen": fen.replace("_", " ")}),
    (r"copy=(.)", lambda name: {"event_id": name * 64}),
)


def sessions() -> dict[str, str]:
    """Those in ``sessions/`` by their names."""
    files = sorted(Path(__file__).with_name("sessions").glob("*.txt"))
    return {f"{it.stem}: {name}": lines for it in files for (_, name), lines in cases(it).items()}


def run(text: str) -> None:
    """Give all lines to one client."""
    text = text.replace("{bob}", encode_npub(BOB.pubkey))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    script = Script(Scene(asks="a person" in lines))
    if "a spectator" in lines:
        script.scene = a_spectator(script.scene)
    for line in lines:
        if not line.startswith("a "):
            script.line(line)


class Script:
    """A scene, and the ids of what was sent in it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.sent: dict[str, str] = {}
        self.before = scene.session

    def line(self, line: str) -> None:
        """Give one line; what it expects is so."""
        for step in steps(line):
            self._step(step)

    def _step(self, line: str) -> None:
        if line.startswith("= "):
            for fact in line[2:].split(" | "):
                name, _, value = fact.partition(" ")
                found = self.fact(name)
                assert value in found if name == "says" else value == found, (line, found)
        else:
            self.compare(line)

    def compare(self, line: str) -> None:
        given, arrow, expected = (part.strip() for part in line.partition(" >"))
        did = " | ".join(self.give(*self.inputs(*given.split(" ")))) or "-"
        if expected.endswith("..."):
            assert did.startswith(expected[:-3]), (line, did)
        elif arrow:
            assert did == expected, (line, did)

    def give(self, *inputs: Input) -> list[str]:
        """The client's actions then, in words."""
        did = []
        for given in inputs:
            self.before = self.scene.session
            for effect in self.scene.give(given):
                assert "\x1b" not in getattr(effect, "text", "")
                word = effect_word(effect)
                if isinstance(effect, Send):
                    content = word.split(" ")[0]
                    same = bool(effect.event_id) and effect.event_id in self.sent.values()
                    self.sent.setdefault(f"first-{content}", effect.event_id)
                    self.sent[content] = effect.event_id
                    word = "same " * same + word
                elif word.startswith("!") and isinstance(given, TypedLine):
                    assert self.scene.session == self.before, word
                did.append(word)
        return did

    def inputs(self, word: str, *words: str) -> tuple[Input, ...]:
        """The inputs of a line."""
        first = words[0] if words else ""
        text = " ".join(words)
        match word:
            case "relay" | "found" | "caught-up" | "lost":
                url = OTHER_RELAY if first == "two" else RELAY
                up, caught, lost = LinkUp(url), CaughtUp(url), LinkDown(url, "gone\x1b[2J")
                steps = {"relay": (up,), "found": (up, caught), "caught-up": (caught,)}
                return steps.get(word, (lost,))
            case "wait" | "pass":
                self.scene.now += float(first)
                return (Tick(),) if word == "wait" else ()
            case "enter":
                return (TypedLine(text.encode().decode("unicode_escape")),)
            case "over":
                return (InputOver(),)
            case "playing" | "playing-full":
                shown = "full" if word == "playing-full" else "state"
                told = (message("paired", self.sent), message(shown, self.sent, *words))
                return (*self.inputs("found"), *map(FromArbiter, told))
            case "stored":
                return (FromArbiter(message(first, self.sent, *words[1:]), stored=True),)
            case _:
                return (self.other(word, *words),)

    def other(self, word: str, *words: str) -> Input:
        """A message of a relay, another person or the arbiter."""
        if word in VERDICTS:
            url = OTHER_RELAY if "two" in words else RELAY
            return Verdict(url, self.sent[words[0]], VERDICTS[word], "blocked: \x1b]0;you\x07")
        if word in PEOPLE:
            return PEOPLE[word](*words)
        return FromArbiter(message(word, self.sent, *words))

    def fact(self, name: str) -> str:
        """A fact of the session or of its game."""
        session, scene = self.scene.session, self.scene
        text, waits = status(session)
        shown = [it for it in scene.effects if isinstance(it, Notice)]
        facts: dict[str, Callable[[], object]] = {
            "says": lambda: "\n".join(map(sentence, shown)),
            "prompt": lambda: " …".join([text, ""][: 1 + waits]),
            "unchanged": lambda: "yes" if session == self.before else "no",
            "phase": lambda: session.phase,
            "pending": lambda: session.pending.content if session.pending else "-",
            "ply": lambda: scene.line.ply,
            "asked": lambda: "yes" if session.request else "no",
            "terms": lambda: terms_words(session.terms),
            "own": lambda: (session.own_challenge or "-")[0],
            "challenges": lambda: " ".join(str(it.number) for it in session.challenges) or "-",
            "looked-up": lambda: " ".join(NAMES[key] for key in scene.looked_up[-1].pubkeys),
            "tuned-in": lambda: " ".join(
                f"{NAMES.get(it.opponent or '', '')}{'*' * it.public}@{it.since - int(START)}"
                for it in scene.tuned_in
                if it.game_id == GAME
            ),
            "lines": lambda: len(session.recent_lines),
            "dated": lambda: scene.sends()[0].template.created_at - int(START),
        }
        return str(facts[name]())


def chat(author: str, *words: str) -> FromChat:
    """A line to Alice, or with ``public`` to all; in another game with ``elsewhere``."""
    text = [word for word in words if word not in {"public", "elsewhere"}]
    game = "f" * 32 if "elsewhere" in words else GAME
    key = KEYS.get(author, author.rjust(64, "0"))
    return FromChat(ChatLine(key, game, " ".join(text), "public" in words))


def house(*levels: str) -> FromPeople:
    """A player of each of these levels, whose key is digits of its number."""
    players = (HousePlayer(str(at) * 64, int(level)) for at, level in enumerate(levels, 1))
    return FromPeople(House(tuple(players), int(START)))


PEOPLE: dict[str, Callable[..., Input]] = {
    "chat": chat,
    "house": house,
    "name": lambda player, name: FromPeople(Profile(KEYS[player], name, 1)),
}


def message(word: str, sent: dict[str, str], first: str = "", *words: str) -> ArbiterMessage:
    """A message of the arbiter; ``sent`` are the ids of Alice's messages."""
    text = " ".join(words)
    read: dict[str, Callable[[], ArbiterMessage]] = {
        "state": lambda: claim(state, first, *words),
        "full": lambda: claim(full, first, *words),
        "queued": lambda: Waiting(first * 32 or None),
        "cancelled": Cancelled,
        "refused": lambda: RequestRefused(f"{first} {text}".strip()),
        "paired": lambda: Paired(game_id(first), int(START) + int(text or 0)),
        "challenged": lambda: Challenged(
            words[0] * 32, KEYS[first], BLITZ, int(START) + int(words[1]) if words[1:] else None
        ),
        "error": lambda: ErrorAnswer(
            sent.get(words[0], "b" * 64), GAME, f"{first}: {' '.join(words[1:])}"
        ),
        "record": lambda: GameRecord(game_id(first), "1. e4 e5 1-0", "1-0", "resignation"),
    }
    return read[word]()


def claim(shows: Callable[..., StateClaim], *words: str) -> StateClaim:
    """A state after these moves, with what else is in it."""
    moves, tags = [], dict[str, object]()
    for word in (word for word in words if word not in {"", "black", "bare"}):
        found = ((re.fullmatch(pattern, word), read) for pattern, read in STATE_WORDS)
        known = next(((it, read) for it, read in found if it), None)
        if known is None:
            moves.append(word)
        else:
            tags |= known[1](*known[0].groups())
    alice = chess.BLACK if "black" in words else chess.WHITE
    if shows is full:
        return full(" ".join(moves), alice=alice, **tags)
    return replace(state(" ".join(moves), alice=alice, bare="bare" in words), **tags)  # type: ignore[arg-type]


def game_id(name: str) -> str:
    """The game that is played is ``g``; any other has an id of this letter alone."""
    return GAME if name in {"", "g"} else name * 32
