"""The environment variables of children, among them no AWS setting of the user's."""

import os
from collections.abc import Mapping
from typing import Any

from local.settings import REGION, ROOT, Settings

_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def bare_environment(settings: Settings) -> dict[str, str]:
    """Variables of every long-lived child: where programs are, a home of its own, any proxies."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    home = settings.run_dir / "home"
    home.mkdir(parents=True, exist_ok=True)
    return {**kept, **_proxies(os.environ), "HOME": str(home), "PYTHONUNBUFFERED": "1"}


def aws_environment(endpoint_url: str) -> dict[str, str]:
    """Variables that make every AWS client talk to the emulator. The credentials are no secret."""
    return {
        "AWS_ENDPOINT_URL": endpoint_url,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def client_settings(endpoint_url: str | None) -> dict[str, Any]:
    """The arguments of a boto3 client that talks to the emulator; None: to moto in this process."""
    given = aws_environment(endpoint_url or "")
    return {
        "endpoint_url": endpoint_url,
        "region_name": REGION,
        "aws_access_key_id": given["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": given["AWS_SECRET_ACCESS_KEY"],
    }


def program_environment(settings: Settings) -> dict[str, str]:
    return {
        **bare_environment(settings),
        **aws_environment(settings.aws_url),
        "PYTHONPATH": our_code(),
    }


def tool_environment(settings: Settings) -> dict[str, str]:
    """`sam`'s environment: the user's, as it installs packages, with the emulator's for AWS."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {
        **own,
        **_proxies(own),
        **aws_environment(settings.aws_url),
        "SAM_CLI_TELEMETRY": "0",
        "LAYER_TARGET": "host",
    }


def our_code() -> str:
    """PYTHONPATH for a child that runs our own code: the root, and what Lambda has in a layer."""
    return os.pathsep.join((str(ROOT), str(ROOT / "layers" / "arbiter" / "python")))


def _proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """The proxies that are set, with this machine always exempt from them."""
    found = {}
    for name in _PROXIES:
        for spelling in (name, name.upper()):
            if spelling in environment:
                found[spelling] = environment[spelling]
    exempt = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    exemptions = ",".join(filter(None, (exempt, "127.0.0.1", "localhost")))
    return {**found, "no_proxy": exemptions, "NO_PROXY": exemptions} if found else {}
