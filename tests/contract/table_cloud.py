"""DynamoDB, or what stands in for it, as the cases about tables ask it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

Item = dict[str, Any]


@dataclass
class TableCloud:
    """One stand-in: its name, botocore's client for it, the names of the two tables that the
    template asks for, and a way to let time pass for it, which skips the test where there is none.
    """

    name: str
    dynamodb: Any
    games: str
    short_lived: str
    pass_seconds: Callable[[int], None]

    def put(self, item: Item, **more: Any) -> Item:
        """Put this item among the games."""
        answer: Item = self.dynamodb.put_item(TableName=self.games, Item=item, **more)
        return answer

    def get(self, key: Item) -> Item | None:
        """The item of a game's key, if there is one."""
        answer = self.dynamodb.get_item(TableName=self.games, Key=key, ConsistentRead=True)
        found: Item | None = answer.get("Item")
        return found

    def update(self, key: Item, expression: str, values: Item | None = None, **more: Any) -> Item:
        """Update an item of a game's key."""
        if values:
            more["ExpressionAttributeValues"] = values
        answer: Item = self.dynamodb.update_item(
            TableName=self.games, Key=key, UpdateExpression=expression, **more
        )
        return answer

    def transact(self, *writes: Item, **more: Any) -> Item:
        """These writes, or none of them."""
        answer: Item = self.dynamodb.transact_write_items(TransactItems=[*writes], **more)
        return answer

    def put_write(self, item: Item, **more: Any) -> Item:
        """A put, as a part of a transaction."""
        return {"Put": {"TableName": self.games, "Item": item, **more}}

    def refuses(self, code: str, call: str, **arguments: Any) -> Item:
        """Assert that a call is refused with this code, and tell the whole answer."""
        with pytest.raises(ClientError) as error:
            getattr(self.dynamodb, call)(**arguments)
        answer: Any = error.value.response
        assert answer["Error"]["Code"] == code
        return dict(answer)

    def invalid(self, call: str, **arguments: Any) -> bool:
        """Whether a call is refused as one that makes no sense."""
        try:
            getattr(self.dynamodb, call)(**arguments)
        except ClientError as error:
            return bool(error.response["Error"]["Code"] == "ValidationException")
        return False


def a_key() -> Item:
    """The key of an item that nobody else has."""
    return {"pk": {"S": uuid4().hex}}


def number(value: object) -> Item:
    """A number."""
    return {"N": str(value)}
