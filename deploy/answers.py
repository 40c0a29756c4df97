"""The five questions of `make deploy`, asked once, and the parameters that follow from them."""

import json
import re
import secrets
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub, pubkey_in
from local.template import Template

ROOT = Path(__file__).resolve().parent.parent
PROFILES = ("small", "default", "large")

_NO = {"none", "no", "-"}
_RELAY = re.compile(r"wss?://[^\s,;/]+(/[^\s,;]*)?")
_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")

Ask = Callable[[str], str]
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Answers:
    """The operator's answers; no ``budget``: the profile's; ``set``: parameters given by SET."""

    profile: str = "small"
    pubkey: str = ""
    relays: tuple[str, ...] = ()
    email: str = ""
    budget: str = ""
    set: Mapping[str, str] = field(default_factory=dict)


def answers_path(stack_name: str) -> Path:
    """Where the answers for this stack are kept. They hold no secret."""
    return ROOT / ".deploy" / f"{stack_name}.json"


def read_answers(path: Path) -> Answers | None:
    """The answers that are kept, or None. Raises ValueError, with a line for the operator."""
    if not path.is_file():
        return None
    try:
        told = json.loads(path.read_bytes())
        return Answers(**{**told, "relays": tuple(told["relays"])})
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is damaged: move it away, and answer again") from error


def keep_answers(path: Path, answers: Answers) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(asdict(answers), indent=2) + "\n", encoding="utf-8")


def ask_operator(before: Answers, ask: Ask, say: Say) -> tuple[Answers, SecretKey | None]:
    """The five answers, each asked until it is one; and the key, if one was made or given."""

    def until_read(question: str, kept: str, read: Callable[[str], Any]) -> Any:  # noqa: ANN401 - of each reader
        while True:
            try:
                text = ask(f"{question} [{kept}]: ").strip()
                return read(text) if text else None
            except ValueError as wrong:
                say(f"  {wrong}")

    profile = until_read("Profile: small, default or large", before.profile, _profile)
    kept = encode_npub(before.pubkey) if before.pubkey else "Return makes one"
    key = until_read("The arbiter's key: npub1…, 64 digits or nsec1…", kept, _key)
    if key is None and not before.pubkey:
        key = SecretKey.generate(secrets.token_bytes(32))
        say(f"  A new key. Keep the secret safe, it is shown this once: {key.to_nsec()}")
    there = ",".join(before.relays) or "none"
    relays = until_read("Relays, with commas between them", there, _relays)
    most = before.budget or "the profile's: 2, 20 or 200"
    budget = until_read("Dollars a day at most", most, _dollars)
    email = until_read("E-mail for alarms", before.email or "none", _email)
    answers = replace(
        before,
        profile=profile or before.profile,
        pubkey=key.pubkey if isinstance(key, SecretKey) else key or before.pubkey,
        relays=before.relays if relays is None else relays,
        email=before.email if email is None else email,
        budget=budget or before.budget,
    )
    return answers, key if isinstance(key, SecretKey) else None


def _profile(text: str) -> str:
    if text not in PROFILES:
        raise ValueError(f"There is no such profile. One of: {', '.join(PROFILES)}")
    return text


def _key(text: str) -> SecretKey | str:
    with suppress(ValueError):
        if key := SecretKey.from_text(text) if text.startswith("nsec1") else pubkey_in(text):
            return key
    raise ValueError("That is no key: npub1…, 64 hexadecimal digits, or nsec1…")


def _relays(text: str) -> tuple[str, ...]:
    urls = tuple(url.strip() for url in text.split(",") if url.strip() and text.lower() not in _NO)
    if wrong := [url for url in urls if not _RELAY.fullmatch(url)]:
        raise ValueError(f"{wrong[0]} is no relay: wss://one.example,wss://two.example, or none")
    return urls


def _dollars(text: str) -> str:
    if not _AMOUNT.fullmatch(text):
        raise ValueError("That is no amount: 2, or 0.50; 0 for no bound")
    return text


def _email(text: str) -> str:
    if text.lower() in _NO:
        return ""
    if not _ADDRESS.fullmatch(text):
        raise ValueError("That is no address: you@example.org, or none")
    return text


def parameters_of(
    answers: Answers, template: Template, profiles: Mapping[str, Any]
) -> dict[str, str]:
    """All parameters: the template's defaults, the profile's, the answers, SET's, in this order."""
    given = profiles[answers.profile]["deploy"]["parameters"].get("parameter_overrides", [])
    pairs = shlex.split(given) if isinstance(given, str) else given
    said = {
        "ServerPubkey": answers.pubkey,
        "Relays": ",".join(answers.relays),
        "AlarmEmail": answers.email,
    } | ({"DailyBudget": answers.budget} if answers.budget else {})
    defaults = {name: str(value) for name, value in template.defaults().items()}
    return defaults | dict(pair.split("=", 1) for pair in pairs) | said | dict(answers.set)


def read_set(words: Sequence[str]) -> dict[str, str]:
    """``Name=value`` of SET; another word goes on with the value before. Raises ValueError."""
    pairs: list[str] = []
    for word in words:
        if re.match("[A-Za-z]+=", word):
            pairs.append(word)
        elif pairs:
            pairs[-1] += f" {word}"
        else:
            raise ValueError(f"SET has {word!r}, which is no Name=value.")
    return dict(pair.split("=", 1) for pair in pairs)


def without_unknown(answers: Answers, template: Template, say: Say) -> Answers:
    """The answers without what an earlier release let be SET and this one does not know."""
    known = template.content["Parameters"]
    for name in answers.set.keys() - known.keys():
        say(f"This release has no parameter {name}; it is no longer set (docs/deployment.md).")
    return replace(answers, set={name: it for name, it in answers.set.items() if name in known})


def why_not(parameters: Mapping[str, str], template: Template) -> str | None:
    """Why CloudFormation would refuse one after minutes, or None; numbers are left to it."""
    for name, text in parameters.items():
        known = template.content["Parameters"].get(name)
        if known is None:
            return f"The template has no parameter {name}: check SET (docs/deployment.md)."
        allowed = [str(it) for it in known.get("AllowedValues", [text])]
        pattern = known.get(
            "AllowedPattern", _AMOUNT.pattern if known["Type"] == "Number" else ".*"
        )
        if text not in allowed or not re.fullmatch(pattern, text):
            form = known.get("Description", "") if text in allowed else ", ".join(allowed)
            return f"{name} cannot be {text!r}: {form}"
    return None
