"""Settings by flag, environment and file, and what `arbiter doctor` shows of them."""

import os
import re
import socket
import tomllib
from pathlib import Path
from unittest import mock

import pytest

from arbiter.nostr.house import HousePlayer
from arbiter.nostr.nip19 import encode_npub
from server.cli import main
from server.settings import Address, InvalidSetting, read_settings


def test_a_flag_wins_over_the_environment_that_over_the_file_and_that_over_the_default(
    tmp_path: Path,
) -> None:
    file = tmp_path / "arbiter.toml"
    file.write_text(
        'name = "file"\nlisten = "127.0.0.1:1"\ndata = "d"\nrelays = ["ws://a", "wss://b"]\n'
    )
    environ = {"ARBITER_LISTEN": "127.0.0.1:2", "ARBITER_DATA": "e", "ARBITER_CONFIG": str(file)}

    settings = read_settings({"data": "f"}, environ)

    assert settings.name == "file"
    assert settings.relays == ("ws://a", "wss://b")
    assert settings.listen == Address("127.0.0.1", 2)
    assert settings.data == Path("f")
    named = ("data", "listen", "name", "log_level")
    assert [settings.sources[one] for one in named] == [
        "--data",
        "ARBITER_LISTEN",
        str(file),
        "default",
    ]


NAMES = {
    "gateway": (
        "address_frames_per_ten_seconds events_per_ten_seconds frames_per_ten_seconds "
        "questions_per_ten_seconds subscriptions untagged_connect_seconds"
    ),
    "budget": "cpu_seconds megabytes",
    "http": "per_address",
    "rules": "illegal_moves_to_lose left_seconds open_games work_of_strangers",
}


def test_the_settings_in_operators_files_are_those_that_are_read(tmp_path: Path) -> None:
    file = tmp_path / "arbiter.toml"
    tables = [
        f"[{table}]\n" + "".join(f"{it} = 1\n" for it in NAMES[table].split()) for table in NAMES
    ]
    file.write_text("\n".join(tables), encoding="utf-8")

    read = read_settings({"config": str(file)}, {})

    for table, names in NAMES.items():
        assert {f"{table}.{name}" for name in names.split()} == {
            name
            for name, source in read.sources.items()
            if source == str(file) and name.startswith(f"{table}.")
        }


def test_limits_are_whole_numbers_of_their_tables(tmp_path: Path) -> None:
    file = tmp_path / "arbiter.toml"
    file.write_text("[gateway]\nsubscriptions = 3\n[http]\nper_address = 0\n")

    settings = read_settings({"config": str(file)}, {"ARBITER_RULES_ILLEGAL_MOVES_TO_LOSE": "5"})

    assert settings.gateway.subscriptions == 3
    assert settings.http.per_address == 0
    assert settings.rules.illegal_moves_to_lose == 5


@pytest.mark.parametrize(
    ("file", "said"),
    [
        pytest.param('nme = "x"', "no setting is called nme", id="misspelt"),
        pytest.param("listen = 8080", "HOST:PORT", id="no-host"),
        pytest.param('listen = "a:70000"', "HOST:PORT", id="no-port"),
        pytest.param('relays = ["http://a"]', "ws://", id="no-relay"),
        pytest.param('public_url = "chess.example"', "https://", id="no-url"),
        pytest.param('bridge = "nsec1abc"', "npub1… or 64", id="no-key"),
        pytest.param('log_level = "LOUD"', "one of DEBUG", id="no-level"),
        pytest.param('metrics = "some"', "one of local, all", id="no-readers"),
        pytest.param('house = ["npub1x:1"]', "house", id="no-house-key"),
        pytest.param("[gateway]\nsubscriptions = -1", "a whole number", id="negative"),
        pytest.param("gateway = [", "is no TOML", id="no-toml"),
    ],
)
def test_a_setting_without_meaning_is_named(tmp_path: Path, file: str, said: str) -> None:
    path = tmp_path / "arbiter.toml"
    path.write_text(file)

    with pytest.raises(InvalidSetting) as refused:
        read_settings({"config": str(path)}, {})

    assert said in str(refused.value)


def test_a_file_is_read_as_editors_save_it_and_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "arbiter.toml"
    path.write_text('name = "Köln"\r\n', encoding="utf-8-sig")
    assert read_settings({"config": str(path)}, {}).name == "Köln"
    for encoding in ("utf-16", "latin-1"):
        path.write_text('name = "Köln"\n', encoding=encoding)
        with pytest.raises(InvalidSetting, match=r"arbiter\.toml is not UTF-8"):
            read_settings({"config": str(path)}, {})


def test_house_players_are_a_list_in_the_file_and_have_commas_in_a_flag(tmp_path: Path) -> None:
    file = tmp_path / "arbiter.toml"
    file.write_text(f'house = ["{"ab" * 32}:1", "{"cd" * 32}:8"]\n')
    house = (HousePlayer("ab" * 32, 1), HousePlayer("cd" * 32, 8))

    assert read_settings({"config": str(file)}, {}).house == house
    assert read_settings({"house": f"{'ab' * 32}:1,{'cd' * 32}:8"}, {}).house == house


def test_the_gateway_is_found_where_players_find_the_server() -> None:
    behind_a_proxy = read_settings({"public_url": "https://chess.example/"}, {})

    assert behind_a_proxy.gateway_url == "wss://chess.example/"
    assert read_settings({"listen": "[::1]:9"}, {}).gateway_url == "ws://[::1]:9/"


def test_the_bridge_is_named_in_either_spelling() -> None:
    key = "ab" * 32

    assert read_settings({}, {}).bridge == ""
    for spelt in (key, encode_npub(key)):
        assert read_settings({}, {"ARBITER_BRIDGE": spelt}).bridge == key


def test_the_key_is_made_once_and_shown_by_its_public_half(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert main(["key", "--data", str(tmp_path / "data")]) == 0

    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    assert first.startswith("npub1")


def test_the_doctor_shows_each_setting_with_its_source_and_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBITER_NAME", "Anna")
    data = tmp_path / "data"

    house = f"{'ab' * 32}:3"
    assert main(["doctor", "--data", str(data), "--listen", "127.0.0.1:0", "--house", house]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[-1] for line in shown.splitlines() if "Anna" in line] == ["ARBITER_NAME"]
    assert [line.split()[-1] for line in shown.splitlines() if house in line] == ["--house"]

    data.mkdir()
    (data / "arbiter.sqlite3").write_text("this is no database, but long enough to look at")
    relay = "ws://127.0.0.1:9"
    assert main(["doctor", "--data", str(data), "--relays", relay, "--listen", "127.0.0.1:0"]) == 1
    assert "BAD" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["doctor", "key", "serve"])
def test_a_file_in_the_place_of_the_folder_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    data = tmp_path / "data"
    data.touch()

    assert main([command, "--data", str(data)]) == 1

    said = capsys.readouterr()
    assert f"{data} is no folder" in said.out + said.err


def test_a_key_that_others_can_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(tmp_path / "data")
    main(["key", "--data", data])
    (tmp_path / "data" / "server.key").chmod(0o644)
    capsys.readouterr()

    assert main(["key", "--data", data]) == 1
    assert "readable by others" in capsys.readouterr().err


@pytest.mark.parametrize("client", ["bot", "play"])
def test_the_clients_look_for_a_server_in_the_data_folder(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RUN_DIR", raising=False)
    monkeypatch.setenv("ARBITER_DATA", str(tmp_path))
    with mock.patch.dict(os.environ):  # which main() adds to
        assert main([client]) == 2

    assert str(tmp_path / "endpoints.json") in capsys.readouterr().err


def test_a_port_that_is_taken_and_a_folder_that_is_none_are_named_with_the_flag_for_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main(["serve", "--data", str(tmp_path / "data"), "--listen", listen]) == 1
    assert main(["key", "--data", str(tmp_path / "file/data")]) == 1

    port, folder = capsys.readouterr().err.splitlines()[-2:]
    assert f"cannot listen at {listen}" in port
    assert "--listen" in port
    assert str(tmp_path / "file/data") in folder
    assert "--data" in folder


def test_the_program_says_the_version_of_the_changelog(capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).resolve().parents[2]
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    package = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))

    with pytest.raises(SystemExit):
        main(["--version"])

    said = capsys.readouterr().out
    assert said == f"arbiter {package['project']['version']}\n"
    assert re.search(r"^## v([\d.]+) - \d{4}-\d\d-\d\d$", changes, re.MULTILINE)[1] in said  # type: ignore[index]
