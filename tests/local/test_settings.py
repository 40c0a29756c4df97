"""The variables of a run, and the environment of its processes."""

import os
from pathlib import Path

import pytest

from bridge.settings import UnusableSetting
from local.environment import aws_environment, bare_environment, tool_environment
from local.settings import Settings, settings_from


def _settings(environment: dict[str, str]) -> Settings:
    return settings_from(environment)


def test_the_defaults_are_those_of_the_contract() -> None:
    # `make run RELAYS=` exports an empty variable.
    for settings in (_settings({}), _settings({"RELAYS": "", "PORT_BASE": "", "RUN_DIR": ""})):
        assert settings.run_dir == Path(".run").resolve()
        assert settings.relay_urls == ("ws://127.0.0.1:7100",)
        assert (settings.relays, settings.starts_relay) == ((), True)
        assert settings.requests_per_address == "0"


def test_chosen_relays_replace_our_own_and_none_leaves_the_gateway_alone() -> None:
    chosen = _settings({"RELAYS": "wss://a.example, ws://b.example:7000,"})
    alone = _settings({"RELAYS": "none", "PORT_BASE": "7300"})

    assert chosen.relay_urls == ("wss://a.example", "ws://b.example:7000")
    assert not chosen.starts_relay
    assert (alone.relay_urls, alone.starts_relay) == ((), False)
    assert alone.websocket_url == "ws://127.0.0.1:7302"
    assert _settings({"REQUESTS_PER_ADDRESS": "5"}).requests_per_address == "5"


@pytest.mark.parametrize(
    ("given", "levels"),
    [
        ({}, (1, 2, 3, 4, 5, 6, 7, 8)),
        ({"HOUSE": ""}, (1, 2, 3, 4, 5, 6, 7, 8)),
        ({"HOUSE": "1"}, (1, 2, 3, 4, 5, 6, 7, 8)),
        ({"HOUSE": "0"}, ()),
        ({"HOUSE": "8,1,4,4"}, (1, 4, 8)),
        ({"ARBITER_HOUSE": "npub1…:3"}, ()),
    ],
)
def test_the_house_has_all_levels_or_some_or_none(
    given: dict[str, str], levels: tuple[int, ...]
) -> None:
    assert _settings(given).house == levels


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        ({"RELAYS": "none,wss://a.example"}, "'none'"),
        ({"REQUESTS_PER_ADDRESS": "many"}, "REQUESTS_PER_ADDRESS=many"),
        *(({"HOUSE": levels}, f"HOUSE={levels}") for levels in ("9", "yes", "0,1", "1,,2", "-1")),
        ({"PORT_BASE": "99999"}, "PORT_BASE=99999"),
        *(
            ({"RELAYS": f"ws://fine.example,{url}"}, repr(url))
            for url in ("http://a.example", "a.example", "ws://", "wss://a example")
        ),
    ],
)
def test_a_wrong_choice_is_named_in_one_line(environment: dict[str, str], complaint: str) -> None:
    with pytest.raises(UnusableSetting) as refused:
        settings_from(environment)

    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_aws_account_of_the_environment_reaches_a_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", "https://elsewhere.example")
    settings = _settings({"RUN_DIR": str(tmp_path)})
    ours = aws_environment(settings.aws_url)
    assert not [name for name in bare_environment(settings) if name.startswith("AWS_")]
    told = tool_environment(settings)
    assert {name: told[name] for name in told if name.startswith("AWS_")} == ours
    assert ours["AWS_SHARED_CREDENTIALS_FILE"] == os.devnull
