"""The key where the cloud keeps it."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.ssm_signer import KeyUnavailable, SsmSigner
from arbiter.nostr.event import EventTemplate
from tests.builders import ALICE, NOW_MS

TEMPLATE = EventTemplate(1, (("p", "ab" * 32),), "hello", NOW_MS // 1000)


@pytest.fixture
def clients(endpoint: Callable[[str], AwsClients]) -> AwsClients:
    return endpoint("ministack")


def test_a_secure_string_is_decrypted_and_signs(clients: AwsClients) -> None:
    name = f"/arbiter/{uuid4().hex}"
    # botocore may try again what was done and answered too late.
    clients.ssm().put_parameter(
        Name=name, Value=ALICE.to_nsec() + "\n", Type="SecureString", Overwrite=True
    )

    signer = SsmSigner(clients.ssm, name, ALICE.pubkey)

    assert signer.key() == ALICE
    assert signer.sign(TEMPLATE) == ALICE.sign(TEMPLATE)


def test_no_parameter_is_no_key(clients: AwsClients) -> None:
    signer = SsmSigner(clients.ssm, f"/arbiter/{uuid4().hex}", ALICE.pubkey)

    with pytest.raises(KeyUnavailable, match="ParameterNotFound"):
        signer.sign(TEMPLATE)
