"""Putting a mutant into this process, which is a child that dies of it.

Two ways. A function that is imported already is given the mutant's code: whoever holds the function
has the mutant, and nothing is imported again. What happens on import (tables, defaults, classes)
needs everything of ours to be imported anew, with the mutant's module from memory.
"""

import gc
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from tests.mutation.mutants import Mutant, Program

ROOT = Path(__file__).resolve().parents[2]


def functions_of(path: Path) -> dict[tuple[str, int], list[FunctionType]]:
    """All functions of a file that live in this process, by name and first line."""
    found: dict[tuple[str, int], list[FunctionType]] = {}
    for it in gc.get_objects():
        if type(it) is FunctionType and it.__code__.co_filename == str(path):
            found.setdefault(_name(it.__code__), []).append(it)
    return found


def swap(program: Program, mutant: Mutant) -> bool:
    """Give the living function the mutant's code; False where there is no such function."""
    living = functions_of(program.path)
    swapped = False
    for code in _codes(program.compiled(mutant)):
        if code.co_qualname == mutant.function:
            for function in living.get(_name(code), ()):
                function.__code__ = code
                swapped = True
    return swapped


def import_anew(program: Program, mutant: Mutant | None, name: str) -> None:
    """Forget all modules of this repository; the mutant's will come from memory."""
    ours = [known for known, module in sys.modules.items() if _is_ours(module)]
    for known in ours:
        if not known.startswith("tests.mutation"):
            del sys.modules[known]
    sys.meta_path.insert(0, _Finder(name, program.path, program.compiled(mutant)))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module, with the code that it is given."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self._name = name
        self._loader = _Loader(name, str(path))
        self._loader.code = code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.machinery.ModuleSpec(fullname, self._loader, origin=self._loader.path)


class _Loader(importlib.machinery.SourceFileLoader):
    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code


def _codes(code: CodeType) -> Iterator[CodeType]:
    for it in code.co_consts:
        if isinstance(it, CodeType):
            yield it
            yield from _codes(it)


def _name(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _is_ours(module: ModuleType) -> bool:
    """A folder without an ``__init__.py`` is a module without a file, and may stay."""
    file = Path(getattr(module, "__file__", None) or "/")
    return file.is_relative_to(ROOT) and ".venv" not in file.parts
