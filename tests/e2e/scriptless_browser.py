"""The path of this machine's browser."""

import shutil

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def installed_chromium() -> str | None:
    """The browser on this machine's PATH, or None."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)
