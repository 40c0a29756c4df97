"""The file of `arbiter export`: everything that is kept, one item a line. Pure.

The first line names the format and its version; then an item a line in DynamoDB JSON, in one form;
the last has their number and their sum: the SHA-256 of each line, added up modulo 2^256. So exports
of the same items have the same sum, in any order.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.games import game_of_item
from arbiter.adapters.items.outages import KEY, uptime_of_item
from arbiter.adapters.sqlite.items import item_of_text, text_of_item
from arbiter.core.game import Game

VERSION = 1

MAX_LINE = 4 * 1024 * 1024
"""Bytes. DynamoDB's largest item, 400 KB, takes less, however it is escaped."""

_FORMAT = "arbiter-export"
_MESSAGE = "outbox#"
"""Of messages for the bridge to Scuttlebutt, which v0.2.0 exported, too."""
_SUMS = 2**256
# DynamoDB's numbers have 38 digits at most, and lie between 1E-130 and 1E+126.
_NUMBERS = Context(prec=38, Emax=125, Emin=-130, traps=[Inexact, InvalidOperation])


class TransferFailed(Exception):
    """The reason why nothing, or not everything, was transferred; the text is for the operator."""


class ExportChecksum:
    """The number of items and their sum, so far."""

    def __init__(self) -> None:
        self.items = 0
        self._sum = 0

    def add(self, line: bytes) -> None:
        self.items += 1
        self._sum = (self._sum + int.from_bytes(hashlib.sha256(line).digest(), "big")) % _SUMS

    def __str__(self) -> str:
        return f"{self._sum:064x}"


def lines_of(items: Iterable[Item], checksum: ExportChecksum) -> Iterator[bytes]:
    """The lines of an export, each with its end; ``checksum`` counts the items."""
    yield _line({"format": _FORMAT, "version": VERSION})
    for item in items:
        line = text_of_item(canonical(item)).encode()
        checksum.add(line)
        yield line + b"\n"
    yield _line({"items": checksum.items, "sha256": str(checksum)})


def items_of(lines: Iterable[bytes], checksum: ExportChecksum) -> Iterator[Item]:
    """The items, counted in ``checksum``. Raises TransferFailed for a newer format or damage."""
    rest = iter(lines)
    _check_header(_object(next(rest, b"")))
    for number, line in enumerate(rest, 2):
        if line.startswith(b'{"items":'):
            _check_end(line, checksum)
            if next(rest, None) is not None:
                raise TransferFailed(f"the file is damaged: line {number} is not its last")
            return
        item = _item(line, number)
        checksum.add(line[:-1])
        yield item
    raise TransferFailed("the file is incomplete: its last line is missing")


def canonical(item: Item) -> Item:
    """The item as every export writes it: order and digits fixed. Raises for what is no item."""
    return {name: _canonical(item[name]) for name in sorted(item)}


def running_game(item: Item) -> Game | None:
    """The game of an item that has a timer, or None. Raises as `game_of_item`."""
    return game_of_item(item) if "l" in item and "ta" in item else None


def is_outages(item: Item) -> bool:
    return bool(item["pk"] == KEY["pk"])


def has_continued(stored: Item, exported: Item) -> bool:
    """Whether the target's outages go on from those of an export: the transfer is one, too."""
    left_at_ms = uptime_of_item(exported).reported_at_ms
    uptime = uptime_of_item(stored)
    return any(outage.from_ms == left_at_ms for outage in uptime.outages)


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _check_header(header: dict[str, Any]) -> None:
    version = header.get("version")
    if header.get("format") != _FORMAT or type(version) is not int:
        raise TransferFailed("the file is no export of an arbiter, or its first line is damaged")
    if version > VERSION:
        raise TransferFailed(
            f"the file has format {version}, and this release knows {VERSION}: "
            "import it with the release that wrote it, or a later one"
        )


def _check_end(line: bytes, checksum: ExportChecksum) -> None:
    if line != _line({"items": checksum.items, "sha256": str(checksum)}):
        raise TransferFailed(
            "the file is damaged: its items are not those that its last line counts"
        )


def _item(line: bytes, number: int) -> Item:
    try:
        item = item_of_text(line.decode("ascii").removesuffix("\n"))
        is_whole = isinstance(item["pk"]["S"], str) and (
            text_of_item(canonical(item)).encode() + b"\n" == line
        )
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        is_whole, item = False, {}
    if not is_whole or item["pk"]["S"].startswith(_MESSAGE):
        raise TransferFailed(f"the file is damaged: line {number} is no item")
    try:
        running_game(item)
    except Exception as error:
        raise TransferFailed(
            f"line {number}: this release cannot read {item['pk']['S']} "
            f"({type(error).__name__}): import it with the release that wrote it"
        ) from error
    return item


def _canonical(value: Item) -> Item:
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return {kind: _number(content)}
        case "NS":
            return {kind: sorted(map(_number, content))}
        case "SS" | "BS":
            return {kind: sorted(content)}
        case "L":
            return {kind: [_canonical(one) for one in content]}
        case "M":
            return {kind: canonical(content)}
        case _:
            return {kind: content}


def _number(text: str) -> str:
    number = _NUMBERS.create_decimal(text)
    if not number.is_finite():
        raise ValueError("DynamoDB has no such number")
    return f"{number.normalize(_NUMBERS) if number else Decimal(0):f}"
