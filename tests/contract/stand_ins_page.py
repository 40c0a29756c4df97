"""docs/stand-ins.md, written from known_differences.py."""

from collections.abc import Sequence
from pathlib import Path

from tests.contract.known_differences import QUEUES, TABLES, Difference

PAGE = Path(__file__).parents[2] / "docs" / "stand-ins.md"

_HEAD = """\
# What stands in for AWS

Nothing here has run on AWS itself. What stands in for it is asked, case by case, what AWS
documents: `test_fifo_semantics.py` and `test_queue_limits.py` of SQS, `test_table_semantics.py` and
`test_table_batches.py` of DynamoDB, by the calls that our adapters make of botocore. The rest of
`tests/contract` asks the adapters themselves.

| stand-in | for | where it is used | asked by |
|---|---|---|---|
| `SimDynamoDb` and `SimSqs` of `tests/simulation` | DynamoDB, SQS | `make sim` | `make test` |
| moto | DynamoDB, SQS | tests, `make run-moto` | `make test` |
| MiniStack | DynamoDB, SQS | `make run` | `make test` |
| DynamoDB Local, Amazon's own | DynamoDB | as a witness alone | `make test-java` |
| ElasticMQ | SQS | as a witness alone | `make test-java` |

The simulated ones pass every case. A witness that agrees is the best evidence there is without an
account. Of tables it is Amazon's own, which differs in two. Of queues nobody else passes all, and
where they disagree among themselves, AWS's documentation was followed.

## Known differences

Each is one row of `tests/contract/known_differences.py`. The case is expected to fail on that
stand-in, and if it passes, because the stand-in was mended, the run fails and the row goes.
"""

_TAIL = """
## What no case shows

- **Codes of errors.** Hardly two stand-ins name the same mistake alike to SQS's clients, so that it
  is refused is all that is asked. Of DynamoDB the codes are compared.
- **Time.** Five minutes, visibility, delay and retention pass only on the simulated queue and on
  moto, whose clocks can be moved; the ten minutes of a transaction's token on the simulated table.
  MiniStack's clock cannot be moved, and ElasticMQ goes by two.
- **Characters.** AWS's own pages disagree about a character that XML has not: refused, or replaced
  by U+FFFD. The simulated queue refuses it. Our bodies are ASCII.
- **Size.** The 120,000 messages that a FIFO queue looks at, or has in flight, are a parameter of
  the simulated queue, and asked with few.
- **Races.** moto undoes a failed transaction by putting back a copy of the whole table, and with it
  whatever was written meanwhile, so it runs no race between transactions.
- **Throttling.** None is ever throttled by load. The simulated ones are told to be, call by call.
- **Conflicts of transactions.** The simulated table makes a transaction in one step. That another
  one is at its items is a fault that a run is given.
- **Schedules.** moto keeps schedules but fires none; MiniStack looks for due ones every ten
  seconds.

`GOLDEN=rewrite make test PYTEST_ARGS=tests/contract/test_known_differences.py` writes this page.
"""


def page() -> str:
    """The whole page."""
    return "".join((_HEAD, _table("SQS", QUEUES), _table("DynamoDB", TABLES), _TAIL))


def _table(service: str, differences: Sequence[Difference]) -> str:
    by_text: dict[str, list[Difference]] = {}
    for known in differences:
        by_text.setdefault(known.documented, []).append(known)
    rows = [f"| {text} | {_whose(same)} |" for text, same in by_text.items()]
    head = f"\n### {service}\n\n| AWS documents | what differs |\n|---|---|\n"
    return head + "\n".join(rows) + "\n"


def _whose(same: Sequence[Difference]) -> str:
    by_stand_in: dict[str, dict[str, None]] = {}
    for known in same:
        by_stand_in.setdefault(known.stand_in, {})[known.does] = None
    parts = (f"**{stand_in}**: {' '.join(told)}" for stand_in, told in by_stand_in.items())
    return "<br>".join(parts)
