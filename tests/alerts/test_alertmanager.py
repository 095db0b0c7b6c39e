"""Alertmanager's configuration is valid, and tells nobody until someone says how."""

import subprocess

import yaml

from tests.alerts.promtool import ROOT, tool

CONFIG = ROOT / "alerts" / "alertmanager.yaml"


def test_amtool_finds_no_fault() -> None:
    done = subprocess.run([tool("amtool"), "check-config", CONFIG], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_alert_leaves_the_machine() -> None:
    assert [set(receiver) for receiver in yaml.safe_load(CONFIG.read_text())["receivers"]] == [{"name"}] * 3
