"""The line being typed, as a value: keys are read one by one, for the prompt is drawn again."""

import re
from dataclasses import dataclass, replace

MAX_LINE_CHARS = 200
MAX_HISTORY = 50

_KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|[\s\S]")


@dataclass(frozen=True, slots=True)
class EditedLine:
    """``at`` is the cursor; ``recall`` counts back in ``history``, 0 being the line itself."""

    text: str = ""
    at: int = 0
    history: tuple[str, ...] = ()
    recall: int = 0


@dataclass(frozen=True, slots=True)
class Pressed:
    """The line after a key; ``entered`` if it was the return key, ``over`` at the end of input."""

    line: EditedLine
    entered: str | None = None
    over: bool = False


def keys(text: str) -> list[str]:
    """The keys in what the terminal sent; an arrow is one key of several characters."""
    return _KEY.findall(text)


def press(line: EditedLine, key: str) -> Pressed:
    """The line after one key; unknown keys change nothing."""
    match key:
        case "\r" | "\n":
            kept = line.history
            if line.text.strip() and (not kept or kept[-1] != line.text):
                kept = (*kept, line.text)[-MAX_HISTORY:]
            return Pressed(EditedLine(history=kept), entered=line.text)
        case "\x04":
            return Pressed(line, over=True) if not line.text else Pressed(_delete(line))
        case "\x7f" | "\b":
            return Pressed(_delete(replace(line, at=line.at - 1)) if line.at else line)
        case "\x1b[A" | "\x1bOA" | "\x10":
            return Pressed(_recalled(line, line.recall + 1))
        case "\x1b[B" | "\x1bOB" | "\x0e":
            return Pressed(_recalled(line, line.recall - 1))
        case _:
            return Pressed(_edited(line, key))


def _edited(line: EditedLine, key: str) -> EditedLine:
    match key:
        case "\x1b[D" | "\x1bOD" | "\x02":
            return replace(line, at=max(0, line.at - 1))
        case "\x1b[C" | "\x1bOC" | "\x06":
            return replace(line, at=min(len(line.text), line.at + 1))
        case "\x1b[H" | "\x1bOH" | "\x1b[1~" | "\x01":
            return replace(line, at=0)
        case "\x1b[F" | "\x1bOF" | "\x1b[4~" | "\x05":
            return replace(line, at=len(line.text))
        case "\x1b[3~":
            return _delete(line)
        case "\x15":
            return replace(line, text=line.text[line.at :], at=0)
        case "\x0b":
            return replace(line, text=line.text[: line.at])
        case "\x17":
            kept = line.text[: line.at].rstrip().rpartition(" ")
            start = len(kept[0]) + len(kept[1])
            return replace(line, text=line.text[:start] + line.text[line.at :], at=start)
        case _:
            if len(key) != 1 or not key.isprintable() or len(line.text) >= MAX_LINE_CHARS:
                return line
            text = line.text[: line.at] + key + line.text[line.at :]
            return replace(line, text=text, at=line.at + 1)


def _delete(line: EditedLine) -> EditedLine:
    return replace(line, text=line.text[: line.at] + line.text[line.at + 1 :])


def _recalled(line: EditedLine, recall: int) -> EditedLine:
    if not 0 <= recall <= len(line.history):
        return line
    text = line.history[-recall] if recall else ""
    return replace(line, text=text, at=len(text), recall=recall)
