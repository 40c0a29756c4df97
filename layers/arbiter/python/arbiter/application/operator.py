"""Changes of the policy by the operator: from a command line, a page or a signed list."""

from arbiter.application.intake.queue_messages import end_games_body
from arbiter.application.ports import PolicyStore, RepublishQueue
from arbiter.core.policy import PolicyCommand, changed

_ATTEMPTS = 5


def change_policy(
    store: PolicyStore, queue: RepublishQueue, command: PolicyCommand, now_ms: int, by: str
) -> str | None:
    """Change the stored policy, and have the games end that are to; the reason why not, if so.
    Raises for infrastructure.
    """
    for _ in range(_ATTEMPTS):
        before = store.load()
        after = changed(before, command, now_ms, by)
        if isinstance(after, str):
            return after
        try:
            is_written = store.commit(before, after)
        except ValueError as error:
            return str(error)
        if is_written:
            for key in command.keys if command.ends_games else ():
                queue.send(end_games_body(key), 0)
            return None
    return "others change the policy at the same time: try again"
