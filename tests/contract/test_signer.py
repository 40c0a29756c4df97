"""The key where the cloud keeps it."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.ssm_signer import KeyUnavailable, SsmSigner
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, NOW_MS
from tests.fakes.clock import FakeClock

TEMPLATE = EventTemplate(1, (("p", "ab" * 32),), "hello", NOW_MS // 1000)


@pytest.fixture(params=["moto", "ministack"])
def clients(request: pytest.FixtureRequest, endpoint: Callable[[str], AwsClients]) -> AwsClients:
    return endpoint(request.param)


def put(clients: AwsClients, name: str, value: str) -> None:
    clients.ssm().put_parameter(Name=name, Value=value, Type="SecureString", Overwrite=True)


@pytest.mark.parametrize("spelled", [SecretKey.to_hex, SecretKey.to_nsec])
def test_a_secure_string_signs_in_either_spelling(
    clients: AwsClients, spelled: Callable[[SecretKey], str]
) -> None:
    name = f"/arbiter/{uuid4().hex}"
    put(clients, name, spelled(ALICE) + "\n")

    signer = SsmSigner(clients.ssm, name, FakeClock(NOW_MS))

    assert signer.pubkey == ALICE.pubkey
    assert signer.sign(TEMPLATE) == ALICE.sign(TEMPLATE)


def test_a_new_key_is_taken_up_within_five_minutes(clients: AwsClients) -> None:
    name, clock = f"/arbiter/{uuid4().hex}", FakeClock(NOW_MS)
    put(clients, name, ALICE.to_hex())
    signer = SsmSigner(clients.ssm, name, clock)
    assert signer.pubkey == ALICE.pubkey
    put(clients, name, BOB.to_hex())

    clock.advance(299)
    assert signer.pubkey == ALICE.pubkey
    clock.advance(1)
    assert signer.pubkey == BOB.pubkey


def test_no_parameter_is_no_key(clients: AwsClients) -> None:
    signer = SsmSigner(clients.ssm, f"/arbiter/{uuid4().hex}", FakeClock(NOW_MS))

    with pytest.raises(KeyUnavailable, match="ParameterNotFound"):
        signer.sign(TEMPLATE)
