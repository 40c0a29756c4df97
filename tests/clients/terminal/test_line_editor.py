"""Keys, one at a time."""

import pytest

from clients.terminal.line_editor import MAX_LINE_CHARS, EditedLine, keys, press


def typed(text: str, line: EditedLine | None = None) -> EditedLine:
    line = line or EditedLine()
    for key in keys(text):
        line = press(line, key).line
    return line


@pytest.mark.parametrize(
    ("pressed", "text"),
    [
        ("e4", "e4"),
        ("e5\x7f4", "e4"),
        ("\x7f\x7fe4", "e4"),
        ("4\x1b[De", "e4"),
        ("4\x01e\x05!", "e4!"),
        ("xe4\x1b[H\x1b[3~", "e4"),
        ("rubbish\x15e4", "e4"),
        ("pgn file\x17game", "pgn game"),
        ("e4 and\x1b[D\x1b[D\x1b[D\x1b[D\x0b", "e4"),
        ("e\x1b[5~\x1b[99;1R\x004", "e4"),
        ("Zug\x1b[D\x1b[Dü", "Züug"),
    ],
)
def test_a_line_is_edited(pressed: str, text: str) -> None:
    assert typed(pressed).text == text


def test_earlier_lines_are_called_back() -> None:
    line = typed("e4\rNf3\r\rNf3\r")
    assert line.history == ("e4", "Nf3")
    assert typed("\x1b[A", line).text == "Nf3"
    assert typed("\x1b[A\x1b[A\x1b[A", line).text == "e4"
    assert typed("\x1b[A\x1b[A\x1b[B\x1b[B", line).text == ""


def test_control_d_ends_the_input_on_an_empty_line_only() -> None:
    assert press(EditedLine(), "\x04").over
    assert not press(typed("e4"), "\x04").over


def test_a_line_has_an_end() -> None:
    assert len(typed("x" * (MAX_LINE_CHARS + 50)).text) == MAX_LINE_CHARS
