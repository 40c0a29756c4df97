"""docs/runbook.md is read at night: everything it names is there."""

import re

from tests.template.source import ROOT, named, template

PAGE = (ROOT / "docs/runbook.md").read_text(encoding="utf-8")


def test_the_page_has_every_alarm_and_no_other() -> None:
    listed = PAGE.split("| alarm |")[1].split("\n\n")[0]
    told = re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in listed.splitlines()[2:]))

    assert sorted(told) == sorted(
        name.removesuffix("Alarm") for name in named("AWS::CloudWatch::Alarm")
    )


def test_every_output_that_the_page_has_people_put_in_is_one() -> None:
    told = re.findall(r"\b([A-Z]\w+Url|TableName)\b", PAGE)

    assert told
    assert set(told) <= set(template()["Outputs"])


def test_every_parameter_that_the_page_would_change_is_one() -> None:
    told = {"WorkOfStrangers", "FramesPerSecond", "HttpRequestsPerSecond", "MovesConcurrency"}

    assert [name for name in told if f"`{name}`" not in PAGE] == []
    assert told <= set(template()["Parameters"])
