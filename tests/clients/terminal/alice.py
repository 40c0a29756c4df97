"""Alice's client: it is given what comes in, and says in words what it does.

    alice = playing("e4 e5")
    assert alice(enter("draw")) == "draw | sent draw"

Of several inputs it says what follows the last. What it sends, shows and asks of its shell is in
the words of ``words.py``, with `` | `` between; ``-`` is nothing. A request is ``?seek`` with
its tags, a refusal of the client ``!code``, and ``same`` is before the same event again.
"""

from collections.abc import Callable
from typing import Any

import chess

from arbiter.nostr.house import HousePlayer
from arbiter.nostr.relay_messages import PublishStatus
from clients.player import messages
from clients.player.chat import ChatLine
from clients.player.events import Send
from clients.player.heard import CaughtUp, LinkDown, LinkUp, Tick, Verdict
from clients.player.people import House, Profile
from clients.player.terms import Terms, TimeControl
from clients.terminal.notices import Notice
from clients.terminal.outgoing import pending
from clients.terminal.prompt import status
from clients.terminal.session import Input, InputOver, TypedLine
from tests.builders import BOB, EVE
from tests.clients.terminal import scene
from tests.clients.terminal.scene import GAME, OTHER_RELAY, RELAY, START, Scene
from tests.clients.terminal.words import KEYS, NAMES, effect_word, terms_words

Step = Input | messages.Message | Callable[["Alice"], tuple[Input, ...]]


class Alice:
    """Her session, and the ids of what was sent in it."""

    def __init__(self, *, asks: bool = False, spectates: bool = False) -> None:
        self.scene = Scene(asks=asks)
        if spectates:
            self.scene = scene.a_spectator(self.scene)
        self.sent: dict[str, str] = {}
        self.asked = ""
        self.before = self.scene.session

    def __call__(self, *steps: Step) -> str:
        did = "-"
        for step in steps:
            if isinstance(step, messages.Message):
                given: tuple[Input, ...] = (step,)
            else:
                given = step(self) if callable(step) else (step,)
            did = " | ".join(word for it in given for word in self._did(it)) or "-"
        return did

    def _did(self, given: Input) -> list[str]:
        self.before, did = self.scene.session, []
        effects = self.scene.give(given)
        self.sent["?state"] = self.scene.state_asked
        for effect in effects:
            assert "\x1b" not in getattr(effect, "text", "")
            word = effect_word(effect)
            if isinstance(effect, Notice) and effect.type == "queued":
                word = f"queued {terms_words(self.scene.session.terms)} {word[7:]}".rstrip()
                word = " ".join(word.split())
            if isinstance(effect, Send):
                content = word.split(" ")[0]
                same = effect.draft.id in self.sent.values()
                self.sent.setdefault(f"first-{content}", effect.draft.id)
                self.sent[content] = effect.draft.id
                if effect.draft.kind == 20300:
                    self.asked = effect.draft.id
                word = "same " * same + word
            elif word.startswith("!") and isinstance(given, TypedLine):
                assert self.scene.session == self.before, "a refusal changes nothing"
            did.append(word)
        return did

    @property
    def says(self) -> str:
        """The sentences shown last."""
        return "\n".join(it.text for it in self.scene.effects if isinstance(it, Notice))

    @property
    def prompt(self) -> str:
        text, waits = status(self.scene.session)
        return " …".join([text, ""][: 1 + waits])

    @property
    def phase(self) -> str:
        return str(self.scene.session.phase)

    @property
    def pending(self) -> str | None:
        one = pending(self.scene.session)
        return one.content if one else None

    @property
    def is_unchanged(self) -> bool:
        """Whether the session is as it was before the last input."""
        return self.scene.session == self.before

    @property
    def tuned_in(self) -> list[str]:
        """The players whose chat is listened to, with a ``*`` everyone's, and the time since
        then.
        """
        return [
            "".join(
                NAMES.get(it.authors[0], "") if it.authors else "*" for it in subscribed.filters
            )
            + f"@{(subscribed.filters[0].since or 0) - int(START)}"
            for subscribed in self.scene.subscribed
            if subscribed.name == "chat" and subscribed.filters[0].tags["d"] == (GAME,)
        ]

    @property
    def sent_at(self) -> int:
        """The date of what was sent last, in seconds after the beginning."""
        return self.scene.sends()[0].draft.created_at - int(START)


# What comes of relays, the clock and the keyboard.
RELAY_COMES, OTHER_COMES = LinkUp(RELAY), LinkUp(OTHER_RELAY)
CAUGHT_UP, LOST, OVER = CaughtUp(RELAY), LinkDown(RELAY, "gone\x1b[2J"), InputOver()


def found(_: Alice) -> tuple[Input, ...]:
    """A relay, and all that it had stored."""
    return RELAY_COMES, CAUGHT_UP


def enter(text: str) -> TypedLine:
    return TypedLine(text)


def wait(seconds: float) -> Step:
    return lambda alice: (*pass_(seconds)(alice), Tick())


def pass_(seconds: float) -> Callable[[Alice], tuple[Input, ...]]:
    """Let seconds pass without a tick."""

    def passed(alice: Alice) -> tuple[Input, ...]:
        alice.scene.now += seconds
        return ()

    return passed


def verdict(what: PublishStatus, sent: str, relay: str = RELAY) -> Step:
    """A relay's verdict on an event that Alice sent."""
    return lambda alice: (Verdict(relay, alice.sent[sent], what, "blocked: \x1b]0;you\x07"),)


# What other people say.
def chat(author: str, text: str, game: str = GAME, *, public: bool = False) -> ChatLine:
    key = KEYS.get(author, author.rjust(64, "0"))
    return ChatLine(key, game, text, public)


def house(*levels: int) -> House:
    """A player of each of these levels, whose key is digits of its number."""
    players = (HousePlayer(str(at) * 64, level) for at, level in enumerate(levels, 1))
    return House(tuple(players), int(START))


def called(player: str, name: str) -> Profile:
    return Profile(KEYS[player], name, 1)


# What the arbiter says.
def cancelled(answers: str = "?cancel") -> Step:
    return lambda alice: (messages.Cancelled(alice.sent.get(answers)),)


CANCELLED = cancelled()


def queued(challenge: str = "", place: int | None = None) -> Step:
    """The answer to Alice's last request; ``c`` is the challenge that it made."""

    def told(alice: Alice) -> tuple[Input, ...]:
        made = alice.asked[:32] if challenge == "c" else challenge * 32
        return (messages.Queued(alice.asked if place is None else None, made or None, place),)

    return told


def started(game: str = "g", answers: str | None = None) -> messages.Started:
    return messages.Started(game_id(game), BOB.pubkey, answers)


def refused(reason: str, text: str = "text", answers: str | None = None) -> Step:
    """A refusal of Alice's last request, or of something else."""
    return lambda alice: (
        messages.Refused(reason, text, alice.sent.get(answers or "", answers or alice.asked)),
    )


def declined(alice: Alice) -> tuple[Input, ...]:
    """The last challenge of Alice's is declined."""
    return (messages.Refused("declined", "later", challenge=alice.asked[:32]),)


def listed(alice: Alice, number: int = 0) -> tuple[Input, ...]:
    """The arbiter has told of all games, so many."""
    return (messages.Listed(number, alice.sent["?state"]),)


def one_listed(alice: Alice) -> tuple[Input, ...]:
    return listed(alice, 1)


def still_waits(alice: Alice) -> tuple[Input, ...]:
    """The arbiter tells of a challenge that Alice's program made before it was started anew."""
    return (messages.Queued(alice.sent["?state"], "d" * 32),)


def challenged(by: str, id_: str, seconds: int | None = None) -> messages.Challenged:
    expires_at = None if seconds is None else int(START) + seconds
    return messages.Challenged(
        id_ * 32, KEYS[by], Terms(time=TimeControl(180, 2), rated=True), expires_at
    )


def error(code: str, about: str, text: str) -> Step:
    """An error about what Alice sent, or about something else."""
    return lambda alice: (messages.Rejected(code, text, alice.sent.get(about, "b" * 64), GAME),)


def record(game: str = "g") -> messages.Record:
    return messages.Record(game_id(game), "1. e4 e5 1-0", "1-0", "resignation")


def state(moves: str = "", *, black: bool = False, **tags: Any) -> messages.State:
    """The state that the arbiter shows after these moves."""
    return scene.state(moves, alice=chess.BLACK if black else chess.WHITE, **_read(**tags))


def _read(
    *,
    offer: str = "",
    deadline: int | None = None,
    game: str = "",
    rematch: str = "",
    stand_in: str = "",
    others: bool = False,
    copy: str = "",
    end: str = "",
    **tags: Any,
) -> dict[str, Any]:
    """The fields of a state: an offer is written ``draw/b``, an end ``1-0 resignation``, and a game
    by its letter.
    """
    kind, _, color = offer.partition("/")
    result, _, termination = end.partition(" ")
    return tags | {
        name: value
        for name, value, is_given in (
            ("offer", messages.Offer(kind, color == "w"), offer),
            ("deadline", int(START) * 1000 + (deadline or 0), deadline is not None),
            ("game", game_id(game), game),
            ("rematch", game_id(rematch), rematch),
            ("stand_ins", (KEYS.get(stand_in, ""),), stand_in),
            ("white", BOB.pubkey, others),
            ("black", EVE.pubkey, others),
            ("event", copy * 64, copy),
            ("result", result, end),
            ("termination", termination, termination),
        )
        if is_given
    }


def game_id(name: str) -> str:
    """The game that is played is ``g``; any other has an id of this letter alone."""
    return GAME if name == "g" else name * 32


def waiting() -> Alice:
    alice = Alice()
    alice(found)
    return alice


def playing(moves: str = "", *, asks: bool = False, **tags: Any) -> Alice:
    """In a game that the first relay shows."""
    alice = Alice(asks=asks)
    alice(found, started(), state(moves, **tags))
    return alice
