import logging
import traceback
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from arbiter.adapters.ssm_signer import KeyUnavailable, SsmSigner
from tests.adapters.scripted import ScriptedClient, refused
from tests.builders import ALICE, BOB

Answer = str | Exception


def a_parameter(*answers: Answer) -> ScriptedClient:
    """Systems Manager that has these values, one after the other, and the last for ever."""
    known = [it if isinstance(it, Exception) else {"Parameter": {"Value": it}} for it in answers]
    return ScriptedClient(get_parameter=[*known, *known[-1:] * 9])


def a_signer(ssm: Any) -> SsmSigner:
    return SsmSigner(lambda: ssm, "/arbiter/key", ALICE.pubkey)


DENIED = refused("AccessDenied")
SILENT = ReadTimeoutError(endpoint_url="http://127.0.0.1")


def test_nothing_is_read_before_it_is_needed_and_then_once() -> None:
    ssm = a_parameter(ALICE.to_hex())
    signer = a_signer(ssm)
    assert signer.pubkey == ALICE.pubkey
    assert ssm.calls == []

    assert {signer.key().pubkey for _ in range(9)} == {ALICE.pubkey}

    assert ssm.calls == [("get_parameter", {"Name": "/arbiter/key", "WithDecryption": True})]


@pytest.mark.parametrize("text", [ALICE.to_hex(), ALICE.to_nsec(), f" {ALICE.to_nsec()}\n"])
def test_the_key_may_be_spelled_in_hex_or_as_an_nsec(text: str) -> None:
    assert a_signer(a_parameter(text)).key() == ALICE


@pytest.mark.parametrize("trouble", [DENIED, SILENT, "", "no key at all", "0" * 64, BOB.to_hex()])
def test_without_any_key_nothing_is_signed_until_there_is_one(trouble: Answer) -> None:
    signer = a_signer(a_parameter(trouble, ALICE.to_hex()))

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
        a_signer(a_parameter(mistyped)).key()

    shown = "".join(traceback.format_exception(failure.value))
    for secret in (mistyped, mistyped[:24]):
        assert secret not in caplog.text + shown
    assert failure.value.__suppress_context__


def test_another_key_is_told_by_its_public_half_alone() -> None:
    with pytest.raises(KeyUnavailable, match=f"key of {BOB.pubkey}, .* {ALICE.pubkey}") as failure:
        a_signer(a_parameter(BOB.to_hex())).key()

    assert BOB.to_hex() not in "".join(traceback.format_exception(failure.value))
