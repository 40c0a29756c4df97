"""Deletes an arbiter and all that it made, once the operator has typed the stack's name.

The stack goes last, since its outputs name the rest: an interrupted run is repeated.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import boto3
from botocore.exceptions import ClientError

from deploy.answers import answers_path
from deploy.stack import Refused, Stack, arguments, run_for

_UPLOADS = "aws-sam-cli-managed-default"
"""SAM's own stack: a bucket for the uploads of all its applications in a region."""

_DAYS = 7
"""The least that KMS waits before it deletes a key."""

_GONE = (
    *("ResourceNotFoundException", "ParameterNotFound"),
    *("NotFoundException", "KMSInvalidStateException", "NoSuchBucket"),
)

Client = Callable[[str], Any]


def delete_all(stack_name: str, stack: Stack, client: Client) -> Iterator[str]:
    """Deletes it, and tells each step when it is done. Raises botocore's errors."""
    outputs = stack.outputs
    parameter, table = outputs["KeyParameterName"], outputs["TableName"]
    with _unless_gone():
        client("ssm").delete_parameter(Name=parameter)
    yield f"the secret key in {parameter}"
    key = outputs["KeyEncryptionKeyArn"]
    if not key.startswith("alias/"):
        with _unless_gone():
            client("kms").schedule_key_deletion(
                KeyId=key.rpartition("/")[2], PendingWindowInDays=_DAYS
            )
        yield f"its encryption key {key}, in {_DAYS} days (kept: aws kms cancel-key-deletion)"
    with _unless_gone():
        _delete_table(client("dynamodb"), table)
    yield f"the table {table}, with every game"
    if bucket := outputs.get("TranscriptsBucket"):
        with _unless_gone():
            _empty(client("s3"), bucket)
            client("s3").delete_bucket(Bucket=bucket)
        yield f"the bucket {bucket}, with every transcript"
    _delete_stack(client("cloudformation"), stack_name)
    yield f"the stack {stack_name}: functions, queues, APIs, alarms, logs"
    yield from _delete_uploads(client)


def _delete_table(dynamodb: Any, table: str) -> None:  # noqa: ANN401 - boto3 makes the class at run time
    if dynamodb.describe_table(TableName=table)["Table"].get("DeletionProtectionEnabled"):
        dynamodb.update_table(TableName=table, DeletionProtectionEnabled=False)
        dynamodb.get_waiter("table_exists").wait(TableName=table)
    dynamodb.delete_table(TableName=table)
    dynamodb.get_waiter("table_not_exists").wait(TableName=table)


def _delete_stack(stacks: Any, name: str) -> None:  # noqa: ANN401 - as above
    stacks.delete_stack(StackName=name)
    waiting = {"Delay": 2, "MaxAttempts": 900}
    stacks.get_waiter("stack_delete_complete").wait(StackName=name, WaiterConfig=waiting)


def _delete_uploads(client: Client) -> Iterator[str]:
    """Deletes SAM's bucket, unless another stack was deployed by SAM."""
    stacks = client("cloudformation")
    standing = [
        stack["StackName"]
        for page in stacks.get_paginator("describe_stacks").paginate()
        for stack in page["Stacks"]
        if stack["StackStatus"] != "DELETE_COMPLETE"
    ]
    if _UPLOADS not in standing:
        return
    if others := [name for name in standing if name != _UPLOADS]:
        yield f"no uploads of SAM's, which other stacks may use: {', '.join(others)}"
        return
    outputs = stacks.describe_stacks(StackName=_UPLOADS)["Stacks"][0]["Outputs"]
    bucket = next(it["OutputValue"] for it in outputs if it["OutputKey"] == "SourceBucket")
    _empty(client("s3"), bucket)
    _delete_stack(stacks, _UPLOADS)
    yield f"the bucket {bucket} of SAM's uploads"


def _empty(s3: Any, bucket: str) -> None:  # noqa: ANN401 - as above
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        found = (*page.get("Versions", ()), *page.get("DeleteMarkers", ()))
        if gone := [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in found]:
            s3.delete_objects(Bucket=bucket, Delete={"Objects": gone, "Quiet": True})


@contextmanager
def _unless_gone() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] not in _GONE:
            raise


def main() -> int:
    name = arguments("undeploy", __doc__).parse_args().stack_name

    def act(stack: Stack) -> int:
        print(
            f"This deletes the arbiter {name}: every game in {stack.outputs['TableName']}, the "
            f"secret key in {stack.outputs['KeyParameterName']}, and all else that it made.\n"
            f"Keep the games first, if they matter: arbiter export. To go on, type {name}: ",
            end="",
            flush=True,
        )
        if sys.stdin.readline().strip() != name:
            raise Refused("\nNothing was deleted.")
        print()
        for step in delete_all(name, stack, cast("Client", boto3.client)):
            print(f"Deleted: {step}.", flush=True)
        kept = answers_path(name)
        print(f"Nothing is left of it{f' but your answers in {kept}' if kept.exists() else ''}.")
        return 0

    return run_for(name, act, "The rest is still there: make undeploy")


if __name__ == "__main__":
    sys.exit(main())
