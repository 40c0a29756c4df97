"""A bot that is given what comes in, and says in words what it does.

    bot = Bot('challenge.min_base = 120')
    assert bot(challenge(1, time="60+0")) == "?decline:1:tooFast"

It has asked the arbiter for its game. Of several inputs it says what follows the last, but for its
lines to the operator: ``?state`` is a request, ``e2e4`` is said in the game, ``e2e4 of old`` of a
state that is not the last, and ``-`` is nothing.
"""

from collections.abc import Callable, Iterable
from typing import Any

from arbiter.nostr.nip13 import difficulty
from clients.bot import model
from clients.bot.config import read_config
from clients.bot.house_config import config_of
from clients.bot.session import begin, is_at_rest, leave, reduce
from clients.player.events import Draft, Send, SendLine, with_work
from clients.player.heard import CaughtUp, LinkUp, Tick
from clients.player.messages import State
from clients.player.model import Mine, Mined
from tests.clients.bot import scene
from tests.clients.bot.scene import ARBITER, ME, NOW, OTHER, told

NAMES = {ARBITER: "arbiter", OTHER: "other", ME: "me", None: "all"}
KEYS = {name: str(key) for key, name in NAMES.items()}

Step = Callable[["Bot"], Iterable[model.Input]] | model.Input


class Bot:
    """Its session, its clock, and what it said."""

    def __init__(self, *settings: str, house: bool = False) -> None:
        self.now = NOW
        self.effects: tuple[model.Effect, ...] = ()
        config = config_of(3) if house else read_config("\n".join(settings))
        self.session = begin(config, ME, ARBITER)
        self.said: dict[str, Draft] = {}
        self.asked: list[Draft] = []
        self.shown = ""
        assert is_at_rest(self.session), "no relay is ready"
        assert self(Tick()) == "-"
        assert self(READY) == "?state"

    def __call__(self, *steps: Step) -> str:
        words: list[str] = []
        for step in steps:
            words = []
            for given in step(self) if callable(step) else (step,):
                if isinstance(given, State):
                    self.shown = given.event
                self.session, self.effects = reduce(self.session, given, self.now)
                words += self._did()
        return " | ".join(words) or "-"

    def leaves(self) -> str:
        self.session, self.effects = leave(self.session, self.now)
        return " | ".join(self._did()) or "-"

    @property
    def game(self) -> str | None:
        """The letter of the game that is played."""
        return self.session.game.state.game[0] if self.session.game else None

    @property
    def is_at_rest(self) -> bool:
        return is_at_rest(self.session)

    def _did(self) -> list[str]:
        return [self._word(effect) for effect in self.effects if not isinstance(effect, model.Say)]

    def _word(self, effect: model.Effect) -> str:
        match effect:
            case Send(draft):
                return self._draft(draft)
            case Mine(bits=bits):
                return f"mine {bits}"
            case SendLine(game, text, to, public):
                assert public is (to is None)
                assert self.session.game is None or game == self.session.game.state.game
                return f"to {NAMES[to]}: {text}"
            case model.Think(excluded=excluded, by_fallback=by_fallback):
                return " ".join(["think", *sorted(excluded), *["by fallback"] * by_fallback])
            case model.StopThinking():
                return "stop"
            case model.RestartEngine():
                return "restart"
            case model.Say():
                raise AssertionError

    def _draft(self, draft: Draft) -> str:
        """The content of a draft, and those of its tags that are not the same in all."""
        assert draft.id not in {it.id for it in self.said.values()}, "relays drop a copy"
        content = _short(draft.content) if draft.kind == 20303 else f"?{_short(draft.content)}"
        self.said[content] = draft
        if draft.kind == 20300:
            self.asked.append(draft)
        if draft.kind == 20303:
            game = self.session.wire.games[
                next(tag[1] for tag in draft.tags if tag[0] == "d")
            ].state
            keys = (ARBITER, game.white, game.black)
            answered = next(values for name, *values in draft.tags if name == "e")
            plain = tuple(tag for tag in draft.tags if tag != ("here",))
            assert plain == (("d", game.game), ("e", *answered), *(("p", it) for it in keys))
            return content + " of old" * (answered != [self.shown])
        assert (draft.kind, draft.tags[0]) == (20300, ("p", ARBITER))
        tags = {name: ",".join(NAMES.get(it, it) for it in its) for name, *its in draft.tags[1:]}
        # Where it asks to play it says what it is called, and nowhere else.
        asks = not draft.content or draft.content.startswith("accept:")
        assert tags.pop("name", None) == (self.session.config.name if asks else None)
        assert tags.pop("bot", None) == ("true" if asks else None)
        if "nonce" in tags:
            tags["nonce"] = tags["nonce"].split(",")[-1]
            assert difficulty(draft.id) >= int(tags["nonce"])
        return " ".join([content, *(f"{name}={value}" for name, value in tags.items())])


def _ready(_: Bot) -> Iterable[model.Input]:
    return LinkUp("ws://one"), CaughtUp("ws://one")


READY: Step = _ready
"""A relay, and all that it had stored."""


def pass_(seconds: float) -> Callable[[Bot], tuple[model.Input, ...]]:
    """Let seconds pass without a tick."""

    def passed(bot: Bot) -> tuple[model.Input, ...]:
        bot.now += round(seconds * 1000)
        return ()

    return passed


def wait(seconds: float) -> Step:
    return lambda bot: (*pass_(seconds)(bot), Tick())


def ticks(seconds: int) -> Step:

    def ticked(bot: Bot) -> Iterable[model.Input]:
        for _ in range(seconds):
            bot.now += 1000
            yield Tick()

    return ticked


def tell(content: str, at: int | None = None, about: Draft | None = None, **tags: Any) -> Step:
    """A message of the arbiter to the bot, now or ``at`` seconds after the beginning."""
    asked = (("e", about.id),) if about else ()
    return lambda bot: (
        told(20301, _long(content), *_whole(tags), *asked, at=bot.now if at is None else NOW + at),
    )


def answer(content: str, at: int | None = None, which: int = -1, **tags: Any) -> Step:
    """The arbiter's answer to the last request, or to another."""
    return lambda bot: _given(tell(content, at, bot.asked[which], **tags), bot)


def no_game(bot: Bot) -> Iterable[model.Input]:
    """The arbiter's answer to `state`: it knows of no game of the bot's."""
    asked = next(draft for draft in reversed(bot.asked) if draft.content == "state")
    yield from _given(tell("error:unknown-game: none", about=asked), bot)
    yield from _given(tell("end", about=asked, end="0"), bot)


def challenge(number: int, **tags: Any) -> Step:
    return tell(f"challenged:{number}", **tags)


def error(reason: str, about: str) -> Step:
    return lambda bot: (told(20304, f"{reason}: text", ("e", bot.said[about].id), at=bot.now),)


def state(moves: str = "", end: str = "", offer: str = "", **tags: Any) -> Step:
    """The game after these moves, as the arbiter shows it."""
    return lambda bot: (_state(bot, moves, end, offer, tags),)


def start(moves: str = "", **tags: Any) -> Step:
    """The arbiter begins a game, in which the bot has White."""

    def started(bot: Bot) -> tuple[model.Input, ...]:
        for answer_ in () if bot.session.wire.listed else no_game(bot):
            bot(answer_)
        first = _state(bot, moves, "", "", tags)
        return told(20301, f"started:{first.game}:{OTHER}:w", at=bot.now), first

    return started


def engine(move: str = "", score: int = 0) -> Step:

    def answered(bot: Bot) -> tuple[model.Input, ...]:
        game = bot.session.game
        assert game is not None
        assert game.thinking is not None
        return (model.EngineMoved(game.state.game, game.thinking.position, move, score),)

    return answered


def late_engine(game: str, position: str) -> Step:
    """The engine's answer about another game or position."""
    return lambda _: (
        model.EngineMoved(game, position, "e2e4"),
        model.EngineFailed(game, position, "late"),
    )


def mined(bot: Bot) -> tuple[model.Input, ...]:
    (mine,) = (effect for effect in bot.effects if isinstance(effect, Mine))
    return (Mined(mine.handle, with_work(mine.draft, mine.bits)),)


def _given(step: Step, bot: Bot) -> Iterable[model.Input]:
    return step(bot) if callable(step) else (step,)


def _state(bot: Bot, moves: str, end: str, offer: str, tags: dict[str, Any]) -> State:
    extra = [("offer", *offer.split("/"))] if offer else []
    if end:
        extra += [("result", end), ("termination", "resignation")]
    given: dict[str, Any] = {
        name: tags.pop(name) for name in ("version", "clock", "time") if name in tags
    }
    if "game" in tags:
        given["game"] = tags.pop("game") * 32
    given |= {name: KEYS[tags.pop(name)] for name in ("white", "black") if name in tags}
    return scene.state(moves.split(), *extra, *_whole(tags), at=bot.now, **given)


def _whole(tags: dict[str, Any]) -> list[tuple[str, ...]]:
    """Tags with the keys of those who are named, and a date in seconds after the beginning."""
    named = ((name.replace("_", "-"), value) for name, value in tags.items())
    return [
        (name, str(NOW // 1000 + value) if name == "expiration" else KEYS.get(value, value))
        for name, value in named
    ]


def _short(content: str) -> str:
    """A content without the zeros of a challenge's id."""
    parts = [part.lstrip("0") if len(part) == 32 else part for part in content.split(":")]
    return ":".join(parts) or "seek"


def _long(content: str) -> str:
    """``challenged:1`` and ``started:b`` with their ids and our opponent."""
    word, _, rest = content.partition(":")
    if word == "challenged":
        return f"challenged:{int(rest):032x}:{OTHER}"
    return f"started:{rest * 32}:{OTHER}:b" if word == "started" else content
