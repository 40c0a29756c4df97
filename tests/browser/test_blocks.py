"""A player blocks another, and reports them to the operator."""

import json

from playwright.sync_api import expect

from tests.browser.players import PATIENCE_MS, Newcomer, Player, paired
from tests.browser.test_everyone import faults_of

RECORDED = """
window.sent = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) { window.sent.push(text); send.call(this, text); };
"""
LINE, OTHER_LINE = "you play like a rook", "good luck"


def writes(player: Player, line: str) -> None:
    field = player.page.get_by_label("Write a message")
    field.fill(line)
    field.press("Enter")


def button(player: Player, name: str, within: str = "body") -> None:
    player.page.locator(within).get_by_role("button", name=name).click()


def test_an_opponent_is_reported_with_the_lines_that_are_chosen_and_is_blocked(
    newcomer: Newcomer,
) -> None:
    one, other = newcomer(script=RECORDED), newcomer()
    match = paired(one, other)
    match.plays("e4 e5")
    for line in (OTHER_LINE, LINE):
        writes(other, line)
        one.sees(line)

    button(one, "Report")
    dialog = one.page.get_by_role("dialog")
    dialog.get_by_label("Reason").select_option("profanity")
    dialog.get_by_label("In your own words").fill("all game long")
    dialog.get_by_label(LINE).check()
    faults = [*faults_of(one.page, "report", "dialog")]
    dialog.get_by_role("button", name="Send the report").click()
    expect(dialog.get_by_role("status")).to_contain_text("Sent.", timeout=PATIENCE_MS)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0, timeout=PATIENCE_MS)

    sent = [json.loads(text) for text in one.page.evaluate("window.sent")]
    (report,) = {
        it[1]["id"]: it[1] for it in sent if it[1] and it[0] == "EVENT" and it[1]["kind"] == 1984
    }.values()
    tags = [tag for tag in report["tags"] if tag[0] != "salt"]
    assert [tag[0] for tag in tags] == ["p", "p", "d", "chat"]
    assert (tags[0][2], tags[2][1], tags[3][1]) == ("profanity", one.game, LINE)
    assert report["content"] == "all game long"

    button(one, "Block", ".player-tools")
    expect(one.page.locator(".player-tools")).to_contain_text("Unblock", timeout=PATIENCE_MS)
    expect(one.page.get_by_text(LINE)).to_have_count(0, timeout=PATIENCE_MS)
    match.plays("Nf3")
    faults += faults_of(one.page, "a game with a blocked opponent", ".player-tools")

    one.opens("#/settings")
    section = one.page.get_by_role("region", name="Blocked players")
    expect(section.get_by_role("listitem")).to_have_count(1, timeout=PATIENCE_MS)
    faults += faults_of(one.page, "settings with a blocked player")
    section.get_by_role("button", name="Unblock").click()
    expect(section).to_contain_text("You block no player.", timeout=PATIENCE_MS)
    assert faults == []


def test_a_player_who_is_blocked_on_a_challenge_is_blocked_on_their_page(
    newcomer: Newcomer,
) -> None:
    one, other = newcomer(), newcomer()
    other.opens(f"#/player/{one.npub}")
    button(other, "Challenge:")
    one.element("incoming").wait_for()
    challenger = other.npub

    button(one, "Block", "[data-testid=incoming]")

    expect(one.element("incoming")).to_have_count(0, timeout=PATIENCE_MS)
    other.sees("declined")
    one.opens(f"#/player/{challenger}")
    expect(one.page.get_by_role("button", name="Unblock")).to_be_visible(timeout=PATIENCE_MS)
    assert [*faults_of(one.page, "a blocked player")] == []
    button(one, "Unblock")
    expect(one.page.get_by_role("button", name="Block", exact=True)).to_be_visible(
        timeout=PATIENCE_MS
    )
