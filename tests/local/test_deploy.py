"""When to deploy: whenever what would be deployed differs from what was."""

import threading
from pathlib import Path

import pytest

from local.deploy import Deployment, fingerprint, parameters
from local.processes import Supervisor
from local.settings import ROOT, Settings, settings_from

_GIVEN = {"Relays": "ws://127.0.0.1:7100", "ServerPubkey": "ab" * 32}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("template.yaml", "functions/f/app.py", "layers/l/code.py", "README.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("first", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["template.yaml", "functions/f/app.py", "layers/l/code.py"])
def test_a_change_to_what_is_deployed_is_noticed(repository: Path, name: str) -> None:
    before = fingerprint(_GIVEN, repository)
    (repository / name).write_text("second", encoding="utf-8")
    assert fingerprint(_GIVEN, repository) != before


def test_a_file_that_moved_is_noticed(repository: Path) -> None:
    before = fingerprint(_GIVEN, repository)
    (repository / "layers/l/code.py").rename(repository / "layers/l/renamed.py")
    assert fingerprint(_GIVEN, repository) != before


def test_a_changed_parameter_is_noticed(repository: Path) -> None:
    other = {**_GIVEN, "Relays": "ws://127.0.0.1:7200"}
    assert fingerprint(other, repository) != fingerprint(_GIVEN, repository)


def test_what_is_not_deployed_changes_nothing(repository: Path) -> None:
    before = fingerprint(_GIVEN, repository)
    (repository / "README.md").write_text("second", encoding="utf-8")
    compiled = repository / "layers/l/__pycache__"
    compiled.mkdir()
    (compiled / "code.cpython-311.pyc").touch()
    assert fingerprint(_GIVEN, repository) == before


def _settings(run_dir: Path) -> Settings:
    settings = settings_from({"RUN_DIR": str(run_dir)})
    assert isinstance(settings, Settings)
    return settings


def test_only_a_finished_deployment_counts(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path, tmp_path, threading.Event())
    deployment = Deployment(_settings(tmp_path), supervisor)
    assert not deployment.was_ever_finished()
    assert not deployment.is_current("this")
    deployment.finished("this")
    assert deployment.was_ever_finished()
    assert deployment.is_current("this")
    assert not deployment.is_current("that")


def test_without_relays_the_stack_is_told_that_there_are_none(tmp_path: Path) -> None:
    settings = settings_from({"RUN_DIR": str(tmp_path), "RELAYS": "none"})
    assert isinstance(settings, Settings)
    assert parameters(settings, "ab" * 32)["Relays"] == ""


def test_every_parameter_we_give_is_one_the_template_declares(tmp_path: Path) -> None:
    template = (ROOT / "template.yaml").read_text(encoding="utf-8")
    for name in parameters(_settings(tmp_path), "ab" * 32):
        assert f"\n  {name}:\n" in template
