"""MiniStack and its state on disk, which it writes when it is stopped by SIGTERM.

Invariant: the state is copied before it starts; the copy undoes an unfinished deployment.
"""

import shutil
from pathlib import Path

from local.environment import bare_environment
from local.ports import LOOPBACK
from local.processes import Part
from local.settings import REGION, Settings

_STOP_TIMEOUT_SECONDS = 20.0
_SCRATCH = "tmp"


def ministack_part(settings: Settings) -> Part:
    cloud = settings.run_dir / "cloud"
    scratch = cloud / _SCRATCH
    scratch.mkdir(parents=True, exist_ok=True)
    return Part(
        name="ministack",
        command=(str(settings.tools.ministack),),
        environment={
            **bare_environment(settings),
            "BIND_HOST": LOOPBACK,  # it would bind every interface
            "MINISTACK_HOST": LOOPBACK,  # the name in queue URLs; localhost may mean ::1
            "GATEWAY_PORT": str(settings.ports.aws),
            "MINISTACK_REGION": REGION,
            "PERSIST_STATE": "1",
            "STATE_DIR": str(cloud / "state"),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(cloud / "s3"),
            "TMPDIR": str(scratch),
            "LAMBDA_EXECUTOR": "local",
            # It would open ports for these, and clean up a Docker that is not ours.
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "DOCKER_HOST": f"unix://{scratch}/no-docker",
        },
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
        is_restarted=False,
    )


class CloudState:
    """The state folder on disk, to be handled while MiniStack is not running."""

    def __init__(self, run_dir: Path) -> None:
        cloud = run_dir / "cloud"
        self._state = cloud / "state"
        self._before = cloud / "state.before"
        self._deploying = cloud / "deploying"
        self._scratch = cloud / _SCRATCH

    def prepare(self) -> None:
        """Make the state fit to start from; keep a copy of it beside it."""
        # Unpacked functions of earlier runs, should one of them have been killed: a hundred
        # megabytes, that the copy may need.
        shutil.rmtree(self._scratch, ignore_errors=True)
        # The emulator keeps the secret key too, in plain text, beside the games.
        self._state.parent.mkdir(parents=True, exist_ok=True)
        self._state.parent.chmod(0o700)
        if self._deploying.exists() and self._before.exists():
            shutil.rmtree(self._state, ignore_errors=True)
            shutil.copytree(self._before, self._state)
        self._state.mkdir(parents=True, exist_ok=True)
        self._deploying.unlink(missing_ok=True)
        shutil.rmtree(self._before, ignore_errors=True)
        shutil.copytree(self._state, self._before)

    def begin_deployment(self) -> None:
        """From here until it ended, the copy is the truth."""
        self._deploying.touch()

    def end_deployment(self) -> None:
        """The state is the truth again."""
        self._deploying.unlink(missing_ok=True)
