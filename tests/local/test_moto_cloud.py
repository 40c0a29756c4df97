"""The moto run takes names, sizes and limits from the template."""

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from arbiter.nostr.keys import SecretKey
from local.deploy import parameters
from local.listener import listener_part
from local.moto_cloud import MotoCloud, provision
from local.settings import ROOT, settings_from
from local.template import Template

_KEY = SecretKey.from_hex("7f" * 32)


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MotoCloud]:
    """One for all tests, which only look at it."""
    settings = settings_from({"RUN_DIR": str(tmp_path_factory.mktemp("run"))})
    template = Template.read(ROOT / "template.yaml")
    with mock_aws():
        yield provision(None, template, parameters(settings, _KEY.pubkey), _KEY)


def test_every_queue_the_template_maps_feeds_its_function(cloud: MotoCloud) -> None:
    arbiter, clock = "functions.process_events.app:handler", "functions.clock.app:handler"
    assert {mapped.name: mapped.handler for mapped in cloud.mapped} == {
        "moves": arbiter,
        "seeks": arbiter,
        "republish": arbiter,
        "nudges": clock,
    }
    sizes = {mapped.name: mapped.batch_size for mapped in cloud.mapped}
    assert sizes == {"moves": 10, "seeks": 10, "republish": 10, "nudges": 10}


def test_the_environment_names_what_was_made_and_nothing_that_moto_lacks(
    cloud: MotoCloud, tmp_path: Path
) -> None:
    environment, outputs = cloud.environment, cloud.stack.outputs
    settings = settings_from({"RUN_DIR": str(tmp_path)})
    listener = listener_part("listener-1", settings, cloud.stack, _KEY.pubkey).environment

    boto3.client("dynamodb", "us-east-1").describe_table(TableName=environment["TABLE_NAME"])
    sqs = boto3.client("sqs", "us-east-1")
    for name in ("MOVES_QUEUE_URL", "SEEKS_QUEUE_URL", "REPUBLISH_QUEUE_URL", "CLOCK_QUEUE_URL"):
        sqs.get_queue_attributes(QueueUrl=environment[name])
    assert environment["SERVER_PUBKEY"] == _KEY.pubkey
    assert outputs["MovesQueueUrl"] == environment["MOVES_QUEUE_URL"]
    assert outputs["SeeksQueueUrl"] == environment["SEEKS_QUEUE_URL"]
    for name in ("TABLE_NAME", "MOVES_QUEUE_URL", "SEEKS_QUEUE_URL"):
        assert listener[name] == environment[name]
    # Schedules never fire on moto, and it has no gateway and no bridge.
    absent = ("SCHEDULE", "GATEWAY", "SCUTTLEBUTT")
    assert not [name for name in environment if any(word in name for word in absent)]
    assert not environment.get("BRIDGE_PUBKEY")
    assert {type(value) for value in environment.values()} == {str}
    assert not [value for value in environment.values() if value.startswith("{")]
