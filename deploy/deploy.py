"""Deploys an arbiter from four answers, which are kept in a file and never asked again.

Before: the account's quota, and the relays. After: the secret key is stored, the arbiter is asked
for its health, and plays a game against itself over each relay and over its own gateway.

    python -m deploy.deploy --stack-name arbiter [--profile small] [--set Name=value …] [--ask]
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import replace

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.probes.endpoints import Endpoints
from clients.probes.matches import FOOLS_MATE, seated
from deploy import quota, server_key
from deploy.answers import (
    PROFILES,
    ROOT,
    Answers,
    Say,
    answers_path,
    ask_operator,
    keep_answers,
    parameters_of,
    read_answers,
    read_set,
    why_not,
    without_unknown,
)
from deploy.stack import Refused, Stack, describe_stack, refused_by_aws
from local.template import Template
from server.relay_check import examine_all

SAM = ROOT / ".venv/tools/sam/bin/sam"
BUILT = ROOT / ".aws-sam/build/template.yaml"

_BUILD = (str(SAM), "build", "--template", "template.yaml", "--build-dir", str(BUILT.parent))
_STORE = ".venv/bin/python -m deploy.server_key store --stack-name"
_HEALTHY_SECONDS = 120.0
_GAME_SECONDS = 90.0


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
    findings = examine_all(urls)
    for one in findings:
        say("\n".join(one.lines()))
    return [one.url for one in findings if not one.is_fit()]


def await_health(url: str, seconds: float = _HEALTHY_SECONDS) -> str | None:
    """Wait until ``/healthz`` answers that all is well. Return the last reason why it did not; None
    when it does.
    """
    ends_at = time.monotonic() + seconds
    why = "no answer"
    while time.monotonic() < ends_at:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=10) as answer:  # noqa: S310 - the stack's own URL
                status = json.loads(answer.read()).get("status")
                if status == "ok":
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
        say(f"The arbiter has no secret key yet: {_STORE} {stack_name}")
        return False
    if key is not None:
        stored = server_key.store(key, stack, boto3.client("ssm"))
        if isinstance(stored, Refused):
            say(stored.text)
            return False
        say(f"The key is stored in {stored.parameter}.")
    functions = boto3.client("lambda")
    if refused := server_key.announce(stack, functions):
        say(f"{refused.text}\nSee its log, then: {_STORE} {stack_name}")
        return False
    if why := await_health(stack.outputs["HttpUrl"]):
        say(f"{stack.outputs['HttpUrl']}/healthz: {why}. See http-api's log (docs/runbook.md).")
        return False
    ways = [url for url in stack.parameters.get("Relays", "").split(",") if url]
    if ways and stack.parameters.get("Listeners") != "0":
        # The schedule would start the first one within fourteen minutes.
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


def _deploy(stack_name: str, parameters: Mapping[str, str]) -> Stack | Refused:
    stack = describe_stack(stack_name)
    outputs = {} if isinstance(stack, Refused) else stack.outputs
    names = ("GatewayFunctionName", "HttpApiFunctionName")
    reserved_functions = [outputs[name] for name in names if name in outputs]
    enough = quota.check(boto3.client("lambda"), parameters, reserved_functions)
    if isinstance(enough, Refused):
        return enough
    print(enough, flush=True)
    if subprocess.run(_BUILD, cwd=ROOT, check=False).returncode:
        return Refused("The functions could not be built: see above.")
    done = subprocess.run(sam_command(stack_name, parameters), cwd=ROOT, check=False)
    if done.returncode:
        return Refused(
            "CloudFormation undid what it had begun; the line with FAILED above says why.\n"
            "A first deployment that failed is deleted before the next: "
            f"aws cloudformation delete-stack --stack-name {stack_name}"
        )
    return describe_stack(stack_name)


def main() -> int:
    """Asks, deploys, tries it out. Returns 1 if something is amiss."""
    parser = argparse.ArgumentParser(prog="python -m deploy.deploy")
    parser.add_argument("--stack-name", default="arbiter")
    parser.add_argument("--profile", choices=PROFILES)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--ask", action="store_true", help="ask again, with the answers kept")
    given = parser.parse_args()
    path = answers_path(given.stack_name)
    key = None
    try:
        kept = read_answers(path)
        more = read_set(given.set)
        account = boto3.client("sts").get_caller_identity()["Account"]
        print(f"Account {account}, {boto3.client('lambda').meta.region_name}, {given.stack_name}.")
        answers = kept
        if answers is None or given.ask:
            begun = answers or Answers(profile=given.profile or "small")
            answers, key = ask_operator(begun, input, print)
        template = Template.read(ROOT / "template.yaml")
        answers = without_unknown(answers, template, print)
        profile = given.profile or answers.profile
        answers = replace(answers, profile=profile, set={**answers.set, **more})
        profiles = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
        parameters = parameters_of(answers, template, profiles)
        if refused := why_not(parameters, template):
            print(refused, file=sys.stderr)
            return 1
        keep_answers(path, answers)
        print(f"Answers are kept in {path.relative_to(ROOT)}; make deploy ASK=1 asks again.")
        if answers.relays and examine_relays(answers.relays, print):
            print("Relays marked ✗ do not carry games; the deployment goes on.")
        stack = _deploy(given.stack_name, parameters)
        if isinstance(stack, Refused):
            print(stack.text, file=sys.stderr)
            return 1
        went_well = try_out(given.stack_name, stack, key, print)
    except (BotoCoreError, ClientError) as error:
        print(refused_by_aws(error).text, file=sys.stderr)
        return 1
    except ValueError as wrong:
        print(wrong, file=sys.stderr)
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
