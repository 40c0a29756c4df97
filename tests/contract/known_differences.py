"""Where what stands in for AWS is known to differ from what AWS documents.

Each is of one case of the suites about queues and tables, which is then expected to fail on that
stand-in, and to fail it in earnest: when the stand-in is mended, the case passes, and the run says
so.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """That a stand-in differs in one case, the name of whose function is ``case``; and where it is
    asked with several parameters, in those whose ids are ``of``.
    """

    stand_in: str
    case: str
    documented: str
    does: str
    of: tuple[str, ...] = ()


MOTO, MINISTACK, ELASTICMQ, DYNAMODB_LOCAL = "moto", "ministack", "elasticmq", "dynamodb-local"

_REMEMBERED = "A deduplication id is remembered for five minutes, also after deletion."
_BY_GROUP = "With DeduplicationScope messageGroup an id is one within its group."
_SAME_ANSWER = "A repetition is answered with the id of the message that it repeats."
_TOO_SLOW = "When a message of a FIFO queue is visible again, its receipt deletes nothing."
_TWICE = "Deleting what is deleted is no fault."
_LATEST = "An older receipt than the last is accepted, and deletes nothing."
_NOT_HELD = "The visibility of what nobody holds cannot be changed."
_HALF_A_DAY = "Visibility is 12 hours at most."
_DEAD_ID = "In a FIFO dead-letter queue a message's deduplication id is its message id."
_REDRIVE = "StartMessageMoveTask gives dead letters back."
_XML = "A body has characters of XML 1.0 alone; others are refused with InvalidMessageContents."
_PLAIN = "Group and deduplication ids are 1 to 128 plain characters."
_ENTRY = "An entry of a batch fails by itself."

QUEUES = (
    Difference(MOTO, "a_repetition_is_known_though_the_first_is_done_with", _REMEMBERED,
        "It forgets the id when the message is deleted."),
    Difference(MOTO, "what_is_said_in_two_groups_is_no_repetition", _BY_GROUP,
        "It drops the message of the second group."),
    Difference(ELASTICMQ, "what_is_said_in_two_groups_is_no_repetition", _BY_GROUP,
        "It drops the message of the second group."),
    Difference(MOTO, "a_repetition_is_answered_with_the_id_of_the_first", _SAME_ANSWER,
        "It makes a new id."),
    Difference(ELASTICMQ, "a_group_waits_until_all_that_was_received_of_it_is_done",
        "No message of a group is handed out while another of it is in flight.",
        "It hands out the second of three while the third is in flight."),
    Difference(MOTO, "who_was_too_slow_can_no_longer_delete_what_he_received", _TOO_SLOW,
        "It deletes the message."),
    Difference(MINISTACK, "who_was_too_slow_can_no_longer_delete_what_he_received", _TOO_SLOW,
        "It deletes the message."),
    Difference(ELASTICMQ, "who_was_too_slow_can_no_longer_delete_what_he_received", _TOO_SLOW,
        "It deletes the message."),
    Difference(MINISTACK, "a_message_may_be_deleted_twice", _TWICE, "It refuses the receipt."),
    Difference(ELASTICMQ, "a_message_may_be_deleted_twice", _TWICE, "It refuses the receipt."),
    Difference(MOTO, "an_older_receipt_deletes_nothing_once_there_is_a_newer", _LATEST,
        "It deletes the message."),
    Difference(MINISTACK, "an_older_receipt_deletes_nothing_once_there_is_a_newer", _LATEST,
        "It refuses the receipt."),
    Difference(ELASTICMQ, "an_older_receipt_deletes_nothing_once_there_is_a_newer", _LATEST,
        "It refuses the receipt."),
    Difference(MOTO, "what_nobody_holds_cannot_be_hidden", _NOT_HELD, "It takes the call."),
    Difference(MINISTACK, "what_nobody_holds_cannot_be_hidden", _NOT_HELD, "It takes the call."),
    Difference(ELASTICMQ, "what_nobody_holds_cannot_be_hidden", _NOT_HELD, "It takes the call."),
    Difference(MINISTACK, "a_message_is_not_hidden_for_longer_than_twelve_hours", _HALF_A_DAY,
        "It takes any."),
    Difference(ELASTICMQ, "a_message_is_not_hidden_for_longer_than_twelve_hours", _HALF_A_DAY,
        "It takes any."),
    Difference(MOTO, "a_dead_letter_repeats_no_other", _DEAD_ID, "The id stays what it was."),
    Difference(MINISTACK, "a_dead_letter_repeats_no_other", _DEAD_ID, "The id stays what it was."),
    Difference(MOTO, "dead_letters_can_be_given_back", _REDRIVE, "It has no such call."),
    Difference(MINISTACK, "dead_letters_can_be_given_back", _REDRIVE, "It has no such call."),
    Difference(ELASTICMQ, "dead_letters_can_be_given_back", _REDRIVE,
        "It takes the task, and moves nothing out of a FIFO queue."),
    Difference(MOTO, "a_body_with_a_character_that_xml_has_not_is_refused", _XML,
        "It takes any character."),
    Difference(MOTO, "an_entry_that_is_refused_leaves_the_others_alone", _ENTRY,
        "It takes all, as it takes any character."),
    Difference(MOTO, "a_body_that_is_empty_is_refused", "A body has a character at least.",
        "It takes an empty one."),
    Difference(MOTO, "an_id_is_neither_long_nor_anything_but_plain", _PLAIN, "It takes any."),
    Difference(MINISTACK, "an_id_is_neither_long_nor_anything_but_plain", _PLAIN, "It takes any."),
    Difference(ELASTICMQ, "a_batch_has_one_to_ten_entries", "A batch without entries is refused.",
        "It takes one."),
    Difference(ELASTICMQ, "the_ids_of_a_batch_are_plain",
        "An entry's id has letters, digits, hyphens and underscores alone.", "It takes any."),
    Difference(MINISTACK, "a_message_is_held_back_for_no_longer",
        "A delay is of 900 seconds at most.", "It takes any."),
)  # fmt: skip

_NUMBERS = "A number is kept as a number: 1.50 comes back as 1.5."
_TOKENS = "A transaction whose token was seen in the last ten minutes is not made again."
_UPDATED_NEW = "UPDATED_NEW tells the attributes that were written to, and no other."
_UNFIT = "An update that does not fit its item cancels the transaction, with ValidationError."
_UNITS = "A write is counted by the kilobyte, a read by four, a transaction twice."
_ONCE = "An update names each clause once, and each attribute once."
_INDEX_KEYS = "An attribute that is the key of an index is of its type, and not empty."

TABLES = (
    Difference(MOTO, "a_condition_is_true_or_it_is_not",
        "A number and a text are compared, and neither comes first.",
        "It is an error of the server.", of=("v < :text-False",)),
    Difference(MOTO, "a_counter_is_counted_on_from_nothing", _UPDATED_NEW,
        "It tells the key too, of an item that the update made."),
    Difference(MOTO, "what_was_updated_to_what_it_was_is_told_as_well", _UPDATED_NEW,
        "It tells the key too, of an item that the update made."),
    Difference(MOTO, "a_number_is_kept_as_a_number", _NUMBERS, "It keeps the text.",
        of=("1.50-1.5", "007-7", "-0-0", "1e3-1000")),
    Difference(MOTO, "what_is_no_number_is_refused", "A number has 38 digits at most.",
        "It takes any.", of=("1" * 39,)),
    Difference(MOTO, "a_set_holds_something_and_nothing_twice", "A set has nothing twice.",
        "It takes any.", of=("text", "bytes")),
    Difference(MOTO, "a_key_is_what_the_table_says", "A key is of its type.",
        "It looks for it, and finds nothing.", of=("key1",)),
    Difference(MOTO, "no_item_is_looked_for_under_a_longer_key", "A key is of 2048 bytes at most.",
        "It looks for it, and finds nothing."),
    Difference(MOTO, "the_key_of_an_index_is_of_its_type_and_not_empty", _INDEX_KEYS,
        "It takes any."),
    Difference(MOTO, "an_item_has_400_kilobytes_names_and_all",
        "Bytes are counted as they are towards 400 KB.", "It counts them as base64."),
    Difference(MOTO, "an_update_that_makes_no_sense_is_refused",
        "A placeholder without a name is a ValidationException.", "It is an error of the server.",
        of=("no name",)),
    Difference(MOTO, "a_transaction_has_no_more_than_four_megabytes",
        "A transaction is of 4 MB at most.", "It takes any."),
    Difference(MOTO, "an_update_that_does_not_fit_its_item_cancels_the_transaction", _UNFIT,
        "The call is refused as a whole, with ValidationException."),
    Difference(DYNAMODB_LOCAL, "an_update_that_does_not_fit_its_item_cancels_the_transaction",
        _UNFIT, "For an operand of another type it is refused with ValidationException.",
        of=("operand",)),
    Difference(DYNAMODB_LOCAL, "an_update_that_does_not_fit_its_item_cancels_the_transaction",
        _UNFIT, "An index's key of another type is taken.", of=("index",)),
    Difference(MOTO, "a_transaction_that_is_sent_again_is_made_once", _TOKENS, "It is made again."),
    Difference(MOTO, "a_token_is_for_one_transaction",
        "Another transaction under the same token is refused.", "It is made."),
    Difference(MOTO, "a_batch_of_writes_has_25_of_them", "A batch has 25 writes at most.",
        "It takes any."),
    Difference(MOTO, "a_batch_of_writes_names_an_item_once", "A batch names an item once.",
        "It makes both writes."),
    Difference(MOTO, "a_page_that_is_just_full_may_not_be_the_last",
        "A page that Limit ended says where the next begins.", "The last page does not."),
    Difference(MOTO, "a_write_is_counted_by_the_kilobyte", _UNITS, "A write is always one unit.",
        of=("1100-2", "5000-5")),
    Difference(MOTO, "a_transaction_is_counted_twice", _UNITS, "A transaction is not counted."),
    Difference(MOTO, "a_read_is_counted_by_four_kilobytes", _UNITS,
        "A read is always half a unit."),
    Difference(MOTO, "a_write_to_an_index_is_counted_besides",
        "A write to an index is counted besides.", "It is not counted."),
    Difference(MINISTACK, "a_read_is_counted_by_four_kilobytes", _UNITS,
        "A read is always one unit.", of=("4100-2",)),
    Difference(MINISTACK, "an_update_that_makes_no_sense_is_refused", _ONCE, "It takes any.",
        of=("twice", "both", "clause")),
)  # fmt: skip

ALL = QUEUES + TABLES


def differences_of(stand_in: str, case: str, parameters: str) -> list[Difference]:
    """What is known of a case on a stand-in, with these parameters."""
    return [
        known
        for known in ALL
        if (known.stand_in, known.case) == (stand_in, case)
        and (not known.of or parameters in known.of)
    ]
