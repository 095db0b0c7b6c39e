"""What a person sees of the report: a table, and the lines that say how far its figures go."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from stack.bench.router.figures import Report, Row, Streams
from stack.bench.router.neighbours import NOTABLE


def table(report: Report) -> Table:
    """One line a router; what could not be measured is called unknown."""
    made = Table(title=_title(report), title_justify="left")
    for column in (
        "router",
        "version",
        "requests/s",
        "x cache_aware",
        "CPU us/request",
        "x by CPU",
        "added p50",
        "added p99",
        "errors",
    ):
        made.add_column(column, justify="left" if column in ("router", "version") else "right")
    for row in report.routers:
        made.add_row(row.name, row.version, *_cells(row))
    return made


def notes(report: Report) -> Iterator[str]:
    """What else there is to say, a line each."""
    setting = report.setting
    if setting.meaningless is not None:
        yield f"these figures mean nothing: {setting.meaningless}"
    yield f"{setting.back_end}; without any router {_number(report.direct_requests_per_second, '{:,.0f}')} requests/s"
    about = ", ".join([setting.processor, *(f"{name} {version}" for name, version in setting.versions.items())])
    yield f"router on core {_cores(setting.cores_router)}, load and back end on {_cores(setting.cores_others)}; {about}"
    if report.other_processes_share > NOTABLE:
        yield f"other processes took {report.other_processes_share:.0%} of the machine: believe the ratio by CPU time first"
    if setting.workers > 1:
        where = "the cores of load and back end, too" if setting.workers_crowded else "cores of their own"
        ratio = _number(report.workers_throughput_ratio, "{:.2f}")
        yield f"{setting.workers} workers on {_cores(setting.cores_workers)}, {where}: {ratio} times the requests of one"
    if report.streams is not None:
        yield _streams(report, report.streams)
    for name, why in report.missing.items():
        yield f"{name} was not measured: {why}"


def _title(report: Report) -> str:
    setting = report.setting
    asked = f"{setting.body_bytes:,} byte chats, {setting.connections} connections"
    return f"{asked}, {setting.seconds:g} s a run, latency at 1 connection"


def _cells(row: Row) -> list[str]:
    return [
        _number(row.requests_per_second, "{:,.0f}"),
        _number(row.ratio_to_cache_aware, "{:.2f}"),
        _number(row.cpu_us_per_request, "{:.1f}"),
        _number(row.cpu_ratio_to_cache_aware, "{:.2f}"),
        _number(row.added_p50_ms, "{:.3f} ms"),
        _number(row.added_p99_ms, "{:.3f} ms"),
        str(row.errors),
    ]


def _streams(report: Report, streams: Streams) -> str:
    added = " / ".join(_number(value, "{:.2f} ms") for value in (report.added_itl_p50_ms, report.added_itl_p99_ms))
    share = _number(streams.router_cpu_share, "{:.0%} of a core")
    each = f"{streams.streams} streams of {streams.tokens_per_second_each:g} tokens/s"
    return f"{each}: added between tokens p50 / p99 {added}, {share}, {streams.errors} broken"


def _number(value: float | None, form: str) -> str:
    return "unknown" if value is None else form.format(value)


def _cores(cores: list[int]) -> str:
    return ", ".join(map(str, cores))
