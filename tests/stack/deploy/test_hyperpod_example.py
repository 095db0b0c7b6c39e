"""The example of a HyperPod endpoint is what kvdeck writes, and the operator's definition takes it."""

from __future__ import annotations

import yaml
from click.testing import CliRunner

from stack.api.desired_file import read_desired
from stack.cli.main import main
from stack.deploy.copies import CHART
from stack.kube.hyperpod.imported import imported
from tests.stack.kube.hyperpod.samples import STRATEGIES, schema
from tests.stack.kube.stand_in.schema import faults, pruned

EXAMPLE = CHART.parent / "examples" / "hyperpod"
FLEET, BASE, ENDPOINT = (EXAMPLE / name for name in ("fleet.yaml", "base.yaml", "endpoint.yaml"))


def test_it_is_what_is_written_of_the_fleet_and_its_base() -> None:
    found = CliRunner().invoke(main, ["iec", "export", "--from", str(FLEET), "--base", str(BASE)])
    assert (found.exit_code, found.stdout, found.stderr) == (0, ENDPOINT.read_text(), "")


def test_it_is_read_as_the_fleet_it_was_written_of() -> None:
    assert imported(yaml.safe_load(ENDPOINT.read_text()), STRATEGIES).desired == read_desired(FLEET)


def test_the_operator_s_definition_takes_it_whole() -> None:
    spec, shape = yaml.safe_load(ENDPOINT.read_text())["spec"], schema()["properties"]["spec"]
    assert (list(faults(spec, shape)), pruned(spec, shape)) == ([], spec)
