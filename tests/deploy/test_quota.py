"""An account's quota that is not enough is said, with what to do, before anything is built."""

import tomllib
from typing import Any

import pytest
from botocore.exceptions import ClientError

from deploy.quota import Need, check, need, shortage
from deploy.stack import Refused
from tests.template.source import ROOT, properties, template

DEFAULTS = {name: it.get("Default", "") for name, it in template()["Parameters"].items()}
PROFILES = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))


def _of(profile: str, **more: Any) -> dict[str, Any]:
    pairs = PROFILES[profile]["deploy"]["parameters"].get("parameter_overrides", [])
    given = dict(pair.split("=", 1) for pair in pairs)
    return {**DEFAULTS, "Relays": "wss://relay.example", **given, **more}


class _Account:
    def __init__(self, quota: int, unreserved: int, reserved: int = 0) -> None:
        self._limits = {"ConcurrentExecutions": quota, "UnreservedConcurrentExecutions": unreserved}
        self._reserved = reserved

    def get_account_settings(self) -> Any:
        return {"AccountLimit": self._limits}

    def get_function_concurrency(self, **_: Any) -> Any:
        return {"ReservedConcurrentExecutions": self._reserved}


def test_the_small_profile_fits_into_a_new_account_and_no_other_does() -> None:
    assert shortage(10, need(_of("small"))) is None
    for profile in ("default", "large"):
        assert shortage(10, need(_of(profile)))
        assert shortage(1000, need(_of(profile))) is None


@pytest.mark.parametrize(
    ("needed", "quota", "said"),
    [
        (Need(1, 2), 10, "unreserved"),
        (Need(0, 9), 10, "quota of 10"),
        (Need(250, 700), 1000, "250 of them reserved"),
    ],
)
def test_what_is_short_is_said_with_what_to_do(needed: Need, quota: int, said: str) -> None:
    refused = shortage(quota, needed)

    assert refused
    assert said in refused
    assert "PROFILE=small" in refused
    assert "request-service-quota-increase --service-code lambda --quota-code L-B99A9384" in refused


def test_what_other_stacks_reserved_is_not_there_and_what_this_one_did_is() -> None:
    large = _of("large")

    with pytest.raises(Refused, match="may run 505 functions at once"):
        check(_Account(1000, 410), large)
    assert "may run" in check(_Account(1000, 700, reserved=150), large, ["a", "b"])


def test_a_quota_that_cannot_be_read_stops_no_deployment() -> None:
    class Denied(_Account):
        def get_account_settings(self) -> Any:
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "GetAccountSettings")

    assert "could not be read" in str(check(Denied(0, 0), _of("small")))


def test_the_seeks_that_are_counted_are_the_templates() -> None:
    events = properties("ProcessEventsFunction")["Events"]
    seeks = events["Seeks"]["Properties"]["ScalingConfig"]["MaximumConcurrency"]

    alone = {**_of("small"), "Relays": ""}
    assert need(alone) == Need(0, int(alone["MovesConcurrency"]) + seeks)


def test_what_is_reserved_for_notices_is_the_templates() -> None:
    _, reserved, _ = properties("NoticeFunction")["ReservedConcurrentExecutions"]["If"]

    bounded = {**_of("small"), "GatewayConcurrency": "10"}
    assert need(bounded).reserved == 2 * 10 + reserved
