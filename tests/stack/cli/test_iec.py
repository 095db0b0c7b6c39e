"""`kvdeck iec` from and to files: documents on standard output, what is to be said of them on standard error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from stack.api.desired_file import read_desired
from stack.cli.main import main
from stack.control.state import Dpd, ModelState, Pools, PoolState
from stack.local.settings import load
from tests.stack.kube.hyperpod.cluster import cluster, deploy, engine, run_pod
from tests.stack.kube.hyperpod.samples import disaggregated, endpoint, routing
from tests.stack.kube.hyperpod.serving import kubeconfig

OURS = ModelState(
    strategy="kv_aware", dpd=Dpd(routing_threshold=2048), pools=Pools(prefill=PoolState(replicas=2), decode=PoolState(replicas=1))
)


def iec(*words: str, given: str | None = None) -> Result:
    return CliRunner().invoke(main, ["iec", *words], input=given)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "endpoint.yaml", endpoint(intelligentRoutingSpec=routing(), pdSpec=disaggregated()))


def written(path: Path, *documents: Any) -> Path:
    path.write_text(yaml.safe_dump_all(documents))
    return path


def test_what_is_imported_is_a_configuration_of_control_and_of_up(file: Path, tmp_path: Path) -> None:
    found = iec("import", str(file))
    config = tmp_path / "fleet.yaml"
    config.write_text(found.stdout)
    assert found.exit_code == 0
    desired = read_desired(config)
    assert desired is not None
    assert desired.models == load(config).desired.models == {"llama": OURS}
    assert "kept      spec.worker.image: how engines are started is the operator's" in found.stderr


def test_an_endpoint_without_dpd_has_no_prefill_pool_locally_either(tmp_path: Path) -> None:
    config = tmp_path / "fleet.yaml"
    config.write_text(iec("import", "-", given=json.dumps(endpoint(replicas=3))).stdout)
    assert load(config).pools == Pools(prefill=PoolState(replicas=0), decode=PoolState(replicas=3))


def test_programs_get_the_notes_with_the_document(file: Path) -> None:
    found = json.loads(iec("import", str(file), "--json", "--model", "m").stdout)
    assert list(found["desired"]["models"]) == ["m"]
    assert {"kind": "ignored", "field": "spec.worker.resources"}.items() <= found["notes"][0].items()


def test_what_is_exported_on_the_endpoint_it_came_from_is_that_endpoint(file: Path, tmp_path: Path) -> None:
    config = tmp_path / "fleet.yaml"
    config.write_text(iec("import", str(file)).stdout)
    again = iec("export", "--from", str(config), "--base", str(file))
    assert (again.exit_code, yaml.safe_load(again.stdout), again.stderr) == (0, yaml.safe_load(file.read_text()), "")


def test_what_an_endpoint_cannot_say_is_refused_and_lost_only_where_that_is_asked_for(tmp_path: Path) -> None:
    config = written(tmp_path / "fleet.yaml", {"desired": {"models": {"m": {"dpd": {"enabled": False}, "shadow_share": 0.5}}}})
    refused = iec("export", "--from", str(config))
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "adjusted  models.m.shadow_share:" in refused.stderr
    lossy = iec("export", "--from", str(config), "--lenient", "--json")
    assert lossy.exit_code == 0
    assert json.loads(lossy.stdout)["resource"]["kind"] == "InferenceEndpointConfig"


def test_limits_of_the_store_are_not_lost_without_a_word(tmp_path: Path) -> None:
    tiers = {"l2": {"store": {"maxmemory_bytes": 1 << 30}}}
    config = written(tmp_path / "fleet.yaml", {"desired": {"models": {"m": {"dpd": {"enabled": False}}}, "tiers": tiers}})
    assert "adjusted  tiers.l2.store.maxmemory_bytes: the store's limits" in iec("export", "--from", str(config)).stderr


@pytest.mark.parametrize(
    ("words", "code", "word"),
    [
        (["import"], 2, "give FILE"),
        (["import", "a", "--cluster", "b"], 2, "give FILE"),
        (["import", "none.yaml"], 6, "none.yaml cannot be read"),
        (["import", "--cluster", "x", "--kubeconfig", "none"], 6, "no none"),
        (["export", "--from", "none.yaml"], 6, "none.yaml cannot be read"),
        (["export", "--control", "http://127.0.0.1:9"], 6, "control does not answer"),
    ],
)
def test_what_cannot_be_read_is_told(words: list[str], code: int, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    found = iec(*words)
    assert (found.exit_code, word in found.output) == (code, True)


def test_one_of_several_is_named(tmp_path: Path) -> None:
    second = endpoint(modelName="other", worker=None) | {"metadata": {"name": "second"}}
    file = written(tmp_path / "two.yaml", endpoint(), second)
    assert "llama, second; name one with --name" in iec("import", str(file)).stderr
    assert iec("import", str(file), "--name", "llama").exit_code == 0
    refused = iec("import", str(file), "--name", "second")
    assert (refused.exit_code, "worker" in refused.stderr) == (4, True)


def test_an_endpoint_is_of_one_model(tmp_path: Path) -> None:
    models = {"a": {"dpd": {"enabled": False}}, "b": {"dpd": {"enabled": False}}}
    config = str(written(tmp_path / "fleet.yaml", {"desired": {"models": models}}))
    assert iec("export", "--from", config).exit_code == 2
    assert iec("export", "--from", config, "--model", "c").exit_code == 2
    assert yaml.safe_load(iec("export", "--from", config, "--model", "b").stdout)["spec"]["modelName"] == "b"


NOWHERE = ("--kubeconfig", "none", "--control", "http://127.0.0.1:9")


def test_without_a_cluster_and_without_control_everything_is_unknown_which_fails_where_that_is_asked_for(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    found = iec("diff", str(file), *NOWHERE, "--json")
    fields = json.loads(found.stdout)["fields"]
    assert (found.exit_code, {one["standing"] for one in fields}, {one["seen"] for one in fields}) == (0, {"unknown"}, {None})
    assert "control does not answer at http://127.0.0.1:9" in fields[2]["evidence"]
    strict = iec("diff", str(file), *NOWHERE, "--strict")
    assert (strict.exit_code, "spec.pdSpec.routingThreshold" in strict.stdout) == (3, True)


def test_an_endpoint_of_a_cluster_that_cannot_be_asked_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert iec("diff", "llama", *NOWHERE).exit_code == 6


def test_endpoints_of_a_cluster_are_imported_and_compared_by_their_names(tmp_path: Path) -> None:
    pytest.importorskip("kubernetes")
    server = cluster()
    deploy(server, endpoint(intelligentRoutingSpec=routing(), pdSpec=disaggregated()), state="DeploymentInProgress")
    for name, role in (("prefill-llama-a", "prefill"), ("decode-llama-b", "decode")):
        run_pod(server, name, engine(LMCACHE_LOCAL_CPU="true"), role=role)
    with kubeconfig(server, tmp_path / "kubeconfig") as file:
        there = ("--kubeconfig", str(file))
        imported = iec("import", "--cluster", "llama", *there)
        compared = iec("diff", "llama", *there, "--control", "http://127.0.0.1:9", "--json")
        absent = iec("import", "--cluster", "none", *there)
    assert yaml.safe_load(imported.stdout)["desired"]["models"]["llama"]["pools"]["prefill"] == {"replicas": 2}
    standings = {one["field"]: one["standing"] for one in json.loads(compared.stdout)["fields"]}
    assert (compared.exit_code, standings["status.state"], standings["spec.pdSpec.prefillSpec.replicas"]) == (
        1,
        "differs",
        "differs",
    )
    assert (standings["spec.pdSpec.decodingSpec.replicas"], standings["spec.kvCacheSpec.enableL1Cache"]) == ("equal", "equal")
    assert (absent.exit_code, "404" in absent.stderr) == (6, True)
