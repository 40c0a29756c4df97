"""What a person may choose, and how a wrong choice is told."""

import os
from pathlib import Path

import pytest

from local.environment import aws_environment, bare_environment, tool_environment
from local.settings import Settings, Unusable, missing_tool, settings_from


def _settings(environment: dict[str, str]) -> Settings:
    settings = settings_from(environment)
    assert isinstance(settings, Settings)
    return settings


def _complaint(environment: dict[str, str]) -> str:
    settings = settings_from(environment)
    assert isinstance(settings, Unusable)
    return settings.text


def test_without_choices_the_contract_s_defaults_hold() -> None:
    settings = _settings({})
    assert settings.run_dir == Path(".run").resolve()
    assert settings.relay_urls == ("ws://127.0.0.1:7100",)
    assert settings.relays == ()


def test_an_empty_choice_is_no_choice() -> None:
    # `make run RELAYS=` exports an empty variable.
    assert _settings({"RELAYS": "", "PORT_BASE": "", "RUN_DIR": ""}) == _settings({})


def test_chosen_relays_are_used_instead_of_one_of_our_own() -> None:
    settings = _settings({"RELAYS": "wss://a.example, ws://b.example:7000,"})
    assert settings.relay_urls == ("wss://a.example", "ws://b.example:7000")


def test_no_relay_at_all_leaves_the_gateway_alone() -> None:
    settings = _settings({"RELAYS": "none", "PORT_BASE": "7300"})
    assert settings.relay_urls == ()
    assert not settings.starts_relay
    assert settings.websocket_url == "ws://127.0.0.1:7302"


def test_a_relay_of_its_own_is_started_only_where_none_was_chosen() -> None:
    assert _settings({}).starts_relay
    assert not _settings({"RELAYS": "wss://a.example"}).starts_relay


def test_none_is_no_relay_beside_others() -> None:
    assert "'none'" in _complaint({"RELAYS": "none,wss://a.example"})


def test_what_is_counted_by_address_is_not_counted_on_one_machine_unless_asked_for() -> None:
    assert _settings({}).limits["RequestsPerAddress"] == "0"
    assert _settings({"REQUESTS_PER_ADDRESS": "5"}).limits["RequestsPerAddress"] == "5"
    assert "NEW_GAMES_PER_ADDRESS=many" in _complaint({"NEW_GAMES_PER_ADDRESS": "many"})


@pytest.mark.parametrize("url", ["http://a.example", "a.example", "ws://", "wss://a example"])
def test_what_is_no_relay_is_named_in_one_line(url: str) -> None:
    complaint = _complaint({"RELAYS": f"ws://fine.example,{url}"})
    assert repr(url) in complaint
    assert "\n" not in complaint


def test_a_bad_port_base_is_named_in_one_line() -> None:
    assert "PORT_BASE=99999" in _complaint({"PORT_BASE": "99999"})


def test_a_missing_program_is_named_and_so_is_the_way_to_get_it(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.touch(mode=0o755)
    absent = tmp_path / "absent"
    missing = missing_tool((there, absent))
    assert missing is not None
    assert str(absent) in missing.text
    assert "make run" in missing.text
    assert missing_tool((there,)) is None


def test_a_program_that_cannot_be_run_is_missing(tmp_path: Path) -> None:
    document = tmp_path / "document"
    document.touch(mode=0o644)
    assert missing_tool((document,)) is not None


def test_nothing_of_a_person_s_cloud_account_reaches_a_child(
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


def test_a_proxy_is_never_asked_for_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "intranet.example")
    environment = bare_environment(_settings({"RUN_DIR": str(tmp_path)}))
    assert environment["https_proxy"] == "http://proxy.example:3128"
    assert environment["no_proxy"] == "intranet.example,127.0.0.1,localhost"
