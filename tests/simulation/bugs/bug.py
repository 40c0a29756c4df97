"""A seeded bug: one defect, planted in the arbiter's real code for as long as a run takes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tests.simulation.bugs.scenes import Scene
from tests.simulation.settings import Settings, settings_of

Make = Callable[[Any], Any]
"""Makes the wrong thing of the right one."""

Change = tuple[ModuleType | type, str, Make]
"""Where, by which name, and what stands there instead."""


@dataclass(frozen=True, slots=True)
class Bug:
    """``sentence`` says what the arbiter does wrong; ``changes`` are made together. ``needs`` is
    what a run must offer for the bug to matter at all: faults, and words of ``offered``. ``scene``
    makes of a seed's settings those of a narrower world, in which it comes to that more often.
    """

    name: str
    sentence: str
    changes: tuple[Change, ...]
    needs: frozenset[str] = frozenset()
    scene: Scene | None = None

    def settings_of(self, seed: int) -> Settings | None:
        """The settings of the run of this seed that is to show the bug; None if it cannot."""
        settings = settings_of(seed)
        if self.scene is not None:
            settings = self.scene(settings)
        return settings if self.needs <= offered(settings) else None

    @contextmanager
    def planted(self) -> Iterator[None]:
        """The bug is there while this is entered, and gone after."""
        with ExitStack() as stack:
            for owner, name, make in self.changes:
                real = vars(owner)[name]
                stack.callback(setattr, owner, name, real)
                setattr(owner, name, make(real))
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


def always(value: Any) -> Make:
    """A function that gives this, whatever it is asked."""
    return lambda _: lambda *_args, **_named: value


def then(change: Callable[[Any], Any]) -> Make:
    """The real function, and then this done to what it gave."""
    return lambda real: lambda *args, **named: change(real(*args, **named))


def value(wrong: Any) -> Make:
    """A constant that is another."""
    return lambda _: wrong
