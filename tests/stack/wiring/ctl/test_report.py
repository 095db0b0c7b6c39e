"""`kvdeck ctl report` draws what a change came to."""

from __future__ import annotations

import json
from pathlib import Path

from stack.wiring.ctl.asking import Exit
from tests.dashboard.fakes import prometheus
from tests.stack.wiring.ctl.stand import control, run


def test_a_report_is_a_table_with_intervals_and_what_is_not_known() -> None:
    with control() as server:
        told = run(server, "report", "8").output
        assert "settled after 10 s, 3 requests until then left out; not complete" in told
        assert "- models.smollm2.strategy: prefix_aware -> session\n" in told
        lines = {
            line.split("│")[1].strip(): [cell.strip() for cell in line.split("│")[2:-1]]
            for line in told.splitlines()
            if "│" in line
        }
        assert lines["between tokens p50"] == [
            "20.0 ms (20.0 to 20.0)",
            "20.0 ms (20.0 to 20.0)",
            "+0.0 ms (+0.0 to +0.0)",
            "not told apart",
        ]
        assert lines["TTFT p50"][-1] == "better"
        assert lines["TTFT p95"][1:] == ["too few samples: 40 of at least 72", "", "unknown"]
        assert lines["requests failed"][1] == "0.0 % (0.0 to 8.8)"
        assert "- Mind this." in told


def test_programs_get_controls_own_answer() -> None:
    with control() as server:
        told = json.loads(run(server, "report", "8", "--json").output)
        assert (told["generation"], told["reports"][0]["rows"][0]["quantity"]) == (8, "ttft_p50_seconds")


def test_prometheus_tells_the_tiers() -> None:
    with control() as server, prometheus({}) as url:
        told = run(server, "report", "8", "--prometheus-url", url).output
        assert "prompt tokens by where their KV came from" in told
        assert json.loads(run(server, "report", "8", "--prometheus-url", url, "--json").output)["tiers"][0] == {
            "model": "smollm2",
            "source": "engine",
            "before": None,
            "after": None,
        }


def test_a_file_that_does_not_say_how_prometheus_is_asked_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "http.yaml"
    config.write_text("basic_auth: {username: ann}")
    with control() as server, prometheus({}) as url:
        refused = run(server, "report", "8", "--prometheus-url", url, "--prometheus-config", str(config))
        assert (refused.exit_code, "one of password and password_file is needed" in refused.output) == (Exit.UNREACHABLE, True)
