"""What a person sees of the demo."""

import io

from rich.console import Console

from stack.demo.show import proofs, table, unproven
from stack.demo.story import Played, Step
from stack.model.tier import Source


def step(proven: bool = True) -> Step:
    return Step(
        step="again", source=Source.ENGINE, path="direct", engine="decode-0", prompt_tokens=2_000, ttft_seconds=0.25,
        tokens_from_source=1_984, sources={Source.ENGINE: 1_984, Source.COMPUTED: 16}, transferred_bytes=0,
        proof="+1984 of 2000", proven=proven,
    )  # fmt: skip


def drawn(played: Played) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=120).print(table(played))
    return [line.strip() for line in file.getvalue().splitlines()]


def test_each_step_is_a_line_with_its_time() -> None:
    lines = drawn(Played(steps=(step(),), urls={}, emulated=False))
    assert lines[0] == "One prompt, from every tier"
    assert [cell.strip() for cell in lines[4].strip("│").split("│")] == ["1", "again", "engine", "direct", "decode-0", "250 ms"]


def test_times_of_emulated_engines_are_not_passed_off_as_measured() -> None:
    lines = drawn(Played(steps=(step(),), urls={}, emulated=True))
    assert lines[0] == "One prompt, from every tier"
    assert lines[-1] == "Emulated engines: times are a model's."


def test_what_is_not_proven_is_said_to_be_not() -> None:
    assert list(proofs([step(), step(proven=False)])) == ["1  +1984 of 2000", "2  NOT PROVEN: +1984 of 2000"]


def test_a_step_that_is_not_proven_says_what_was_seen_instead() -> None:
    assert list(unproven([step(), step(proven=False)])) == [
        "2 again, direct on decode-0: +1984 of 2000; all sources: engine 1984, computed 16"
    ]
