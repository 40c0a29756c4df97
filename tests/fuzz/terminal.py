"""The terminal client between a hostile relay, a hostile arbiter and hostile spectators.

Whatever they send, nothing raises, and nothing that a terminal would act on is shown.
"""

import io
import unicodedata
from dataclasses import dataclass, replace

from arbiter.adapters.sealer import KeySealer
from arbiter.nostr.event import EventTemplate, Malformed, NostrEvent, event_from_json, event_to_json
from arbiter.nostr.keys import SecretKey
from clients.terminal.board import Style
from clients.terminal.happenings import Leave, Notice, Save, Send, SendChat, Subscribe, TuneIn
from clients.terminal.mailroom import Mailroom
from clients.terminal.screens import JsonScreen, PlainScreen
from clients.terminal.sealing import Sealing
from clients.terminal.session import (
    CaughtUp,
    FromArbiter,
    FromChat,
    Input,
    LinkDown,
    LinkUp,
    Session,
    Tick,
    TypedLine,
)
from clients.terminal.step import step
from clients.terminal.text import clean
from clients.terminal.wire import PLAYERS_CHAT, ChatLine
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.fuzz.choices import Choices
from tests.fuzz.texts import anything, nearly, usually

_START = 1_800_000_000.0
_GAME = "00112233445566778899aabbccddeeff"
_NEXT = "ff" * 16
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_AUTHORS = (SERVER, SERVER, SERVER, SERVER, BOB, EVE)
_FENS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "8/8/8/8/8/8/8/8 w - - 0 1",
)
_ERRORS = ("illegal-move: e2e5", "stale: look", "not-your-turn: wait", "rate-limited: slow down")
_LINES = ("hello", "good game", "\x1b[2J", "")
_CONTENTS: dict[int, tuple[str, ...]] = {
    20301: (
        f"started:{_GAME}:{BOB.pubkey}:w",
        f"started:{_NEXT}:{BOB.pubkey}:b",
        f"challenged:{_NEXT}:{BOB.pubkey}",
        *("queued", "cancelled", "error:stale: ask again", "error:pow: 8"),
    ),
    20302: _FENS,
    20304: _ERRORS,
    64: ('[Event "x"]\n\n1. e4 *\n\n', "\x1b]0;x\x07"),
    20305: _LINES,
    20306: _LINES,
}
_KINDS = (20302, 20302, 20302, 20302, *_CONTENTS)
_TAGS: dict[str, tuple[str, ...]] = {
    "ply": ("0", "1", "4", "99999"),
    "moves": ("e2e4", "e7e5", "e7e8q", "0000"),
    "version": ("0", "1", "2", "999"),
    "result": ("1-0", "*", "1/2-1/2"),
    "termination": ("checkmate", "timeout", "aborted"),
    "clock": ("180000", "0", "-1"),
    "deadline": ("1800000100", "0", "9999999999999"),
    "offer": ("draw", "takeback", "rematch", "w", "b"),
    "rematch": (_NEXT,),
    "rating": ("w", "b", "1500", "1512"),
    "time": ("180+2", "3d"),
    "mode": ("rated", "casual"),
    "variant": ("chess960",),
    "start": _FENS,
    "stand-in": (BOB.pubkey,),
    "said-by": (BOB.pubkey, EVE.pubkey),
    "challenge": (_NEXT,),
    "expiration": ("1800000600",),
    "e": ("ab" * 32,),
}
_NAMES = tuple(_TAGS)
_TYPED = (
    "e4",
    "Nf3",
    "e2e4",
    "resign",
    "draw",
    "help",
    "board",
    "moves",
    "chat hello",
    "yes",
    "no",
)


@dataclass(frozen=True, slots=True)
class Came:
    """Something that happened, so many seconds after what was before."""

    what: "Typed | Event | str"
    after: float


@dataclass(frozen=True, slots=True)
class Typed:
    """A line of the player's own."""

    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """An event of one of ``_AUTHORS``, from a relay's store or fresh."""

    by: int
    template: EventTemplate
    stored: bool


def _tag(choices: Choices) -> tuple[str, ...]:
    name = choices.pick(_NAMES)
    values = choices.several(3, lambda: usually(choices, _TAGS[name]))
    return (nearly(choices, (name,)), *values)


def _event(choices: Choices) -> Event:
    kind = choices.pick(_KINDS)
    tags: list[tuple[str, ...]] = [("d", _GAME), ("p", ALICE.pubkey), ("p", BOB.pubkey)]
    if choices.chance(10):
        tags.pop(choices.below(3))
    tags += choices.several(5, lambda: _tag(choices))
    content = usually(choices, _CONTENTS[kind])
    at = int(_START) + choices.pick((0, 0, 1, -600, 600))
    return Event(
        choices.below(len(_AUTHORS)),
        EventTemplate(kind, tuple(tags), content, at),
        choices.chance(5),
    )


def evenings(choices: Choices) -> tuple[Came, ...]:
    """What happens to a player, one thing after the other."""

    def one() -> Came:
        after = choices.pick((0.0, 0.1, 1.0, 10.0, 60.0, 3_600.0))
        match choices.below(8):
            case 0:
                text = usually(choices, _TYPED) if choices.chance(2) else anything(choices)
                # The line editor lets nobody type what a terminal would act on.
                return Came(Typed(clean(text)), after)
            case 1:
                return Came(choices.pick(("tick", "down", "up", "caught up")), after)
            case _:
                return Came(_event(choices), after)

    started = EventTemplate(
        20301, (("p", ALICE.pubkey),), f"started:{_GAME}:{BOB.pubkey}:w", int(_START)
    )
    begins = (Came("up", 0.0), Came("caught up", 0.0), Came(Event(0, started, False), 0.0))
    return (*begins, *choices.several(12, one))


def spend(evening: tuple[Came, ...]) -> str:
    """Live through it; what was shown, by its types."""
    session = Session(me=ALICE.pubkey, server=SERVER.pubkey, asks=False, started_at=_START)
    sealing = Sealing(ALICE)
    mailroom = Mailroom(SERVER.pubkey, ALICE.pubkey, unseal=sealing.unseal)
    people, programs = io.StringIO(), io.StringIO()
    screens = (PlainScreen(people, Style(color=False, unicode=True)), JsonScreen(programs))
    words: list[str] = []
    now = _START
    for came in evening:
        now += came.after
        given = _input(came, mailroom)
        if given is None:
            words.append("unheard")
            continue
        session, effects = step(session, given, now)
        for effect in effects:
            words.append(type(effect).__name__)
            if not isinstance(effect, Send | SendChat | Subscribe | TuneIn | Save | Leave):
                _shown(effect, session, screens)
    for screen in (people, programs):
        for line in screen.getvalue().split("\n"):
            assert not {unicodedata.category(letter) for letter in line} & _UNSEEN, line
    return " ".join(words)


def _shown(notice: Notice, session: Session, screens: tuple[PlainScreen | JsonScreen, ...]) -> None:
    for screen in screens:
        screen.show(notice, session)


def _input(came: Came, mailroom: Mailroom) -> Input | None:
    match came.what:
        case Typed(text):
            return TypedLine(text)
        case Event(by, template, stored):
            event = _signed(_AUTHORS[by], template)
            heard = mailroom.open(event, stored=stored) if event else None
            if heard is None:
                return None
            if isinstance(heard, ChatLine):
                return FromChat(heard)
            return FromArbiter(heard, stored)
        case "up":
            return LinkUp("ws://one")
        case "down":
            return LinkDown("ws://one", "gone")
        case "caught up":
            return CaughtUp("ws://one")
        case _:
            return Tick()


def _signed(by: SecretKey, template: EventTemplate) -> NostrEvent | None:
    """The event as it is read again, if it is not too large for that."""
    if template.kind == PLAYERS_CHAT and len(template.content) > 1:
        # What is between players is sealed; what is not is a hostile relay's.
        payload = KeySealer(lambda: by).seal(ALICE.pubkey, template.content, "ab" * 32)
        template = replace(template, content=payload or "")
    event = event_from_json(event_to_json(by.sign(template)))
    return None if isinstance(event, Malformed) else event
