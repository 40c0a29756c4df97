"""The settings of a server, each with its source: flags, environment (``ARBITER_…``), TOML file."""

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from arbiter.core.rules import Rules
from arbiter.nostr.house import HousePlayer, read_house
from arbiter.nostr.nip11 import RelayLimits
from arbiter.nostr.nip19 import pubkey_in
from arbiter.web.deps import Limits
from server.spending import DayLimits

PREFIX = "ARBITER_"

_SETTABLE = {
    "rules": ("illegal_moves_to_lose", "work_of_strangers", "open_games", "left_seconds"),
    "gateway": (
        "subscriptions",
        "frames_per_ten_seconds",
        "events_per_ten_seconds",
        "questions_per_ten_seconds",
        "address_frames_per_ten_seconds",
        "untagged_connect_seconds",
    ),
    "http": ("per_address",),
    "budget": ("cpu_seconds", "megabytes"),
}
"""Settings of each group that are the operator's; the rest are constants."""

_METRICS = ("local", "all")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class InvalidSetting(Exception):
    """A setting has no meaning; the text names it, and says what it may be."""


@dataclass(frozen=True, slots=True)
class Address:
    """The host and port to listen on."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of them; ``sources`` says where each came from. ``operator`` is the pubkey (64 hex) whose
    events change the policy; ``public_url`` where players find it, if not where it listens;
    ``bridge`` the pubkey of the bridge; ``metrics`` who may read `/metrics`.
    """

    data: Path
    listen: Address
    relays: tuple[str, ...]
    name: str
    public_url: str
    bridge: str
    operator: str
    log_level: str
    metrics: str
    house: tuple[HousePlayer, ...]
    rules: Rules
    gateway: RelayLimits
    http: Limits
    budget: DayLimits
    sources: Mapping[str, str]

    @property
    def base_url(self) -> str:
        return self.public_url or f"http://{self.listen}"

    @property
    def gateway_url(self) -> str:
        return "ws" + self.base_url.removeprefix("http") + "/"

    @property
    def database(self) -> Path:
        return self.data / "arbiter.sqlite3"

    @property
    def key_file(self) -> Path:
        return self.data / "server.key"

    def values(self) -> dict[str, object]:
        plain = (
            *("data", "listen", "relays", "name", "public_url", "bridge", "operator", "log_level"),
            *("metrics", "house"),
        )  # fmt: skip
        return {name: getattr(self, name) for name in plain} | {
            f"{group}.{name}": getattr(getattr(self, group), name)
            for group, names in _SETTABLE.items()
            for name in names
        }


def read_settings(
    flags: Mapping[str, str | None], environ: Mapping[str, str] = os.environ
) -> Settings:
    """The settings by ``flags`` and what else is set. Raises ``InvalidSetting``."""
    config = flags.get("config") or environ.get(f"{PREFIX}CONFIG")
    found = _Found(flags, environ, _read_file(Path(config)) if config else {}, config or "")
    settings = Settings(
        data=found.one("data", "arbiter-data", Path),
        listen=found.one("listen", "127.0.0.1:8080", _address),
        relays=found.one("relays", "", _relays),
        name=found.one("name", "Arbiter", str),
        public_url=found.one("public_url", "", _url),
        bridge=found.one("bridge", "", _pubkey),
        operator=found.one("operator", "", _pubkey),
        log_level=found.one("log_level", "INFO", lambda text: _one_of(_LEVELS, text.upper())),
        metrics=found.one("metrics", "local", partial(_one_of, _METRICS)),
        house=found.one("house", "", read_house),
        rules=found.group("rules", Rules),
        gateway=found.group("gateway", RelayLimits),
        http=found.group("http", Limits),
        budget=found.group("budget", DayLimits),
        sources=found.sources,
    )
    found.refuse_unknown()
    return settings


_T = TypeVar("_T")
_G = TypeVar("_G", Rules, RelayLimits, Limits, DayLimits)


class _Found:
    """The given settings, and the place of each."""

    def __init__(
        self,
        flags: Mapping[str, str | None],
        environ: Mapping[str, str],
        table: Mapping[str, Any],
        path: str,
    ) -> None:
        self._flags = flags
        self._environ = environ
        self._table = _flat(table)
        self._path = path
        self.sources: dict[str, str] = {}

    def one(self, name: str, default: str, read: Callable[[str], _T]) -> _T:
        text, source = self._text(name, default)
        self.sources[name] = source
        try:
            return read(text)
        except ValueError as error:
            raise InvalidSetting(f"{name} ({source}): {error}") from None

    def group(self, name: str, kind: type[_G]) -> _G:
        defaults = kind()
        values: dict[str, Any] = {
            field: self.one(f"{name}.{field}", str(getattr(defaults, field)), _count)
            for field in _SETTABLE[name]
        }
        return kind(**values)

    def refuse_unknown(self) -> None:
        """Raise ``InvalidSetting`` for what is misspelt in the file."""
        if unknown := sorted(self._table.keys() - self.sources.keys()):
            raise InvalidSetting(f"{self._path}: no setting is called {', '.join(unknown)}")

    def _text(self, name: str, default: str) -> tuple[str, str]:
        flag = self._flags.get(name)
        if flag is not None:
            return flag, f"--{name.replace('_', '-')}"
        variable = PREFIX + name.replace(".", "_").upper()
        if variable in self._environ:
            return self._environ[variable], variable
        if name in self._table:
            value = self._table[name]
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            return text, self._path
        return default, "default"


def _read_file(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidSetting(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidSetting(f"{path} is not UTF-8: save it as that") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(f"{path} is no TOML: {error}") from None


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": it for inner, it in value.items()}
        else:
            found[name] = value
    return found


def _address(text: str) -> Address:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004
        raise ValueError("HOST:PORT, such as 127.0.0.1:8080")
    return Address(host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port))


def _relays(text: str) -> tuple[str, ...]:
    urls = tuple(url.strip() for url in text.split(",") if url.strip())
    if urls == ("none",):
        return ()
    if any(not url.startswith(("ws://", "wss://")) for url in urls):
        raise ValueError("ws:// or wss:// URLs, separated by commas; or none")
    return urls


def _url(text: str) -> str:
    if text and not text.startswith(("http://", "https://")):
        raise ValueError("an http:// or https:// URL")
    return text.rstrip("/")


def _pubkey(text: str) -> str:
    found = pubkey_in(text) if text else ""
    if found is None:
        raise ValueError("a public key: npub1… or 64 hexadecimal digits")
    return found


def _one_of(allowed: Sequence[str], text: str) -> str:
    if text not in allowed:
        raise ValueError(f"one of {', '.join(allowed)}")
    return text


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError("a whole number")
    return int(text)
