"""Restores the table of games of a standing stack, whose functions go on by the table's name.

Spoilt items: the table of an earlier second is restored beside the live one, its games are
replayed, and what the live one lacks or has older is copied back. A table that is gone is made anew
from the backup of its deletion. It may be run again after any failure.
"""

import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

import boto3
from botocore.exceptions import ClientError

from deploy.copy_back import copy_back, told
from deploy.stack import Refused, Stack, arguments, run_for
from deploy.verify_table import games_in, report, verify

_NAP = {"Delay": 5, "MaxAttempts": 2000}
"""A restoration takes some twenty minutes, and of a large table hours."""


def restore_beside(dynamodb: Any, live: str, at: datetime | None) -> str:  # noqa: ANN401 - boto3's
    """Restore the table as then (None: late) beside the live one; its name."""
    beside = f"{live}-restored"
    if not is_there(dynamodb, beside):
        when = {"RestoreDateTime": at} if at else {"UseLatestRestorableTime": True}
        dynamodb.restore_table_to_point_in_time(
            SourceTableName=live, TargetTableName=beside, **when
        )
    dynamodb.get_waiter("table_exists").wait(TableName=beside, WaiterConfig=_NAP)
    return beside


def restore_in_place(dynamodb: Any, table: str) -> None:  # noqa: ANN401 - boto3's
    """Make the table that is gone from its latest backup. Raises Refused."""
    backups = dynamodb.list_backups(TableName=table, BackupType="ALL")["BackupSummaries"]
    if not backups:
        raise Refused(
            f"The table {table} is gone, and there is no backup of it: DynamoDB keeps one for 35 "
            "days after a deletion. Restore a copy of your own by that name, or deploy a new stack."
        )
    latest = max(backups, key=lambda one: one["BackupCreationDateTime"])
    dynamodb.restore_table_from_backup(TargetTableName=table, BackupArn=latest["BackupArn"])
    dynamodb.get_waiter("table_exists").wait(TableName=table, WaiterConfig=_NAP)
    dynamodb.update_continuous_backups(
        TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    dynamodb.update_time_to_live(
        TableName=table, TimeToLiveSpecification={"AttributeName": "expires_at", "Enabled": True}
    )
    dynamodb.update_table(TableName=table, DeletionProtectionEnabled=True)


def is_there(dynamodb: Any, table: str) -> bool:  # noqa: ANN401 - boto3's
    try:
        dynamodb.describe_table(TableName=table)
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        return False
    return True


def restore(
    dynamodb: Any,  # noqa: ANN401 - boto3's
    table: str,
    at: datetime | None,
    say: Callable[[str], None],
) -> bool:
    """Restore, and tell each step; whether every game keeps the rules. Raises Refused."""
    if not is_there(dynamodb, table):
        restore_in_place(dynamodb, table)
        say(f"{table} is there again, as it was when it was deleted.")
        return _is_whole(dynamodb, table, say)
    beside = restore_beside(dynamodb, table, at)
    say(f"Restored as {beside}.")
    if not _is_whole(dynamodb, beside, say):
        say(f"Nothing was copied. Another second: delete {beside}, and --at another.")
        return False
    done = told(table, copy_back(dynamodb, beside, table))
    say(f"{done}\nWhen all is well: aws dynamodb delete-table --table-name {beside}")
    return True


def _is_whole(dynamodb: Any, table: str, say: Callable[[str], None]) -> bool:  # noqa: ANN401 - boto3's
    findings = verify(games_in(dynamodb, table))
    say(report(findings))
    return not findings.amiss


def main() -> int:
    parser = arguments("restore", __doc__)
    parser.add_argument(
        "--at", type=datetime.fromisoformat, help="as it was then: an ISO 8601 time"
    )
    options = parser.parse_args()

    def act(stack: Stack) -> int:
        table = stack.outputs["TableName"]
        return 0 if restore(boto3.client("dynamodb"), table, options.at, print) else 1

    return run_for(options.stack_name, act, "Run it again: it goes on where it stopped.")


if __name__ == "__main__":
    sys.exit(main())
