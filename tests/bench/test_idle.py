"""An idle arbiter is as cheap as is promised, by the template as it is."""

import pytest

from bench.idle import bill, parameters_of


@pytest.mark.parametrize(
    ("changes", "most"),
    [({"AlarmEmail": ""}, 6.0), ({}, 7.5), ({"Relays": ""}, 2.5)],
    ids=["relays", "relays and alarms", "the gateway alone"],
)
def test_a_small_arbiter_costs_a_few_dollars_while_nobody_plays(
    changes: dict[str, str], most: float
) -> None:
    given = parameters_of("small", **changes)

    assert 0 < sum(bill(given).values()) < most
    assert sum(bill(given, net=True).values()) < 1


def test_each_choice_has_its_price() -> None:
    def cost(**changes: str) -> float:
        return sum(bill(parameters_of("small", **changes)).values())

    extra = {
        "KeyEncryption": ("customer", 1.0),
        # Of four times the memory, started every seven minutes and not thirteen; and more writes.
        "Listeners": ("2", (4 * 13 / 7 - 1) * bill(parameters_of("small"))["listener"] + 0.03),
    }
    for name, (value, dollars) in extra.items():
        assert cost(**{name: value}) - cost() == pytest.approx(dollars, abs=0.01), name
