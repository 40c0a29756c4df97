"""Levels 1 to 8 for any engine, by the options that it declares."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from clients.bot.config import Engine, Option

LEVELS = range(1, 9)
SKILLS = (0, 1, 3, 5, 8, 11, 15, 20)
DEPTHS = (1, 2, 3, 4, 5, 8, 13, 0)


@dataclass(frozen=True, slots=True)
class Range:
    """The bounds of an option that is a number."""

    least: int
    most: int


def at_level(engine: Engine, level: int, declared: Mapping[str, Range]) -> Engine:
    """The engine's settings at this level; what the operator set stays."""
    options: dict[str, Option] = {}
    go = engine.go_commands
    if "Level" in declared:
        options["Level"] = level
    elif "Skill Level" in declared:
        options["Skill Level"] = SKILLS[level - 1]
        go = replace(go, depth=go.depth or DEPTHS[level - 1])
    elif "UCI_Elo" in declared:
        elo = declared["UCI_Elo"]
        options["UCI_LimitStrength"] = True
        options["UCI_Elo"] = elo.least + (elo.most - elo.least) * (level - 1) // 7
    else:
        go = replace(go, depth=go.depth or DEPTHS[level - 1])
    return replace(engine, uci_options={**options, **engine.uci_options}, go_commands=go)
