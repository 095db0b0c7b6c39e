"""The Compose service and Grafana's provisioning, held to the files they mount: no container runs here."""

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import click
import yaml
from click.testing import CliRunner

from exporters.__main__ import main as exporter
from stack.model.target import decode
from tests.alerts.promtool import ROOT

DEPLOY = ROOT / "stack" / "deploy"
COMPOSE = DEPLOY / "compose"


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def _services() -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = _read(COMPOSE / "compose.yaml")["services"]
    return services


def _mounts(service: str) -> dict[str, str]:
    return {inside: outside for outside, inside, *_ in (mount.split(":") for mount in _services()[service].get("volumes", []))}


def _is_secret(path: str) -> bool:
    """Whoever starts it makes those, as the folder's README says; Git never sees them."""
    file = COMPOSE / path
    ignored = file.parent / ".gitignore"
    return ignored.exists() and any(fnmatch(file.name, line) for line in ignored.read_text().splitlines())


def test_every_mounted_file_exists_and_every_volume_is_declared() -> None:
    declared = set(_read(COMPOSE / "compose.yaml")["volumes"])
    outside = [path for service in _services() for path in _mounts(service).values()]
    missing = [path for path in outside if path.startswith(".") and not (COMPOSE / path).exists()]
    assert [path for path in missing if not _is_secret(path)] == []
    assert {path for path in outside if not path.startswith(".")} == declared


def test_the_exporter_takes_cache_servers_and_stores_from_the_variables_that_it_is_given() -> None:
    given = _services()["exporter"]["environment"]
    taken = {option.envvar for option in exporter.params if isinstance(option, click.Option)}
    assert given == {name: f"${{{name}:-}}" for name in ("KVDECK_LMCACHE", "KVDECK_STORE")}
    assert given.keys() <= taken


def test_the_exporters_image_can_be_built() -> None:
    build = _services()["exporter"]["build"]
    assert (COMPOSE / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).exists()


def test_every_port_is_on_loopback_only() -> None:
    assert [port for service in _services().values() for port in service["ports"] if not port.startswith("127.0.0.1:")] == []


def test_prometheus_reads_rules_and_targets_where_they_are_mounted() -> None:
    config, mounts = _read(COMPOSE / "prometheus.yaml"), _mounts("prometheus")
    assert {Path(path).parent.as_posix() for path in config["rule_files"]} == {
        "/etc/prometheus/rules",
        "/etc/prometheus/rules/objectives",
    }
    jobs = {job["job_name"]: job for job in config["scrape_configs"]}
    assert jobs["engines"]["file_sd_configs"][0]["files"] == ["/etc/kvdeck/targets.json"]
    assert jobs["lmcache"]["file_sd_configs"][0]["files"] == ["/etc/kvdeck/lmcache.json"]
    assert mounts["/etc/kvdeck/lmcache.json"] == "./lmcache.json"
    assert mounts["/etc/kvdeck/targets.json"] == _mounts("exporter")["/etc/kvdeck/targets.json"] == "./targets.json"
    addressed = {jobs[job]["static_configs"][0]["targets"][0].partition(":")[0] for job in ("exporter", "alertmanager")}
    assert addressed <= set(_services())


def test_the_listed_engine_is_one_that_the_exporter_can_read() -> None:
    assert [target.replica for target in decode((COMPOSE / "targets.json").read_bytes())] == ["decode-0"]


def test_the_exporter_knows_the_options_it_is_given() -> None:
    told = {word for word in _services()["exporter"]["command"] if word.startswith("--")}
    shown = CliRunner().invoke(exporter, ["--help"]).output
    assert [option for option in told if option not in shown] == []


def test_grafana_finds_dashboards_and_prometheus_where_it_is_told() -> None:
    mounts, provisioning = _mounts("grafana"), DEPLOY / "grafana" / "provisioning"
    (provider,) = _read(provisioning / "dashboards" / "kvdeck.yaml")["providers"]
    (source,) = _read(provisioning / "datasources" / "prometheus.yaml")["datasources"]
    assert (COMPOSE / mounts[provider["options"]["path"]]).resolve() == (DEPLOY / "chart" / "dashboards").resolve()
    assert source["type"] == "prometheus"
    assert source["url"].removeprefix("$") in _services()["grafana"]["environment"]


def test_kustomize_is_told_of_every_dashboard() -> None:
    told = [file for each in _read(DEPLOY / "kustomization.yaml")["configMapGenerator"] for file in each["files"]]
    assert told == sorted(str(path.relative_to(DEPLOY)) for path in (DEPLOY / "chart" / "dashboards").glob("*.json"))
