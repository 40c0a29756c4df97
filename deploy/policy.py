"""`arbiter policy` on a deployed arbiter's table. The functions obey within a minute."""

import sys

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.sqs import SqsRepublishQueue
from deploy.stack import Refused, Stack, arguments, run_for
from server.policy import PolicyRefused, add_arguments, on_table


def main() -> int:
    """Do what the command line says. Return 1 if that failed."""
    parser = arguments("policy", __doc__)
    add_arguments(parser)
    options = vars(parser.parse_args())

    def act(stack: Stack) -> int:
        clients = AwsClients()
        table = DynamoDbTable(clients.dynamodb, stack.outputs["TableName"])
        queue = SqsRepublishQueue(clients.sqs, stack.outputs["RepublishQueueUrl"])
        try:
            return on_table(table, queue, options, "make policy")
        except PolicyRefused as refused:
            raise Refused(str(refused)) from None

    return run_for(options["stack_name"], act)


if __name__ == "__main__":
    sys.exit(main())
