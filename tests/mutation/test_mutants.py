"""Mutants are the changes that they say they are, and a test that looks is asked."""

import ast
from pathlib import Path

import pytest

from tests.mutation.asking import KILLED, SURVIVED, Fate, Reach, in_child
from tests.mutation.kept import Kept, named
from tests.mutation.mutants import Mutant, Program
from tests.mutation.planting import swap

LATE = '''"""About time."""

LIMIT = 3


class Clock:
    """A clock."""

    def late(self, seconds: int | None) -> bool:
        """Whether it is."""
        return seconds is not None and seconds > LIMIT
'''


@pytest.fixture
def late(tmp_path: Path) -> Program:
    path = tmp_path / "late.py"
    path.write_text(LATE, encoding="utf-8")
    return Program.read(path)


def _living(program: Program) -> dict[str, type]:
    names: dict[str, type] = {}
    exec(program.compiled(), names)  # noqa: S102 - our own text
    return names


def _one(program: Program, change: str) -> Mutant:
    (mutant,) = [it for it in program.mutants() if str(it).endswith(change)]
    return mutant


def test_every_operator_and_value_of_the_program_proper_is_changed(late: Program) -> None:
    whole = "seconds is not None and seconds > LIMIT"

    assert [str(it) for it in late.mutants()] == [
        "late.py:3 (module): `3` → `4`",
        f"late.py:11 Clock.late: `return {whole}` → `return None`",
        f"late.py:11 Clock.late: `{whole}` → `seconds is not None or seconds > LIMIT`",
        "late.py:11 Clock.late: `seconds is not None` → `seconds is None`",
        "late.py:11 Clock.late: `seconds > LIMIT` → `seconds >= LIMIT`",
        "late.py:11 Clock.late: `seconds > LIMIT` → `seconds <= LIMIT`",
    ]


def test_a_mutant_is_in_the_code_and_gone_from_the_tree_afterwards(late: Program) -> None:
    before = ast.dump(late.tree)

    for mutant in late.mutants():
        assert late.compiled(mutant) != late.compiled()
        assert ast.dump(late.tree) == before


def test_whoever_holds_a_function_has_the_mutant_of_it(late: Program) -> None:
    clock = _living(late)["Clock"]()
    held = clock.late

    assert swap(late, _one(late, "`seconds >= LIMIT`"))
    assert held(3) is True


def test_a_function_that_nobody_has_imported_is_not_said_to_be_changed(late: Program) -> None:
    assert not swap(late, _one(late, "`seconds >= LIMIT`"))


def test_what_a_child_changes_stays_in_the_child(late: Program) -> None:
    clock = _living(late)["Clock"]()

    def work() -> int:
        swap(late, _one(late, "`seconds >= LIMIT`"))
        return KILLED if clock.late(3) else SURVIVED

    assert in_child(work, 5) == KILLED
    assert clock.late(3) is False


def test_a_child_that_never_comes_to_an_end_is_stopped() -> None:
    def work() -> int:
        while True:
            pass

    assert in_child(work, 0) < 0


def test_only_tests_that_came_to_the_line_are_asked_and_the_cheapest_first(late: Program) -> None:
    tests = {str(late.path): {10: ["elsewhere"], 11: ["", "dear", "cheap"]}}
    reach = Reach({"elsewhere": 0, "dear": 2, "cheap": 1}, tests, [], {})

    assert reach.of(late.path, range(11, 12)) == ["cheap", "dear"]


def test_what_a_copy_of_a_value_is_left_without_is_named(tmp_path: Path) -> None:
    path = tmp_path / "copy.py"
    path.write_text("b = replace(a, x=c, y=d)", encoding="utf-8")

    assert [str(it) for it in Program.read(path).mutants()] == [
        "copy.py:1 (module): `replace(a, x=c, y=d)` without `x=c`",
        "copy.py:1 (module): `replace(a, x=c, y=d)` without `y=d`",
    ]


def test_what_became_of_a_mutant_is_known_after_lines_above_it_have_changed(
    late: Program, tmp_path: Path
) -> None:
    for number, (name, _) in enumerate(named(late)):
        Kept(tmp_path / "kept").add(name, Fate.SURVIVED if number == 2 else Fate.KILLED)
    late.path.write_text("# new\n\n" + LATE.replace("> LIMIT", "< LIMIT"), encoding="utf-8")

    names = [name for name, _ in named(Program.read(late.path))]
    kept = Kept(tmp_path / "kept")

    known = [name for name in names if not kept.is_owed(name, again=False)]
    assert [name.partition(": ")[2] for name in known] == [
        "`3` → `4`",
        "`seconds is not None` → `seconds is None`",
    ]


def test_only_mutants_that_lived_are_asked_again() -> None:
    kept = Kept(None)
    for fate in Fate:
        kept.add(fate.value, fate)

    assert [it.value for it in Fate if kept.is_owed(it.value, again=True)] == [
        "survived",
        "unreached",
    ]


def test_twice_the_same_change_has_two_names(tmp_path: Path) -> None:
    path = tmp_path / "twice.py"
    path.write_text("a = 1\nb = 1", encoding="utf-8")

    first, second = (name for name, _ in named(Program.read(path)))

    assert second == first + " (2)"
