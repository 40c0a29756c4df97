"""Events of every dialect, well signed whatever is in them, so that the deep code is reached.

A story is a few of them in a row, over relays and sockets. In no story may one player move
for another.
"""

from dataclasses import dataclass
from typing import Any

from arbiter.application.routing import SOCKET_KINDS
from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.game import Outcome, Termination
from arbiter.dialects.registry import BY_KIND, DIALECTS
from tests.fuzz.choices import Choices
from tests.fuzz.oracle import check
from tests.fuzz.texts import nearly, usually
from tests.hostile.case import signed, wrapped
from tests.hostile.scuttlebutt import BRIDGED, sealed
from tests.hostile.stage import BEGUN_MS, DOORS, NOW_MS, RIVAL, SOCKET, Stage, a_game
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, Body, bytes_of

KEYS = (PLAYER, RIVAL, STRANGER)
WHOSE_TURN_IT_IS = len(KEYS)
STATE, CHALLENGE, EARLIER, LEGAL = "@state", "@challenge", "@earlier", "@legal"
SEALED = "@sealed "
"""In place of the id of the state shown last, of an open challenge, and of the step before; and of
a move that is legal in the game under way. What follows ``SEALED`` is sealed for the arbiter.
"""

_MOVES = (
    *(LEGAL, LEGAL, LEGAL, LEGAL, "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "e1g1", "e1h1"),
    *("e7e8q", "e7e8", "a1a8", "0000"),
)
_SIGNALS = (
    *("resign", "abort", "quit", "flag", "state", "claim", "draw", "takeback", "rematch"),
    *("draw-decline", "takeback-decline", "rematch-decline", "connect", "cancelsearch", "offer"),
    *("cancel", f"accept:{CHALLENGE}", f"decline:{CHALLENGE}:later", f"accept:{GAME}", "accept:"),
)
_VALUES: dict[str, tuple[str, ...]] = {
    "d": (GAME, "ff" * 16, GAME.upper(), ""),
    "p": (SERVER.pubkey, *(key.pubkey for key in KEYS), SERVER.pubkey.upper()),
    "e": (STATE, EARLIER, "ab" * 32, "x"),
    "time": ("180+2", "60+0", "3d", "0+0", "10800+180", "14d", "15d"),
    "mode": ("rated", "casual"),
    "color": ("white", "black", "random"),
    "rating": ("1000", "2000", "0", "9999"),
    "variant": ("chess960", "standard"),
    "start": (
        "4k3/4P3/8/8/8/8/8/4K2R w K - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "8/8/8/8/8/5k2/6q1/7K w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 1_0 ٣",
        " 4k3/8/8/8/8/8/4P3/4K3  b ",
    ),
    "bot": ("true", "false"),
    "bots": ("welcome",),
    "challenge": ("open", *(key.pubkey for key in KEYS)),
    "expiration": (str(NOW_MS // 1000 + 60), "1", "9" * 13),
    "nonce": ("1", "8", "٨"),
    "ply": ("0", "1", "999999", "-1"),
    "delegation": (PLAYER.pubkey,),
    "-": ("",),
    "relay": ("ws://169.254.169.254/",),
}
_WHO = (WHOSE_TURN_IT_IS, WHOSE_TURN_IT_IS, WHOSE_TURN_IT_IS, *range(len(KEYS)))
_NAMES = tuple(sorted(_VALUES))
_CHAT_KINDS = (20305, 20306)
_IN_A_GAME = frozenset((20303, *_CHAT_KINDS))
_KINDS = (20303, 20303, 20303, 20303, 20300, 20300, *sorted(BY_KIND), *_CHAT_KINDS, 1, 64)


_STARTS: tuple[dict[str, Any], ...] = (
    {},
    {"clocks": start_clocks(TimeControl(base_ms=3_000, increment_ms=1_000), BEGUN_MS)},
    {"clocks": start_clocks(TimeControl(move_ms=86_400_000), BEGUN_MS), "rated": True},
    {"start_fen": "7k/4P3/8/8/8/8/p7/7K w - - 0 1"},
    {"start_fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 99 60"},
    {"start_fen": "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1"},
    {"outcome": Outcome(Termination.AGREEMENT, None), "ended_at_ms": BEGUN_MS},
    {"black": BRIDGED},
    {"black": BRIDGED},
)
"""Games that may be under way."""


@dataclass(frozen=True, slots=True)
class Story:
    """What happens from one of ``_STARTS``."""

    start: int
    steps: tuple["Step", ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One event and how it is brought; ``after_ms`` passes before, ``off_seconds`` is how far its
    author's clock is off, and ``times`` how often it is brought. ``legal`` is which legal move the
    one is that the content may stand for.
    """

    door: str
    by: int
    kind: int
    content: str
    tags: tuple[tuple[str, ...], ...]
    after_ms: int = 0
    off_seconds: int = 0
    times: int = 1
    legal: int = 0


def _tag(choices: Choices, names: tuple[str, ...]) -> tuple[str, ...]:
    name = choices.pick(names)
    values = _VALUES.get(name, ("x",))
    count = choices.pick((1, 1, 1, 1, 2, 0, 3))
    return (nearly(choices, (name,)), *(usually(choices, values) for _ in range(count)))


def _content(choices: Choices, kind: int) -> str:
    text = usually(choices, choices.pick((_MOVES, _SIGNALS)))
    return SEALED + text if kind in _CHAT_KINDS and choices.chance(2) else text


def _step(choices: Choices, names: tuple[str, ...], doors: tuple[str, ...]) -> Step:
    kind = choices.pick(_KINDS)
    usual = [("d", GAME)] if kind in _IN_A_GAME else []
    if kind not in SOCKET_KINDS:
        usual.append(("p", SERVER.pubkey))
    if usual and choices.chance(8):
        usual.pop(choices.below(len(usual)))
    return Step(
        door=choices.pick(doors),
        by=choices.pick(_WHO),
        kind=kind,
        content=_content(choices, kind),
        tags=(*usual, *choices.several(4, lambda: _tag(choices, names))),
        after_ms=choices.pick((0, 0, 0, 1, 999, 2_000, 2_000, 31_000, 130_000, 86_400_000)),
        off_seconds=choices.pick((0, 0, 0, 0, 0, 0, 1, -1, -61, 61, 121, -901, 86_400)),
        times=choices.pick((1, 1, 1, 1, 2)),
        legal=choices.below(256),
    )


def stories(choices: Choices) -> Story:
    """A few steps that have a few of all features: swarms of small worlds go deeper than one that
    has everything.
    """
    names = tuple(choices.several(4, lambda: choices.pick(_NAMES)))
    doors = choices.pick((("relay",), ("socket",), ("relay", "socket", "queue")))
    start = choices.pick((0, 0, 0, *range(len(_STARTS))))
    steps = choices.several(8, lambda: _step(choices, (*names, "x"), doors), least=1)
    return Story(start, tuple(steps))


def tell(story: Story) -> str:
    """Bring every step; the words they were answered with."""
    words: list[str] = []
    with Stage(game=a_game(**_STARTS[story.start])) as stage:
        earlier = "00" * 32
        for step in story.steps:
            stage.world.clock.ms += step.after_ms
            stage.ear.now += step.after_ms / 1000
            event = _event(stage, step, earlier)
            earlier = str(event["id"])
            words += [_brought(stage, step, event) for _ in range(step.times)]
        check(stage)
    return " ".join(words)


def _event(stage: Stage, step: Step, earlier: str) -> Body:
    states = [e.id for e in stage.world.publisher.taken_events if e.kind == 20302]
    game = stage.world.games.standing[GAME]
    moves = sorted(move.uci() for move in game.board().legal_moves)
    stand_ins = {
        LEGAL: moves[step.legal % len(moves)] if moves else "e2e4",
        STATE: states[-1] if states else "00" * 32,
        CHALLENGE: next(iter(stage.world.lobby.challenges), "00" * 16),
        EARLIER: earlier,
    }

    def named(text: str) -> str:
        for stand_in, text_of_it in stand_ins.items():
            text = text.replace(stand_in, text_of_it)
        return text

    tags = [tuple(map(named, tag)) for tag in step.tags]
    at = stage.world.clock.ms // 1000 + step.off_seconds
    key = (PLAYER if game.turn else RIVAL) if step.by == WHOSE_TURN_IT_IS else KEYS[step.by]
    content = named(step.content)
    if content.startswith(SEALED):
        text = content.removeprefix(SEALED)
        content = sealed(text, by=key) if text else ""
    return signed(key, step.kind, content, *tags, at=at)


def _brought(stage: Stage, step: Step, event: Body) -> str:
    before = {id_: game.ply for id_, game in stage.world.games.standing.items()}
    movers = {id_: game.seat(game.turn) for id_, game in stage.world.games.standing.items()}
    said = wrapped(step.door, bytes_of(event), stage)
    if step.door == "queue":
        said = said[:-1] + b',"via":"' + SOCKET.encode() + b'"}'
    word = DOORS[step.door](stage, [said])
    stage.gateway.sockets.gone.discard(SOCKET)
    for id_, game in stage.world.games.standing.items():
        if game.ply > before.get(id_, 0):
            assert game.ply == before.get(id_, 0) + 1
            assert movers[id_].player == event["pubkey"], "moved for another"
            assert movers[id_].dialect in DIALECTS
    return word
