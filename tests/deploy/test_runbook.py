"""docs/runbook.md is read at night: everything it names is there."""

import re

from tests.template.source import ROOT, named, template

PAGE = (ROOT / "docs/runbook.md").read_text(encoding="utf-8")


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def _anchors(page: str) -> set[str]:
    return {_anchor(title) for title in re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE)}


def test_the_page_has_every_alarm_and_no_other() -> None:
    listed = PAGE.split("| alarm |")[1].split("\n\n")[0]
    told = re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in listed.splitlines()[2:]))

    assert sorted(told) == sorted(
        name.removesuffix("Alarm") for name in named("AWS::CloudWatch::Alarm")
    )


def test_every_alarm_has_something_to_do() -> None:
    rows = PAGE.split("| alarm |")[1].split("\n\n")[0].splitlines()[2:]

    for row in rows:
        _, _, means, to_do, _ = row.split("|")
        assert len(means.split()) > 3, row
        assert len(to_do.split()) > 3, row


def test_every_target_that_the_page_names_is_one() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, flags=re.MULTILINE))
    told = set(re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)", PAGE, flags=re.MULTILINE))

    assert {one or other for one, other in told} <= targets


def test_every_place_that_the_page_leads_to_is_there() -> None:
    for target, anchor in re.findall(r"\]\(([\w./-]*)(?:#([\w-]+))?\)", PAGE):
        page = (ROOT / "docs" / target).read_text(encoding="utf-8") if target else PAGE
        assert not anchor or anchor in _anchors(page), (target, anchor)


def test_every_output_that_the_page_has_people_put_in_is_one() -> None:
    told = re.findall(r"\b([A-Z]\w+Url|TableName)\b", PAGE)

    assert told
    assert set(told) <= set(template()["Outputs"])


def test_every_parameter_that_the_page_would_change_is_one() -> None:
    told = {"WorkOfStrangers", "FramesPerSecond", "HttpRequestsPerSecond", "MovesConcurrency"}

    assert [name for name in told if f"`{name}`" not in PAGE] == []
    assert told <= set(template()["Parameters"])
