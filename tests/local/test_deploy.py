"""A run deploys if what would be deployed differs from what was."""

import threading
from pathlib import Path

import pytest

from local.deploy import Deployment, fingerprint, parameters
from local.processes import Supervisor
from local.settings import ROOT, settings_from

_GIVEN = {"Relays": "ws://127.0.0.1:7100", "ServerPubkey": "ab" * 32}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("template.yaml", "functions/f/app.py", "layers/l/code.py", "README.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("first", encoding="utf-8")
    return tmp_path


def test_a_change_to_what_is_deployed_is_noticed_and_no_other(repository: Path) -> None:
    seen = {fingerprint(_GIVEN, repository)}
    for name in ("template.yaml", "functions/f/app.py", "layers/l/code.py"):
        (repository / name).write_text("second", encoding="utf-8")
        seen.add(fingerprint(_GIVEN, repository))
    (repository / "layers/l/code.py").rename(repository / "layers/l/renamed.py")
    last = fingerprint(_GIVEN, repository)
    other = fingerprint({**_GIVEN, "Relays": "ws://127.0.0.1:7200"}, repository)

    assert len({*seen, last, other}) == 6
    (repository / "README.md").write_text("second", encoding="utf-8")
    compiled = repository / "layers/l/__pycache__"
    compiled.mkdir()
    (compiled / "code.cpython-311.pyc").touch()
    assert fingerprint(_GIVEN, repository) == last


def test_every_parameter_we_give_is_declared_by_the_template(tmp_path: Path) -> None:
    settings = settings_from({"RUN_DIR": str(tmp_path), "RELAYS": "none"})
    given = parameters(settings, "ab" * 32)

    assert given["Relays"] == ""
    template = (ROOT / "template.yaml").read_text(encoding="utf-8")
    assert [name for name in given if f"\n  {name}:\n" not in template] == []


def test_a_parameter_that_is_not_given_has_its_default_and_not_its_last_value(
    tmp_path: Path,
) -> None:
    settings = settings_from({"RUN_DIR": str(tmp_path), "RELAYS": "none", "SAM": "/bin/echo"})
    supervisor = Supervisor(tmp_path, ROOT, threading.Event())

    Deployment(settings, supervisor).deploy({"Relays": ""}, ROOT / "template.yaml")

    said = supervisor.log_path("sam-deploy").read_text(encoding="utf-8").split()
    assert {'Relays=""', 'Listeners="1"', 'GatewayConcurrency="0"'} <= {*said}
