"""A deployment's whole life on this machine: `python -m local.rehearsal`, or `make rehearse`."""


class CheckFailed(Exception):
    """A check failed; the text is for the user."""


def expect(is_so: bool, text: str) -> None:  # noqa: FBT001 - reads as an assertion does
    """Go on only if it is so; otherwise CheckFailed with this text."""
    if not is_so:
        raise CheckFailed(text)
