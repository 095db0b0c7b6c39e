"""What a person sees of the report."""

from pathlib import Path

from rich.console import Console

from stack.bench.tokens.display import notes, table
from stack.bench.tokens.figures import Added, Others, Report

CASE = Added(
    case="chat, 4,000 tokens, 150 of them new",
    requests=60,
    prompt_tokens=4_010,
    body_bytes=19_825,
    best_ms=0.95,
    p50_ms=1.25,
    p99_ms=2.5,
    cpu_ms=1.1,
    bar_ms=1.5,
)
OTHERS = Others(
    requests_per_second=50,
    long_tokens=32_000,
    long_per_second=4,
    alone_p50_ms=0.8,
    alone_p99_ms=1.2,
    beside_p50_ms=0.9,
    beside_p99_ms=3.4,
)
REPORT = Report(
    seen_4000_added_p50_ms=1.25,
    seen_32000_added_p50_ms=3.5,
    others_added_p99_ms=2.2,
    engines=8,
    block_tokens=16,
    cases=[CASE],
    others=OTHERS,
    meaningless="one core",
)


def test_every_case_has_a_line_with_its_bar(tmp_path: Path) -> None:
    console = Console(width=140, file=(tmp_path / "seen").open("w"))
    console.print(table(REPORT))
    console.file.close()
    line = next(line for line in (tmp_path / "seen").read_text().splitlines() if "4,000" in line)
    cells = [cell.strip() for cell in line.strip("│").split("│")]
    assert cells == ["chat, 4,000 tokens, 150 of them new", "19,825", "0.95 ms", "1.25 ms", "1.5 ms", "2.50 ms", "1.10 ms"]


def test_the_notes_say_how_far_the_figures_go() -> None:
    assert list(notes(REPORT)) == [
        "these figures mean nothing: one core",
        "other requests, 50/s: p50 / p99 0.80 / 1.20 ms alone, 0.90 / 3.40 ms while 4 unseen prompts of 32,000 tokens a second "
        "are tokenized",
        "8 engines' KV events with blocks of 16 tokens; answers are canned, no engine computes",
    ]
