import logging
from typing import Any

import pytest

from arbiter.adapters.aws_clients import AwsClients


@pytest.fixture
def laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


def test_each_client_is_made_once_with_the_environments_endpoint_and_region(laptop: None) -> None:
    clients = AwsClients()
    client = clients.scheduler()

    assert client.meta.endpoint_url == "http://127.0.0.1:9"
    assert client.meta.region_name == "eu-west-1"
    assert clients.scheduler() is client
    assert clients.dynamodb() is clients.dynamodb()
    assert clients.ssm() is clients.ssm()


def test_no_call_waits_longer_than_the_function_lives(laptop: None) -> None:
    clients = AwsClients()
    config: Any = clients.scheduler().meta.config
    assert (config.connect_timeout, config.read_timeout) == (1, 3)
    assert config.retries == {"mode": "standard", "total_max_attempts": 3}


def test_no_level_of_ours_makes_botocore_log_what_it_was_answered(laptop: None) -> None:
    logging.getLogger("botocore").setLevel(logging.NOTSET)
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.DEBUG)
    try:
        AwsClients().ssm()
        assert not logging.getLogger("botocore.parsers").isEnabledFor(logging.INFO)
    finally:
        root.setLevel(before)
