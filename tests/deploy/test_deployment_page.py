"""docs/deployment.md is followed word for word by people who have nothing else to go by."""

import re
import tomllib
from typing import Any

import pytest

from tests.template.source import ROOT, named, template

PAGE = (ROOT / "docs/deployment.md").read_text(encoding="utf-8")
PROFILES = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
OURS = ("small", "large")


def _given(profile: str) -> dict[str, str]:
    pairs = PROFILES[profile]["deploy"]["parameters"]["parameter_overrides"]
    return dict(pair.split("=", 1) for pair in pairs)


def _row(beginning: str) -> list[str]:
    """The cells of the one table row whose first cell begins so."""
    (found,) = [line for line in PAGE.splitlines() if line.startswith(f"| {beginning}")]
    return [cell.strip() for cell in found.strip("|").split("|")]


def test_the_page_answers_the_questions_in_the_order_in_which_they_are_asked() -> None:
    questions = [line for line in PAGE.splitlines() if line.startswith("| `Parameter ")]
    asked = re.findall(r"`(?:Parameter )?(\w+) \[", "\n".join(it.split("|")[1] for it in questions))

    # SAM asks in the template's order.
    assert asked == list(template()["Parameters"])


def test_the_page_shows_what_return_takes() -> None:
    shown = dict(re.findall(r"`(?:Parameter )?(\w+) \[([^\]…]+)\]`", PAGE))
    parameters = template()["Parameters"]

    compared = {name: text for name, text in shown.items() if name in parameters}
    assert compared
    for name, text in compared.items():
        assert text == str(parameters[name]["Default"]), name
        assert not any(name in _given(profile) for profile in OURS), name


def test_the_page_counts_the_alarms_that_are_paid_for() -> None:
    every = {name: template()["Resources"][name] for name in named("AWS::CloudWatch::Alarm")}
    alarms = {n: it for n, it in every.items() if it.get("Condition") != "HasScuttlebutt"}
    of_relays = [name for name, it in alarms.items() if it.get("Condition") == "ListensOnSchedule"]

    _, arithmetic, default, small, without = _row("alarms")

    assert arithmetic.startswith(f"{len(alarms)} at $0.10")
    assert f"{len(every) - len(alarms)} more with a bridge" in arithmetic
    assert f"without relays {len(alarms) - len(of_relays)}" in arithmetic
    assert default == small == f"${len(alarms) * 0.10 + 0.30 + 3.00:.2f}"
    assert without == f"${(len(alarms) - len(of_relays)) * 0.10 + 3.00:.2f}"


@pytest.mark.parametrize("profile", OURS)
def test_a_profile_gives_nothing_that_the_template_would_refuse(profile: str) -> None:
    for name, text in _given(profile).items():
        parameter: dict[str, Any] = template()["Parameters"][name]
        assert int(text) in parameter.get("AllowedValues", [int(text)])
        assert parameter.get("MinValue", 0) <= int(text) <= parameter.get("MaxValue", 10**9)


@pytest.mark.parametrize("profile", OURS)
def test_a_profile_differs_from_the_others_in_parameters_alone(profile: str) -> None:
    plain = PROFILES["default"]["deploy"]["parameters"]
    mine = {**PROFILES[profile]["deploy"]["parameters"]}
    del mine["parameter_overrides"]

    # `sam deploy --config-env` reads its own section alone.
    assert mine == plain
    assert PROFILES[profile]["global"] == PROFILES["default"]["global"]


@pytest.mark.parametrize(
    ("row", "names"),
    [
        ("batches of moves", ["MovesConcurrency"]),
        ("frames, HTTP requests", ["FramesPerSecond", "HttpRequestsPerSecond"]),
        ("HTTP requests a minute", ["RequestsPerAddress", "NewGamesPerAddress"]),
        ("days that logs", ["LogRetentionDays"]),
    ],
)
def test_the_page_says_what_the_profiles_differ_in(row: str, names: list[str]) -> None:
    defaults = {name: str(it.get("Default")) for name, it in template()["Parameters"].items()}
    _, small, plain, large = _row(row)

    for shown, given in ((small, _given("small")), (plain, {}), (large, _given("large"))):
        values = {**defaults, **given}
        assert shown.replace(",000", "000").replace(",200", "200").split(", ") == [
            values[name] for name in names
        ]


def test_every_output_that_the_page_has_people_put_in_is_one() -> None:
    told = re.findall(r"\b(\w+(?:Url|ApiId|KeyArn)|TableName|KeyParameterName)\b", PAGE)

    assert set(told) - set(template()["Outputs"]) == {"PublicWebSocketUrl", "PublicHttpUrl"}
