from collections.abc import Iterator

import pytest

from tests.server.running_server import RunningServer, running_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for all tests that leave it running."""
    with running_server(tmp_path_factory.mktemp("server")) as running:
        yield running
