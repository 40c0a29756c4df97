"""Layers, a moto cloud and one game for the handlers under the runtime interface."""

import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.items.stored_games import StoredGames
from events.samples import HOUSE, SERVER, game
from local.deploy import parameters
from local.environment import aws_environment, client_settings
from local.moto_cloud import MotoCloud, provision
from local.settings import ROOT, settings_from
from local.template import Template
from tests.contract.moto_process import moto_process
from tests.runtime.rie import PYTHON, emulator
from tests.template.source import named, properties


@pytest.fixture(scope="session")
def interface() -> None:
    """Lambda's runtime interface, or the test is skipped."""
    if emulator() is None:
        pytest.skip("Lambda's runtime interface emulator is for Linux, and comes with the SAM CLI")
    assert PYTHON.exists(), "`make test` installs it"


@pytest.fixture(scope="session")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All layers as `sam build` with LAYER_TARGET=host makes them, in one tree (/opt/python), but
    not compiled: the functions import a tenth of it.
    """
    opt = tmp_path_factory.mktemp("opt")
    kept = {name: it for name, it in os.environ.items() if not name.startswith("MAKE")}
    for layer in named("AWS::Serverless::LayerVersion"):
        makefile = ROOT / properties(layer)["ContentUri"] / "Makefile"
        subprocess.run(
            ("make", "--file", str(makefile), f"build-{layer}", "RUNTIME_host="),
            cwd=ROOT,
            env={**kept, "ARTIFACTS_DIR": str(opt), "LAYER_TARGET": "host"},
            check=True,
            capture_output=True,
        )
    return opt / "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A moto cloud made from the template, in which the samples' game has begun at ``at``."""

    at: int
    variables: dict[str, str]
    games: StoredGames
    clients: AwsClients


@pytest.fixture(scope="session")
def moto() -> Iterator[str]:
    """A moto for all of them; its URL."""
    with moto_process() as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def cloud(interface: None, moto: str, tmp_path: Path) -> Cloud:
    urllib.request.urlopen(f"{moto}/moto-api/reset", data=b"").close()  # noqa: S310 - loopback
    return _cloud(moto, tmp_path)


def _cloud(url: str, run_dir: Path) -> Cloud:
    # Nothing listens on port 1: the functions must cope without a relay.
    settings = settings_from({"RUN_DIR": str(run_dir), "RELAYS": "ws://127.0.0.1:1"})
    given = {**parameters(settings, SERVER.pubkey), "HouseKeys": f"{HOUSE.pubkey}:1"}
    made: MotoCloud = provision(url, Template.read(ROOT / "template.yaml"), given, SERVER)
    clients = AwsClients(client_settings(url))
    games = StoredGames(DynamoDbTable(clients.dynamodb, made.environment["TABLE_NAME"]))
    at = int(time.time())
    clients.dynamodb().put_item(
        TableName=made.environment["TABLE_NAME"], Item=item_of_game(game(at))
    )
    return Cloud(
        at=at, variables={**aws_environment(url), **made.environment}, games=games, clients=clients
    )
