"""`make deploy` asks five things, keeps no secret, and passes all parameters on."""

import json
import subprocess
import tomllib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import (
    ClientError,
    EndpointConnectionError,
    NoCredentialsError,
    NoRegionError,
    ProfileNotFound,
)
from moto import mock_aws

from arbiter.nostr.nip19 import encode_npub
from deploy import deploy
from deploy.answers import (
    PROFILES,
    Answers,
    answers_path,
    ask_operator,
    keep_answers,
    parameters_of,
    read_answers,
    read_set,
    why_not,
    without_unknown,
)
from deploy.deploy import await_health, play_over, protect, sam_command, try_out
from deploy.stack import Refused, Stack, refused_by_aws, run
from local.template import Template, overrides
from tests.builders import ALICE, BOB
from tests.template.source import ROOT, template

SECTIONS = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))


class Terminal:
    """An operator who types these lines, and what they are shown."""

    def __init__(self, *lines: str) -> None:
        self._lines: Iterator[str] = iter(lines)
        self.questions: list[str] = []
        self.shown: list[str] = []

    def ask(self, question: str) -> str:
        self.questions.append(question)
        return next(self._lines)


def test_return_five_times_is_a_small_arbiter_with_a_key_of_its_own() -> None:
    terminal = Terminal("", "", "", "", "")

    answers, key = ask_operator(Answers(), terminal.ask, terminal.shown.append)

    assert key
    assert answers == Answers("small", key.pubkey, (), "")
    assert len(terminal.questions) == 5
    assert key.to_nsec() in terminal.shown[0]


@pytest.mark.parametrize("said", [ALICE.pubkey, encode_npub(ALICE.pubkey), ALICE.to_nsec()])
def test_a_key_that_is_there_is_taken_in_any_spelling_and_a_secret_is_stored_later(
    said: str,
) -> None:
    relays = "wss://one.example, wss://two.example"
    terminal = Terminal("large", said, relays, "7.50", "me@example.org")

    answers, key = ask_operator(Answers(), terminal.ask, terminal.shown.append)

    two = ("wss://one.example", "wss://two.example")
    assert answers == Answers("large", ALICE.pubkey, two, "me@example.org", "7.50")
    assert key == (ALICE if said.startswith("nsec1") else None)


def test_what_is_no_answer_is_asked_again_with_what_would_be_one() -> None:
    terminal = Terminal(
        *("huge", "small", "nsec1x", "npub1x", "ab", ALICE.pubkey),
        *(
            "https://relay.example",
            "wss://",
            "wss://a;wss://b",
            "none",
            "$2",
            "-1",
            "0",
            "someone",
            "@",
            "-",
        ),
    )

    answers, _ = ask_operator(
        Answers(relays=("wss://r",), email="a@b"), terminal.ask, terminal.shown.append
    )

    assert answers == Answers("small", ALICE.pubkey, (), "", "0")
    assert len(terminal.shown) == 11
    assert "small, default, large" in terminal.shown[0]


def test_asked_again_return_keeps_what_was_answered() -> None:
    before = Answers("large", ALICE.pubkey, ("wss://r",), "a@b", "3", {"Listeners": "2"})
    terminal = Terminal("", "", "", "", "")

    assert ask_operator(before, terminal.ask, terminal.shown.append) == (before, None)
    assert encode_npub(ALICE.pubkey) in terminal.questions[1]


def test_answers_are_kept_without_a_secret_where_git_does_not_look(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "arbiter.json"
    answers = Answers("small", ALICE.pubkey, ("wss://r",), "a@b", "", {"Listeners": "2"})
    keep_answers(path, answers)

    assert read_answers(path) == answers
    assert ALICE.to_hex() not in path.read_text(encoding="utf-8")
    assert read_answers(tmp_path / "none.json") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"relays": 7}', b"\xff\xfe{"])
def test_damaged_answers_are_refused_by_the_name_of_their_file(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "answers.json"
    path.write_bytes(content)

    with pytest.raises(ValueError, match=r"answers\.json is damaged: move it away"):
        read_answers(path)
    kept = answers_path("arbiter").relative_to(ROOT)
    assert f"/{kept.parts[0]}/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("profile", PROFILES)
def test_every_parameter_is_passed_on_so_that_a_profile_means_the_same_each_time(
    profile: str,
) -> None:
    answers = Answers(profile, ALICE.pubkey, ("wss://a", "wss://b"), "", "", {"Listeners": "2"})
    given = parameters_of(answers, Template.read(ROOT / "template.yaml"), SECTIONS)

    assert given.keys() == template()["Parameters"].keys()
    assert (given["Relays"], given["Listeners"]) == ("wss://a,wss://b", "2")
    command = sam_command("arbiter", profile, given)
    assert "--guided" not in command
    assert "--no-confirm-changeset" in command
    assert 'AlarmEmail=""' in command


def test_the_profiles_that_are_asked_for_are_those_of_samconfig() -> None:
    assert {*PROFILES} == {name for name, it in SECTIONS.items() if isinstance(it, dict)}


def test_answers_that_a_former_sam_saved_as_one_text_are_read() -> None:
    saved = {
        "small": {"deploy": {"parameters": {"parameter_overrides": 'ServerName="Club" A="b c"'}}}
    }
    given = parameters_of(Answers(), Template.read(ROOT / "template.yaml"), saved)

    assert (given["ServerName"], given["A"]) == ("Club", "b c")


def test_without_its_secret_an_arbiter_is_not_tried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(deploy, "_key_is_stored", lambda _: False)

    assert not try_out("mine", Stack({}, {}), None, said.append)
    store = ".venv/bin/python -m deploy.server_key store --stack-name mine"
    assert said == [f"The arbiter has no secret key yet: {store}"]


def test_a_key_that_is_not_the_stacks_is_told_and_nothing_is_tried_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    said: list[str] = []
    stack = Stack({"ServerPubkey": BOB.pubkey}, {})
    with mock_aws():
        assert not try_out("mine", stack, ALICE, said.append)
    assert [line.split(",")[0] for line in said] == [f"That is the key of {ALICE.pubkey}"]


def test_a_program_tells_why_it_did_nothing_and_what_remains(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def denied() -> int:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "DeleteTable")

    def refused() -> int:
        raise Refused("no such queue")

    assert run(lambda: 0) == 0
    assert run(refused) == 1
    assert run(denied, "The rest is still there.") == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "no such queue"
    assert "AccessDenied" in lines[1]
    assert lines[-1] == "The rest is still there."


def test_a_relay_that_carries_no_game_is_told_and_raises_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def silent(_: Any) -> None:
        raise TimeoutError

    monkeypatch.setattr(deploy, "_mate", silent)

    stack = Stack({"ServerPubkey": ALICE.pubkey}, {})
    assert play_over("wss://relay.example", stack) == "TimeoutError"
    assert json.dumps(stack.outputs) == "{}"


@pytest.mark.parametrize(
    ("status", "why"), [("ok", None), ("fault", "status fault"), ("degraded", "status degraded")]
)
def test_only_ok_is_healthy(monkeypatch: pytest.MonkeyPatch, status: str, why: str | None) -> None:
    times = iter((0.0, 0.0, 1.0))
    body = json.dumps({"status": status}).encode()
    monkeypatch.setattr("deploy.deploy.time.monotonic", lambda: next(times, 1.0))
    monkeypatch.setattr("deploy.deploy.time.sleep", lambda _: None)
    monkeypatch.setattr("deploy.deploy.urllib.request.urlopen", lambda *_, **__: BytesIO(body))

    assert await_health("https://chess.example", 1.0) == why


def test_a_value_keeps_its_second_word() -> None:
    """A shell takes ``SET="ServerName=Our Chess"`` for two words."""
    for words in (["ServerName=Our Chess", "Relays="], ["ServerName=Our", "Chess", "Relays="]):
        assert read_set(words) == {"ServerName": "Our Chess", "Relays": ""}
    with pytest.raises(ValueError, match="'Chess', which is no Name=value"):
        read_set(["Chess", "ServerName=Our"])


@pytest.mark.slow
def test_sam_reads_each_value_as_it_was_given() -> None:
    given = {
        "ServerName": """Our "Chess" \\ Würzburg""",
        "AlarmEmail": "",
        "Relays": "wss://a,wss://b",
    }
    read = (
        "import json, sys; from samcli.cli.types import CfnParameterOverridesType as Read;"
        "print(json.dumps(Read().convert(tuple(sys.argv[1:]), None, None)))"
    )

    command = [str(ROOT / ".venv/tools/sam/bin/python"), "-c", read, *overrides(given)]
    answer = subprocess.run(command, capture_output=True, check=True)

    assert json.loads(answer.stdout) == given


@pytest.mark.parametrize(
    ("profile", "budget", "most"),
    [("small", "", "2"), ("default", "", "20"), ("large", "", "200"), ("small", "0.5", "0.5")],
)
def test_a_budget_is_the_operators_or_the_profiles(profile: str, budget: str, most: str) -> None:
    answers = Answers(profile, ALICE.pubkey, budget=budget)
    assert (
        parameters_of(answers, Template.read(ROOT / "template.yaml"), SECTIONS)["DailyBudget"]
        == most
    )


def test_a_stack_that_is_there_is_protected() -> None:
    """A template with protection could not roll a first creation back."""
    calls: list[tuple[str, dict[str, Any]]] = []

    class Aws:
        def __init__(self, service: str) -> None:
            self.service = service

        def __getattr__(self, name: str) -> Any:
            return lambda **given: calls.append((f"{self.service}.{name}", given))

    protect("mine", Stack({}, {"TableName": "games"}), Aws)
    (_, table), (_, policy) = calls
    assert [name for name, _ in calls] == [
        "dynamodb.update_table",
        "cloudformation.set_stack_policy",
    ]
    assert table == {"TableName": "games", "DeletionProtectionEnabled": True}
    allowed, denied = json.loads(policy["StackPolicyBody"])["Statement"]
    assert (allowed["Effect"], denied["Effect"], denied["Action"]) == (
        *("Allow", "Deny", "Update:Replace"),
    )
    logical = [name.removeprefix("LogicalResourceId/") for name in denied["Resource"]]
    kept = [
        name
        for name, it in template()["Resources"].items()
        if it.get("UpdateReplacePolicy") == "Retain"
    ]
    assert logical == kept


def test_what_a_former_release_knew_is_no_longer_set_and_said() -> None:
    said: list[str] = []
    before = Answers(set={"ListenSeconds": "620", "Listeners": "2"})

    after = without_unknown(before, Template.read(ROOT / "template.yaml"), said.append)

    assert after == Answers(set={"Listeners": "2"})
    assert "ListenSeconds" in said[0]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"Listener": "1"}, "no parameter Listener: check SET"),
        ({"Listeners": "3"}, "cannot be '3': 0, 1, 2"),
        ({"MovesConcurrency": "many"}, "cannot be 'many': Batches of moves"),
        ({"PublicHttpUrl": "chess.example.org"}, "cannot be 'chess.example.org': The URL"),
    ],
)
def test_what_cloudformation_would_refuse_is_said_before_anything_is_built(
    wrong: dict[str, str], why: str
) -> None:
    template_ = Template.read(ROOT / "template.yaml")
    for profile in PROFILES:
        answers = Answers(profile, ALICE.pubkey, ("wss://a",), "a@b")
        assert why_not(parameters_of(answers, template_, SECTIONS), template_) is None
    told = why_not(
        parameters_of(Answers(pubkey=ALICE.pubkey, set=wrong), template_, SECTIONS), template_
    )
    assert told
    assert why in told


@pytest.mark.parametrize(
    ("error", "do"),
    [
        (NoCredentialsError(), "Log in first"),
        (ProfileNotFound(profile="mine"), "Log in first"),
        (NoRegionError(), "export AWS_DEFAULT_REGION="),
        (EndpointConnectionError(endpoint_url="https://sts.example"), "Is this machine online"),
        (ClientError({"Error": {"Code": "AccessDenied"}}, "DescribeStacks"), "Check account"),
    ],
)
def test_what_aws_says_comes_with_what_to_do(error: Any, do: str) -> None:
    assert do in str(refused_by_aws(error))
