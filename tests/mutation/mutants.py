"""The mutants of one file: the same program with one small change, never written to the disk."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from tests.mutation.changes import changes

MOST_SHOWN = 70
TYPES = {"annotation", "returns", "type_params"}


@dataclass(frozen=True)
class Slot:
    """Where a node hangs in its tree: a field of its parent, or a place in that field's list."""

    parent: ast.AST
    field: str
    at: int | None

    def put(self, node: object) -> None:
        """Hang this node there."""
        if self.at is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.at] = node


@dataclass(frozen=True)
class Mutant:
    """One change at one place. ``function`` is the qualified name of the outermost function that
    it stands in, None for what is done when the module is imported.
    """

    path: Path
    function: str | None
    lines: range
    slot: Slot
    before: ast.AST
    after: ast.AST

    def __str__(self) -> str:
        where = f"{self.path.name}:{self.lines.start} {self.function or '(module)'}"
        if isinstance(self.before, ast.Call) and isinstance(self.after, ast.Call):
            gone = [it for it in self.before.keywords if it not in self.after.keywords]
            if gone:
                return f"{where}: `{_shown(self.before)}` without `{_shown(gone[0])}`"
        return f"{where}: `{_shown(self.before)}` → `{_shown(self.after)}`"


@dataclass(frozen=True)
class Program:
    """One source file as a tree, and its mutants."""

    path: Path
    tree: ast.Module

    @classmethod
    def read(cls, path: Path) -> "Program":
        """The file as it stands now; what is edited later is not looked at."""
        return cls(path, ast.parse(path.read_text(encoding="utf-8")))

    def mutants(self) -> Iterator[Mutant]:
        """All of them, in the order of the file."""
        for slot, node, function in _places(self.tree, None, ()):
            for changed in changes(node):
                yield Mutant(self.path, function, _lines(node), slot, node, changed)

    def compiled(self, mutant: Mutant | None = None) -> CodeType:
        """The module's code, with this mutant in it."""
        with _planted(mutant):
            return compile(self.tree, str(self.path), "exec", dont_inherit=True)


@contextmanager
def _planted(mutant: Mutant | None) -> Iterator[None]:
    if mutant:
        mutant.slot.put(mutant.after)
    try:
        yield
    finally:
        if mutant:
            mutant.slot.put(mutant.before)


def _places(
    parent: ast.AST, function: str | None, classes: tuple[str, ...]
) -> Iterator[tuple[Slot, ast.AST, str | None]]:
    """Every node of the program proper, below this one, and the function that it stands in."""
    for field, value in ast.iter_fields(parent):
        if field in TYPES:
            continue
        inside = function
        if function is None and field == "body" and isinstance(parent, ast.FunctionDef):
            inside = ".".join((*classes, parent.name))
        within = (*classes, parent.name) if isinstance(parent, ast.ClassDef) else classes
        nodes = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for at, node in nodes:
            if isinstance(node, ast.AST) and not _is_for_people(node):
                yield Slot(parent, field, at), node, inside
                yield from _places(node, inside, within)


def _is_for_people(node: ast.AST) -> bool:
    """Docstrings, and what only a type checker reads."""
    match node:
        case (
            ast.Import()
            | ast.ImportFrom()
            | ast.Expr(value=ast.Constant())
            | ast.Expr(value=ast.Call(func=ast.Name(id="assert_never")))
            | ast.match_case(body=[ast.Expr(value=ast.Call(func=ast.Name(id="assert_never")))])
            | ast.Call(func=ast.Name(id="TypeVar" | "NewType" | "cast"))
            | ast.Assign(value=ast.BinOp(op=ast.BitOr()))  # a union of types under a name
        ):
            return True
        case _:
            return False


def _lines(node: ast.AST) -> range:
    """The lines of a node; those of its head if it has a body of statements."""
    if isinstance(node, ast.match_case):
        return range(node.pattern.lineno, node.pattern.lineno + 1)
    if isinstance(node, ast.comprehension):
        return range(node.target.lineno, node.iter.lineno + 1)
    if isinstance(node, ast.If | ast.While):
        return range(node.test.lineno, (node.test.end_lineno or node.test.lineno) + 1)
    first = getattr(node, "lineno", 0)
    return range(first, (getattr(node, "end_lineno", None) or first) + 1)


def _shown(node: ast.AST) -> str:
    if isinstance(node, ast.match_case):
        guard = f" if {ast.unparse(node.guard)}" if node.guard else ""
        return f"case {ast.unparse(node.pattern)}{guard}"
    if isinstance(node, ast.If | ast.While):
        return f"if {ast.unparse(node.test)}"
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
