"""Seeded bugs: each plants one defect in the arbiter's real code for as long as a run takes.

`bugs.toml` holds them. A change that no longer fits the code raises, so no bug rots unseen.
"""

import ast
import importlib
import inspect
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

from arbiter.nostr.event import NostrEvent, VerifiedEvent
from tests.simulation.settings import Settings, settings_of

_PLAIN = {"natives": 4, "sockets": 0, "at_gateway": (), "carelessness": 0.0}
"""Players without habits, where there is a cheat."""


@dataclass(frozen=True, slots=True)
class Bug:
    """``invariant`` is the one that finds it; ``changes`` are made together. ``needs`` is what a
    run must offer for the bug to matter: faults, and words of ``offered``. ``scene`` holds settings
    in place of a seed's own.
    """

    name: str
    invariant: str
    changes: tuple[Mapping[str, str], ...]
    needs: frozenset[str]
    scene: Mapping[str, Any] | None

    def settings_of(self, seed: int) -> Settings | None:
        """The settings of the run of this seed that is to show the bug; None if it cannot."""
        settings = settings_of(seed)
        if self.scene is not None:
            settings = replace(settings, **{"faults": frozenset(), **self.scene})
        return settings if self.needs <= offered(settings) else None

    @contextmanager
    def planted(self) -> Iterator[None]:
        with ExitStack() as stack:
            for change in self.changes:
                stack.callback(_made(change))
            yield


def offered(settings: Settings) -> frozenset[str]:
    """What may happen in a run of these settings: its faults, and who plays how."""
    words = {
        "clock": settings.time is not None,
        "casual": settings.time is None,
        "live": settings.time is not None and not settings.time.endswith("d"),
        "careless": settings.carelessness > 0,
        "meddlers": settings.meddlers > 0,
        "sockets": settings.sockets > 0,
        "passers": settings.passers,
        "challenges": settings.challenges,
        "gateway": any(number < settings.natives for number in settings.at_gateway),
        "one relay": any(number < settings.natives for number in settings.at_one_relay),
        "two games": settings.games > 1,
    }
    return settings.faults | {word for word, is_so in words.items() if is_so}


def _made(change: Mapping[str, str]) -> Callable[[], None]:
    """Make a change; how to undo it."""
    path, _, name = change["at"].partition(":")
    module = importlib.import_module(path)
    if "set" in change:
        real = vars(module)[name]
        known = {"believe": _believe, "replace": replace, "sha256": sha256, "real": real}
        setattr(module, name, eval(change["set"].strip(), {**vars(module), **known}))  # noqa: S307 - our own text
        return partial(setattr, module, name, real)
    function = function_at(change["at"])
    code, names = function.__code__, function.__globals__
    has_replace = "replace" in names
    names.setdefault("replace", replace)
    function.__code__ = _changed(function, change.get("old"), change["new"].strip("\n"))

    def undo() -> None:
        function.__code__ = code
        if not has_replace:
            del names["replace"]

    return undo


def function_at(where: str) -> FunctionType:
    """The function of this name (``module:Class.method``)."""
    path, _, name = where.partition(":")
    found: Any = importlib.import_module(path)
    for part in name.split("."):
        found = vars(found)[part]
    found = found.fget if isinstance(found, property) else found
    assert isinstance(found, FunctionType), where
    return found


def _changed(function: FunctionType, old: str | None, new: str) -> Any:
    """The function's code with another text in it. ValueError if that does not fit."""
    source = textwrap.dedent(inspect.getsource(function))
    lines = source.splitlines()
    if old is None:
        at = ast.parse(source).body[0].body[0].lineno - 1  # type: ignore[attr-defined]
        old, new = lines[at], f"{textwrap.indent(new, '    ')}\n{lines[at]}"
        source = "\n".join((*lines[:at], new, *lines[at + 1 :]))
    else:
        if source.count(old) != 1:
            raise ValueError(f"{function.__qualname__} has not once {old!r}")
        line = next(line for line in lines if old.splitlines()[0] in line)
        indent = line[: len(line) - len(line.lstrip())]
        source = source.replace(old, textwrap.indent(new, indent).strip())
    source = source[source.index("def ") :]
    made: dict[str, Any] = {}
    exec(compile(source, function.__code__.co_filename, "exec"), function.__globals__, made)  # noqa: S102 - our own text
    return made[function.__name__].__code__


def _believe(event: NostrEvent) -> VerifiedEvent:
    """In place of `verify`: no signature is looked at."""
    return VerifiedEvent(**{name: getattr(event, name) for name in NostrEvent.__dataclass_fields__})


def _scene(scenes: Mapping[str, Any], one: str | Mapping[str, Any] | None) -> dict[str, Any] | None:
    if one is None:
        return None
    one = scenes[one] if isinstance(one, str) else one
    found: dict[str, Any] = dict(_PLAIN) if "tricks" in one else {}
    found = {**found, **(_scene(scenes, one.get("like")) or {}), **one}
    for name in ("faults", "tricks"):
        found |= {name: frozenset(found[name])} if name in found else {}
    found |= {name: tuple(it) for name, it in found.items() if isinstance(it, list)}
    found |= {"time": found["time"] or None} if "time" in found else {}
    return {name: it for name, it in found.items() if name != "like"}


def _read() -> Iterator[Bug]:
    table = tomllib.loads(Path(__file__).with_name("bugs.toml").read_text(encoding="utf-8"))
    scenes = table.pop("scenes")
    for name, row in table.items():
        also = row.get("also", [])
        changes = (row, *(also if isinstance(also, list) else [also]))
        needs = frozenset(row.get("needs", ()))
        scene = _scene(scenes, row.get("scene"))
        yield Bug(name, row["invariant"], changes, needs, scene)


BUGS = tuple(_read())
