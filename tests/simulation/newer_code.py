"""A later version of the arbiter, at the table."""

from typing import Any

from tests.simulation.sim_table import SimDynamoDb

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
        """UpdateItem, with a word of its own."""
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
