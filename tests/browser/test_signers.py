"""Playing with a key that the page does not have, and taking one's key along."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import nostr_sdk  # type: ignore[import-untyped]
from playwright.sync_api import expect

from clients.web.node import found_node
from clients.web.scripts import OLDEST_NODE
from tests.browser.players import Newcomer, Player, paired
from tests.browser.wire import signed
from tests.server.running_server import RunningServer

EXTENSION = """
window.nostr = {
  getPublicKey: async () => PUBKEY,
  signEvent: async (event) => JSON.parse(await signInPython(JSON.stringify(event))),
};
"""


def test_an_extension_signs_each_move(newcomer: Newcomer) -> None:
    keys = nostr_sdk.Keys.generate()
    asked: list[dict[str, Any]] = []

    def sign(text: str) -> str:
        event = json.loads(text)
        asked.append(event)
        draft = nostr_sdk.EventBuilder(nostr_sdk.Kind(event["kind"]), event["content"])
        draft = draft.tags([nostr_sdk.Tag.parse(tag) for tag in event["tags"]])
        draft = draft.custom_created_at(nostr_sdk.Timestamp.from_secs(event["created_at"]))
        return str(draft.finalize(keys).as_json())

    pubkey = json.dumps(keys.public_key().to_hex())
    player = newcomer(None, script=EXTENSION.replace("PUBKEY", pubkey))
    player.context.expose_function("signInPython", sign)
    player.opens("#/settings")
    _plays_with_another_key(
        player, keys.public_key().to_bech32(), "Sign in with my browser extension"
    )
    match = paired(player.opens(), newcomer())
    match.plays("e4 e5 Nf3 Nc6")
    assert {"e2e4", "g1f3"} <= {it["content"] for it in asked} or {"e7e5", "b8c6"} <= {
        it["content"] for it in asked
    }


def _plays_with_another_key(player: Player, npub: str, button: str) -> None:
    player.page.get_by_text("Play with another key").click()
    with player.page.expect_navigation():
        player.presses_named(button)
    player.opens()
    assert player.npub == npub


def test_the_header_signs_in_where_there_is_an_extension_and_says_if_it_refuses(
    newcomer: Newcomer,
) -> None:
    keys = nostr_sdk.Keys.generate()
    pubkey = json.dumps(keys.public_key().to_hex())
    player = newcomer(script=EXTENSION.replace("PUBKEY", pubkey))
    own = player.npub
    refusing = "() => { nostr.getPublicKey = () => Promise.reject(new Error('no')); }"
    player.page.evaluate(refusing)
    player.presses_named("Sign in with Nostr")
    player.sees("Request refused.")
    assert player.npub == own
    player.opens().reloads()
    with player.page.expect_navigation():
        player.presses_named("Sign in with Nostr")
    expect(player.element("npub")).to_have_text(keys.public_key().to_bech32())
    expect(player.page.get_by_text("Sign in with Nostr")).to_have_count(0)
    assert newcomer().page.get_by_text("Sign in with Nostr").count() == 0


def test_an_extension_that_lies_about_its_key_is_left(newcomer: Newcomer) -> None:
    keys, other = nostr_sdk.Keys.generate(), nostr_sdk.Keys.generate()

    def sign(text: str) -> str:
        event = json.loads(text)
        return json.dumps(signed(other, event["kind"], event["content"], *event["tags"]))

    pubkey = json.dumps(keys.public_key().to_hex())
    player = newcomer(None, script=EXTENSION.replace("PUBKEY", pubkey))
    player.context.expose_function("signInPython", sign)
    player.opens("#/settings")
    _plays_with_another_key(
        player, keys.public_key().to_bech32(), "Sign in with my browser extension"
    )
    player.presses("play")
    player.sees("Your signer did not sign.")


@dataclass
class Bunker:
    """A remote signer, and whose key it has."""

    address: str
    npub: str
    lines: IO[str]


@contextmanager
def running_bunker(relay: str) -> Iterator[Bunker]:
    """One for the block, in a process of its own."""
    node = found_node(OLDEST_NODE).node
    program = Path(__file__).with_name("bunker.mjs")
    with subprocess.Popen(
        [
            node,
            "--experimental-strip-types",
            "--disable-warning=ExperimentalWarning",
            program,
            relay,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        npub = nostr_sdk.PublicKey.parse(told["pubkey"]).to_bech32()
        yield Bunker(told["address"], npub, process.stdin)
        process.stdin.close()
        process.wait(20)


def test_a_remote_signer_signs_each_move_encrypts_what_is_said_and_can_say_no(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    with running_bunker(arbiter.endpoints.relays[0]) as bunker:
        player = newcomer("#/settings")
        player.page.get_by_text("Play with another key").click()
        player.element("identity").fill(bunker.address)
        with player.page.expect_navigation():
            player.presses_named("Sign in")
        player.opens()
        assert player.npub == bunker.npub
        match = paired(player, newcomer())
        match.plays("e4 e5")
        player.reloads()  # and the signer is asked again
        match.shown()
        match.plays("Nf3 Nc6")
        other = match.black if player is match.white else match.white
        for sayer, hearer, text in ((player, other, "good luck"), (other, player, "and to you")):
            sayer.page.get_by_placeholder("Write a message").fill(text)
            sayer.page.get_by_placeholder("Write a message").press("Enter")
            hearer.sees(text)
        bunker.lines.write("no\n")
        bunker.lines.flush()
        player.offers_a_draw()
        player.sees("Your key did not sign it.")


def test_a_remote_signer_takes_the_page_s_invitation(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    with running_bunker(arbiter.endpoints.relays[0]) as bunker:
        player = newcomer("#/settings")
        player.page.get_by_text("Play with another key").click()
        player.presses_named("Invite a remote signer")
        invitation = player.element("nostrconnect").get_attribute("href")
        with player.page.expect_navigation():
            bunker.lines.write(f"{invitation}\n")
            bunker.lines.flush()
        player.opens()
        assert player.npub == bunker.npub
        # It also asked a public relay, which tests do not reach.
        player.complaints[:] = [it for it in player.complaints if "wss://relay." not in it]


def test_a_remote_signer_that_falls_silent_is_named_and_a_request_can_be_taken_back(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    with running_bunker(arbiter.endpoints.relays[0]) as bunker:
        player = newcomer("#/settings")
        player.page.get_by_text("Play with another key").click()
        player.element("identity").fill(bunker.address)
        with player.page.expect_navigation():
            player.presses_named("Sign in")
        player.opens()
        assert player.npub == bunker.npub
    player.presses("play")
    player.sees("waiting for your signer…")
    player.presses("cancel")
    expect(player.element("waiting")).to_have_count(0)


def test_an_address_without_a_signer_is_waited_for_in_words_until_the_player_cancels(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    player = newcomer("#/settings")
    own = player.npub
    player.page.get_by_text("Play with another key").click()
    nobody = nostr_sdk.Keys.generate().public_key().to_hex()
    player.element("identity").fill(f"bunker://{nobody}?relay={arbiter.endpoints.relays[0]}")
    player.presses_named("Sign in")
    player.sees("Waiting for your extension or remote signer.")
    player.presses_named("Cancel")
    expect(player.page.get_by_text("Waiting for your extension")).to_have_count(0)
    expect(player.page.get_by_role("button", name="Sign in", exact=True)).to_be_enabled()
    assert player.page.evaluate("localStorage.getItem('arbiter.signer')") is None
    assert player.npub == own


def test_a_remote_signer_that_comes_back_with_another_key_does_not_play(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    with running_bunker(arbiter.endpoints.relays[0]) as bunker:
        session = {
            "kind": "bunker",
            "clientSecret": "01" * 32,
            "pointer": {
                "relays": arbiter.endpoints.relays,
                "pubkey": bunker.address.removeprefix("bunker://")[:64],
            },
            "user": nostr_sdk.Keys.generate().public_key().to_hex(),
        }
        kept = json.dumps(json.dumps(session))
        player = newcomer(None, script=f"localStorage.setItem('arbiter.signer', {kept})")
        player.page.goto(f"{arbiter.endpoints.http}/#/")
        player.sees("Your signer answered with another key than before.")
        assert player.element("npub").count() == player.element("play").count() == 0


def test_a_player_takes_their_key_to_another_browser(newcomer: Newcomer) -> None:
    home, away = newcomer("#/settings"), newcomer("#/settings")
    home.page.get_by_text("Export the secret key").click()
    home.page.get_by_label("Password", exact=True).fill("correct horse")
    home.presses_named("Show encrypted")
    secret = home.element("secret").input_value()
    assert secret.startswith("ncryptsec1")
    away.page.on("dialog", lambda dialog: dialog.accept())
    away.page.get_by_text("Play with another key").click()
    away.element("identity").fill(secret)
    away.page.get_by_label("Password", exact=True).last.fill("correct horse")
    with away.page.expect_navigation():
        away.presses_named("Sign in")
    assert away.npub == home.npub


def test_a_remote_signer_that_does_not_answer_is_waited_for_and_no_other_key_plays(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    session = {
        "kind": "bunker",
        "clientSecret": "01" * 32,
        "pointer": {
            "relays": arbiter.endpoints.relays,
            "pubkey": nostr_sdk.Keys.generate().public_key().to_hex(),
        },
    }
    kept = json.dumps(json.dumps(session))
    player = newcomer(None, script=f"localStorage.setItem('arbiter.signer', {kept})")
    player.page.goto(f"{arbiter.endpoints.http}/#/")
    player.sees("Waiting for your extension or remote signer.")
    assert player.element("npub").count() == player.element("play").count() == 0
    assert player.page.evaluate("localStorage.getItem('arbiter.secret')") is None
    player.presses_named("Use this browser's own key")
    match = paired(player, newcomer())
    player.sees("This browser's own key plays now, not that of your extension or remote signer")
    match.plays("e4")


def test_where_the_browser_keeps_nothing_the_player_hears_of_it_before_and_at_the_board(
    newcomer: Newcomer,
) -> None:
    forbidden = "get() { throw new DOMException('denied', 'SecurityError'); }"
    player = newcomer(script=f"Object.defineProperty(window, 'localStorage', {{ {forbidden} }});")
    player.sees("This browser keeps no data for this page")
    match = paired(player, newcomer())
    player.sees("This browser keeps no data for this page")
    player.presses_named("Dismiss")
    match.plays("e4 e5")
    player.page.goto(f"{player.address}/#/settings")
    player.sees("This browser keeps no data for this page")
    player.page.get_by_text("Play with another key").click()
    player.element("identity").fill("02" * 32)
    player.page.on("dialog", lambda dialog: dialog.accept())
    player.presses_named("Sign in")
    player.sees("so the choice would not last")
