"""What else the arbiter has of the cloud: key, schedules, sockets."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.simulation.aws_errors import aws_error
from tests.simulation.calls import Calls
from tests.simulation.history import Posted, Scheduled
from tests.simulation.sim_table import SimDynamoDb

if TYPE_CHECKING:
    from tests.simulation.world import World


class Parameters:
    """The key, for who may read it."""

    def __init__(self, calls: Calls, secret_key: str) -> None:
        self._calls = calls
        self.secret_key = secret_key

    def get_parameter(self, **call: Any) -> dict[str, Any]:
        """GetParameter of Systems Manager; there is but one."""
        del call
        self._calls.port("ssm.get_parameter.asked")
        value = {"Parameter": {"Value": self.secret_key}}
        self._calls.port("ssm.get_parameter.done")
        return value


class ConflictException(Exception):
    """There is a schedule of that name already."""


class Schedules:
    """EventBridge Scheduler: what is far off. ``waiting`` has by name what will be sent."""

    class exceptions:  # noqa: N801 - boto3's own word
        """As boto3 has them at each client."""

        ConflictException = ConflictException

    def __init__(self, world: "World", calls: Calls, fire: Callable[[str], None]) -> None:
        self._world = world
        self._calls = calls
        self._fire = fire
        self.waiting: dict[str, str] = {}

    def create_schedule(self, **call: Any) -> None:
        """CreateSchedule, of what happens once; it is up to a minute late."""
        self._calls.port("scheduler.create_schedule.asked")
        name = call["Name"]
        if name in self.waiting:
            raise ConflictException
        body = self.waiting[name] = call["Target"]["Input"]
        world = self._world
        world.write(Scheduled(at_ms=world.now_ms(), by=world.who(), body=body))
        due_ms = world.unix_ms_of(call["ScheduleExpression"])
        late = world.chance.random() * 60
        world.at_ms(due_ms + late * 1000, lambda: self._fire(self.waiting.pop(name)))
        self._calls.port("scheduler.create_schedule.done")


class Sockets:
    """API Gateway's side of our own sockets. ``open`` has by connection who hears what is said
    there: a text, or None when we hang up.
    """

    def __init__(self, world: "World", calls: Calls) -> None:
        self._world = world
        self._calls = calls
        self.open: dict[str, Callable[[str | None], bool]] = {}

    def post_to_connection(self, **call: Any) -> None:
        self._calls.port("gateway.post_to_connection.asked")
        way, text = call["ConnectionId"], call["Data"].decode()
        hear = self.open.get(way)
        arrived = hear is not None and hear(text)
        self._world.write(
            Posted(
                at_ms=self._world.now_ms(),
                who=self._world.who(),
                way=way,
                frame=text,
                arrived=arrived,
            )
        )
        if hear is None:
            raise aws_error("GoneException", "PostToConnection")
        self._calls.port("gateway.post_to_connection.done")

    def delete_connection(self, **call: Any) -> None:
        self._calls.port("gateway.delete_connection.asked")
        hear = self.open.get(call["ConnectionId"])
        if hear is None:
            raise aws_error("GoneException", "DeleteConnection")
        hear(None)
        self._calls.port("gateway.delete_connection.done")


NEWER_ATTRIBUTE = "zz"


class NewerCode:
    """The table as a later version of the arbiter would use it: each game that it writes gets an
    attribute that the present code does not know, and must leave as it is.
    """

    def __init__(self, real: SimDynamoDb, written: set[str]) -> None:
        self._real = real
        self._written = written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def update_item(self, **call: Any) -> Any:
        key = call["Key"]["pk"]["S"]
        if call["TableName"] != "arbiter" or not key.startswith("g#"):
            return self._real.update_item(**call)
        names = {**call["ExpressionAttributeNames"], "#newer": NEWER_ATTRIBUTE}
        values = {**call["ExpressionAttributeValues"], ":newer": {"S": "kept"}}
        expression = call["UpdateExpression"].replace("SET ", "SET #newer = :newer, ", 1)
        more = {
            "UpdateExpression": expression,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        }
        answer = self._real.update_item(**{**call, **more})
        self._written.add(key)
        return answer
