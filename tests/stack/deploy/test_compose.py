"""The Compose file: what it mounts is there, what it starts is understood, and what it reads makes sense."""

from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
import yaml

import stack.strategies  # noqa: F401  # importing it registers every strategy
from stack.cli.main import main as kvdeck
from stack.control.state import Desired
from stack.control.valid import validated
from stack.deploy.copies import DEPLOY
from stack.model.target import decode
from stack.strategies.base import names
from tests.alerts.promtool import ROOT

FOLDER = ROOT / DEPLOY / "compose"
_SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
_DECK = {name: service for name, service in _SERVICES.items() if service.get("profiles") == ["deck"]}
_MADE = {"tokens.yaml", "router.token", "session.key"}


def _mounted(services: dict[str, dict[str, Any]] = _SERVICES) -> list[Path]:
    volumes = [each for service in services.values() for each in service.get("volumes", [])]
    return [FOLDER / each.split(":")[0] for each in volumes if each.startswith(".")]


def test_what_is_mounted_is_there_or_is_to_be_made() -> None:
    assert [path for path in _mounted() if not path.exists() and path.name not in _MADE] == []


@pytest.mark.parametrize(
    ("name", "secrets"),
    [("router", {"session.key", "router.token"}), ("control", {"tokens.yaml"}), ("dashboard", set())],
)
def test_each_service_is_given_the_secrets_that_it_reads_and_no_other(name: str, secrets: set[str]) -> None:
    mounted = _mounted({name: _DECK[name]})
    assert {path.name for path in mounted if path.name in _MADE} == secrets
    assert [path for path in mounted if path.is_dir()] == []
    read = [*_DECK[name]["command"], *_DECK[name].get("environment", {}).values()]
    inside = {each.split(":")[1] for each in _DECK[name].get("volumes", [])}
    assert [word for word in read if "/etc/kvdeck" in word and word.partition("=")[2] not in inside and word not in inside] == []


def test_watching_takes_no_more_than_it_did() -> None:
    assert set(_DECK) == {"router", "control", "dashboard"}
    assert {"exporter", "prometheus", "alertmanager", "grafana"} == _SERVICES.keys() - _DECK.keys()


@pytest.mark.parametrize("name", ["router", "control", "dashboard"])
def test_programs_understand_how_they_are_started(name: str) -> None:
    command = kvdeck.get_command(click.Context(kvdeck), name)
    assert command is not None
    known = {option for parameter in command.params for option in parameter.opts}
    assert [each for each in _DECK[name]["command"][1:] if each.partition("=")[0] not in known] == []


def test_all_ports_are_on_loopback() -> None:
    ports = [port for service in _SERVICES.values() for port in service.get("ports", [])]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


def test_what_is_desired_makes_sense_for_the_engine_that_is_listed() -> None:
    file = yaml.safe_load((FOLDER / "deck" / "fleet.yaml").read_text())
    desired = validated(msgspec.convert(file["desired"], Desired), names())
    assert set(desired.models) == {target.model for target in decode((FOLDER / "targets.json").read_bytes())}


def test_the_files_that_are_to_be_made_are_named_and_kept_out_of_git() -> None:
    told = (FOLDER / "deck" / "README.md").read_text()
    ignored = (FOLDER / "deck" / ".gitignore").read_text().split()
    assert [name for name in _MADE if name not in told] == []
    assert [name for name in _MADE if not any(Path(name).match(pattern) for pattern in ignored)] == []
    read = {
        word.rpartition("/")[2] for each in _DECK.values() for word in [*each["command"], *each.get("environment", {}).values()]
    }
    assert read >= _MADE


def test_people_sign_in_to_the_dashboard_with_tokens_of_their_own() -> None:
    assert "--sign-in" in _DECK["dashboard"]["command"]
    for readme in (FOLDER / "deck" / "README.md", ROOT / "README.md"):
        assert [line for line in readme.read_text().splitlines() if "kvdeck token new" in line and "--name ann" in line]
