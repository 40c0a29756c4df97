"""The client's actions on its inputs, as they are written in ``sessions/``."""

import pytest

from tests.clients.terminal.script import run, sessions

SESSIONS = sessions()


@pytest.mark.parametrize("script", SESSIONS.values(), ids=[*SESSIONS])
def test_the_client_does_what_is_written(script: str) -> None:
    run(script)
