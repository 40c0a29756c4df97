"""The part of DynamoDB's expression language that our adapters write. Pure.

What is not known here is no error of DynamoDB's but ``Unsupported``. The names that expressions may
write out are listed, because DynamoDB reserves 573 words that an attribute may be called, but that
an expression must not write: whoever adds a name looks it up first.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from tests.simulation.aws_errors import Unsupported
from tests.simulation.items import EXACT, Invalid, Item, Unfit, copied, copied_value, order_of

_WRITTEN_OUT: Final = re.compile(r"pk|sk|[bceilmnpsvw]|ladder|expires_at|f\d+")
_CLAUSES: Final = re.compile(r"\b(SET|REMOVE|ADD|DELETE)\b\s+")
_FUNCTION: Final = re.compile(r"(attribute_exists|attribute_not_exists)\((\S+)\)")
_COMPARISON: Final = re.compile(r"(\S+)\s*(<=|>=|=|<)\s*(:\S+)")
_LONGEST: Final = 4096
_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": lambda left, right: left == right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}


@dataclass
class Words:
    """What the placeholders of a call stand for; ``unused`` are those that nothing asked for yet,
    which DynamoDB refuses.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    unused: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.unused = {*self.names, *self.values}

    def name(self, word: str) -> str:
        """The attribute that a word of an expression means."""
        if word.startswith("#"):
            self.unused.discard(word)
            if word not in self.names:
                raise Invalid(f"{word} is not defined")
            return self.names[word]
        if not _WRITTEN_OUT.fullmatch(word):
            raise Unsupported(f"the name {word!r}, written out")
        return word

    def value(self, word: str) -> Item:
        """The value that a placeholder stands for."""
        self.unused.discard(word)
        if word not in self.values:
            raise Invalid(f"{word} is not defined")
        return copied_value(self.values[word])

    def all_used(self) -> None:
        """Invalid, if something was given that no expression asked for."""
        if self.unused:
            raise Invalid(f"unused: {', '.join(sorted(self.unused))}")


def holds(condition: str, item: Mapping[str, Any] | None, words: Words) -> bool:
    """Whether a condition is true of an item, or of there being none.

    Every part is looked at even after one was false, so that all that is wrong is found.
    """
    if not condition or len(condition.encode()) > _LONGEST:
        raise Invalid("an expression has 1 to 4096 bytes")
    parts = [_part_holds(part.strip(), item or {}, words) for part in condition.split(" AND ")]
    return all(parts)


def _part_holds(part: str, item: Mapping[str, Any], words: Words) -> bool:
    if found := _FUNCTION.fullmatch(part):
        return (words.name(found[2]) in item) == (found[1] == "attribute_exists")
    found = _COMPARISON.fullmatch(part)
    if not found:
        raise Unsupported(f"the condition {part!r}")
    left, right = item.get(words.name(found[1])), words.value(found[3])
    if left is None or [*left] != [*right]:
        return False  # values of two types are not equal, and neither comes first
    if not {*left} <= {"S", "N", "B"}:
        raise Unsupported(f"a comparison of what has no order: {part!r}")
    return _COMPARE[found[2]](order_of(left), order_of(right))


def updated(
    expression: str, item: Mapping[str, Any], key: set[str], words: Words
) -> tuple[Item, set[str]]:
    """The item after an update, and the attributes that were written to, be it what they were;
    ``key`` names what an update may not touch.
    """
    if not expression or len(expression.encode()) > _LONGEST:
        raise Invalid("an expression has 1 to 4096 bytes")
    pieces = _CLAUSES.split(expression)
    if pieces[0] or len({*pieces[1::2]}) < len(pieces[1::2]):
        raise Invalid("each clause comes once, and begins with its word")
    after = copied(item)
    touched: set[str] = set()
    for clause, body in zip(pieces[1::2], pieces[2::2], strict=True):
        for action in body.split(","):
            name = _act(clause, action.split(), after, words)
            if name in touched or name in key:
                raise Invalid(f"an update touches {name} twice, or it is the key")
            touched.add(name)
    return after, touched


def _act(clause: str, action: list[str], after: Item, words: Words) -> str:
    """Do one action, and tell which attribute it was done to."""
    match clause, action:
        case "SET", [word, "=", value] if value.startswith(":"):
            after[words.name(word)] = words.value(value)
        case "REMOVE", [word]:
            after.pop(words.name(word), None)
        case "ADD", [word, value]:
            after[words.name(word)] = _sum(after.get(words.name(word)), words.value(value))
        case "DELETE", [word, value]:
            left = _difference(after.get(words.name(word)), words.value(value))
            after.pop(words.name(word), None)
            if left:
                after[words.name(word)] = left
        case _:
            raise Unsupported(f"the action {clause} {' '.join(action)!r}")
    return words.name(word)


def _sum(old: Item | None, more: Item) -> Item:
    ((kind, added),) = more.items()
    if kind not in {"N", "SS", "BS"}:
        raise Invalid("ADD is for numbers and sets")
    if old is None:
        return more
    if kind not in old:
        raise Unfit("ADD of another type than what stands there")
    if kind == "N":
        return copied_value({"N": str(EXACT.add(Decimal(old["N"]), Decimal(added)))})
    return {kind: [*dict.fromkeys([*old[kind], *added])]}


def _difference(old: Item | None, less: Item) -> Item | None:
    ((kind, taken),) = less.items()
    if kind not in {"SS", "BS"}:
        raise Invalid("DELETE is for sets")
    if old is None:
        return None
    if kind not in old:
        raise Unfit("DELETE of another type than what stands there")
    left = [one for one in old[kind] if one not in taken]
    return {kind: left} if left else None


def equal_to(condition: str, name: str, words: Words) -> Item:
    """The value that a key condition asks this attribute to have. Invalid, if it asks for none."""
    for part in condition.split(" AND "):
        found = _COMPARISON.fullmatch(part.strip())
        if found and found[2] == "=" and words.name(found[1]) == name:
            return words.value(found[3])
    raise Invalid(f"a query names the one partition: {name} = …")


def names_in(condition: str, words: Words) -> set[str]:
    """The attributes that a key condition speaks of."""
    found = (_COMPARISON.fullmatch(part.strip()) for part in condition.split(" AND "))
    return {words.name(one[1]) if one else "" for one in found}
