"""Editions of what was built: each a copy, each saying its name, and nothing else changed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from local.rehearsal.build_variants import (
    ADDED_QUEUE,
    CHANGED_FUNCTION,
    IMPOSSIBLE,
    PLAIN_PROBE,
    function_roles,
    log_line_of,
    probe_of,
    variant,
    with_additions,
    with_impossible_queue,
    written,
)


def _function(role: str) -> dict[str, Any]:
    return {
        "Type": "AWS::Serverless::Function",
        "Properties": {"Role": {"Fn::GetAtt": [role, "Arn"]}},
    }


_TEMPLATE: dict[str, Any] = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Resources": {
        CHANGED_FUNCTION: _function("ProcessEventsRole"),
        "Another": _function("AnotherRole"),
        "OneMore": _function("AnotherRole"),
        "Table": {"Type": "AWS::DynamoDB::Table"},
    },
}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "built"
    (folder / CHANGED_FUNCTION).mkdir(parents=True)
    (folder / CHANGED_FUNCTION / "app.py").write_text("said = True\n", encoding="utf-8")
    (folder / "template.yaml").write_text(yaml.safe_dump(_TEMPLATE), encoding="utf-8")
    return folder


def test_an_edition_says_its_name_and_leaves_what_was_built_alone(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in built.rglob("*") if path.is_file()}
    template = variant(built, tmp_path / "second", "second")
    app = tmp_path / "second" / CHANGED_FUNCTION / "app.py"
    names: dict[str, object] = {}
    exec(app.read_text(encoding="utf-8"), names)  # noqa: S102 - what this test wrote
    assert names["said"] is True
    assert capsys.readouterr().out == log_line_of("second") + "\n"
    assert {path: path.read_bytes() for path in before} == before
    assert template == _TEMPLATE


def test_an_edition_can_be_made_again(built: Path, tmp_path: Path) -> None:
    for _ in range(2):
        variant(built, tmp_path / "second", "second")
    app = tmp_path / "second" / CHANGED_FUNCTION / "app.py"
    assert app.read_text(encoding="utf-8").count(log_line_of("second")) == 1


def test_a_template_is_written_as_yaml_reads_it(tmp_path: Path) -> None:
    assert yaml.safe_load(written(tmp_path, _TEMPLATE).read_text(encoding="utf-8")) == _TEMPLATE


def test_every_role_of_functions_gets_one_probe() -> None:
    assert function_roles(_TEMPLATE) == ("ProcessEventsRole", "AnotherRole")
    added = with_additions(_TEMPLATE)["Resources"]
    assert added.keys() >= _TEMPLATE["Resources"].keys() | {ADDED_QUEUE, PLAIN_PROBE}
    for role in function_roles(_TEMPLATE):
        assert function_roles({"Resources": {"it": added[probe_of(role)]}}) == (role,)


def test_what_is_added_changes_nothing_that_was_there() -> None:
    for changed in (with_additions(_TEMPLATE), with_impossible_queue(_TEMPLATE)):
        assert changed.items() >= {"AWSTemplateFormatVersion": "2010-09-09"}.items()
        for name, resource in _TEMPLATE["Resources"].items():
            assert changed["Resources"][name] == resource


def test_the_impossible_is_tried_when_the_function_has_changed() -> None:
    impossible = with_impossible_queue(_TEMPLATE)["Resources"][IMPOSSIBLE]
    assert impossible["DependsOn"] == CHANGED_FUNCTION
    assert not impossible["Properties"]["QueueName"].endswith(".fifo")
