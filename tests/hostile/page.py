"""docs/hostile-inputs.md, written from the corpus: `make hostile-inputs`."""

import re
from itertools import groupby
from pathlib import Path

from tests.hostile.case import Case
from tests.hostile.corpus import CASES, HELD_ELSEWHERE

PAGE = Path(__file__).parents[2] / "docs" / "hostile-inputs.md"

_HEAD = """\
# Hostile inputs, by name

What strangers may send, where it enters, and the word that it is answered with. Written by
`make hostile-inputs` from `tests/hostile`, whose test sends each of them through the real shells:
`make test PYTEST_ARGS=tests/hostile`. There are {names} of them, and {cases} cases, for most come
to more than one door.

None may raise, none may be delivered again, and none may change a game, a challenge or who waits.
Those marked *heeded* change something, and should: they are their author's own sound words in odd
clothes, or they end in something refused after something sound. Nothing of what is sent may stand
in a log, whose lines hold words of ours and ids alone, nor, but for chat that is carried, in
anything that the arbiter signs.

| door | is | its word |
|---|---|---|
| relay | a frame of a relay to a listener | its counter, or the arbiter's fate if passed on |
| socket | a frame of a client to our own gateway | the gateway's fate, or the arbiter's |
| queue | the body of a record | the arbiter's fate |
| letter | a message of Scuttlebutt, as our bridge signs it for the queue | the arbiter's fate |
| HTTP | a request | status and words |
| log | a log of Scuttlebutt in a file | what each message was taken for, and the games |
| note | a finished game, as PGN | what python-chess reads |
"""


def page() -> str:
    """The whole page."""
    names = len({case.name for case in CASES})
    parts = [_HEAD.format(names=names, cases=len(CASES))]
    in_order = sorted(CASES, key=lambda case: (_number(case), case.note, case.name))
    for number, cases in groupby(in_order, key=_number):
        parts.append(f"\n## {number}\n\n| what | why | answer |\n|---|---|---|\n")
        parts += [_row([*same]) for _, same in groupby(cases, key=lambda case: case.name)]
    parts.append("\n## Held elsewhere\n\nWhat an input by itself cannot show.\n\n")
    parts += [f"- **{what}**: {where}.\n" for what, where in HELD_ELSEWHERE.items()]
    return "".join(parts)


def _number(case: Case) -> str:
    return case.name[:3]


def _row(same: list[Case]) -> str:
    heeded = ", *heeded*" if any(case.heeded for case in same) else ""
    doors: dict[str, list[str]] = {}
    for case in same:
        doors.setdefault(case.answer, []).append(case.door)
    answer = "; ".join(f"{', '.join(at)}: {_cell(word)}" for word, at in doors.items())
    return f"| {_cell(same[0].name[4:])} | {_cell(same[0].note)} | {answer}{heeded} |\n"


def _cell(text: str) -> str:
    """Text as it may stand in a table, with what cannot be seen spelled out."""
    seen = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
    return re.sub(r"([|<>*_`\\[\]])", r"\\\1", seen)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
