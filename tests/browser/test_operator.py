"""The operator's page in a browser, with an extension that signs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from tests.browser.test_everyone import faults_of
from tests.builders import ALICE, BOB, a_key
from tests.server.running_server import RunningServer, running_server

OPERATOR = a_key("operator")
EXTENSION = """
window.nostr = {
  signEvent: async (event) => JSON.parse(await signInPython(JSON.stringify(event))),
};
"""


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("ruled")
    with running_server(folder, ARBITER_OPERATOR=encode_npub(OPERATOR.pubkey)) as server:
        yield server


def opened(browser: Browser, server: RunningServer, key: SecretKey) -> Page:
    def sign(text: str) -> str:
        said = json.loads(text)
        tags = tuple(map(tuple, said["tags"]))
        template = EventTemplate(said["kind"], tags, said["content"], said["created_at"])
        return json.dumps(event_to_json(key.sign(template)))

    page = browser.new_context().new_page()
    page.expose_function("signInPython", sign)
    page.add_init_script(EXTENSION)
    page.goto(f"http://127.0.0.1:{server.port}/operator")
    return page


def test_an_operator_denies_and_admits_on_a_page_without_fault(
    browser: Browser, ruled: RunningServer, tmp_path: Path
) -> None:
    page = opened(browser, ruled, OPERATOR)
    page.get_by_role("button", name="Look").click()
    expect(page.locator("#figures")).to_contain_text("sockets")
    npub = encode_npub(ALICE.pubkey)
    page.get_by_label("Keys").fill(npub)
    page.get_by_label("Reason").fill("rude")
    page.get_by_role("button", name="Sign and send").click()
    expect(page.locator("#policy")).to_contain_text(f"denied {npub}: rude")
    expect(page.locator("#changes")).to_contain_text(encode_npub(OPERATOR.pubkey))

    faults = [*faults_of(page, "operator")]
    page.screenshot(path=tmp_path / "operator.png", full_page=True)

    assert faults == []
    page.get_by_role("button", name=f"admit: denied {npub}").click()
    expect(page.locator("#policy")).not_to_contain_text(npub)
    page.context.close()


def test_another_key_sees_nothing(browser: Browser, ruled: RunningServer) -> None:
    page = opened(browser, ruled, BOB)

    page.get_by_role("button", name="Look").click()

    expect(page.locator("#said")).to_have_text(re.compile("This key is not the operator"))
    expect(page.locator("#all")).to_be_hidden()
    page.context.close()


def test_the_operator_gives_days_of_vacation_and_has_players_told(
    browser: Browser, ruled: RunningServer
) -> None:
    page = opened(browser, ruled, OPERATOR)
    page.get_by_role("button", name="Look").click()
    send = page.get_by_role("button", name="Sign and send")
    page.get_by_label("What").select_option("vacation")
    page.get_by_label("Days of vacation").fill("30")
    send.click()
    expect(page.locator("#policy")).to_contain_text("30 days of vacation a year")
    page.get_by_label("What").select_option("notices")
    send.click()
    expect(page.locator("#policy")).to_contain_text("players are told of their turn")
    page.get_by_role("button", name="none: 30 days of vacation").click()
    expect(page.locator("#policy")).not_to_contain_text("vacation")
    page.get_by_role("button", name="quiet: players are told").click()
    expect(page.locator("#policy")).to_have_text("everybody may play")
    page.context.close()


def test_no_other_page_shows_it_in_a_frame(browser: Browser, ruled: RunningServer) -> None:
    page = browser.new_page()
    page.route(
        "http://frames.example/",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<iframe src="http://127.0.0.1:{ruled.port}/operator"></iframe>',
        ),
    )
    page.goto("http://frames.example/")
    page.wait_for_load_state("networkidle")

    frames = [frame for frame in page.frames if frame.parent_frame]

    assert [frame.url for frame in frames] != [f"http://127.0.0.1:{ruled.port}/operator"]
    page.close()


def test_neither_another_page_nor_who_overhears_a_request_changes_the_policy(
    browser: Browser, ruled: RunningServer
) -> None:
    page = opened(browser, ruled, OPERATOR)
    with page.expect_request("**/operator/state") as overheard:
        page.get_by_role("button", name="Look").click()
    expect(page.locator("#policy")).to_have_text("everybody may play")
    at = f"http://127.0.0.1:{ruled.port}/operator"
    other = page.context.new_page()
    other.route(
        "http://other.example/",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f"""<form method="post" enctype="text/plain" action="{at}/policy">
            <input name='{{"word":"close","reason":"' value='"}}'><button>Win</button></form>""",
        ),
    )
    other.goto("http://other.example/")
    with other.expect_response(f"{at}/policy") as posted:
        other.get_by_role("button").click()
    header = overheard.value.headers["authorization"]
    again = page.request.get(f"{at}/state", headers={"authorization": header})
    elsewhere = page.request.post(
        f"{at}/policy", headers={"authorization": header}, data={"word": "close"}
    )

    assert (posted.value.status, again.status, elsewhere.status) == (404, 401, 401)
    page.get_by_role("button", name="Look").click()
    expect(page.locator("#policy")).to_have_text("everybody may play")
    page.context.close()


def test_the_page_says_that_no_games_begin_and_a_player_is_told_so(
    browser: Browser, ruled: RunningServer
) -> None:
    operator = opened(browser, ruled, OPERATOR)
    operator.get_by_role("button", name="Look").click()
    operator.get_by_label("What").select_option("close")
    operator.get_by_label("Reason").fill("Back at nine.")
    operator.get_by_role("button", name="Sign and send").click()
    expect(operator.locator("#policy")).to_contain_text("Back at nine.")

    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{ruled.port}/")

    # The process that answers pages obeys within a minute.
    expect(page.get_by_test_id("closed")).to_have_text("Back at nine.")
    context.close()
    operator.get_by_role("button", name="open: closed").click()
    expect(operator.locator("#policy")).to_have_text("everybody may play")
    operator.context.close()
