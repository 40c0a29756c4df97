"""What makes a rehearsal fail: something is not as it should be."""


class Amiss(Exception):
    """Something is not as it should be; the text is for a person."""


def expect(is_so: bool, text: str) -> None:  # noqa: FBT001 - reads as an assertion does
    """Go on only if it is so; otherwise Amiss with this text."""
    if not is_so:
        raise Amiss(text)
