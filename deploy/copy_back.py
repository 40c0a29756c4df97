"""Copies items of a restored table that the live one lacks or has in an older version.

Invariant: nothing newer is overwritten. Each write is conditional on the item's version, so this
may run while games go on, be stopped, and run again. Pools and challenges are not copied.

    python -m deploy.copy_back --stack-name arbiter --from arbiter-restored
"""

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from arbiter.adapters.items.attributes import Item
from deploy.stack import Refused, describe_stack, refused_by_aws

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_OF_THE_MOMENT = ("q#", "c#")
"""Pools and challenges: their players have gone, and a missing challenge was answered."""


def copy_back(dynamodb: "DynamoDBClient", source: str, target: str) -> Counter[str]:
    """Returns how many items were ``copied``, ``kept`` as the target has them, and ``left`` in the
    source. Raises botocore's errors.
    """
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


def main() -> int:
    """Copies into the stack's table. Returns 1 if that failed."""
    parser = argparse.ArgumentParser(prog="python -m deploy.copy_back")
    parser.add_argument("--stack-name", default="arbiter")
    parser.add_argument("--from", dest="source", required=True, metavar="TABLE")
    options = parser.parse_args()
    stack = describe_stack(options.stack_name)
    if isinstance(stack, Refused):
        print(stack.text, file=sys.stderr)
        return 1
    target = stack.outputs["TableName"]
    try:
        done = copy_back(boto3.client("dynamodb"), options.source, target)
    except (BotoCoreError, ClientError) as error:
        print(refused_by_aws(error).text, file=sys.stderr)
        return 1
    print(
        f"Into {target}: {done['copied']} items copied, {done['kept']} kept unchanged, "
        f"{done['left']} requests and challenges left behind."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
