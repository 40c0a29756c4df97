"""`arbiter verify` pairs an event's Swiss rounds again; `arbiter report` adds names to its TRF."""

import hashlib
import json
import re
import urllib.request
from collections.abc import Callable
from functools import partial
from typing import Any

from arbiter.dialects import trf

_SECONDS = 20
_MAX_BYTES = 4_000_000

Fetch = Callable[[str, str], str]


def fetched(url: str, accept: str) -> str:
    if not url.startswith(("https://", "http://")):
        raise OSError(f"{url} is no address of a page")
    asked = urllib.request.Request(url, headers={"Accept": accept})  # noqa: S310 - as just seen
    with urllib.request.urlopen(asked, timeout=_SECONDS) as answer:  # noqa: S310 - as above
        body: bytes = answer.read(_MAX_BYTES)
    return body.decode("utf-8", "replace")


def verify(url: str, fetch: Fetch = fetched) -> int:
    """Say of each round of the event how it compares; the exit status is 0 where none differs."""
    page = url.partition("?")[0].rstrip("/")
    verdicts = {
        number: _verdict(each, partial(fetch, f"{page}/trf?round={number}", "text/plain"))
        for number, each in enumerate(json.loads(fetch(page, "application/json"))["rounds"], 1)
    }
    for number, verdict in verdicts.items():
        print(f"round {number}: {verdict}")
    return int(any(verdict.startswith("differs") for verdict in verdicts.values()))


def with_names(url: str, people: str, fetch: Fetch = fetched) -> str:
    """The event's TRF, with all that this file, a TRF too, says of players of the same keys."""
    known = {key: person for key, person in trf.players(people) if key}
    report = fetch(f"{url.partition('?')[0].rstrip('/')}/trf", "text/plain")
    return trf.with_people(report, known)


def _verdict(each: dict[str, Any], text_of: Callable[[], str]) -> str:
    from arbiter.adapters.pairing import swiss  # noqa: PLC0415 - half a second

    engine = each["engine"] or "by hand"
    if not engine.startswith("gacrux"):
        return f"not compared, paired {engine if engine == 'by hand' else f'by {engine}'}"
    text = text_of()
    if hashlib.sha256(text.encode()).hexdigest() != each["digest"]:
        return "differs: what it was paired from was changed since"
    entry = {int(at): int(number) for at, number in re.findall(r"(?m)^### (\d+) (\d+)", text)}
    try:
        pairs = swiss.pairs_of(text, each["number"])
    except swiss.NoLegalPairing:
        return "differs: no pairing is legal"
    boards = [[entry[white], entry[black]] for white, black in pairs if black]
    if boards != [[board["white"], board["black"]] for board in each["boards"]]:
        return f"differs: {swiss.ENGINE} pairs {boards}"
    return f"the same {len(boards)} boards by {swiss.ENGINE}"
