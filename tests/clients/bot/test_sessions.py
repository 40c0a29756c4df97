"""A bot in a game and between games, as it is written in ``sessions/``."""

import pytest

from tests.clients.bot.script import run, sessions

SESSIONS = sessions()


@pytest.mark.parametrize("script", SESSIONS.values(), ids=[*SESSIONS])
def test_a_bot_does_what_is_written(script: str) -> None:
    run(script)
