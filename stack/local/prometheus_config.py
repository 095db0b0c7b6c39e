"""prometheus.yml of the one-machine stack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from stack.config import Ports

# Labels of the target file that only those who open connections need.
_CONNECTION_LABELS = "kv_events|kv_event_ranks|kv_topic|replay|model_root"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scraping:
    """What Prometheus reads and whom it tells: addresses by job, the engines' target file, rules, Alertmanager."""

    interval_seconds: int
    targets: Path
    jobs: Mapping[str, str]
    rules: Path
    alertmanager: str

    @classmethod
    def of(cls, ports: Ports, *, interval_seconds: int, targets: Path, rules: Path, emulated: bool) -> Scraping:
        """The local stack's; emulated engines have no LMCache beside them."""
        numbered = {
            "lmcache": ports.lmcache_http,
            "router": ports.router,
            "control": ports.control,
            "exporter": ports.exporter,
            "prometheus": ports.prometheus,
            "alertmanager": ports.alertmanager,
        }
        jobs = {job: f"127.0.0.1:{port}" for job, port in numbered.items() if not (emulated and job == "lmcache")}
        return cls(interval_seconds=interval_seconds, targets=targets, jobs=jobs, rules=rules, alertmanager=jobs["alertmanager"])


def render(scraping: Scraping) -> str:
    """The configuration as YAML."""
    interval = f"{scraping.interval_seconds}s"
    document = {
        "global": {"scrape_interval": interval, "scrape_timeout": interval, "evaluation_interval": interval},
        # What is missed of the objectives is told; it alerts nobody: the objectives are for GPUs.
        "rule_files": [str(scraping.rules / "*.yaml"), str(scraping.rules / "objectives" / "missed.yaml")],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [scraping.alertmanager]}]}]},
        "scrape_configs": [_engines(scraping.targets), *(_static(job, to) for job, to in scraping.jobs.items())],
    }
    return yaml.safe_dump(document, sort_keys=False)


def _engines(targets: Path) -> dict[str, Any]:
    """Target labels win over the engines' own (vLLM has no such ones): replica, pool and model are the fleet's."""
    return {
        "job_name": "engines",
        "file_sd_configs": [{"files": [str(targets)], "refresh_interval": "5s"}],
        "relabel_configs": [{"action": "labeldrop", "regex": _CONNECTION_LABELS}],
    }


def _static(job: str, address: str) -> dict[str, Any]:
    target: dict[str, Any] = {"targets": [address]}
    if job == "lmcache":
        target["labels"] = {"replica": job}  # the exporter's name for it: one alert a failure, not LMCache's and the exporter's
    config: dict[str, Any] = {"job_name": job, "static_configs": [target]}
    if job == "exporter":
        config["honor_labels"] = True  # its series are about engines and carry their labels
    return config
