"""Sample lines, held against the parser that prometheus_client brings."""

import math
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from stack.adapters.sample_lines import sample
from stack.engines.samples import Sample
from tests.exporters.recorded import DATA

NAMES = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_]{0,8}", fullmatch=True)
VALUES = st.floats(allow_nan=False)
BLANKS = st.sampled_from(["", " ", "\t", "  "])


def theirs(line: str) -> Sample:
    ((only,),) = ([*family.samples] for family in text_string_to_metric_families(line + "\n"))
    return Sample(only.name, only.labels, float(only.value))


def escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


@given(NAMES, st.dictionaries(NAMES, st.text(max_size=12), max_size=4), VALUES, BLANKS, st.booleans())
def test_what_is_written_is_read_and_the_other_parser_agrees(
    name: str, labels: dict[str, str], value: float, blank: str, comma: bool
) -> None:
    inner = f"{blank},{blank}".join(f'{label}{blank}={blank}"{escaped(text)}"' for label, text in labels.items())
    line = f"{name}{blank}{{{blank}{inner}{',' if comma and labels else ''}{blank}}} {value} 1700000000000"
    assert sample(line) == Sample(name, labels, value)
    if "\r" not in line and len(line.splitlines()) == 1:
        assert theirs(line) == Sample(name, labels, value)


@pytest.mark.parametrize("path", sorted((DATA / "expositions").glob("*.txt")), ids=lambda path: path.stem)
def test_every_recorded_line_is_read_as_the_other_parser_reads_it(path: Path) -> None:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    assert lines
    for line in lines[:: max(1, len(lines) // 200)]:
        mine, other = sample(line), theirs(line)
        assert (mine.name, mine.labels) == (other.name, other.labels)
        assert mine.value == other.value or (math.isnan(mine.value) and math.isnan(other.value))


@pytest.mark.parametrize(
    "line",
    [
        "b", "b ", "b{", "b{}", "b{x=y} 1", 'b{x="y} 1', 'b{x="1"y="2"} 1', "b{,} 1", 'b{1x="y"} 1', "b one", "b 1_0",
        "b 1 x", "b 1 2 3", "b \u0661", 'b{\u00e4="y"} 1', "1b 1", "", "b 0x10", 'b{x="y"}} 1', "b # 1",
    ],
)  # fmt: skip
def test_what_is_no_sample_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        sample(line)


@pytest.mark.parametrize(
    ("line", "value"),
    [("b +Inf", math.inf), ("b -Inf", -math.inf), ("b\t1e3", 1000.0), ('b 1 # {trace="x"} 0.5 1.7', 1.0), ("b 1\r", 1.0)],
)
def test_values_as_others_write_them(line: str, value: float) -> None:
    assert sample(line) == Sample("b", {}, value)


@pytest.mark.parametrize(
    "line",
    ['b{x="' + "\\" * 16_000, "b{" + 'a="b",' * 2_700, "b{" + 'a="b" ' * 2_700, "b" + " " * 16_000, "b{" + " " * 16_000 + "x"],
)
def test_a_line_that_nearly_is_one_costs_little(line: str) -> None:
    start = time.process_time()
    for _ in range(20):
        with suppress(ValueError):
            sample(line)
    assert time.process_time() - start < 1.0
