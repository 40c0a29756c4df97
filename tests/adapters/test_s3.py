"""Transcripts in a bucket: one that another wrote meanwhile is not lost."""

from collections.abc import Iterator

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.s3 import S3Transcripts
from tests.builders import a_game

SETTINGS = {
    "region_name": "us-east-1",
    "aws_access_key_id": "a",
    "aws_secret_access_key": "b",
}


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def kept(calls: list[str]) -> Iterator[S3Transcripts]:
    with mock_aws():
        boto3.client("s3", "us-east-1").create_bucket(Bucket="games")
        clients = AwsClients(SETTINGS, counted=lambda name, _sent, _received: calls.append(name))
        yield S3Transcripts(clients.s3, "games")


def test_a_file_is_replaced_by_who_saw_it_alone(kept: S3Transcripts, calls: list[str]) -> None:
    game = a_game()

    assert kept.load(game) is None
    assert kept.replace(game.id, None, b"first")
    assert not kept.replace(game.id, None, b"at the same time")
    assert not kept.replace(game.id, b"another", b"later")
    assert kept.load(game) == b"first"
    assert kept.replace(game.id, b"first", b"second")
    assert kept.load(game) == b"second"
    assert calls.count("PutObject") == 4
    assert calls.count("GetObject") == 3


def test_a_bucket_that_is_not_there_is_a_fault_of_ours() -> None:
    with mock_aws():
        kept = S3Transcripts(AwsClients(SETTINGS).s3, "nowhere")
        for call in (lambda: kept.load(a_game()), lambda: kept.replace("a", None, b"b")):
            with pytest.raises(ClientError, match="NoSuchBucket"):
                call()
