"""Parameters, outputs and alarms named in the pages on operation, and samconfig's profiles."""

import re
import tomllib
from typing import Any

import pytest

from bench.idle import STACKS, bill
from tests.template.source import ROOT, template

PAGE = (ROOT / "docs/deployment.md").read_text(encoding="utf-8")
PROFILES = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
OURS = ("small", "large")


def _given(profile: str) -> dict[str, str]:
    pairs = PROFILES[profile]["deploy"]["parameters"]["parameter_overrides"]
    return dict(pair.split("=", 1) for pair in pairs)


def test_the_page_lists_every_parameter_with_its_value_in_each_profile() -> None:
    rows = [line.split("|")[1:5] for line in PAGE.splitlines() if line.startswith("| `")]
    listed = {cells[0].strip(" `"): [it.strip() for it in cells[1:]] for cells in rows}
    parameters = template()["Parameters"]

    assert [name for name in listed if name in parameters] == list(parameters)
    for name, parameter in parameters.items():
        default = str(parameter.get("Default", ""))
        shown = [default or "\u2013", *(_given(profile).get(name, "") for profile in OURS)]
        assert listed[name] == shown, name


def test_the_page_shows_what_an_idle_arbiter_costs() -> None:
    stacks = [STACKS[name] for name in ("small", "large", "gateway alone")]
    row = next(line for line in PAGE.splitlines() if line.startswith("Idle, a month:"))
    shown = [float(it) for it in re.findall(r"\*\*\$([\d.]+)\*\*", row)]

    assert shown == pytest.approx([sum(bill(it).values()) for it in stacks], rel=0.01)


@pytest.mark.parametrize("profile", OURS)
def test_a_profile_differs_in_parameters_that_the_template_allows(profile: str) -> None:
    for name, text in _given(profile).items():
        parameter: dict[str, Any] = template()["Parameters"][name]
        allowed = parameter.get("AllowedValues", [text])
        assert text in map(str, allowed)
        if parameter["Type"] == "Number":
            assert parameter.get("MinValue", 0) <= int(text) <= parameter.get("MaxValue", 10**9)

    # `sam deploy --config-env` reads its own section alone.
    deploy = dict(PROFILES[profile]["deploy"]["parameters"])
    del deploy["parameter_overrides"]
    assert deploy == PROFILES["default"]["deploy"]["parameters"]
    assert PROFILES[profile]["global"] == PROFILES["default"]["global"]
