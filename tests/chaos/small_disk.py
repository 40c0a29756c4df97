"""A disk of our own, small enough to be filled, that is gone when this process is.

It is mounted in a mount namespace of this process and its children, so that nothing is left behind
even by kill -9. Only root on Linux may do this.
"""

import contextlib
import ctypes
import os
import subprocess
import sys
from pathlib import Path

_CLONE_NEWNS = 0x0002_0000
_MEGABYTE = 1_000_000
_CHUNKS = (_MEGABYTE, 4096, 1)


class SmallDisk:
    """A folder whose files are in memory and bounded. Make it before any thread is started."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        """Raises OSError or CalledProcessError where this cannot be."""
        if sys.platform != "linux":
            raise OSError("only Linux has mount namespaces")
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(_CLONE_NEWNS) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        folder.mkdir(parents=True, exist_ok=True)
        size = f"size={megabytes}m,mode=700"
        for command in (
            ("mount", "--make-rprivate", "/"),
            ("mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)),
        ):
            subprocess.run(command, check=True, capture_output=True)
        self._folder = folder
        self._filling = folder / "filling"

    def fill(self) -> int:
        """Leave no byte free; how many megabytes that took."""
        written = 0
        with self._filling.open("wb", buffering=0) as filling:
            for size in _CHUNKS:
                with contextlib.suppress(OSError):
                    while True:
                        written += filling.write(bytes(size))
        return written // _MEGABYTE

    def clear(self) -> None:
        """Give the room back."""
        self._filling.unlink(missing_ok=True)

    def remove(self) -> None:
        """Take the disk away, with all that is on it."""
        subprocess.run(("umount", "-l", str(self._folder)), check=True, capture_output=True)
