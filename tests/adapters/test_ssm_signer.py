import logging
import traceback
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from arbiter.adapters.ssm_signer import KeyUnavailable, SsmSigner
from tests.builders import ALICE, BOB

Answer = str | Exception


class ScriptedSsm:
    """Gives the values it was told to give, the last of them for ever; counts the calls."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.calls: list[dict[str, Any]] = []

    def get_parameter(self, **arguments: Any) -> dict[str, dict[str, str]]:
        self.calls.append(arguments)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return {"Parameter": {"Value": answer}}


def a_signer(ssm: ScriptedSsm) -> SsmSigner:
    return SsmSigner(lambda: ssm, "/arbiter/key", ALICE.pubkey)  # type: ignore[arg-type,return-value]


DENIED = ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "GetParameter")
SILENT = ReadTimeoutError(endpoint_url="http://127.0.0.1")


def test_nothing_is_read_before_it_is_needed_and_then_once() -> None:
    ssm = ScriptedSsm(ALICE.to_hex())
    signer = a_signer(ssm)
    assert signer.pubkey == ALICE.pubkey
    assert ssm.calls == []

    assert {signer.key().pubkey for _ in range(9)} == {ALICE.pubkey}

    assert ssm.calls == [{"Name": "/arbiter/key", "WithDecryption": True}]


@pytest.mark.parametrize("text", [ALICE.to_hex(), ALICE.to_nsec(), f" {ALICE.to_nsec()}\n"])
def test_the_key_may_be_spelled_in_hex_or_as_an_nsec(text: str) -> None:
    assert a_signer(ScriptedSsm(text)).key() == ALICE


@pytest.mark.parametrize("trouble", [DENIED, SILENT, "", "no key at all", "0" * 64, BOB.to_hex()])
def test_without_any_key_nothing_is_signed_until_there_is_one(trouble: Answer) -> None:
    signer = a_signer(ScriptedSsm(trouble, ALICE.to_hex()))

    with pytest.raises(KeyUnavailable, match="/arbiter/key"):
        signer.key()
    assert signer.key() == ALICE, "asked again at once"


@pytest.mark.parametrize(
    "mistyped", [ALICE.to_hex()[:-1], ALICE.to_hex()[:-1] + "g", ALICE.to_nsec()[:-1]]
)
def test_no_error_and_no_log_shows_a_mistyped_key(
    mistyped: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(KeyUnavailable) as failure:
        a_signer(ScriptedSsm(mistyped)).key()

    shown = "".join(traceback.format_exception(failure.value))
    for secret in (mistyped, mistyped[:24]):
        assert secret not in caplog.text + shown
    assert failure.value.__suppress_context__


def test_another_key_is_told_by_its_public_half_alone() -> None:
    with pytest.raises(KeyUnavailable, match=f"key of {BOB.pubkey}, .* {ALICE.pubkey}") as failure:
        a_signer(ScriptedSsm(BOB.to_hex())).key()

    assert BOB.to_hex() not in "".join(traceback.format_exception(failure.value))
