"""The outbox in memory, and the bridge behind it: what is on our log in the end."""

from collections.abc import Sequence

from arbiter.dialects.outgoing import SsbMessage
from tests.fakes.faults import Hook, quiet


class FakeOutbox:
    """Keeps what it was sent, and each id once as ``said``. Points of the hook: ``outbox.send``
    and ``outbox.sent``.
    """

    def __init__(self, hook: Hook = quiet) -> None:
        self.sent: list[SsbMessage] = []
        self.hook = hook

    @property
    def said(self) -> list[SsbMessage]:
        """The bridge's messages, in order: of two with one id it knows the first."""
        said: dict[str, SsbMessage] = {}
        for one in self.sent:
            said.setdefault(one.id, one)
        return [*said.values()]

    def send(self, messages: Sequence[SsbMessage]) -> None:
        self.hook("outbox.send")
        self.sent += messages
        self.hook("outbox.sent")
