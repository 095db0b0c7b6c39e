"""What an exposition tells of each quantity, whole and by a label."""

from stack.adapters.exposition import parse
from stack.engines.exposed import Exposed
from stack.engines.quantities import Alias, Fold, Quantity, State
from stack.metrics.family import Unit

MOVED = Quantity("moved", Unit.SECONDS, Fold.COUNTER, (Alias("moved_ms", (1, 0, 0), where=("phase", "a"), scale=0.001),))
DONE = Quantity("done", Unit.NONE, Fold.COUNTER, (Alias("done_total", (1, 0, 0)),), beside="begun_total")


def exposed(document: bytes) -> Exposed:
    return Exposed(parse(document, MOVED.names | DONE.names), (MOVED, DONE), None)


def test_a_total_by_a_label_is_in_the_quantity_s_unit_and_of_its_series_only() -> None:
    series = {'phase="a",way="in",x="1"': 1500, 'phase="a",way="in",x="2"': 500, 'phase="b",way="in"': 7000}
    told = exposed("".join(f"moved_ms{{{labels}}} {value}\n" for labels, value in series.items()).encode())
    assert told.by("way", MOVED) == {"in": 2.0}
    assert told.number(MOVED) == 2.0


def test_what_has_no_such_label_stands_under_nothing() -> None:
    assert exposed(b'moved_ms{phase="a"} 1000\n').by("way", MOVED) == {"": 1.0}


def test_silence_beside_what_is_told_is_zero_and_without_it_is_none() -> None:
    told = exposed(b"begun_total 3\n")
    assert (told.all["done"].state, told.number(DONE), told.by("way", DONE)) == (State.PRESENT, 0.0, {"": 0.0})
    silent = exposed(b"")
    assert (silent.all["done"].state, silent.number(DONE), silent.by("way", DONE)) == (State.ABSENT, None, {})


def test_what_is_told_counts_more_than_what_is_beside_it() -> None:
    assert exposed(b"begun_total 3\ndone_total 2\n").number(DONE) == 2.0
