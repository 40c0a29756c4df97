"""Copies items of a restored table that the live one lacks or has older; no pools or challenges.

Invariant: nothing newer is overwritten, so this may run while games go on, and run again.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError

from arbiter.adapters.items.attributes import Item
from deploy.stack import Stack, arguments, run_for

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_OF_THE_MOMENT = ("q#", "c#")
"""Pools and challenges: their players have gone, and a missing challenge was answered."""


def copy_back(dynamodb: "DynamoDBClient", source: str, target: str) -> Counter[str]:
    """The items ``copied``, ``kept`` and ``left`` in the source. Raises botocore's errors."""
    done: Counter[str] = Counter()
    pages = dynamodb.get_paginator("scan").paginate(TableName=source, ConsistentRead=True)
    for page in pages:
        for item in page["Items"]:
            done[_copy(dynamodb, target, item)] += 1
    return done


def _copy(dynamodb: "DynamoDBClient", target: str, item: Item) -> str:
    if item["pk"]["S"].startswith(_OF_THE_MOMENT):
        return "left"
    put: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(pk)"}
    if "v" in item:
        put = {
            "ConditionExpression": "attribute_not_exists(pk) OR #v < :v",
            "ExpressionAttributeNames": {"#v": "v"},
            "ExpressionAttributeValues": {":v": item["v"]},
        }
    try:
        dynamodb.put_item(TableName=target, Item=item, **put)
    except ClientError as error:
        if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return "kept"
    return "copied"


def told(target: str, done: Mapping[str, int]) -> str:
    return (
        f"Into {target}: {done['copied']} items copied, {done['kept']} kept unchanged, "
        f"{done['left']} requests and challenges left behind."
    )


def main() -> int:
    parser = arguments("copy_back", __doc__)
    parser.add_argument("--from", dest="source", required=True, metavar="TABLE")
    options = parser.parse_args()

    def act(stack: Stack) -> int:
        target = stack.outputs["TableName"]
        print(told(target, copy_back(boto3.client("dynamodb"), options.source, target)))
        return 0

    return run_for(options.stack_name, act)


if __name__ == "__main__":
    sys.exit(main())
