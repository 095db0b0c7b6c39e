import subprocess
from pathlib import Path

import yaml

from stack.config import Ports
from stack.local.prometheus_config import Scraping, render
from tests.alerts.promtool import tool


def scraping(emulated: bool = False) -> Scraping:
    return Scraping.of(
        Ports.packed(21000),
        interval_seconds=5,
        targets=Path("/k/.kvdeck/engines.json"),
        rules=Path("/k/alerts/rules"),
        emulated=emulated,
    )


def test_the_whole_configuration() -> None:
    jobs = {"router": 21000, "control": 21001, "exporter": 21002, "prometheus": 21004, "alertmanager": 21005}
    static: list[dict[str, object]] = [
        {"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}
        for job, port in [("lmcache", 21008), *jobs.items()]
    ]
    static[0]["static_configs"] = [{"targets": ["127.0.0.1:21008"], "labels": {"replica": "lmcache"}}]
    static[3]["honor_labels"] = True
    assert yaml.safe_load(render(scraping())) == {
        "global": {"scrape_interval": "5s", "scrape_timeout": "5s", "evaluation_interval": "5s"},
        "rule_files": ["/k/alerts/rules/*.yaml", "/k/alerts/rules/objectives/missed.yaml"],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": ["127.0.0.1:21005"]}]}]},
        "scrape_configs": [
            {
                "job_name": "engines",
                "file_sd_configs": [{"files": ["/k/.kvdeck/engines.json"], "refresh_interval": "5s"}],
                "relabel_configs": [{"action": "labeldrop", "regex": "kv_events|kv_event_ranks|kv_topic|replay|model_root"}],
            },
            *static,
        ],
    }


def test_emulated_engines_have_no_lmcache_beside_them() -> None:
    jobs = [config["job_name"] for config in yaml.safe_load(render(scraping(emulated=True)))["scrape_configs"]]
    assert jobs == ["engines", "router", "control", "exporter", "prometheus", "alertmanager"]


def test_prometheus_accepts_it(tmp_path: Path) -> None:
    path = tmp_path / "prometheus.yml"
    path.write_text(render(scraping()))
    subprocess.run([tool("promtool"), "check", "config", "--syntax-only", str(path)], check=True, capture_output=True)
