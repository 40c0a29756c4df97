"""What a function's answer means for the records of its batch, as AWS documents it.

The law: when in doubt, everything is delivered again. An answer that cannot be understood may
never delete a record; every emulator got this wrong at least once, so the rule stands alone here,
with no I/O, and its table of cases is in the tests.

Lambda developer guide, "Reporting batch item failures": Lambda treats a batch as a complete success
if the function returns an empty or null batchItemFailures list, an empty or null response; as a
complete failure for an empty or null itemIdentifier, or one with a bad key name. An identifier that
is none of the batch's is taken for such a bad answer, too.
"""

from collections.abc import Collection


def failed_of(answer: object, batch: Collection[str]) -> frozenset[str]:
    """Those message ids of ``batch`` that are to be delivered again after this answer."""
    if answer is None or answer == {}:
        return frozenset()
    everything = frozenset(batch)
    if not isinstance(answer, dict):
        return everything
    listed = answer.get("batchItemFailures")
    if listed is None:
        return frozenset()
    if not isinstance(listed, list):
        return everything
    failed = set()
    for item in listed:
        identifier = item.get("itemIdentifier") if isinstance(item, dict) else None
        if not isinstance(identifier, str) or identifier not in everything:
            return everything
        failed.add(identifier)
    return frozenset(failed)
