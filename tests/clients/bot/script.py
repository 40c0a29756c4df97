"""A bot's session as text: in each line what comes in and, behind ``>``, what the bot does.

    config challenge.min_base = 120
    answer error:unknown-game: none > -
    challenge 1 time=60+0           > ?decline:1:tooFast

The lines of ``config`` come first, or ``house``; then the bot has asked for its game. ``start``
begins game ``a``, in which the bot has White; ``state e2e4 e7e5`` shows it after these moves, and
more words are ``v3`` (its version), ``draw/b`` (an offer), ``1-0``, and tags such as ``time=3d``.
``engine e2e4 5`` is the engine's answer, 5 its score. ``answer`` says this to the last request,
``late`` to the first, and ``tell`` to none; ``error stale e2e4`` is about what the bot said.
``wait 9`` lets seconds pass, ``pass 9`` without a tick, and ``ticks 9`` with one each second.

Behind ``>`` is all that the bot does but for its lines to the operator, or ``-``; ``...`` is
anything more. ``?state`` is a request, ``e2e4`` is said in the game, ``e2e4 of old`` of a state
that is not the last. ``=`` begins what is so. Without ``>`` a line is not looked at.
"""

from collections.abc import Callable
from pathlib import Path

from clients.bot.config import Config, read_config
from clients.bot.events import Draft, with_work, work_of
from clients.bot.house_config import config_of
from clients.bot.messages import State
from clients.bot.model import (
    Chat,
    Effect,
    Effects,
    EngineFailed,
    EngineMoved,
    Input,
    Mine,
    Mined,
    Ready,
    RestartEngine,
    Say,
    Send,
    StopThinking,
    Think,
    Tick,
)
from clients.bot.session import begin, is_at_rest, leave, reduce
from tests.cases import cases, steps
from tests.clients.bot.scene import ARBITER, ME, NOW, OTHER, state, told

NAMES = {ARBITER: "arbiter", OTHER: "other", ME: "me", None: "all"}
KEYS = {name: str(key) for key, name in NAMES.items()}


def sessions() -> dict[str, str]:
    """Those in ``sessions/`` by their names."""
    files = sorted(Path(__file__).with_name("sessions").glob("*.txt"))
    return {f"{it.stem}: {name}": lines for it in files for (_, name), lines in cases(it).items()}


def run(text: str) -> None:
    """Give all lines to one bot."""
    lines = [line.strip() for line in text.replace("{other}", OTHER).splitlines() if line.strip()]
    settings = [line.removeprefix("config ") for line in lines if line.startswith("config ")]
    scene = Scene(config_of(3) if "house" in lines else read_config("\n".join(settings)))
    for line in lines:
        if line != "house" and not line.startswith("config "):
            scene.line(line)


class Scene:
    """A bot that has asked for its game, and what it did last."""

    def __init__(self, config: Config) -> None:
        self.now = NOW
        self.effects: Effects = ()
        self.session = begin(config, ME, ARBITER)
        self.said: dict[str, Draft] = {}
        self.shown = ""
        assert is_at_rest(self.session), "no relay is ready"
        assert self.give(Tick()) == "-"
        assert self.give(Ready()) == "?state"

    def line(self, line: str) -> None:
        """Give one line; what it expects is so."""
        for step in steps(line):
            self._step(step)

    def _step(self, line: str) -> None:
        if line.startswith("= "):
            for fact in line[2:].split(" | "):
                name, _, value = fact.partition(" ")
                assert self.fact(name) == value.strip(), (line, self.fact(name))
            return
        given, arrow, expected = (part.strip() for part in line.partition(" >"))
        word, *words = given.split(" ")
        did = self.means[word](self, *words)
        if expected.endswith("..."):
            assert did.startswith(expected[:-3]), (line, did)
        elif arrow:
            assert did == expected, (line, did)

    def give(self, *inputs: Input) -> str:
        """The bot's actions then, in words."""
        words = []
        for given in inputs:
            if isinstance(given, State):
                self.shown = given.event
            self.session, self.effects = reduce(self.session, given, self.now)
            words += self._did(self.effects)
        return " | ".join(words) or "-"

    def _did(self, effects: Effects) -> list[str]:
        return [self._word(effect) for effect in effects if not isinstance(effect, Say)]

    def _word(self, effect: Effect) -> str:
        match effect:
            case Send(draft):
                return self._draft(draft)
            case Mine(_, bits):
                return f"mine {bits}"
            case Chat(game, to, text):
                assert self.session.game is None or game == self.session.game.state.game
                return f"to {NAMES[to]}: {text}"
            case Think(excluded=excluded, by_fallback=by_fallback):
                return " ".join(["think", *sorted(excluded), *["by fallback"] * by_fallback])
            case StopThinking():
                return "stop"
            case RestartEngine():
                return "restart"
            case Say():
                raise AssertionError

    def _draft(self, draft: Draft) -> str:
        """The content of a draft, and those of its tags that are not the same in all."""
        assert draft.id not in {it.id for it in self.said.values()}, "relays drop a copy"
        content = short(draft.content) if draft.kind == 20303 else f"?{short(draft.content)}"
        self.said[content] = draft
        if draft.kind == 20303:
            game = self.session.game.state if self.session.game else self.session.last
            assert game is not None
            keys = (ARBITER, game.white, game.black)
            answered = next(values for name, *values in draft.tags if name == "e")
            assert draft.tags == (("d", game.game), ("e", *answered), *(("p", it) for it in keys))
            return content + " of old" * (answered != [self.shown])
        assert (draft.kind, draft.tags[0]) == (20300, ("p", ARBITER))
        rest = draft.tags[1:]
        tags = {name: ",".join(NAMES.get(it, it) for it in values) for name, *values in rest}
        if "nonce" in tags:
            tags["nonce"] = tags["nonce"].split(",")[-1]
            assert work_of(draft.id) >= int(tags["nonce"])
        return " ".join([content, *(f"{name}={value}" for name, value in tags.items())])

    def wait(self, seconds: str) -> str:
        self.now += round(float(seconds) * 1000)
        return self.give(Tick())

    def pass_(self, seconds: str) -> str:
        self.now += round(float(seconds) * 1000)
        return "-"

    def ticks(self, count: str) -> str:
        did = [self.wait("1") for _ in range(int(count))]
        return " | ".join(each for each in did if each != "-") or "-"

    def tell(self, content: str, *words: str, about: Draft | None = None, kind: int = 20301) -> str:
        tags = [whole(word) for word in words if "=" in word]
        text = " ".join([content, *(word for word in words if "=" not in word)])
        if about is not None:
            tags.append(("e", about.id))
        at = NOW if ("at", "0") in tags else self.now
        return self.give(told(kind, long(text), *tags, at=at))

    def answer(self, content: str, *words: str) -> str:
        return self.tell(content, *words, about=self.session.requests[-1][0])

    def late(self, content: str, *words: str) -> str:
        return self.tell(content, *words, about=self.session.requests[0][0])

    def challenge(self, number: str, *words: str) -> str:
        return self.tell(f"challenged:{number}", *words)

    def error(self, reason: str, about: str) -> str:
        return self.tell(f"{reason}: text", about=self.said[about], kind=20304)

    def state(self, *words: str) -> str:
        return self.give(self.read_state(*words))

    def read_state(self, *words: str) -> State:
        """The state that the arbiter shows."""
        extra, moves, given = [], [], dict[str, object]()
        for word in words:
            name, _, value = word.partition("=")
            if word[0] == "v":
                given["version"] = int(word[1:])
            elif "/" in word and not word[0].isdigit():
                extra.append(("offer", *word.split("/")))
            elif word in {"1-0", "0-1", "*"}:
                extra += [("result", word), ("termination", "resignation")]
            elif name == "clock":
                given["clock"] = tuple(map(int, value.split(",")))
            elif name in {"time", "game", "white", "black"}:
                given[name] = value * 32 if name == "game" else KEYS.get(value, value)
            elif value:
                extra.append(whole(word))
            else:
                moves.append(word)
        return state(moves, *extra, at=self.now, **given)

    def start(self, *words: str) -> str:
        """The arbiter starts a game."""
        first = self.read_state(*words)
        text = f"started:{first.game}:{OTHER}:w"
        return self.give(told(20301, text, at=self.now), first)

    def engine(self, move: str = "", score: str = "0") -> str:
        game = self.session.game
        assert game is not None
        assert game.thinking is not None
        asked = game.thinking.position
        move = move.encode().decode("unicode_escape")
        return self.give(EngineMoved(game.state.game, asked, move, int(score)))

    def engine_of(self, where: str) -> str:
        """The engine answers, of another game or position."""
        game, position = state().game, state().position
        name, of = ("f" * 32, position) if where == "game" else (game, "another")
        return self.give(EngineMoved(name, of, "e2e4"), EngineFailed(name, of, "late"))

    def mined(self) -> str:
        (mine,) = (effect for effect in self.effects if isinstance(effect, Mine))
        return self.give(Mined(with_work(mine.draft, mine.bits)))

    def leave(self) -> str:
        self.session, effects = leave(self.session, self.now)
        return " | ".join(self._did(effects)) or "-"

    means: dict[str, Callable[..., str]] = {  # noqa: RUF012 - never changed
        "ready": lambda scene: scene.give(Ready()),
        "wait": wait, "pass": pass_, "ticks": ticks, "tell": tell, "answer": answer, "late": late,
        "challenge": challenge, "error": error, "state": state, "start": start, "engine": engine,
        "engine-of": engine_of, "mined": mined, "leave": leave,
    }  # fmt: skip

    def fact(self, name: str) -> str:
        """A fact of the session or of its game."""
        session, game = self.session, self.session.game
        facts: dict[str, Callable[[], object]] = {
            "phase": lambda: session.phase,
            "game": lambda: game.state.game[0] if game else "-",
            "ply": lambda: game.state.ply if game else "-",
            "trips": lambda: " ".join(map(str, session.timing.round_trips)),
            "rests": lambda: "yes" if is_at_rest(session) else "no",
            "challenges": lambda: len(session.challenges),
            "dated": lambda: list(self.said.values())[-1].created_at - NOW // 1000,
        }
        return str(facts[name]())


def short(content: str) -> str:
    """A content without the zeros of a challenge's id."""
    parts = [part.lstrip("0") if len(part) == 32 else part for part in content.split(":")]
    return ":".join(parts) or "seek"


def long(content: str) -> str:
    """``challenged:1`` and ``started:b`` with their ids and our opponent."""
    word, _, rest = content.partition(":")
    if word == "challenged":
        return f"challenged:{int(rest):032x}:{OTHER}"
    return f"started:{rest * 32}:{OTHER}:b" if word == "started" else content


def whole(word: str) -> tuple[str, ...]:
    """A tag with the keys of those who are named, and a date in seconds after the beginning."""
    name, _, value = word.partition("=")
    if name == "expiration":
        return name, str(NOW // 1000 + int(value))
    return name, KEYS.get(value, value).replace("_", " ")
