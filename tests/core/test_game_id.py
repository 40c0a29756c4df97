import pytest

from arbiter.core.game import is_game_id


def test_a_game_is_called_by_32_lower_case_hex_digits() -> None:
    assert is_game_id("0123456789abcdef" * 2)


@pytest.mark.parametrize("text", ["", "0" * 31, "0" * 33, "A" * 32, "0" * 32 + "\n", "g" * 32])
def test_no_game_is_called_anything_else(text: str) -> None:
    assert not is_game_id(text)
