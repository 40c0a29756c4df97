"""Deploys an arbiter from four answers, which are kept in a file and never asked again.

Before: the account's quota, and the relays. After: the secret key is stored, the arbiter is asked
for its health, and plays a game against itself over each relay and over its own gateway.

    python -m deploy.deploy --stack-name arbiter [--profile small] [--set Name=value …] [--ask]
"""

import argparse
import asyncio
import json
import secrets
import shlex
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.event import is_hex_32_bytes
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import decode_npub, encode_npub
from clients.probes.endpoints import Endpoints
from clients.probes.matches import FOOLS_MATE, seated
from deploy import quota, relays, server_key
from deploy.stack import Refused, Stack, found, not_had
from local.template import Template

ROOT = Path(__file__).resolve().parent.parent
SAM = ROOT / ".venv/tools/sam/bin/sam"
BUILT = ROOT / ".aws-sam/build/template.yaml"
PROFILES = ("small", "default", "large")

_BUILD = ("make", "--no-print-directory", "build", "BUILD_DIR=.aws-sam/build")
_HEALTHY_SECONDS = 120.0
_GAME_SECONDS = 90.0
_NO = {"", "none", "no", "-"}

Ask = Callable[[str], str]
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Answers:
    """What an operator was asked; ``set`` has further parameters, given by SET."""

    profile: str = "small"
    pubkey: str = ""
    relays: tuple[str, ...] = ()
    email: str = ""
    set: Mapping[str, str] = field(default_factory=dict)


def answers_path(stack_name: str) -> Path:
    """Where the answers for this stack are kept. They hold no secret."""
    return ROOT / ".deploy" / f"{stack_name}.json"


def read_answers(path: Path) -> Answers | None:
    """The answers that are kept there; None if there are none."""
    if not path.is_file():
        return None
    told = json.loads(path.read_text(encoding="utf-8"))
    return Answers(**{**told, "relays": tuple(told["relays"])})


def keep_answers(path: Path, answers: Answers) -> None:
    """Writes them there."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(asdict(answers), indent=2) + "\n", encoding="utf-8")


def asked(before: Answers, ask: Ask, say: Say) -> tuple[Answers, SecretKey | None]:
    """The four answers, each asked until it is one; and the key, if one was made or given."""
    profile = _until(ask, say, f"Profile: small, default or large [{before.profile}]: ", _profile)
    kept = before.pubkey and encode_npub(before.pubkey)
    how = f"[{kept}]" if kept else "[Return makes one]"
    key = _until(ask, say, f"The arbiter's key: npub1…, 64 digits or nsec1… {how}: ", _key)
    if key is None and not before.pubkey:
        key = SecretKey.generate(secrets.token_bytes(32))
        say(f"  A new key. Keep the secret safe, it is shown this once: {key.to_nsec()}")
    there = ",".join(before.relays) or "none"
    urls = _until(ask, say, f"Relays, with commas between them [{there}]: ", _relays)
    email = _until(ask, say, f"E-mail for alarms [{before.email or 'none'}]: ", _email)
    pubkey = key.pubkey if isinstance(key, SecretKey) else key or before.pubkey
    answers = replace(
        before,
        profile=profile or before.profile,
        pubkey=pubkey,
        relays=before.relays if urls is None else urls,
        email=before.email if email is None else email,
    )
    return answers, key if isinstance(key, SecretKey) else None


def _until(ask: Ask, say: Say, question: str, read: Callable[[str], Any]) -> Any:  # noqa: ANN401 - of each reader
    while True:
        try:
            return read(ask(question).strip())
        except ValueError as wrong:
            say(f"  {wrong}")


def _profile(text: str) -> str:
    if text and text not in PROFILES:
        raise ValueError(f"There is no such profile. One of: {', '.join(PROFILES)}")
    return text


def _key(text: str) -> SecretKey | str | None:
    if not text:
        return None
    if text.startswith("nsec1"):
        key = server_key.parsed(text)
        if isinstance(key, Refused):
            raise ValueError(key.text)
        return key
    pubkey = decode_npub(text) if text.startswith("npub1") else text.lower()
    if not is_hex_32_bytes(pubkey):
        raise ValueError("That is no key: npub1…, 64 hexadecimal digits, or nsec1…")
    return pubkey


def _relays(text: str) -> tuple[str, ...] | None:
    if not text:
        return None
    if text.lower() in _NO:
        return ()
    urls = tuple(url.strip() for url in text.split(",") if url.strip())
    for url in urls:
        if not url.startswith(("wss://", "ws://")) or any(it in url for it in " \t"):
            raise ValueError(f"{url} is no relay: wss://one.example,wss://two.example, or none")
    return urls


def _email(text: str) -> str | None:
    if not text:
        return None
    if text.lower() in _NO:
        return ""
    if text.count("@") != 1 or any(it.isspace() for it in text):
        raise ValueError("That is no address: you@example.org, or none")
    return text


def parameters_of(
    answers: Answers, template: Template, profiles: Mapping[str, Any]
) -> dict[str, str]:
    """All of the template's parameters: its defaults, the profile's, the answers, what was SET."""
    given = profiles[answers.profile]["deploy"]["parameters"].get("parameter_overrides", [])
    pairs = shlex.split(given) if isinstance(given, str) else given
    said = {
        "ServerPubkey": answers.pubkey,
        "Relays": ",".join(answers.relays),
        "AlarmEmail": answers.email,
    }
    defaults = {name: str(value) for name, value in template.defaults().items()}
    return defaults | dict(pair.split("=", 1) for pair in pairs) | said | dict(answers.set)


def sam_command(stack_name: str, parameters: Mapping[str, str]) -> list[str]:
    """The command that deploys what was built, without a question."""
    return [
        *(str(SAM), "deploy", "--template", str(BUILT), "--stack-name", stack_name),
        *("--resolve-s3", "--capabilities", "CAPABILITY_IAM", "--no-confirm-changeset"),
        *("--no-fail-on-empty-changeset", "--no-progressbar", "--parameter-overrides"),
        *(f"{name}={value}" if value else f'{name}=""' for name, value in parameters.items()),
    ]


def examine_relays(urls: Sequence[str], say: Say) -> list[str]:
    """Tests the relays; those that do not carry our kinds."""
    with ThreadPoolExecutor(max(1, len(urls))) as pool:
        findings = [*pool.map(relays.examine, urls)]
    for one in findings:
        say("\n".join(one.lines()))
    return [one.url for one in findings if not one.is_fit()]


def await_health(url: str, seconds: float = _HEALTHY_SECONDS) -> str | None:
    """Why ``/healthz`` does not answer that all is well; None when it does."""
    ends_at = time.monotonic() + seconds
    why = "no answer"
    while time.monotonic() < ends_at:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=10) as answer:  # noqa: S310 - the stack's own URL
                status = json.loads(answer.read()).get("status")
                if status in {"ok", "degraded"}:
                    return None
                why = f"status {status}"
        except (OSError, ValueError) as error:
            why = f"{type(error).__name__}: {error}"
        time.sleep(1)
    return why


async def _mate(endpoints: Endpoints) -> None:
    async with asyncio.timeout(_GAME_SECONDS), seated(endpoints, FOOLS_MATE) as match:
        await match.play_to(len(FOOLS_MATE))


def play_over(relay: str, stack: Stack) -> str | None:
    """Plays a game of four plies over one relay, by two keys of its own; why not, if it fails."""
    server = stack.parameters["ServerPubkey"]
    endpoints = Endpoints(server, encode_npub(server), (relay,), "", "")
    try:
        asyncio.run(_mate(endpoints))
    except Exception as failure:  # noqa: BLE001 - whatever a relay does is told and is no crash
        return f"{type(failure).__name__} {failure}".strip()
    return None


def _key_is_stored(stack: Stack) -> bool:
    try:
        boto3.client("ssm").get_parameter(Name=stack.outputs["KeyParameterName"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ParameterNotFound":
            raise
        return False
    return True


def try_out(stack_name: str, stack: Stack, key: SecretKey | None, say: Say) -> bool:
    """Stores the key, waits for health, plays test games; whether all that went well."""
    if key is None and not _key_is_stored(stack):
        say(f"The arbiter has no secret key yet: make server-key STACK={stack_name}")
        return False
    if key is not None:
        stored = server_key.store(key, stack, boto3.client("ssm"))
        if isinstance(stored, Refused):
            say(stored.text)
            return False
        say(f"The key is stored in {stored.parameter}.")
    functions = boto3.client("lambda")
    if refused := server_key.announced(stack, functions):
        say(f"{refused.text}\nSee its log, then: make server-key STACK={stack_name}")
        return False
    if why := await_health(stack.outputs["HttpUrl"]):
        say(f"{stack.outputs['HttpUrl']}/healthz: {why}. See http-api's log (docs/runbook.md).")
        return False
    ways = [url for url in stack.parameters.get("Relays", "").split(",") if url]
    if ways and stack.parameters.get("ListenerSchedule") == "ENABLED":
        # The schedule would start the first one within ten minutes.
        listener = stack.outputs["RelayListenerFunctionName"]
        functions.invoke(FunctionName=listener, InvocationType="Event", Payload=b"{}")
    failed = 0
    for way in (stack.outputs["GatewayUrl"], *ways):
        trouble = play_over(way, stack)
        failed += trouble is not None
        say(f"{'✗' if trouble else '✓'} a game over {way}{f': {trouble}' if trouble else ''}")
    if failed:
        say("A game that fails over a relay alone: make relays RELAYS=…, and deploy with others.")
    return not failed


def _deployed(stack_name: str, answers: Answers) -> Stack | Refused:
    template = Template.read(ROOT / "template.yaml")
    profiles = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
    parameters = parameters_of(answers, template, profiles)
    if unknown := parameters.keys() - template.content["Parameters"].keys():
        return Refused(f"The template has no parameter {', '.join(sorted(unknown))}: check SET.")
    standing = found(stack_name)
    outputs = {} if isinstance(standing, Refused) else standing.outputs
    names = ("GatewayFunctionName", "HttpApiFunctionName")
    doors = [outputs[name] for name in names if name in outputs]
    enough = quota.check(boto3.client("lambda"), parameters, doors)
    if isinstance(enough, Refused):
        return enough
    print(enough, flush=True)
    if subprocess.run(_BUILD, cwd=ROOT, check=False).returncode:
        return Refused("The functions could not be built: see above, and make build.")
    done = subprocess.run(sam_command(stack_name, parameters), cwd=ROOT, check=False)
    if done.returncode:
        return Refused(
            "CloudFormation undid what it had begun; the line with FAILED above says why.\n"
            "A first deployment that failed is deleted before the next: "
            f"aws cloudformation delete-stack --stack-name {stack_name}"
        )
    return found(stack_name)


def main() -> int:
    """Asks, deploys, tries it out. Returns 1 if something is amiss."""
    parser = argparse.ArgumentParser(prog="python -m deploy.deploy")
    parser.add_argument("--stack-name", default="arbiter")
    parser.add_argument("--profile", choices=PROFILES)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--ask", action="store_true", help="ask again, with the answers kept")
    given = parser.parse_args()
    path = answers_path(given.stack_name)
    answers, key = read_answers(path), None
    try:
        account = boto3.client("sts").get_caller_identity()["Account"]
        print(f"Account {account}, stack {given.stack_name}.")
        if answers is None or given.ask:
            begun = answers or Answers(profile=given.profile or "small")
            answers, key = asked(begun, input, print)
        more = dict(pair.split("=", 1) for pair in given.set if "=" in pair)
        profile = given.profile or answers.profile
        answers = replace(answers, profile=profile, set={**answers.set, **more})
        keep_answers(path, answers)
        print(f"Answers are kept in {path.relative_to(ROOT)}; make deploy ASK=1 asks again.")
        if answers.relays and examine_relays(answers.relays, print):
            print("Relays marked ✗ do not carry games; the deployment goes on.")
        stack = _deployed(given.stack_name, answers)
        if isinstance(stack, Refused):
            print(stack.text, file=sys.stderr)
            return 1
        went_well = try_out(given.stack_name, stack, key, print)
    except (BotoCoreError, ClientError) as error:
        print(not_had(error).text, file=sys.stderr)
        return 1
    except (EOFError, KeyboardInterrupt):
        print("\nNothing was deployed.", file=sys.stderr)
        return 1
    for name in ("GatewayUrl", "HttpUrl"):
        print(f"{name}  {stack.outputs[name]}")
    print(f"Players need one of these and {encode_npub(answers.pubkey)}.")
    return 0 if went_well else 1


if __name__ == "__main__":
    sys.exit(main())
