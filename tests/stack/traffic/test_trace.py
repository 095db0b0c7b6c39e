from pathlib import Path

import pytest

from stack.traffic.request import Request
from stack.traffic.trace import Line, Trace, TraceError, read

LINES = [
    Line(1000.0, 1200, 100, [0, 1, 2]),
    Line(1000.0, 1100, 50, [0, 1, 3]),
    Line(4000.0, 9000, 50, list(range(18))),
    Line(5000.0, 100, 400, [9]),
]


def replayed(
    *, scale: float = 1.0, shrink: float = 1.0, context: int = 4096, answer: int | None = None
) -> tuple[list[tuple[float, Request]], int]:
    trace = Trace(iter(LINES), scale=scale, shrink=shrink, context=context, answer=answer)
    return list(trace), trace.too_long


def words(request: Request) -> list[str]:
    assert request.prompt is not None
    return request.prompt.split()


def test_requests_keep_their_pace_and_lengths() -> None:
    asked, _ = replayed()
    assert [(due, len(words(request)), request.max_tokens) for due, request in asked] == [
        (0.0, 1200, 100),
        (0.0, 1100, 50),
        (4.0, 100, 400),
    ]


def test_equal_block_ids_give_equal_text() -> None:
    (_, first), (_, second), *_ = replayed()[0]
    assert words(first)[:1024] == words(second)[:1024]
    assert words(first)[1024:1100] != words(second)[1024:1100]


def test_what_the_model_cannot_take_is_left_out_and_counted() -> None:
    assert replayed()[1] == 1
    assert replayed(context=1000)[1] == 3


def test_time_is_stretched() -> None:
    assert [due for due, _ in replayed(scale=2.5)[0]] == [0.0, 0.0, 10.0]


def test_lengths_shrink_and_what_is_shared_stays_shared() -> None:
    asked, too_long = replayed(shrink=4)
    assert too_long == 0
    assert [(len(words(request)), request.max_tokens) for _, request in asked] == [(300, 25), (275, 12), (2250, 12), (25, 100)]
    assert words(asked[0][1])[:256] == words(asked[1][1])[:256]
    assert words(asked[0][1])[256:275] != words(asked[1][1])[256:275]


def test_answers_may_be_limited() -> None:
    assert [request.max_tokens for _, request in replayed(answer=16)[0]] == [16, 16, 16]


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    file.write_text('{"timestamp": 0, "input_length": 3, "output_length": 1, "hash_ids": [0]}\n\n{"timestamp": 0}\n')
    lines = read(file)
    assert next(lines) == Line(0.0, 3, 1, [0])
    with pytest.raises(TraceError, match="line 3"):
        next(lines)
