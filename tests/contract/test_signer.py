"""The key where the cloud keeps it."""

from collections.abc import Callable
from uuid import uuid4

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.ssm_signer import SsmSigner
from arbiter.nostr.event import EventTemplate
from tests.builders import ALICE, NOW_MS

TEMPLATE = EventTemplate(1, (("p", "ab" * 32),), "hello", NOW_MS // 1000)


def test_a_secure_string_is_decrypted_and_signs(endpoint: Callable[[str], AwsClients]) -> None:
    clients = endpoint("ministack")
    name = f"/arbiter/{uuid4().hex}"
    # botocore may try again what was done and answered too late.
    clients.ssm().put_parameter(
        Name=name, Value=ALICE.to_nsec() + "\n", Type="SecureString", Overwrite=True
    )

    signer = SsmSigner(clients.ssm, name, ALICE.pubkey)

    assert signer.key() == ALICE
    assert signer.sign(TEMPLATE) == ALICE.sign(TEMPLATE)
