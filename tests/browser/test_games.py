"""Whole games by two browsers."""

import chess
import pytest

from tests.browser.players import Newcomer, paired

SCHOLARS_MATE = "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#"


def test_two_strangers_play_to_mate(newcomer: Newcomer) -> None:
    match = paired(newcomer(), newcomer())
    match.plays(SCHOLARS_MATE, "dragged", "clicked")
    match.ends("1-0")
    match.white.sees("You won")
    match.black.sees("You lost")
    match.black.hears("Checkmate. White wins.")
