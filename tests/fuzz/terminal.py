"""The terminal client between a hostile relay, a hostile arbiter and hostile spectators.

Whatever they send, nothing raises, and nothing that a terminal would act on is shown.
"""

import io
import unicodedata
from dataclasses import replace

from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    ParseError,
    event_from_json,
    event_to_json,
)
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import KeyEncrypter
from arbiter.nostr.relay_messages import PublishStatus
from clients.player import model as player
from clients.player.chat import ChatCipher
from clients.player.events import Send
from clients.player.heard import CaughtUp, LinkDown, LinkUp, Tick, Verdict
from clients.player.inbox import Inbox
from clients.player.messages import PLAYERS_CHAT
from clients.terminal.board import Style
from clients.terminal.notices import Notice
from clients.terminal.screens import JsonScreen, PlainScreen
from clients.terminal.session import Input, InputOver, Session, TypedLine
from clients.terminal.update import step
from tests.builders import ALICE, SERVER
from tests.fuzz.terminal_sessions import AUTHORS, START, Came, Event, Typed

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def spend(evening: tuple[Came, ...]) -> list[str]:
    """Live through it, and return what was shown, by its types."""
    session = Session(
        wire=player.Session(me=ALICE.pubkey, arbiter=SERVER.pubkey),
        asks=False,
        started_at=START,
        seed=bytes(32),
    )
    tells = {ALICE.pubkey: lambda _: None}
    inbox = Inbox(
        SERVER.pubkey,
        tells,
        knows=lambda game: game in session.wire.games,
        cipher=ChatCipher(ALICE),
    )
    people, programs = io.StringIO(), io.StringIO()
    screens = (PlainScreen(people, Style(color=False, unicode=True)), JsonScreen(programs))
    words: list[str] = []
    now, sent = START, "00" * 32
    for came in evening:
        now += came.after
        given = _input(came, inbox, sent)
        if given is None:
            words.append("unheard")
            continue
        session, effects = step(session, given, now)
        for effect in effects:
            words.append(type(effect).__name__)
            sent = effect.draft.id if isinstance(effect, Send) else sent
            if isinstance(effect, Notice):
                _shown(effect, session, screens)
    for screen in (people, programs):
        for line in screen.getvalue().split("\n"):
            assert not {unicodedata.category(letter) for letter in line} & _UNSEEN, line
    return words


def _shown(notice: Notice, session: Session, screens: tuple[PlainScreen | JsonScreen, ...]) -> None:
    for screen in screens:
        screen.show(notice, session)


def _input(came: Came, inbox: Inbox, sent: str) -> Input | None:
    match came.what:
        case Typed(text):
            return TypedLine(text)
        case Event(by, template, stored):
            event = _signed(AUTHORS[by], template)
            return inbox.open(event, stored=stored) if event else None
        case "up":
            return LinkUp("ws://one")
        case "down":
            return LinkDown("ws://one", "gone")
        case "caught up":
            return CaughtUp("ws://one")
        case "accepted" | "no subscribers" | "retry" | "give up" as status:
            return Verdict(
                "ws://one",
                sent,
                PublishStatus[status.upper().replace(" ", "_")],
                "blocked: \x1b[2J",
            )
        case "no more":
            return InputOver()
        case _:
            return Tick()


def _signed(by: SecretKey, template: EventTemplate) -> NostrEvent | None:
    """The event as it is read again, if it is not too large for that."""
    if template.kind == PLAYERS_CHAT and len(template.content) > 1:
        # What is between players is sealed; what is not is a hostile relay's.
        payload = KeyEncrypter(lambda: by).encrypt(ALICE.pubkey, template.content, "ab" * 32)
        template = replace(template, content=payload or "")
    event = event_from_json(event_to_json(by.sign(template)))
    return None if isinstance(event, ParseError) else event
