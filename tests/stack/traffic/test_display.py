import io

from rich.console import Console

from stack.traffic.display import ProgressLine, table
from stack.traffic.report import Quantiles, Row, Summary


def row(first_token: Quantiles | None, prompt_tokens: int | None, cached_tokens: int | None = 30) -> Row:
    return Row(
        requests=2,
        failed=0,
        first_token=first_token,
        token_gap=None,
        total=None,
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens,
    )


def drawn(summary: Summary) -> str:
    console = Console(file=io.StringIO(), width=140)
    console.print(table(summary))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_table_tells_times_and_what_is_unknown() -> None:
    kinds = {"chat": row(Quantiles(0.05, 0.1, 0.2), 60), "all": row(None, None, None)}
    summary = Summary(
        seconds=10.0, requests=2, failures={"timeout": 1}, skipped=3, too_long=4, paths={"direct": 1, "dpd": 1}, kinds=kinds
    )
    text = drawn(summary)
    assert "2 requests in 10 s, 1 direct, 1 dpd, 1 failed: timeout, 3 skipped at the limit, 4 left out" in text
    assert "50 / 100 / 200 ms" in text
    assert "50%" in text
    assert text.count("unknown") == 6


def test_times_of_emulated_engines_are_not_passed_off_as_measured() -> None:
    summary = Summary(seconds=1.0, requests=0, failures={}, skipped=0, too_long=0, paths={}, kinds={}, emulated=True)
    assert drawn(summary).startswith("emulated engines: times are a model's, 0 requests in 1 s")


def test_no_progress_is_drawn_into_a_file() -> None:
    console = Console(file=io.StringIO())
    with ProgressLine(console, None) as line:
        line.show(1.0, 1, 0, 0)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().strip() == ""
