"""The configuration: a TOML file with lichess-bot's names where they mean the same."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from arbiter.nostr.nip19 import pubkey_in
from clients.player.terms import TimeControl

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Section = TypeVar("_Section", bound="DataclassInstance")
Option = str | int | bool


class ConfigError(ValueError):
    """Says what to correct in the file."""


@dataclass(frozen=True)
class DrawOrResign:
    """The scores that end a game, in centipawns for the bot."""

    resign_enabled: bool = False
    resign_score: int = -1000
    resign_moves: int = 3
    offer_draw_enabled: bool = True
    offer_draw_score: int = 0
    offer_draw_moves: int = 10
    offer_draw_pieces: int = 10


@dataclass(frozen=True)
class Polyglot:
    """Opening books."""

    enabled: bool = False
    book: tuple[str, ...] = ()
    min_weight: int = 1
    selection: str = "weighted_random"
    max_depth: int = 20


@dataclass(frozen=True)
class GoCommands:
    """Limits besides the clock; 0 is none. `movetime` is in milliseconds."""

    nodes: int = 0
    depth: int = 0
    movetime: int = 0


@dataclass(frozen=True)
class Engine:
    """The program that chooses the moves."""

    name: str = "plain"
    working_dir: str = ""
    uci_options: Mapping[str, Option] = field(default_factory=lambda: MappingProxyType({}))
    go_commands: GoCommands = GoCommands()
    polyglot: Polyglot = Polyglot()
    draw_or_resign: DrawOrResign = DrawOrResign()


@dataclass(frozen=True)
class Correspondence:
    """Games without a live clock; in seconds."""

    move_time: int = 60


@dataclass(frozen=True)
class Challenge:
    """The challenges that are accepted."""

    concurrency: int = 1
    accept: bool = True
    accept_bot: bool = True
    only_bot: bool = False
    min_base: int = 0
    max_base: int = 1800
    min_increment: int = 0
    max_increment: int = 20
    min_days: int = 1
    max_days: int = 14
    variants: tuple[str, ...] = ("standard", "chess960")
    time_controls: tuple[str, ...] = ("bullet", "blitz", "rapid", "classical")
    modes: tuple[str, ...] = ("casual", "rated")
    allow_list: tuple[str, ...] = ()
    block_list: tuple[str, ...] = ()
    queue: int = 8
    patience: int = 0


@dataclass(frozen=True)
class Greeting:
    """Lines of chat; `{me}` and `{opponent}` are filled in."""

    hello: str = ""
    goodbye: str = ""
    hello_spectators: str = ""
    goodbye_spectators: str = ""


@dataclass(frozen=True)
class Matchmaking:
    """The games that the bot asks for itself; times in seconds, `challenge_timeout` in minutes."""

    allow_matchmaking: bool = False
    challenge_timeout: int = 30
    challenge_initial_time: tuple[int, ...] = (180,)
    challenge_increment: tuple[int, ...] = (2,)
    challenge_days: tuple[int, ...] = ()
    challenge_variant: str = "standard"
    challenge_mode: str = "casual"
    opponent_min_rating: int = 0
    opponent_max_rating: int = 4000
    opponents: tuple[str, ...] = ()
    opponent_bots: bool = True

    def times(self) -> tuple[TimeControl, ...]:
        """Each base with each increment, then the days."""
        live = (
            TimeControl(base, increment)
            for base in self.challenge_initial_time
            for increment in self.challenge_increment
            if base or increment
        )
        return (*live, *(TimeControl(days=days) for days in self.challenge_days))


@dataclass(frozen=True)
class Config:
    """The whole file."""

    engine: Engine = Engine()
    correspondence: Correspondence = Correspondence()
    challenge: Challenge = Challenge()
    greeting: Greeting = Greeting()
    matchmaking: Matchmaking = Matchmaking()
    name: str = "UCI bot"
    about: str = ""
    abort_time: int = 30
    rematches: int = 1
    max_takebacks_accepted: int = 0
    takeback_score: int = -10_000
    pause: int = 5
    events: bool = False


UNLIMITED = "unlimited"
CHOICES: Mapping[str, tuple[str, ...]] = {
    "selection": ("weighted_random", "uniform_random", "best_move"),
    "variants": ("standard", "chess960"),
    "challenge_variant": ("standard", "chess960"),
    "modes": ("casual", "rated"),
    "challenge_mode": ("casual", "rated"),
    "time_controls": ("bullet", "blitz", "rapid", "classical", "correspondence", UNLIMITED),
}
NUMBERS = ("challenge_initial_time", "challenge_increment", "challenge_days")
WORDS = {bool: "true or false", int: "a whole number", str: "a text"}
KEYS = ("allow_list", "block_list", "opponents")


def read_config(text: str) -> Config:
    """The configuration. Raises ConfigError, naming the setting that is wrong."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"this is no TOML: {error}") from error
    config = _section(Config(), table, "")
    matchmaking = config.matchmaking
    if matchmaking.challenge_mode == "rated" and matchmaking.challenge_variant != "standard":
        raise ConfigError("matchmaking: a rated game is of standard chess")
    if matchmaking.allow_matchmaking and not matchmaking.times():
        raise ConfigError("matchmaking: give challenge_initial_time or challenge_days")
    if config.challenge.concurrency < 1:
        raise ConfigError("challenge.concurrency: 1 or more")
    return config


def _section(default: _Section, table: Mapping[str, object], where: str) -> _Section:
    known = {setting.name for setting in fields(default)}
    changes: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            names = ", ".join(sorted(known))
            raise ConfigError(f"{where}{name}: there is no such setting; there are {names}")
        changes[name] = _setting(getattr(default, name), value, f"{where}{name}", name)
    return replace(default, **changes)


def _setting(default: object, value: object, where: str, name: str) -> object:
    if is_dataclass(default) and not isinstance(default, type):
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: a table, [{where}]")
        return _section(default, value, f"{where}.")
    if isinstance(default, Mapping):
        if not isinstance(value, dict) or not all(
            isinstance(option, str | int | bool) for option in value.values()
        ):
            raise ConfigError(f"{where}: a table of texts, numbers, true and false")
        return MappingProxyType(dict(value))
    if isinstance(default, tuple):
        return _list(value, where, name)
    if type(value) is not type(default):
        raise ConfigError(f"{where}: {WORDS[type(default)]}, not {value!r}")
    if name in CHOICES and value not in CHOICES[name]:
        raise ConfigError(f"{where}: one of {', '.join(CHOICES[name])}")
    return value


def _list(value: object, where: str, name: str) -> tuple[object, ...]:
    wanted = int if name in NUMBERS else str
    if not isinstance(value, list) or any(type(item) is not wanted for item in value):
        raise ConfigError(f"{where}: a list of {'numbers' if wanted is int else 'texts'}")
    if name in CHOICES and not set(value) <= set(CHOICES[name]):
        raise ConfigError(f"{where}: of {', '.join(CHOICES[name])}")
    if name not in KEYS:
        return tuple(value)
    keys = tuple(map(pubkey_in, value))
    if None in keys:
        raise ConfigError(f"{where}: public keys, as npub or hex")
    return keys
