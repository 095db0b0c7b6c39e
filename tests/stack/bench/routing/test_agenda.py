"""Virtual time jumps, and keeps the order of what was planned."""

from stack.bench.routing.agenda import Agenda


def test_what_is_planned_happens_in_its_order_and_nobody_waits() -> None:
    agenda, told = Agenda(), list[tuple[str, float]]()

    def tell(name: str) -> None:
        told.append((name, agenda.now))

    agenda.at(3600.0, lambda: tell("late"))
    agenda.at(1.0, lambda: tell("first"))
    agenda.at(1.0, lambda: agenda.after(2.0, lambda: tell("after")))
    agenda.at(1.0, lambda: agenda.at(0.0, lambda: tell("overdue")))
    agenda.run()
    assert told == [("first", 1.0), ("overdue", 1.0), ("after", 3.0), ("late", 3600.0)]
