"""Tamper with the transcripts of games of all protocols and ends, one thing at a time, and have the
verifier find each and name its place: a field altered or left out, two lines exchanged, a line left
out, twice, or of another game.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arbiter.application.policy import KnownPolicy
from arbiter.core.policy import Policy
from arbiter.nostr.event import VerifiedEvent
from arbiter.proof.check import check
from arbiter.proof.transcript import Transcript, unpack
from tests.application.script import Conversation, conversations, run
from tests.application.test_presence import Board
from tests.application.world import World
from tests.fakes.policy import FixedPolicy
from tests.proof.games import Values, file_of, values_of

SHOWN = ("1", "a1a2", "draw:b", "60000", "60000", "1-0", "resignation")
OTHER = ("3", "h7h6", "-", "59000", "59000", "*", "-")
"""Values of what a state shows, and others."""

OF_FIRST_LINE = {
    "game": "another game|links",
    "arbiter": "another arbiter",
    "white": "neither player|other players|its author|rules refuse|of who signed",
    "black": "neither player|other players|its author|rules refuse|of who signed",
    "start": "position|legal|leads to|its author|rules refuse",
    "variant": "Variant|variant|leads to|legal",
    "chain": "chain",
    "first": "links|requests",
}
"""What names each of its fields."""

SCRIPTS = [
    "alice seek blitz; bob seek blitz; moves f2f3 e7e5 g2g4; black d8h4",
    "alice seek blitz; bob seek blitz; moves e2e4; white draw; black draw-decline; black draw",
    "alice seek blitz; bob seek blitz; moves e2e4 e7e5; black takeback; white takeback; moves c7c5",
    "alice seek; bob seek; moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8; white claim",
    "alice challenge bob time=3d; bob accept c1; black lines e2e4 e7e5 g1f3 b8c6; white e2e4",
    "alice seek blitz; bob seek blitz; moves e2e4 e7e5; timer; timer",
    "~alice connect; ~bob connect; ~alice e2e4; ~bob e7e5; ~alice resign",
    "+alice start; bob seek; +alice e2e4; bob e7e5; bob resign",
    "@alice invite white; bob seek; @alice e2e4; bob e7e5; @alice resigned",
]
"""One of each kind; ``;`` parts what is said."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A transcript as JSON, and the arbiter's note of the game."""

    values: Values
    note: VerifiedEvent | None

    @property
    def kinds(self) -> frozenset[str]:
        """Its kinds of events, words and ends."""
        found = {self.values[0]["variant"], f"note {self.note is not None}"}
        for it in self.values[1:]:
            found.add(it.get("shown", "- -").rpartition(" ")[2])
            event = it.get("event", {})
            found |= {f"{event.get('kind')}", f"event {'event' in it}"}
            if event.get("kind") == 20303:
                found |= set(re.findall("^[a-z-]{4,}", event["content"]))
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class Alteration:
    """The lines as they are now, the first of which nothing is right any more, by its number, and
    whether a signature shows that it is just this one.
    """

    what: str
    at: int
    values: Values
    is_exact: bool = False


def kept_by(world: World) -> Iterator[Kept]:
    notes = {it.tags[0][1]: it for it in world.publisher.taken_events if it.kind == 64}
    for id_ in world.transcripts.links:
        octets = world.transcripts.load(game) if (game := world.games.load(id_)) else None
        if octets:
            yield Kept(values_of(octets), notes.get(id_))


def of_each_kind() -> Iterator[Kept]:
    for text in SCRIPTS:
        yield from kept_by(run(text).world)


def own_games() -> Iterator[Kept]:
    """A game of each kind, and what no script plays: Chess960, a player who left, a vacation."""
    yield from of_each_kind()
    talk, chance = run("alice seek variant=chess960\nbob seek variant=chess960"), random.Random(40)
    for _ in range(12):
        move = chance.choice([*talk.game().board().legal_moves]).uci()
        talk.line(f"{'white' if talk.game().turn else 'black'} {move}")
    talk.line("white resign")
    yield from kept_by(talk.world)
    board = Board()
    board.close("white")
    board.wait(400)
    board.say(board.black, "claim-left")
    yield from kept_by(board.world)
    away = Conversation()
    known = KnownPolicy(FixedPolicy(Policy(vacation_days=9)))
    away.world.deps = replace(away.world.deps, policy=known)
    for line in ("alice seek time=3d", "bob seek time=3d", "moves e2e4", "black vacation:3"):
        away.line(line)
    away.line("black resign")
    yield from kept_by(away.world)


def corpus(count: int) -> list[Kept]:
    """The first transcripts: our own, then of the conversations the longest of each kind."""
    played, kinds = [*own_games()], set[frozenset[str]]()
    more = [it for text in conversations().values() for it in _of_script(text)]
    more.sort(key=lambda it: -len(it.values))
    new = [it for it in more if it.kinds not in kinds and not kinds.add(it.kinds)]  # type: ignore[func-returns-value]
    return [*played, *new, *(it for it in more if it not in new)][:count]


def _of_script(text: str) -> Iterator[Kept]:
    # What a store that fails half-way leaves is none; `arbiter serve` writes all or nothing.
    return kept_by(run(text).world) if "crash" not in text else iter(())


def altered(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case int():
            return value + 1
        case str() if value and set(value) <= set("0123456789abcdef"):
            return ("0" if value[0] != "0" else "1") + value[1:]
        case _:
            return f"{value}x"


def fields(values: Values) -> Iterator[Alteration]:
    """Each field altered, and each left out."""
    for at, line in enumerate(values):
        for what, other, is_exact in _of_line(line):
            yield Alteration(f"{at} {what}", at, [*values[:at], other, *values[at + 1 :]], is_exact)


def _of_line(line: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], bool]]:
    event: dict[str, Any] = line.get("event", {})
    for name in line:
        yield f"without {name}", {it: line[it] for it in line if it != name}, name != "shown"
    for name in sorted(line.keys() - {"event", "shown", "variant", "start"}):
        yield name, line | {name: altered(line[name])}, bool(event)
    for name, text in _of_the_rules(line) if "variant" in line else ():
        yield name, line | {name: text}, False
    for at, state in enumerate(_other_states(line.get("shown", ""))):
        yield f"shown {at}", line | {"shown": state}, False
    for name in event:
        yield f"without event {name}", _with(line, without=name), True
    for name in sorted(event.keys() - {"tags"}):
        yield f"event {name}", _with(line, **{name: altered(event[name])}), True
    tags = event.get("tags", [])
    for at, tag in enumerate(tags):
        rest = [*tags[:at], *tags[at + 1 :]]
        yield f"without tag {at}", _with(line, tags=rest), True
        for place in range(len(tag)):
            other = [*tag[:place], altered(tag[place]), *tag[place + 1 :]]
            yield f"tag {at} {place}", _with(line, tags=[*tags[:at], other, *tags[at + 1 :]]), True


def _of_the_rules(first: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Another variant, and other first positions that may lead to the same moves."""
    yield "variant", "chess960" if first["variant"] == "standard" else "standard"
    yield "variant", "crazyhouse"
    board, turn, castling, *more = first["start"].split(" ")
    yield "start", " ".join((board, turn, "-", *more))
    yield "start", f"{board} {turn} {castling} - 7 9"
    yield "start", " ".join((board, "b", castling, *more))
    yield "start", " ".join((board.replace("PPPPPPPP", "PPPPPPP1"), turn, castling, *more))
    yield "start", "a board"


def _other_states(shown: str) -> Iterator[str]:
    parts = shown.split(" ") if shown else []
    for at, part in enumerate(parts):
        value = SHOWN[at] if part != SHOWN[at] else OTHER[at]
        yield " ".join((*parts[:at], value, *parts[at + 1 :]))


def _with(line: dict[str, Any], without: str = "", **changed: Any) -> dict[str, Any]:
    event = {name: it for name, it in (line["event"] | changed).items() if name != without}
    return line | {"event": event}


def orders(values: Values) -> Iterator[Alteration]:
    """Each two lines exchanged, each line left out, and each twice."""
    for at, line in enumerate(values[1:], 1):
        yield Alteration(f"{at} left out", at, [*values[:at], *values[at + 1 :]])
        yield Alteration(f"{at} twice", at, [*values[:at], line, *values[at:]])
        for behind in range(at + 1, len(values)):
            other = [*values]
            other[at], other[behind] = values[behind], line
            yield Alteration(f"{at} and {behind} exchanged", at, other)


def of_another(values: Values, theirs: Values) -> Iterator[Alteration]:
    """A line of another game put in at each place, and put for each; and their event alone."""
    for at in range(1, len(values)):
        it = theirs[1 + at % (len(theirs) - 1)]
        yield Alteration(f"{at} theirs before", at, [*values[:at], it, *values[at:]])
        yield Alteration(f"{at} theirs", at, [*values[:at], it, *values[at + 1 :]])
        if "event" in it:
            own = values[at] | {"event": it["event"]}
            yield Alteration(f"{at} their event", at, [*values[:at], own, *values[at + 1 :]], True)


def alterations(values: Values, theirs: Values) -> Iterator[Alteration]:
    for it in (*fields(values), *orders(values), *of_another(values, theirs)):
        if it.values != values:
            yield it


def verdict(it: Alteration, note: VerifiedEvent | None) -> str:
    """What finds this: its own ``line``, a ``later line``, the ``chain``, the requests' ``order``,
    its ``field`` of the first line, or that it is ``missing``; else ``unsigned`` where only the
    first line differs and no note signs it, ``misnamed: …``, or ``unseen``.
    """
    found = unpack(file_of(it.values))
    checked = check(found, note) if isinstance(found, Transcript) else None
    wrong = checked.wrong if checked else [str(found)]
    if not wrong:
        return _as_missing(it, checked.missing if checked else [], note)
    place = re.search(r"(line|request|state) (\d+)", wrong[0])
    if it.at == 0:
        name = it.what.split(" ")[-1]
        return "field" if re.search(f"{OF_FIRST_LINE[name]}|{name}", wrong[0]) else _mis(it, wrong)
    if not place:
        by = re.search("the links|the requests|another history", wrong[0])
        return (
            _mis(it, wrong)
            if by is None or it.is_exact
            else "chain"
            if "links" in by[0]
            else "order"
        )
    requests = [at for at, line in enumerate(it.values) if at and "shown" not in line]
    number = int(place[2])
    if place[1] == "request":
        number = requests[number - 1]
    else:
        number += len(requests) if place[1] == "state" else -1
    if number < it.at or (it.is_exact and number != it.at):
        return _mis(it, wrong)
    return "line" if number == it.at else "later line"


def _mis(it: Alteration, wrong: Sequence[str]) -> str:
    return f"misnamed: {it.what}: {wrong[0]}"


def _as_missing(it: Alteration, missing: Sequence[str], note: VerifiedEvent | None) -> str:
    is_event = it.what.endswith("without event")
    if is_event and any(it.values[it.at]["id"] in text for text in missing):
        return "missing"
    return "unsigned" if it.at == 0 and note is None else "unseen"


def tamper(games: Sequence[Kept], progress: int = 0) -> tuple[Counter[str], list[str]]:
    """The verdicts, counted; and what is unseen or misnamed, by the number of its game."""
    counts, flaws = Counter[str](), list[str]()
    for number, game in enumerate(games):
        theirs = games[(number + 1) % len(games)]
        for it in alterations(game.values, theirs.values):
            said = verdict(it, game.note)
            counts[said.partition(":")[0]] += 1
            if said.startswith(("unseen", "misnamed")):
                flaws.append(f"game {number}: {it.what}: {said}")
        if progress and (number + 1) % progress == 0:
            sys.stderr.write(f"{number + 1} games, {counts.total()} alterations\n")
    return counts, flaws


def main(arguments: Iterable[str] | None = None) -> int:
    options = argparse.ArgumentParser(prog="tests.proof.tampered", description=__doc__)
    options.add_argument("--games", type=int, default=100, help="transcripts (100)")
    games = corpus(options.parse_args(arguments).games)
    untouched = [it for it in games if verdict(Alteration("", -1, it.values), it.note) != "unseen"]
    counts, flaws = tamper(games, progress=10)
    kinds = sorted({kind for it in games for kind in it.kinds})
    sys.stdout.write(f"{len(games)} transcripts, {len(untouched)} called wrong as they are\n")
    sys.stdout.write(f"of: {' '.join(kinds)}\n{counts.total()} alterations\n")
    sys.stdout.writelines(f"{count:8} {name}\n" for name, count in counts.most_common())
    sys.stdout.write(f"{counts['unseen']} unseen, {counts['misnamed']} misnamed\n")
    sys.stdout.writelines(f"{text}\n" for text in flaws)
    return int(bool(flaws or untouched))


if __name__ == "__main__":
    sys.exit(main())
