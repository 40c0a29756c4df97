"""Events on all wires, and the answers to them, as they are written in ``conversations/``."""

import pytest

from tests.application.script import conversations, run

CONVERSATIONS = conversations()


@pytest.mark.parametrize("script", CONVERSATIONS.values(), ids=[*CONVERSATIONS])
def test_what_comes_back_is_what_is_written(script: str) -> None:
    run(script)
