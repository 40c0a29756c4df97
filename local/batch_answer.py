"""Which records of a batch failed, by the function's answer, as AWS documents it.

Invariant: when in doubt, everything is delivered again. An answer that cannot be understood never
deletes a record.

Lambda developer guide, "Reporting batch item failures": a batch succeeds completely if the function
returns an empty or null batchItemFailures list or an empty or null response; it fails completely
for an empty or null itemIdentifier, or one with a bad key name. An identifier of no record of the
batch counts as a bad answer too.
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
