"""What `make sam-local` runs and how it prepares the template; the containers are its own proof."""

import contextlib
import json
import urllib.request
from pathlib import Path

import pytest

from events.samples import samples
from local.processes import PartFailed
from local.sam_local.__main__ import template_for
from local.sam_local.checks import CHECKS
from local.sam_local.docker import NoDocker, require_docker
from local.sam_local.sockets import catching_frames
from local.settings import ROOT
from local.template import Template
from tests.template.source import executable


def test_every_sample_is_checked_and_a_sockets_in_their_order() -> None:
    functions = set(Template.read(ROOT / "template.yaml").named("AWS::Serverless::Function"))
    order = [name for name in CHECKS if name.startswith("gateway/")]

    assert set(CHECKS) == set(samples())
    assert {check.function for check in CHECKS.values()} == functions
    assert (order[0], order[-1]) == ("gateway/connect.json", "gateway/disconnect.json")


def test_the_template_gets_what_sam_local_needs_and_nothing_else_changes() -> None:
    written = (ROOT / "template.yaml").read_text(encoding="utf-8")
    prepared = template_for(written)

    assert "arm64" not in prepared
    added = set(prepared.splitlines()) - set(written.replace("arm64", "x86_64").splitlines())
    assert {line.strip() for line in added} == {
        "AWS_ENDPOINT_URL: none",
        "Events: { Everything: { Type: HttpApi } }",
    }


def test_a_template_that_has_changed_too_much_is_not_guessed_at() -> None:
    with pytest.raises(PartFailed, match=r"adapt local/sam_local/__main__\.py"):
        template_for("Resources: {}")


def test_frames_are_caught_by_the_socket_they_were_sent_to() -> None:
    with catching_frames("127.0.0.1", 0) as sent:
        for frame in ("one", "two"):
            url = f"{sent.url}/@connections/a%3D"
            urllib.request.urlopen(url, data=json.dumps(frame).encode()).close()  # noqa: S310

        assert sent.taken("another") == ()
        assert sent.taken("a=") == ('"one"', '"two"')
        assert sent.taken("a=") == ()


@pytest.mark.parametrize(
    ("failing", "complaint"),
    [
        (None, "no `docker` here"),
        ("info", "does not answer"),
        ("pull", "cannot be pulled"),
        ("nothing", None),
    ],
)
def test_a_missing_docker_or_image_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str | None, complaint: str | None
) -> None:
    if failing is not None:
        executable(tmp_path / "docker", f"case $1 in image|{failing}) exit 1;; esac")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(NoDocker, match=complaint) if complaint else contextlib.nullcontext():
        require_docker()
