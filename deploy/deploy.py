"""Deploys an arbiter from five answers, which are kept in a file and never asked again.

Before: quota and relays. After: key, health, and a game over each relay and the gateway.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import boto3
from botocore.exceptions import ClientError

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.probes.endpoints import Endpoints
from clients.probes.matches import FOOLS_MATE, seated
from deploy import answers as asking
from deploy import quota, server_key
from deploy.answers import PROFILES, ROOT, Answers, Say
from deploy.stack import Refused, Stack, arguments, describe_stack, run
from deploy.undeploy import Client
from local.template import Template, overrides
from server.relay_check import examine_all

SAM = str(ROOT / ".venv/tools/sam/bin/sam")
BUILT = ROOT / ".aws-sam/build"

_BUILD = (SAM, "build", "--template", "template.yaml", "--build-dir", str(BUILT))
_STORE = ".venv/bin/python -m deploy.server_key store --stack-name"
NEVER_REPLACED = {
    "Statement": [
        {"Effect": "Allow", "Principal": "*", "Action": "Update:*", "Resource": "*"},
        {
            "Effect": "Deny",
            "Principal": "*",
            "Action": "Update:Replace",
            "Resource": [
                f"LogicalResourceId/{name}"
                for name in ("Table", "Transcripts", "ServerKeyEncryption")
            ],
        },
    ]
}
"""The stack's policy."""

_HEALTHY_SECONDS = 120.0
_GAME_SECONDS = 90.0


def sam_command(stack_name: str, profile: str, parameters: Mapping[str, str]) -> list[str]:
    return [
        *(SAM, "deploy", "--template", str(BUILT / "template.yaml"), "--stack-name", stack_name),
        *("--config-file", str(ROOT / "samconfig.toml"), "--config-env", profile),
        *("--no-confirm-changeset", "--no-progressbar", "--parameter-overrides"),
        *overrides(parameters),
    ]


def await_health(url: str, seconds: float = _HEALTHY_SECONDS) -> str | None:
    """Wait until ``/healthz`` says that all is well; None, or the last reason why it did not."""
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
    """Play a game of four plies over one relay, by two keys of its own; why not, if it fails."""
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
    """Store the key, wait for health, play test games; whether all that went well."""
    try:
        if key is not None:
            say(f"The key is stored in {server_key.store(key, stack, boto3.client('ssm'))}.")
        elif not _key_is_stored(stack):
            say(f"The arbiter has no secret key yet: {_STORE} {stack_name}")
            return False
        functions = boto3.client("lambda")
        server_key.announce(stack, functions)
    except Refused as refused:
        say(f"{refused}\nThen: {_STORE} {stack_name}")
        return False
    if why := await_health(stack.outputs["HttpUrl"]):
        say(f"{stack.outputs['HttpUrl']}/healthz: {why}. See http-api's log (docs/runbook.md).")
        return False
    relays = [url for url in stack.parameters.get("Relays", "").split(",") if url]
    if relays and stack.parameters.get("Listeners") != "0":
        # The schedule would start the first one within thirteen minutes.
        listener = stack.outputs["RelayListenerFunctionName"]
        functions.invoke(FunctionName=listener, InvocationType="Event", Payload=b"{}")
    ways = (stack.outputs["GatewayUrl"], *relays)
    troubles = {way: play_over(way, stack) for way in ways}
    for way, trouble in troubles.items():
        say(f"✗ a game over {way}: {trouble}" if trouble else f"✓ a game over {way}")
    if any(troubles.values()):
        say("A game that fails over a relay alone: make relays RELAYS=…, and deploy with others.")
    return not any(troubles.values())


def protect(stack_name: str, stack: Stack, client: Client) -> None:
    """Protect the games from deletion, and table and key from an update that would replace them."""
    client("dynamodb").update_table(
        TableName=stack.outputs["TableName"], DeletionProtectionEnabled=True
    )
    client("cloudformation").set_stack_policy(
        StackName=stack_name, StackPolicyBody=json.dumps(NEVER_REPLACED)
    )


def _deploy(stack_name: str, profile: str, parameters: Mapping[str, str]) -> Stack:
    own: list[str] = []
    with contextlib.suppress(Refused, KeyError):  # there is none yet
        outputs = describe_stack(stack_name).outputs
        functions = ("GatewayFunctionName", "HttpApiFunctionName", "NoticeFunctionName")
        own = [outputs[name] for name in functions if name in outputs]
    print(quota.check(boto3.client("lambda"), parameters, own), flush=True)
    if subprocess.run(_BUILD, cwd=ROOT, check=False).returncode:
        raise Refused("The functions could not be built: see above.")
    command = sam_command(stack_name, profile, parameters)
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise Refused(
            "CloudFormation undid what it had begun; the line with FAILED above says why.\n"
            "A first deployment that failed is deleted before the next: "
            f"aws cloudformation delete-stack --stack-name {stack_name}"
        )
    return describe_stack(stack_name)


def _answers(name: str, profile: str, ask: bool) -> tuple[Answers, SecretKey | None]:  # noqa: FBT001
    kept = asking.read_answers(asking.answers_path(name))
    if kept and not ask:
        return replace(kept, profile=profile or kept.profile), None
    answers, key = asking.ask_operator(kept or Answers(profile=profile or "small"), input, print)
    return replace(answers, profile=profile or answers.profile), key


def main() -> int:
    parser = arguments("deploy", __doc__)
    parser.add_argument("--profile", choices=PROFILES, default="")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--ask", action="store_true", help="ask again, with the answers kept")
    given = parser.parse_args()

    def act() -> int:
        more = asking.read_set(given.set)
        account = boto3.client("sts").get_caller_identity()["Account"]
        print(f"Account {account}, {boto3.client('lambda').meta.region_name}, {given.stack_name}.")
        answers, key = _answers(given.stack_name, given.profile, given.ask)
        template = Template.read(ROOT / "template.yaml")
        answers = asking.without_unknown(answers, template, print)
        answers = replace(answers, set={**answers.set, **more})
        profiles = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
        parameters = asking.parameters_of(answers, template, profiles)
        if refused := asking.why_not(parameters, template):
            raise Refused(refused)
        path = asking.answers_path(given.stack_name)
        asking.keep_answers(path, answers)
        print(f"Answers are kept in {path.relative_to(ROOT)}; make deploy ASK=1 asks again.")
        findings = examine_all(answers.relays)
        for one in findings:
            print("\n".join(one.lines()))
        if not all(one.is_fit() for one in findings):
            print("Relays marked ✗ do not carry games; the deployment goes on.")
        stack = _deploy(given.stack_name, answers.profile, parameters)
        protect(given.stack_name, stack, cast("Client", boto3.client))
        went_well = try_out(given.stack_name, stack, key, print)
        print(f"GatewayUrl  {stack.outputs['GatewayUrl']}\nHttpUrl  {stack.outputs['HttpUrl']}")
        print(f"Players need one of these and {encode_npub(answers.pubkey)}.")
        return 0 if went_well else 1

    try:
        return run(act)
    except (ValueError, EOFError, KeyboardInterrupt) as wrong:
        why = wrong if isinstance(wrong, ValueError) else "\nNothing was deployed."
        print(why, file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
