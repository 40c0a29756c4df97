"""Two real peers on loopback."""

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest

from bridge.peer_process import TOOL, PeerGone, PeerRefused
from tests.bridge.peers import (
    CAPS,
    NODE_ENVIRONMENT,
    PlayingPeer,
    eventually,
    needs_peer,
    playing_peer,
)
from tests.template.source import ROOT

pytestmark = [needs_peer, pytest.mark.slow]


def invite(inviting: str, color: str = "white") -> dict[str, object]:
    return {"type": "chess_invite", "inviting": inviting, "myColor": color}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PlayingPeer, PlayingPeer]]:
    folder = tmp_path_factory.mktemp("peers")
    with (
        playing_peer(folder / "anna") as anna,
        playing_peer(folder / "bert", peers=[anna.address]) as bert,
    ):
        yield anna, bert


Pair = tuple[PlayingPeer, PlayingPeer]


def test_a_message_reaches_the_other_peer_and_an_answer_comes_back(pair: Pair) -> None:
    anna, bert = pair
    root = bert.publish(invite(anna.id))
    heard = anna.await_key(root)
    answer = anna.publish({"type": "chess_invite_accept", "root": root, "branch": root})

    assert heard["heardAt"] > 0
    assert heard["author"] == bert.id
    assert heard["content"] == invite(anna.id)
    assert not heard["private"]
    assert bert.await_key(answer)["content"]["root"] == root
    assert [it["key"] for it in bert.messages(root)] == [root, answer]


def test_a_private_message_is_read_by_its_recipient_and_author(pair: Pair) -> None:
    anna, bert = pair
    root = bert.publish(invite(anna.id))
    chat = {"type": "chess_chat", "root": root}
    own = bert.publish({**chat, "msg": "for myself"}, to=[bert.id])
    secret = bert.publish({**chat, "msg": "for two"}, to=[anna.id])
    public = bert.publish({**chat, "msg": "for all"})
    anna.await_key(public)

    # Anna has Bert's whole log, and reads of it what is for her.
    heard = {it["key"]: (it["private"], it["content"]["msg"]) for it in anna.messages(root)[1:]}
    assert heard == {secret: (True, "for two"), public: (False, "for all")}
    assert [it["key"] for it in bert.messages(root)] == [root, own, secret, public]


def test_the_facts_of_a_game_are_its_invitation_acceptance_and_follows(pair: Pair) -> None:
    anna, bert = pair
    root = bert.publish(invite(anna.id))
    anna.await_key(root)
    accept = anna.publish({"type": "chess_invite_accept", "root": root})
    move = bert.publish({"type": "chess_move", "root": root, "orig": "e2", "dest": "e4"})
    bert.publish({"type": "chess_chat", "root": root, "msg": "hello"})
    bert.follow(anna.id)
    unfollowed = bert.follow(anna.id, following=False)
    anna.await_key(unfollowed)
    facts = anna.peer.ask("game", root=root)
    keys = {it["at"]: it["key"] for it in anna.heard()}

    assert (facts["invite"]["key"], facts["accept"]["key"]) == (root, accept)
    assert facts["newest"] == move
    assert [on for _, on in facts["follows"][bert.id]] == [True, False]
    assert keys[facts["follows"][bert.id][1][0]] == unfollowed
    assert root in anna.peer.ask("games", feed=bert.id)["roots"]
    thread = anna.peer.ask("thread", root=root, after=-1, most=500)["messages"]
    assert [it["key"] for it in thread][:3] == [root, accept, move]
    assert anna.peer.ask("game", root=accept) == {"invite": None}


def test_what_was_published_is_published_once_and_each_message_gets_one_verdict(
    tmp_path: Path,
) -> None:
    said = {**invite("@" + "A" * 43 + "=.ed25519"), "utterance": "ab" * 32}
    root, message = (f"%{letter * 43}=.sha256" for letter in "AE")
    verdict = {"reason": "illegal-move", "about": message}
    judged = {"type": "chess_chat", "root": root, "verdict": verdict, "utterance": "bc" * 32}
    later = {**judged, "verdict": {**verdict, "reason": "forked"}, "utterance": "cd" * 32}
    other = {**judged, "verdict": {**verdict, "about": root}, "utterance": "ef" * 32}
    disputed = {**later, "verdict": {**verdict, "reason": "disputed"}, "utterance": "01" * 32}
    with playing_peer(tmp_path / "anna") as anna:
        key = anna.publish(said)
        again = anna.peer.ask("publish", content=said)
        first = anna.publish(judged)
        assert anna.peer.ask("publish", content=later) == {"key": first, "again": True}
        os.kill(anna.peer.pid, signal.SIGKILL)
        with pytest.raises(PeerGone):
            anna.heard()

    with playing_peer(tmp_path / "anna") as anna:
        restarted = anna.peer.ask("publish", content=said)

        assert again == {"key": key, "again": True}
        assert restarted == {"key": key, "again": True}
        assert anna.peer.ask("publish", content=later) == {"key": first, "again": True}
        keys = [key, first, anna.publish(other), anna.publish(disputed)]
        assert [it["key"] for it in anna.heard()] == keys


def test_a_client_that_never_pauses_is_answered(pair: Pair) -> None:
    # The log underneath writes when nothing was added for a quarter of a second.
    anna, _ = pair
    first = anna.peer.ask_soon("publish", content=invite(anna.id))
    for _ in range(300):
        anna.peer.ask_soon("publish", content=invite(anna.id))
        if wait([first], timeout=0.02).done:
            break

    assert first.done()
    assert not first.result()["again"]


def test_a_fork_is_reported_and_its_branch_is_not(tmp_path: Path) -> None:
    # Bert restores a backup of the log and publishes from there.
    with playing_peer(tmp_path / "anna") as anna:
        with playing_peer(tmp_path / "bert", peers=[anna.address]) as bert:
            root = bert.publish(invite(anna.id))
            known = bert.publish({"type": "chess_chat", "root": root, "msg": "one"})
            anna.await_key(known)
            feed = bert.id
        identity = (tmp_path / "bert" / "identity.json").read_bytes()
        (tmp_path / "backup").mkdir()
        (tmp_path / "backup" / "identity.json").write_bytes(identity)
        (tmp_path / "backup" / "identity.json").chmod(0o600)
        with playing_peer(tmp_path / "backup") as bert:
            for text in ("two", "three", "four"):
                bert.publish({"type": "chess_chat", "root": root, "msg": text})
            bert.peer.ask("connect", address=anna.address)
            fork = {"author": feed, "sequence": 2, "known": known}
            anna.await_notice({"notice": "fork", **fork})

        heard = [it for it in anna.messages(root) if it["author"] == feed]
        assert [it["content"].get("msg") for it in heard] == [None, "one"]
        assert anna.peer.ask("forks") == {"forks": [fork]}


def test_a_hostile_log_is_read_to_its_end(tmp_path: Path) -> None:
    with playing_peer(tmp_path / "anna") as anna:
        command = (TOOL / "bin" / "node", ROOT / "tests" / "bridge" / "hostile_peer.js")
        hostile = subprocess.Popen(
            (*command, tmp_path / "hostile", anna.address, anna.id, CAPS),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=NODE_ENVIRONMENT,
        )
        with hostile:
            assert hostile.stdout is not None
            last = hostile.stdout.readline().decode().strip()
            anna.await_key(last)
            assert hostile.stdin is not None
            hostile.stdin.close()
        # That log's last message is refused, and closes the connection.
        eventually(lambda: anna.peer.ask("state")["connections"] == 0)
        heard = [it["content"] for it in anna.heard()]

    # And again, when it is in the log at the start.
    with playing_peer(tmp_path / "anna") as anna:
        again = [it["content"] for it in anna.heard()]

    kinds = ["chess_invite", "chess_chat", "chess_chat", "contact", "chess_invite"]
    assert [content["type"] for content in heard] == kinds
    assert again == heard


def test_an_identity_that_others_can_read_is_not_used(tmp_path: Path, pair: Pair) -> None:
    (tmp_path / "identity.json").touch(0o644)
    with pytest.raises(PeerGone, match="identity"), playing_peer(tmp_path):
        pass

    made = tmp_path.parent.glob("peers*/*/identity.json")
    assert {path.stat().st_mode & 0o777 for path in made} == {0o600}


def test_an_impossible_request_is_refused_by_kind(pair: Pair) -> None:
    anna, _ = pair
    before = anna.heard()
    refusals = {}
    chat = {"type": "chess_chat"}
    asked: dict[str, tuple[str, dict[str, object]]] = {
        "a post": ("publish", {"content": {"type": "post", "text": "hello"}}),
        "too much": ("publish", {"content": {**chat, "msg": "x" * 9000}}),
        "a line": ("publish", {"content": {**chat, "msg": "x" * 2_000_000}}),
        "nonsense": ("dance", {}),
        "a place": ("hear", {"after": "soon", "most": 1}),
        "an address": ("connect", {"address": "http://127.0.0.1"}),
    }
    for name, (what, arguments) in asked.items():
        with pytest.raises(PeerRefused) as refused:
            anna.peer.ask(what, **arguments)
        refusals[name] = refused.value.kind

    assert refusals == {
        "a post": "bad-argument",
        "too much": "unpublishable",
        "nonsense": "unknown-request",
        "a place": "bad-argument",
        "an address": "bad-argument",
        "a line": "too-long",
    }
    assert anna.heard() == before
