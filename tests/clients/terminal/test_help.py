"""Every page of help fits under the board, and every command is on one."""

import pytest

from clients.terminal.execute import _ALONE, DECLINE_REASONS
from clients.terminal.help import MAX_COLUMNS, MAX_LINES, TOPICS, help_page

PAGES = [help_page(topic, watched=False) for topic in ("", "nonsense", *TOPICS)]


@pytest.mark.parametrize("page", [*PAGES, help_page("", watched=True)])
def test_a_page_fits_under_the_board_in_78_columns_and_20_rows(page: str) -> None:
    lines = page.split("\n")
    assert len(lines) <= MAX_LINES == 20 - 13
    assert max(map(len, lines)) <= MAX_COLUMNS == 78 - 2
    assert page.isascii()


def test_every_topic_command_and_reason_is_on_a_page() -> None:
    assert all(f"help {topic}" in PAGES[0] for topic in TOPICS)
    for word in {*_ALONE} - {"exit"}:
        assert any(word in page for page in PAGES[2:])
        assert help_page(word, watched=False) in PAGES[2:]
    declining = help_page("decline", watched=False)
    assert all(reason in declining for reason in DECLINE_REASONS if reason != "generic")
    assert help_page("nonsense", watched=False).endswith(" ".join(TOPICS))
