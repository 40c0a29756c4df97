"""The steps of `make sam-local` and its template; the containers are its own proof."""

from events.samples import samples
from local.sam_local.__main__ import template_for
from local.sam_local.checks import CHECKS
from local.settings import ROOT
from local.template import Template


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
    assert {line.strip() for line in added} == {"AWS_ENDPOINT_URL: none"}
