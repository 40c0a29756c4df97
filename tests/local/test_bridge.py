from pathlib import Path

import pytest

from bridge.settings import UnusableSetting
from local.bridge import bridge_key, bridge_part, of_server, of_stack
from local.deploy import Stack, parameters
from local.processes import PartFailed
from local.run import server_part
from local.settings import Settings, settings_from

ADDRESS = f"net:127.0.0.1:8008~shs:{'A' * 43}="
STACK = Stack(
    {
        "MovesQueueUrl": "moves",
        "SeeksQueueUrl": "seeks",
        "SsbQueueUrl": "said",
        "SsbDeadLettersUrl": "unsaid",
    }
)


def chosen(tmp_path: Path, **more: str) -> Settings:
    return settings_from({"RUN_DIR": str(tmp_path), "PORT_BASE": "7300", **more})


def test_there_is_no_bridge_unless_one_was_asked_for(tmp_path: Path) -> None:
    settings = chosen(tmp_path)

    assert settings.ssb is None
    assert bridge_key(settings) is None
    assert parameters(settings, "ab" * 32)["SsbBridgePubkey"] == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"SSB": "yes"},
        {"SSB": "1", "SSB_PEERS": "127.0.0.1:8008"},
        {"SSB": "1", "SSB_PEERS": f"{ADDRESS},{ADDRESS[:-1]}"},
        {"SSB": "1", "SSB_CAPS": "secret"},
    ],
)
def test_a_wrong_choice_is_refused_before_anything_starts(
    tmp_path: Path, wrong: dict[str, str]
) -> None:
    with pytest.raises(UnusableSetting, match="SSB"):
        settings_from({"RUN_DIR": str(tmp_path), **wrong})


def test_the_bridge_gets_its_queues_its_port_and_its_peers(tmp_path: Path) -> None:
    caps = "B" * 43 + "="
    settings = chosen(tmp_path, SSB="1", SSB_PEERS=f"{ADDRESS}, {ADDRESS}", SSB_CAPS=caps)
    assert settings.ssb is not None
    arbiter = of_stack(settings, STACK)
    part = bridge_part(settings, settings.ssb, arbiter, "ab" * 32)

    given = {name: text for name, text in part.environment.items() if "SSB" in name}
    assert given == {
        "SSB_DIR": str(tmp_path / "scuttlebutt"),
        "SSB_HOST": "127.0.0.1",
        "SSB_PORT": "7304",
        "SSB_PEERS": f"{ADDRESS},{ADDRESS}",
        "SSB_CAPS": caps,
        "SSB_QUEUE_URL": "said",
        "SSB_DEAD_LETTERS_URL": "unsaid",
    }
    assert part.environment["SSB_DEAD_LETTERS_URL"] == "unsaid"
    assert part.environment["SERVER_PUBKEY"] == "ab" * 32


def test_the_bridges_key_is_kept_private_and_its_public_half_deployed(tmp_path: Path) -> None:
    settings = chosen(tmp_path, SSB="1")
    key = bridge_key(settings)
    file = tmp_path / "scuttlebutt" / "bridge.key"

    assert key is not None
    assert key == bridge_key(settings)
    assert file.stat().st_mode & 0o777 == 0o600
    given = parameters(settings, "ab" * 32, key.pubkey)
    assert given["SsbBridgePubkey"] == key.pubkey
    file.chmod(0o644)
    with pytest.raises(PartFailed, match="readable by others"):
        bridge_key(settings)


def test_beside_a_server_the_bridge_gets_its_url_and_no_cloud_and_the_server_the_bridges_key(
    tmp_path: Path,
) -> None:
    settings = chosen(tmp_path, SSB="1")
    key = bridge_key(settings)
    assert settings.ssb is not None
    assert key is not None
    part = bridge_part(settings, settings.ssb, of_server(settings), "ab" * 32)

    assert part.environment["ARBITER_URL"] == "http://127.0.0.1:7302"
    assert part.environment["SERVER_PUBKEY"] == "ab" * 32
    assert not [name for name in part.environment if "AWS" in name or "QUEUE" in name]
    assert server_part(settings).command[-2:] == ("--bridge", key.pubkey)
    assert "--bridge" not in server_part(chosen(tmp_path)).command
