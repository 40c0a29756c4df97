"""Variants of the build: each a copy that logs its name."""

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


def test_a_variant_logs_its_name_and_leaves_the_build_unchanged(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in built.rglob("*") if path.is_file()}
    variant(built, tmp_path / "second", "second")
    template = variant(built, tmp_path / "second", "second")
    app = tmp_path / "second" / CHANGED_FUNCTION / "app.py"
    exec(app.read_text(encoding="utf-8"), {})  # noqa: S102 - what this test wrote
    assert capsys.readouterr().out == log_line_of("second") + "\n"
    assert {path: path.read_bytes() for path in before} == before
    assert template == _TEMPLATE
    assert yaml.safe_load(written(tmp_path, _TEMPLATE).read_text(encoding="utf-8")) == _TEMPLATE


def test_variants_add_resources_and_change_none() -> None:
    added = with_additions(_TEMPLATE)["Resources"]
    impossible = with_impossible_queue(_TEMPLATE)["Resources"]

    assert function_roles(_TEMPLATE) == ("ProcessEventsRole", "AnotherRole")
    assert added.keys() >= {ADDED_QUEUE, PLAIN_PROBE}
    for role in function_roles(_TEMPLATE):
        assert function_roles({"Resources": {"it": added[probe_of(role)]}}) == (role,)
    assert impossible[IMPOSSIBLE]["DependsOn"] == CHANGED_FUNCTION
    assert not impossible[IMPOSSIBLE]["Properties"]["QueueName"].endswith(".fifo")
    for resources in (added, impossible):
        assert resources.items() >= _TEMPLATE["Resources"].items()
