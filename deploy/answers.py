"""The questions to an operator, asked once, and the parameters that follow from the answers.

Invariant: nothing that the template would refuse is kept, or deployed.
"""

import json
import re
import secrets
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub, pubkey_in
from deploy import server_key
from deploy.stack import Refused
from local.template import Template

ROOT = Path(__file__).resolve().parent.parent
PROFILES = ("small", "default", "large")

_NO = {"", "none", "no", "-"}
_RELAY = re.compile(r"wss?://[^\s,;/]+(/[^\s,;]*)?")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")

Ask = Callable[[str], str]
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of an operator; ``set`` has further parameters, given by SET."""

    profile: str = "small"
    pubkey: str = ""
    relays: tuple[str, ...] = ()
    email: str = ""
    set: Mapping[str, str] = field(default_factory=dict)


def answers_path(stack_name: str) -> Path:
    """The file of the answers for this stack. They hold no secret."""
    return ROOT / ".deploy" / f"{stack_name}.json"


def read_answers(path: Path) -> Answers | None:
    """The answers that are kept there; None if there are none. Raises ValueError, with a line for
    the operator.
    """
    if not path.is_file():
        return None
    try:
        told = json.loads(path.read_bytes())
        return Answers(**{**told, "relays": tuple(told["relays"])})
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is damaged: move it away, and answer again") from error


def keep_answers(path: Path, answers: Answers) -> None:
    """Writes them there."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(asdict(answers), indent=2) + "\n", encoding="utf-8")


def ask_operator(before: Answers, ask: Ask, say: Say) -> tuple[Answers, SecretKey | None]:
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
    pubkey = pubkey_in(text)
    if pubkey is None:
        raise ValueError("That is no key: npub1…, 64 hexadecimal digits, or nsec1…")
    return pubkey


def _relays(text: str) -> tuple[str, ...] | None:
    if not text:
        return None
    if text.lower() in _NO:
        return ()
    urls = tuple(url.strip() for url in text.split(",") if url.strip())
    for url in urls:
        if not _RELAY.fullmatch(url):
            raise ValueError(f"{url} is no relay: wss://one.example,wss://two.example, or none")
    return urls


def _email(text: str) -> str | None:
    if not text:
        return None
    if text.lower() in _NO:
        return ""
    if not _ADDRESS.fullmatch(text):
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


def read_set(words: Sequence[str]) -> dict[str, str]:
    """``Name=value`` of SET. Raises ValueError for a word that is none, such as the rest of a value
    with a space.
    """
    if wrong := [word for word in words if not re.match("[A-Za-z]+=", word)]:
        raise ValueError(
            f"SET has {wrong[0]!r}, which is no Name=value. A value with a space is quoted twice: "
            """make deploy SET='ServerName="Our Chess"'"""
        )
    return dict(word.split("=", 1) for word in words)


def without_unknown(answers: Answers, template: Template, say: Say) -> Answers:
    """The answers without what an earlier release let be SET and this one does not know."""
    known = template.content["Parameters"]
    for name in (gone := answers.set.keys() - known.keys()):
        say(f"This release has no parameter {name}; it is no longer set (docs/deployment.md).")
    return replace(answers, set={name: it for name, it in answers.set.items() if name not in gone})


def why_not(parameters: Mapping[str, str], template: Template) -> str | None:
    """Return the reason why CloudFormation would refuse one of them; None if it would not."""
    known = template.content["Parameters"]
    for name, text in parameters.items():
        if name not in known:
            return f"The template has no parameter {name}: check SET (docs/deployment.md)."
        said = known[name]
        allowed = [str(it) for it in said.get("AllowedValues", [text])]
        is_number = said["Type"] != "Number" or re.fullmatch("[0-9]+", text)
        is_formed = re.search(said.get("AllowedPattern", ""), text)
        most = said.get("MaxValue", float("inf"))
        if not is_number or not is_formed or text not in allowed:
            form = (
                ", ".join(allowed) if text not in allowed else said.get("Description", "a number")
            )
            return f"{name} cannot be {text!r}: {form}"
        if said["Type"] == "Number" and not said.get("MinValue", 0) <= int(text) <= most:
            return f"{name} cannot be {text}: from {said.get('MinValue', 0)} to {most}"
    return None
