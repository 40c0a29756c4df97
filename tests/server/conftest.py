from collections.abc import Iterator

import pytest

from tests.server.running_server import RunningServer, running_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for a module's games."""
    with running_server(tmp_path_factory.mktemp("server")) as running:
        yield running
