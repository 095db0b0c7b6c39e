"""What is still to be computed before an engine, request by request."""

from hypothesis import given
from hypothesis import strategies as st

from stack.model.load import EMPTY_QUEUE, Queue
from stack.router.waiting_line import WaitingLine


def test_a_token_tells_that_everything_sent_before_it_is_computed() -> None:
    line = WaitingLine()
    line.join("whole answer", 300, now=1.0)
    line.join("stream", 200, now=2.0)
    line.join("late", 50, now=3.0)
    assert line.queue == Queue(550, 300, since=1.0)
    line.through("stream", now=4.0)
    assert line.queue == Queue(50, 50, since=4.0)
    line.leave("whole answer", now=5.0)
    line.leave("late", now=6.0)
    assert line.queue == EMPTY_QUEUE


def test_who_leaves_from_the_middle_takes_only_its_own() -> None:
    line = WaitingLine()
    line.join("a", 300, now=1.0)
    line.join("b", 200, now=2.0)
    line.leave("b", now=3.0)
    assert line.queue == Queue(300, 300, since=1.0)
    line.join("c", 10, now=4.0)
    line.leave("a", now=5.0)
    assert line.queue == Queue(10, 10, since=5.0)


@given(st.lists(st.tuples(st.sampled_from(["join", "leave", "through"]), st.integers(0, 5), st.integers(1, 1000))))
def test_the_queue_is_the_sum_of_who_waits(steps: list[tuple[str, int, int]]) -> None:
    line, waiting = WaitingLine(), dict[int, int]()
    for now, (what, who, work) in enumerate(steps):
        if what == "join" and who not in waiting:
            waiting[who] = work
            line.join(who, work, float(now))
        elif what == "leave":
            waiting.pop(who, None)
            line.leave(who, float(now))
        elif what == "through" and who in waiting:
            while next(iter(waiting)) != who:
                del waiting[next(iter(waiting))]
            del waiting[who]
            line.through(who, float(now))
        assert line.queue.tokens == sum(waiting.values())
        assert line.queue.head == next(iter(waiting.values()), 0)
