"""What a person sees of the report."""

from pathlib import Path

import msgspec
from rich.console import Console

from stack.bench.router.display import notes, table
from stack.bench.router.figures import Report, Round, Streams, row
from stack.bench.router.setting import Setting
from stack.bench.router.subjects import Subject

ROUND = Round(requests_per_second=21_000, cpu_us_per_request=45, added_p50_ms=0.15, added_p99_ms=0.5)
SETTING = Setting(
    back_end="canned back end",
    body_bytes=16_384,
    connections=32,
    seconds=3.0,
    cores_router=[1],
    cores_others=[0],
    workers=1,
    cores_workers=[1],
    workers_crowded=False,
    processor="x86_64",
    versions={"nginx": "1.22.1"},
)
REPORT = Report(
    throughput_ratio_to_cache_aware=None,
    added_latency_p50_ms=0.15,
    added_latency_p99_ms=0.5,
    added_itl_p50_ms=0.1,
    added_itl_p99_ms=2.0,
    workers_throughput_ratio=1.7,
    setting=SETTING,
    direct_requests_per_second=60_000,
    other_processes_share=0.02,
    missing={"vllm-router cache_aware": "pip could not install: no network"},
    routers=[row(Subject("kvdeck prefix_aware", "kvdeck", "0.1.0", (), 1), [ROUND], None)],
    streams=Streams(
        streams=200,
        tokens_per_second_each=50,
        direct_itl_p50_ms=20,
        direct_itl_p99_ms=21,
        router_itl_p50_ms=20.1,
        router_itl_p99_ms=23,
        router_cpu_share=0.38,
        errors=0,
    ),
)


def test_every_router_has_a_line_and_what_is_not_known_says_so(tmp_path: Path) -> None:
    console = Console(width=140, file=(tmp_path / "seen").open("w"))
    console.print(table(REPORT))
    console.file.close()
    line = next(line for line in (tmp_path / "seen").read_text().splitlines() if "prefix_aware" in line)
    cells = [cell.strip() for cell in line.strip("│").split("│")]
    assert cells == ["kvdeck prefix_aware", "0.1.0", "21,000", "unknown", "45.0", "unknown", "0.150 ms", "0.500 ms", "0"]


def test_the_notes_say_how_far_the_figures_go() -> None:
    assert list(notes(REPORT)) == [
        "canned back end; without any router 60,000 requests/s",
        "router on core 1, load and back end on 0; x86_64, nginx 1.22.1",
        "200 streams of 50 tokens/s: added between tokens p50 / p99 0.10 ms / 2.00 ms, 38% of a core, 0 broken",
        "vllm-router cache_aware was not measured: pip could not install: no network",
    ]


def test_a_machine_that_others_use_is_told() -> None:
    line = "other processes took 62% of the machine: believe the ratio by CPU time first"
    assert line in notes(msgspec.structs.replace(REPORT, other_processes_share=0.62))


def test_several_workers_are_set_against_one_and_their_cores_are_told() -> None:
    crowded = msgspec.structs.replace(SETTING, workers=2, cores_workers=[0, 1], workers_crowded=True)
    line = "2 workers on 0, 1, the cores of load and back end, too: 1.70 times the requests of one"
    assert line in notes(msgspec.structs.replace(REPORT, setting=crowded))


def test_figures_that_mean_nothing_are_said_to() -> None:
    forced = msgspec.structs.replace(REPORT, setting=msgspec.structs.replace(SETTING, meaningless="one core"))
    assert next(notes(forced)) == "these figures mean nothing: one core"
