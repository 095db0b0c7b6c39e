"""`kvdeck report`, from a Prometheus and a control to a file."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner, Result

from dashboard.report.__main__ import main
from dashboard.steering import ledger
from tests.dashboard.fakes import NOWHERE, Steered, prometheus
from tests.dashboard.report.told import HALF_AN_HOUR, TWO_MODELS


def written(folder: Path, *arguments: str) -> tuple[Result, str]:
    """The command's result, and what it wrote of the last half hour, without the scripts."""
    out = folder / "report.html"
    result = CliRunner().invoke(main, ["--since", "30m", "--out", str(out), *arguments])
    text = out.read_text() if out.exists() else ""
    return result, re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.DOTALL)


def test_the_overview_of_a_time_is_one_file(tmp_path: Path) -> None:
    with prometheus(HALF_AN_HOUR) as url:
        result, text = written(tmp_path, "--prometheus-url", url)
    assert result.exit_code == 0, result.output
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)<", text) == [
        ("Requests", "2.00 /s"),
        ("Goodput", "≤ 1.80 /s"),
        ("TTFT p50, direct", "40 ms"),
        ("TTFT p50, DPD", "1.25 s"),
        ("ITL p50, direct", "8 ms"),
        ("ITL p50, DPD", "unknown"),
        ("Engine hits", "85 %"),
        ("L1 hits", "0 %"),
        ("L2 hits", "unknown"),
    ]
    assert "All fleets, " in text
    assert "Emulated fleet" in text
    assert '<td class="">First token within 2.50 s</td><td class="number">95.0 %</td><td class="number">98.00 %</td>' in text
    assert '<td class="">KvdeckEngineDown</td><td class="">critical</td><td class="">llm</td><td class="number">50.0 %</td>' in text
    assert "<li>Who changed what: no control was given (--control-url).</li>" in text
    assert "<li>Pools: listed, of some rows: no series tells it.</li>" in text


def test_it_needs_nothing_from_anywhere(tmp_path: Path) -> None:
    with prometheus(HALF_AN_HOUR) as url:
        _, text = written(tmp_path, "--prometheus-url", url)
    assert re.findall(r"(?:src|href)=", text) == []


def test_with_control_it_tells_who_changed_what(tmp_path: Path, steered: Steered) -> None:
    steered.patch({"models": {"smollm2": {"strategy": "session"}}})
    with prometheus(HALF_AN_HOUR) as url:
        result, text = written(tmp_path, "--prometheus-url", url, "--control-url", steered.url)
    assert result.exit_code == 0, result.output
    assert "<h2>Changes and steps</h2>" in text
    changes = text.partition("<h2>Changes and steps</h2>")[2].partition("</table>")[0]
    assert re.findall(r"<th[^>]*>([a-z]+)", changes) == list(ledger.COLUMNS)
    assert "smollm2.strategy: prefix_aware → session" in changes


def test_of_another_time_control_tells_the_audit_alone(tmp_path: Path, steered: Steered) -> None:
    with prometheus(HALF_AN_HOUR) as url:
        _, text = written(
            tmp_path, "--until", "2026-01-01T00:00Z", "--prometheus-url", url, "--control-url", steered.url
        )  # fmt: skip
    assert "2025-12-31 23:30 to 2026-01-01 00:00" in text or "00:00" in text
    assert "<li>Engines&#39; states as control saw them: it tells of now alone.</li>" in text


def test_a_control_that_is_away_is_unknown_and_the_rest_is_told(tmp_path: Path) -> None:
    with prometheus(HALF_AN_HOUR) as url:
        result, text = written(tmp_path, "--prometheus-url", url, "--control-url", NOWHERE)
    assert result.exit_code == 0, result.output
    assert "<li>Of control nothing is known: control does not answer" in text
    assert "2.00 /s" in text


def test_names_are_text_wherever_they_stand(tmp_path: Path) -> None:
    with prometheus(TWO_MODELS) as url:
        written(tmp_path, "--prometheus-url", url)
    whole = (tmp_path / "report.html").read_text()
    assert "<script>alert" not in whole
    assert "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in whole
    assert "\\u0026lt;/script\\u0026gt;\\u0026lt;script\\u0026gt;alert(1)" in whole  # a figure shows it as it is, too


def test_no_password_of_a_source_is_in_it(tmp_path: Path) -> None:
    with prometheus(HALF_AN_HOUR) as url:
        result, _ = written(tmp_path, "--prometheus-url", url.replace("//", "//reader:secret@") + "/?token=hidden")
    whole = (tmp_path / "report.html").read_text() if (tmp_path / "report.html").exists() else ""
    assert "secret" not in whole + result.output
    assert "hidden" not in whole + result.output


def test_without_prometheus_there_is_no_report(tmp_path: Path) -> None:
    result, text = written(tmp_path, "--prometheus-url", NOWHERE)
    assert (result.exit_code, text) == (1, "")
    assert result.output.startswith(f"Error: Prometheus at {NOWHERE}: it cannot be reached")


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    for arguments in (["--since", "yesterday"], ["--since", "1m"], ["--until", "noon"]):
        assert written(tmp_path, *arguments)[0].exit_code == 2
